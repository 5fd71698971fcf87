// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
)

// simulateDeployment simulates the rollout of a Deployment, from an old one or what there is.
func (s *simulation) simulateDeployment(w, old *manifest.Workload) (view.Simulation, error) {
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return view.Simulation{}, err
	}
	start, err := s.startOf(w, old)
	if err != nil {
		return view.Simulation{}, err
	}
	config := s.pace.config(&s.policies, start.Deployment.Template)
	config.Autoscaled = w.Scaled()
	assumed, short := s.environment(w, old, &start, mostOf(&start.Deployment), &config.Kubelet)
	assumed = append(partial, assumed...)
	takeRoom(config.Kubelet.Room, &start, seenOf(w, old))
	result, err := sim.Run(start, config)
	if err != nil {
		return view.Simulation{}, w.Invalid(withHelp(err))
	}
	return view.Simulation{
		Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Images: imagesOf(&result.Cluster, w, old), Result: result,
		Policies: s.departures(), Assumed: append(w.Bites(result.Bounds, running(seenOf(w, old).Pods), short...), assumed...), Recording: config.Kubelet.Recording,
	}, nil
}

// neverStarted reports whether a Deployment has been paused since it was created, so that
// it has no ReplicaSet.
func neverStarted(w *manifest.Workload) bool {
	d := w.Deployment
	return d.Spec.Paused && d.Status.Replicas == 0 && d.Annotations[revision.AnnotationRevision] == ""
}

// startOf returns the cluster in which the rollout begins.
func (s *simulation) startOf(w, old *manifest.Workload) (sim.Cluster, error) {
	if old == nil {
		return clusterOf(w, s.now.Time)
	}
	if err := sameSelector(old.Deployment.Spec.Selector, w.Deployment.Spec.Selector, old.File); err != nil {
		return sim.Cluster{}, w.Invalid(err)
	}
	c, err := clusterOf(old, s.now.Time)
	if err != nil {
		return c, err
	}
	if len(old.ReplicaSets) == 0 && !neverStarted(old) {
		if c, err = sim.Finished(c.Deployment); err != nil {
			return c, old.Invalid(err)
		}
		renumber(&c, old)
	}
	if names, _, _ := nodesOf(w, old); len(w.Nodes) > 0 {
		c.Place(names)
	}
	wanted, err := clusterOf(w, s.now.Time)
	if err != nil {
		return c, err
	}
	c.Update(wanted.Deployment)
	return c, nil
}
