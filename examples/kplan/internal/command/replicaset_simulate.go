// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// simulateReplicaSet simulates what becomes of a ReplicaSet by itself, or of an old one
// after it has become another.
func (s *simulation) simulateReplicaSet(r, old *manifest.ReplicaSet) (view.ReplicaSimulation, error) {
	start, err := s.startReplicaSet(r, old)
	if err != nil {
		return view.ReplicaSimulation{}, err
	}
	if n := r.Workload.Scaled(); n != nil { // at once: a ReplicaSet does nothing else
		start.ReplicaSets[0].Replicas, start.Deployment.Replicas = n, n
		start.ReplicaSets[0].Generation++
	}
	config := s.pace.config(&s.policies, start.ReplicaSets[0].Template)
	seen, w := r, &r.Workload
	var before *manifest.Workload
	if old != nil {
		seen, before = old, &old.Workload
	}
	assumed, short := s.environment(w, before, &start, sizeOf(&start.ReplicaSets[0]), &config.Kubelet)
	if controller := controllerOf(&r.Snapshot.ReplicaSet); controller != "" {
		assumed = append(assumed, controller+" leaves its size alone")
	}
	if n := len(start.Pods); old != nil && n > 0 && !equality.Semantic.DeepEqual(old.Workload.Deployment.Spec.Template, w.Deployment.Spec.Template) {
		assumed = append(assumed, fmt.Sprintf("%s %s the old template: only new pods are made from the new one", podsText(n), verb(n, "keeps", "keep")))
	}
	run := newReplicaRun(seen, start)
	result, err := run.run(start, config)
	if err != nil {
		return view.ReplicaSimulation{}, r.Invalid(withHelp(err))
	}
	if recording := config.Kubelet.Recording; recording != nil {
		recording.Deployments = nil // the one that stands for nobody
	}
	return view.ReplicaSimulation{
		Kind: r.Kind, Namespace: r.Namespace, Name: r.Snapshot.ReplicaSet.Name, Wanted: sizeOf(&start.ReplicaSets[0]),
		Steps: run.steps, Done: result.Done, GaveUp: result.GaveUp, Policies: s.flags(replicaset.QuirkTable()), Assumed: append(bites(r, short...), assumed...), Recording: config.Kubelet.Recording,
	}, nil
}

// startReplicaSet returns the cluster in which the simulation begins.
func (s *simulation) startReplicaSet(r, old *manifest.ReplicaSet) (sim.Cluster, error) {
	if old == nil {
		return replicaCluster(r, s.now.Time)
	}
	if err := sameSelector(old.Workload.Deployment.Spec.Selector, r.Workload.Deployment.Spec.Selector, old.File); err != nil && r.Kind == replicaset.Kind {
		return sim.Cluster{}, r.Invalid(err)
	}
	c, err := replicaCluster(old, s.now.Time)
	if err != nil {
		return c, err
	}
	if len(old.Workload.Pods) == 0 && old.Snapshot.ReplicaSet.Status.ObservedGeneration == 0 { // a manifest
		run := newReplicaRun(old, c)
		result, err := run.run(c, sim.Config{TimeLimit: math.MaxInt64, ReplicaSetOptions: replicaset.Options{Burst: math.MaxInt32}})
		if err != nil {
			return c, old.Invalid(err)
		}
		c = result.Cluster
		c.Now = c.Now.Add(time.Hour)
	}
	if names, _, _ := nodesOf(&r.Workload, &old.Workload); len(r.Workload.Nodes) > 0 {
		c.Place(names)
	}
	next, err := replicaCluster(r, s.now.Time)
	if err != nil {
		return c, err
	}
	is, wanted := &c.ReplicaSets[0], &next.ReplicaSets[0]
	is.Replicas, is.Template, is.TemplateLabels, is.MinReadySeconds = wanted.Replicas, wanted.Template, wanted.TemplateLabels, wanted.MinReadySeconds
	is.Selector, is.Generation = wanted.Selector, is.Generation+1
	c.Deployment.Replicas, c.Deployment.Status = wanted.Replicas, deploy.Status{}
	return c, nil
}

// replicaCluster returns what the files hold as a cluster: a ReplicaSet, its pods, and those
// that it adopts.
func replicaCluster(r *manifest.ReplicaSet, now time.Time) (sim.Cluster, error) {
	c, err := clusterOf(&r.Workload, now)
	if err != nil {
		return c, err
	}
	rs := &r.Snapshot.ReplicaSet
	matches, err := selector.FromLabelSelector(rs.Selector)
	if err != nil {
		return c, r.Invalid(err)
	}
	if r.Workload.Missing() == "" {
		c.Pods = nil
	}
	for _, p := range r.Snapshot.Pods {
		switch {
		case p.ControllerUID == rs.UID:
			p.ControllerKind = replicaset.Kind
			c.Pods = append(c.Pods, &p)
		case p.ControllerUID == "" && matches.Matches(p.Labels):
			c.Pods = append(c.Pods, &p)
		}
	}
	return c, nil
}

// A replicaRun plans for a ReplicaSet by itself in a cluster whose Deployment stands for
// nobody, and makes steps of its passes.
type replicaRun struct {
	of    replicaset.ReplicaSet // the one of the input
	kin   []replicaset.ReplicaSet
	pods  []podorder.Pod // of the kin
	start time.Time
	steps []view.ReplicaStep
	open  bool         // whether the last step has no counts yet
	last  view.PodPlan // of the last pass
}

func newReplicaRun(r *manifest.ReplicaSet, c sim.Cluster) *replicaRun {
	run := &replicaRun{of: r.Snapshot.ReplicaSet, kin: r.Snapshot.Siblings, start: c.Now}
	for _, p := range r.Snapshot.Pods {
		if p.ControllerUID != "" && slices.ContainsFunc(run.kin, func(o replicaset.ReplicaSet) bool { return o.UID == p.ControllerUID }) {
			run.pods = append(run.pods, p)
		}
	}
	return run
}

func (r *replicaRun) run(c sim.Cluster, config sim.Config) (sim.Result, error) {
	config.PlanDeployment, config.PlanReplicaSet = r.planNothing, r.planPods
	result, err := sim.Run(c, config)
	if err != nil {
		return result, err
	}
	r.last.Plan.Actions = nil
	s := &result.Cluster.ReplicaSets[0].Status
	r.follow(s)
	r.steps = append(r.steps, view.ReplicaStep{
		Time: result.Cluster.Now.Sub(r.start), Plan: r.last, Pods: s.Replicas, Ready: s.ReadyReplicas, Available: s.AvailableReplicas,
	})
	return result, nil
}

// planNothing is the planner of the Deployment. Its status is complete when all pods are
// available.
func (r *replicaRun) planNothing(s deploy.Snapshot, _ time.Time, _ deploy.Options) (plan deploy.Plan, err error) {
	plan.Status.ObservedGeneration = s.Deployment.Generation
	for i := range s.ReplicaSets {
		if status := &s.ReplicaSets[i].Status; s.ReplicaSets[i].UID == r.of.UID {
			plan.Status.Replicas, plan.Status.UpdatedReplicas = status.Replicas, status.Replicas
			plan.Status.ReadyReplicas, plan.Status.AvailableReplicas = status.ReadyReplicas, status.AvailableReplicas
		}
	}
	return plan, nil
}

// planPods is the planner of the ReplicaSet, whose controller and siblings are those of the
// input.
func (r *replicaRun) planPods(s replicaset.Snapshot, now time.Time, options replicaset.Options) (replicaset.Plan, error) {
	s.ReplicaSet.ControllerKind, s.ReplicaSet.ControllerName, s.ReplicaSet.ControllerUID = r.of.ControllerKind, r.of.ControllerName, r.of.ControllerUID
	s.Siblings = r.kin
	if len(r.pods) > 0 {
		s.Pods = slices.Concat(s.Pods, r.pods)
	}
	plan, err := podPlan(s, now, options)
	if err != nil {
		return plan.Plan, err
	}
	r.follow(&plan.Plan.Status)
	r.last = plan
	if r.open = len(plan.Plan.Actions) > 0; r.open {
		r.steps = append(r.steps, view.ReplicaStep{Time: now.Sub(r.start), Plan: plan})
	}
	return plan.Plan, nil
}

// follow gives the step before the counts that it has led to. One that changed nothing, as a
// quota forbids it, is none.
func (r *replicaRun) follow(now *replicaset.Status) {
	if !r.open {
		return
	}
	r.open = false
	step := &r.steps[len(r.steps)-1]
	plan := &step.Plan.Plan
	if _, creates := plan.Actions[0].(replicaset.CreatePods); creates && plan.Status.Replicas == now.Replicas {
		r.steps = r.steps[:len(r.steps)-1]
		return
	}
	step.Pods, step.Ready, step.Available = now.Replicas, now.ReadyReplicas, now.AvailableReplicas
}
