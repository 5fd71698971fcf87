// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/selector"
)

// simulateReplicaSet simulates what becomes of a ReplicaSet by itself, or of an old one
// after it has become another.
func (s *simulation) simulateReplicaSet(r, old *manifest.ReplicaSet) (view.Simulation, error) {
	start, err := s.startReplicaSet(r, old)
	if err != nil {
		return view.Simulation{}, err
	}
	seen, w := r, &r.Workload
	var before *manifest.Workload
	if old != nil {
		seen, before = old, &old.Workload
	}
	assumed, short := s.environment(w, before, &start)
	start.Broken(s.neverReady)
	s.override(&start, false)
	if controller := controllerOf(&r.Snapshot.ReplicaSet); controller != "" {
		assumed = append(assumed, controller+" leaves its size alone")
	}
	if n := len(start.Pods); old != nil && n > 0 && !equality.Semantic.DeepEqual(old.Workload.Deployment.Spec.Template, w.Deployment.Spec.Template) {
		assumed = append(assumed, fmt.Sprintf("%s %s the old template: only new pods are made from the new one", podsText(n), verb(n, "keeps", "keep")))
	}
	run := newReplicaRun(seen, &start)
	config := s.pace.config(&s.policies)
	config.PlanReplicaSet = run.plan
	of := view.ReplicaSets{Kind: r.Kind, Wanted: start.Most(), Plans: run.plans}
	result, err := view.Simulate(&start, of, config, time.Duration(s.timeLimit), s.records)
	if err != nil {
		return result, r.Invalid(withHelp(err))
	}
	result.Policies, result.Assumed = s.flags(replicaset.QuirkTable()), slices.Concat(bites(r, short...), assumed, s.lives(&start, &result))
	return result, nil
}

// startReplicaSet returns where the simulation begins.
func (s *simulation) startReplicaSet(r, old *manifest.ReplicaSet) (b world.Beginning, err error) {
	if old == nil {
		return beginningOfSet(r, r, s.now.Time)
	}
	if err := sameSelector(old.Workload.Deployment.Spec.Selector, r.Workload.Deployment.Spec.Selector, old.File); err != nil && r.Kind == replicaset.Kind {
		return b, r.Invalid(err)
	}
	if b, err = beginningOfSet(old, r, s.now.Time); err != nil {
		return b, err
	}
	if len(old.Workload.Pods) == 0 && old.Snapshot.ReplicaSet.Status.ObservedGeneration == 0 { // a manifest
		if b, err = b.Finished(); err != nil {
			return b, old.Invalid(err)
		}
	}
	b.Place()
	return b, nil
}

// beginningOfSet returns what the files hold: a ReplicaSet, its pods, those that it adopts, what there is
// around it, and what is applied if that is another one.
func beginningOfSet(r, wanted *manifest.ReplicaSet, now time.Time) (b world.Beginning, err error) {
	rs := &r.Snapshot.ReplicaSet
	matches, err := selector.FromLabelSelector(rs.Selector)
	if err != nil {
		return b, r.Invalid(err)
	}
	own := map[types.UID]bool{}
	var pods []podorder.Pod
	for _, p := range r.Snapshot.Pods {
		if p.ControllerUID == rs.UID || p.ControllerUID == "" && matches.Matches(p.Labels) {
			own[types.UID(p.UID)] = true
			pods = append(pods, p)
		}
	}
	next := &wanted.Workload
	if wanted == r {
		next = nil
	}
	if b, err = beginningOf(&r.Workload, next, now, wanted.Workload.Around(own)); err != nil {
		return b, err
	}
	d := b.Wanted()
	b.Kind, b.Deployments = sim.KindReplicaSet, nil
	set := &b.ReplicaSets[0]
	b.Name = set.Name
	set.ControllerKind, set.ControllerName, set.ControllerUID = rs.ControllerKind, rs.ControllerName, rs.ControllerUID
	if n := r.Workload.Scaled(); n != nil && next == nil { // at once: a ReplicaSet does nothing else
		set.Replicas = n
	}
	if next != nil {
		applied := *set
		applied.Replicas, applied.Template, applied.TemplateLabels, applied.MinReadySeconds, applied.Selector = d.Replicas, d.Template, d.TemplateLabels, d.MinReadySeconds, d.Selector
		if n := next.Scaled(); n != nil {
			applied.Replicas = n
		}
		b.Applied = []any{applied}
	}
	for i := range b.Pods { // those of a ReplicationController, too
		b.Pods[i].ControllerKind, b.Pods[i].ControllerName = replicaset.Kind, set.Name
	}
	for _, p := range pods {
		if p.ControllerUID == "" {
			p.Name = strings.TrimSuffix(set.Name, rs.Name) + p.Name
			b.Pods = append(b.Pods, p)
		}
	}
	return b, nil
}

// A replicaRun plans for a ReplicaSet by itself, whose siblings and their pods are those of the input, and
// notes why these pods go.
type replicaRun struct {
	prefix string // of names in the world
	kin    []replicaset.ReplicaSet
	pods   []podorder.Pod // of the kin
	plans  map[time.Time]view.PodPlan
}

func newReplicaRun(r *manifest.ReplicaSet, b *world.Beginning) *replicaRun {
	run := &replicaRun{prefix: strings.TrimSuffix(b.Name, b.Plain()), kin: r.Snapshot.Siblings, plans: map[time.Time]view.PodPlan{}}
	for _, p := range r.Snapshot.Pods {
		if p.ControllerUID != "" && slices.ContainsFunc(run.kin, func(o replicaset.ReplicaSet) bool { return o.UID == p.ControllerUID }) {
			run.pods = append(run.pods, p)
		}
	}
	return run
}

// plan plans for the ReplicaSet.
func (r *replicaRun) plan(s replicaset.Snapshot, now time.Time, options replicaset.Options) (replicaset.Plan, error) {
	s.Siblings = r.kin
	if len(r.pods) > 0 {
		s.Pods = slices.Concat(s.Pods, r.pods)
	}
	s.ReplicaSet.Name = r.plain(s.ReplicaSet.Name)
	for i := range s.Pods { // which are copies
		s.Pods[i].Name, s.Pods[i].ControllerName, s.Pods[i].ResourceVersion = r.plain(s.Pods[i].Name), r.plain(s.Pods[i].ControllerName), ""
	}
	plan, err := podPlan(s, now, options)
	if err != nil {
		return plan.Plan, err
	}
	if len(plan.Plan.Actions) > 0 {
		r.plans[now] = plan
	}
	return r.inWorld(plan.Plan), nil
}

// plain is a name as in a cluster, which has no namespace in it.
func (r *replicaRun) plain(name string) string { return strings.TrimPrefix(name, r.prefix) }

// inWorld is a plan with names as in the world.
func (r *replicaRun) inWorld(plan replicaset.Plan) replicaset.Plan {
	plan.Actions = slices.Clone(plan.Actions)
	for i, action := range plan.Actions {
		switch a := action.(type) {
		case replicaset.DeletePod:
			a.Name = r.prefix + a.Name
			plan.Actions[i] = a
		case replicaset.AdoptPod:
			a.Name, a.Reference.Name = r.prefix+a.Name, r.prefix+a.Reference.Name
			plan.Actions[i] = a
		case replicaset.ReleasePod:
			a.Name = r.prefix + a.Name
			plan.Actions[i] = a
		}
	}
	return plan
}
