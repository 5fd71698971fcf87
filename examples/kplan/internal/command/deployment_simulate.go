// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
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
	assumed, short := s.environment(w, old, &start)
	assumed = append(partial, assumed...)
	start.Broken(s.neverReady)
	s.override(&start, false)
	config := s.pace.config(&s.policies)
	config.Autoscalers = scaled(start.Name, w.Scaled())
	of := view.Deployments{Images: imagesOf(w, old)}
	result, err := view.Simulate(&start, of, config, time.Duration(s.timeLimit), s.records)
	if err != nil {
		return result, w.Invalid(withHelp(err))
	}
	result.Policies = s.departures()
	result.Assumed = slices.Concat(w.Bites(of.Bounds(&result), start.Running(), short...), assumed, s.lives(&start, &result))
	return result, nil
}

// neverStarted reports whether a Deployment has been paused since it was created, so that
// it has no ReplicaSet.
func neverStarted(w *manifest.Workload) bool {
	d := w.Deployment
	return d.Spec.Paused && d.Status.Replicas == 0 && d.Annotations[revision.AnnotationRevision] == ""
}

// hasSets reports whether there is a ReplicaSet that a Deployment controls, or adopts.
func hasSets(w *manifest.Workload) bool {
	selector, err := metav1.LabelSelectorAsSelector(w.Deployment.Spec.Selector)
	return slices.ContainsFunc(w.ReplicaSets, func(rs *appsv1.ReplicaSet) bool {
		owner := metav1.GetControllerOfNoCopy(rs)
		return owner != nil && owner.UID == w.Deployment.UID || owner == nil && err == nil && selector.Matches(labels.Set(rs.Labels))
	})
}

// startOf returns the cluster in which the rollout begins.
func (s *simulation) startOf(w, old *manifest.Workload) (world.Beginning, error) {
	if old == nil {
		return beginningOf(w, nil, s.now.Time, w.Around(podsIn(w)))
	}
	if err := sameSelector(old.Deployment.Spec.Selector, w.Deployment.Spec.Selector, old.File); err != nil {
		return world.Beginning{}, w.Invalid(err)
	}
	b, err := beginningOf(old, w, s.now.Time, w.Around(podsIn(old)))
	if err != nil {
		return b, err
	}
	if !hasSets(old) && !neverStarted(old) {
		if b, err = b.Finished(); err != nil {
			return b, old.Invalid(err)
		}
		renumber(&b, old)
	}
	b.Place()
	return b, nil
}

// scaled is an autoscaler that gives a Deployment so many replicas, if any.
func scaled(name string, replicas *int32) []sim.Autoscaler {
	if replicas == nil {
		return nil
	}
	return []sim.Autoscaler{{Name: "horizontal pod autoscaler", Desired: func(sim.View) map[string]int32 { return map[string]int32{name: *replicas} }}}
}
