// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/selector"
)

// A ReplicaSet is a ReplicaSet or a ReplicationController that is planned on its own.
type ReplicaSet struct{ *manifest.ReplicaSet }

// Plan returns the next plan.
func (r ReplicaSet) Plan(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := r.plan(p, now)
	return plan, r.notes(), err
}

// notes returns notes about the limits that keep the ReplicaSet from its wanted size.
func (r ReplicaSet) notes() []string { return noted(r.Workload.Placed(), bites(r.ReplicaSet)) }

func (r ReplicaSet) plan(p *Policies, now time.Time) (view.ReplicaPlan, error) {
	plan, err := podPlan(r.Snapshot, now, replicaset.Options{Repair: p.ReplicaSets()})
	if err != nil {
		return view.ReplicaPlan{}, r.Invalid(err)
	}
	return view.ReplicaPlan{
		Kind: r.Kind, Namespace: r.Namespace, Controller: controllerOf(&r.Snapshot.ReplicaSet), PodPlan: plan,
		Policies: p.Flags(quirk.Table()), Unapplied: manifest.IsManifest(r.Snapshot.ReplicaSet.UID),
	}, nil
}

// bites returns the limits that keep a ReplicaSet from its wanted size.
func bites(r *manifest.ReplicaSet, short ...manifest.Shortage) []string {
	return r.Workload.Bites(rollout.Budget{Replicas: sizeOf(&r.Snapshot.ReplicaSet)}, running(r.Workload.Pods), short...)
}

// Explain returns the explanation of the next plan.
func (r ReplicaSet) Explain(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := r.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.ReplicaExplanation{ReplicaPlan: plan}
	for _, condition := range r.Workload.ReplicaSets[0].Status.Conditions {
		if condition.Type == appsv1.ReplicaSetReplicaFailure && condition.Status == corev1.ConditionTrue {
			e.Failure = condition.Message
		}
	}
	e.Idle = idlePods(r.Workload.Pods, nil, now)
	e.Caveats = replicaSetImages(r.ReplicaSet)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: availableNext(&plan.Plan, plan.Name)})
	}
	return e, r.notes(), nil
}

// Versions returns the pods before and after the change.
func (r ReplicaSet) Versions(from *Earlier) (before, after Pods) {
	if old := from.replicaSets[r.Key()]; old != nil {
		before = podsOfDeployment(&old.Workload)
	}
	return before, podsOfDeployment(&r.Workload)
}

// podPlan returns the plan for the pods of a ReplicaSet.
func podPlan(s replicaset.Snapshot, now time.Time, options replicaset.Options) (view.PodPlan, error) {
	p := view.PodPlan{Name: s.ReplicaSet.Name, Wanted: sizeOf(&s.ReplicaSet), Now: now}
	var err error
	if p.Plan, err = replicaset.Reconcile(s, now, options); err != nil {
		return p, err
	}
	if p.Reasons, err = replicaset.Explain(s, now, options); err != nil {
		return p, err
	}
	p.Tie, err = tieOf(s, now, options, deletions(&p.Plan))
	return p, err
}

func sizeOf(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}

// controllerOf returns the controller of a ReplicaSet, such as Deployment web, or "".
func controllerOf(rs *replicaset.ReplicaSet) string {
	if rs.ControllerUID == "" {
		return ""
	}
	return rs.ControllerKind + " " + rs.ControllerName
}

func availableNext(plan *replicaset.Plan, name string) string {
	if plan.Status.AvailableReplicas == plan.Status.ReadyReplicas {
		return "replica set " + name + " is looked at again"
	}
	return "a pod of " + name + " becomes available"
}

// simulate returns the simulation of a ReplicaSet without a Deployment, or of the change from an
// old ReplicaSet to it.
func (o ReplicaSet) simulate(s *Settings, _ *manifest.Set, from *Earlier) (*job, error) {
	r, old := o.ReplicaSet, from.replicaSets[o.Key()]
	s.startsFromNothing(old == nil, r.File, r.Name())
	seen, before := r, (*manifest.Workload)(nil)
	if old != nil {
		seen, before = old, &old.Workload
		if err := sameSelector(old.Workload.Deployment.Spec.Selector, r.Workload.Deployment.Spec.Selector, old.File); err != nil && r.Kind == replicaset.Kind {
			return nil, r.Invalid(err)
		}
	}
	j, err := s.setJob(seen, onlyWith(old, r))
	if err != nil {
		return nil, err
	}
	var assumed []string
	var short []manifest.Shortage
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		assumed, short = s.environment(&r.Workload, before, b)
		b.Broken(s.NeverReady)
		assumed = append(assumed, keptTemplate(r, old, b.Running())...)
		run := newReplicaRun(seen, b)
		config.PlanReplicaSet = run.beside(config.PlanReplicaSet)
		j.telling = view.ReplicaSets{Kind: r.Kind, Wanted: b.Most(), Plans: run.plans}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies, result.Assumed = s.Flags(quirk.Table()), slices.Concat(bites(r, short...), assumed, s.lives(b, result))
	}
	return j, nil
}

// keptTemplate returns notes about fields that a ReplicaSet does not act on: its replicas, if a
// controller sets them, and its template, which existing pods do not take.
func keptTemplate(r, old *manifest.ReplicaSet, pods int) (notes []string) {
	if controller := controllerOf(&r.Snapshot.ReplicaSet); controller != "" {
		notes = append(notes, controller+" leaves its size alone")
	}
	if old != nil && pods > 0 && !equality.Semantic.DeepEqual(old.Workload.Deployment.Spec.Template, r.Workload.Deployment.Spec.Template) {
		notes = append(notes, fmt.Sprintf("%s %s the old template: only new pods are made from the new one", podsText(pods), verb(pods, "keeps", "keep")))
	}
	return notes
}

// setJob returns the simulation of a ReplicaSet with its pods and the pods that it adopts, and of
// the wanted ReplicaSet applied to it, if any.
func (s *Settings) setJob(r, wanted *manifest.ReplicaSet) (*job, error) {
	rs := &r.Snapshot.ReplicaSet
	matches, err := selector.FromLabelSelector(rs.Selector)
	if err != nil {
		return nil, r.Invalid(err)
	}
	w := &r.Workload
	j := &job{of: r, now: s.Begin, objects: []kube.Object{w.ReplicaSets[0]}, around: w.Around(r.Namespace), own: podsIn(w), apart: rs.ControllerUID != ""}
	if j.now.IsZero() {
		j.now = latest(w)
	}
	if err = check(w, j.now); err != nil {
		return nil, err
	}
	for _, p := range w.Pods {
		j.objects = append(j.objects, p)
	}
	var orphans []podorder.Pod
	for _, p := range r.Snapshot.Pods {
		if p.ControllerUID == "" && matches.Matches(p.Labels) {
			j.own[types.UID(p.UID)], orphans = true, append(orphans, p)
		}
	}
	if wanted != nil {
		if err = check(&wanted.Workload, j.now); err != nil {
			return nil, err
		}
		next := wanted.Workload.ReplicaSets[0].DeepCopy()
		next.Namespace, next.Name, next.UID = w.ReplicaSets[0].Namespace, w.ReplicaSets[0].Name+world.Next, nextUID
		j.of, j.objects, j.around = wanted, append(j.objects, next), wanted.Workload.Around(r.Namespace)
	}
	j.begin = func(b *world.Beginning) error { return beginSet(b, r, wanted, orphans) }
	return j, nil
}

// beginSet begins with a ReplicaSet and the orphans that it adopts.
func beginSet(b *world.Beginning, r, wanted *manifest.ReplicaSet, orphans []podorder.Pod) error {
	rs := &r.Snapshot.ReplicaSet
	b.BeginReplicaSet(r.Namespace, rs.Name, wanted != nil)
	set := b.ReplicaSet()
	if set.UID != rs.UID {
		return r.Invalid(errTwice)
	}
	set.ControllerKind, set.ControllerName, set.ControllerUID = rs.ControllerKind, rs.ControllerName, rs.ControllerUID
	w := &r.Workload
	if wanted != nil {
		w = &wanted.Workload
		b.Earlier = len(r.Workload.Pods) == 0 && rs.Status.ObservedGeneration == 0 // a manifest
	}
	if n := w.Scaled(); n != nil { // at once: a ReplicaSet does nothing else
		b.Scale(n)
	}
	for i := range b.Pods { // also pods of a ReplicationController
		if p := &b.Pods[i]; p.ControllerUID == rs.UID {
			p.ControllerKind, p.ControllerName = replicaset.Kind, set.Name
		}
	}
	for _, p := range orphans {
		p.Name = strings.TrimSuffix(set.Name, rs.Name) + p.Name
		b.Pods = append(b.Pods, p)
	}
	return nil
}

// A replicaRun plans for one ReplicaSet, with siblings and their pods from the input. It records
// why pods are deleted.
type replicaRun struct {
	uid      string
	prefix   string // of names in the world
	siblings []replicaset.ReplicaSet
	pods     []podorder.Pod // of the siblings
	plans    map[time.Time]view.PodPlan
}

func newReplicaRun(r *manifest.ReplicaSet, b *world.Beginning) *replicaRun {
	run := &replicaRun{uid: b.ReplicaSet().UID, prefix: strings.TrimSuffix(b.Name, b.Plain()), siblings: r.Snapshot.Siblings, plans: map[time.Time]view.PodPlan{}}
	for _, p := range r.Snapshot.Pods {
		if p.ControllerUID != "" && slices.ContainsFunc(run.siblings, func(o replicaset.ReplicaSet) bool { return o.UID == p.ControllerUID }) {
			run.pods = append(run.pods, p)
		}
	}
	return run
}

// beside returns a planner that plans for this ReplicaSet and calls another planner for others.
func (r *replicaRun) beside(other func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)) func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error) {
	if other == nil {
		other = replicaset.Reconcile
	}
	return func(s replicaset.Snapshot, now time.Time, options replicaset.Options) (replicaset.Plan, error) {
		if s.ReplicaSet.UID != r.uid {
			return other(s, now, options)
		}
		return r.plan(s, now, options)
	}
}

// plan plans for the ReplicaSet.
func (r *replicaRun) plan(s replicaset.Snapshot, now time.Time, options replicaset.Options) (replicaset.Plan, error) {
	s.Siblings = r.siblings
	if len(r.pods) > 0 {
		s.Pods = slices.Concat(s.Pods, r.pods)
	}
	s.ReplicaSet.Name = r.plain(s.ReplicaSet.Name)
	for i := range s.Pods { // copies
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

// plain returns a name as in the cluster, without the prefix of the simulated world.
func (r *replicaRun) plain(name string) string { return strings.TrimPrefix(name, r.prefix) }

// inWorld returns a plan with the names of the simulated world.
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
