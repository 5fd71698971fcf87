// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

func setName(i int8) string { return "web-" + templateOf(i).Hash }

// snapshot returns the view as a snapshot for the planner.
func (d *Deployments) snapshot(v deploymentView) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: deploy.Deployment{
		Name: "web", UID: "web", Generation: 1, Annotations: map[string]string{revision.AnnotationRevision: strconv.Itoa(int(v.revision))},
		Replicas: ptr.To(int32(v.replicas)), Template: templateOf(v.template), Strategy: d.Strategy,
		MaxSurge: rollout.Int(int32(d.Surge)), MaxUnavailable: rollout.Int(int32(d.Unavailable)),
		ProgressDeadlineSeconds: ptr.To(int32(deploy.NoLimit)), RevisionHistoryLimit: ptr.To(int32(deploy.NoLimit)), Paused: v.paused,
		Status: deploy.Status{ObservedGeneration: 1},
	}}
	if v.batch > 0 {
		limits := partition.RollingUpdate{MaxSurge: s.Deployment.MaxSurge, MaxUnavailable: s.Deployment.MaxUnavailable}
		s.Deployment.Strategy, s.Deployment.Paused = deploy.Recreate, true
		s.Deployment.Partitioned = &partition.Strategy{RollingStyle: partition.Style, RollingUpdate: &limits, Paused: v.paused, Partition: d.Batches[v.batch-1]}
	}
	for i, set := range v.sets {
		if set.rank == 0 {
			continue
		}
		s.ReplicaSets = append(s.ReplicaSets, d.replicaSet(int8(i), set))
		for k := range set.pods.fresh + set.pods.ready + set.pods.ending {
			s.Pods = append(s.Pods, podOf(setName(int8(i)), int(k), k < set.pods.ready, k >= set.pods.ready+set.pods.fresh))
		}
	}
	return s
}

func (d *Deployments) most(replicas int8) int8 {
	if d.Strategy == deploy.Recreate {
		return replicas
	}
	return replicas + d.Surge
}

func (d *Deployments) replicaSet(i int8, set setState) replicaset.ReplicaSet {
	name := setName(i)
	rs := replicaset.ReplicaSet{
		Name: name, UID: name, Generation: 2, ControllerKind: deploy.Kind, ControllerName: "web", ControllerUID: "web",
		CreationTimestamp: now.Add(time.Duration(set.rank) * time.Second), Replicas: ptr.To(int32(set.size)), Template: templateOf(i),
		Annotations: map[string]string{
			revision.AnnotationRevision: strconv.Itoa(int(set.revision)), revision.AnnotationDesired: strconv.Itoa(int(set.desired)),
			revision.AnnotationMax: strconv.Itoa(int(d.most(set.desired))),
		},
		Status: replicaset.Status{
			ObservedGeneration: 1, Replicas: int32(set.report.total), FullyLabeledReplicas: int32(set.report.total),
			ReadyReplicas: int32(set.report.available), AvailableReplicas: int32(set.report.available), TerminatingReplicas: ptr.To(int32(set.report.ending)),
		},
	}
	if set.report.seen {
		rs.Status.ObservedGeneration = 2
	}
	return rs
}

// planned returns the plan for a view. Planners are pure, so each view is planned once.
func (d *Deployments) planned(v deploymentView) plannedDeployment {
	if d.Strategy != deploy.Recreate {
		for i := range v.sets {
			v.sets[i].pods = deploymentPods{}
		}
	}
	return d.plans.of(v, func() plannedDeployment { return d.plan(v) })
}

func (d *Deployments) plan(v deploymentView) (p plannedDeployment) {
	s := d.snapshot(v)
	plan, err := d.Plan(s, now, d.Options)
	if err != nil {
		return plannedDeployment{breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	if d.actions == nil {
		d.actions = map[deploymentWrite]deploy.Action{}
	}
	n := 0
	for _, a := range plan.Actions {
		w := d.write(v, a)
		if note, ok := a.(deploy.AnnotateDeployment); ok && note.Reason == reason.ExtraStatus {
			continue // only the controller of batches reads it, and here it counts pods itself
		}
		if w.what == verbNothing || n == len(p.writes) {
			p.breaches = append(p.breaches, breach(PropertyPlan, "not known here: %v", a))
			continue
		}
		if d.actions[w] == nil {
			d.actions[w] = a
		}
		p.writes[n] = w
		n++
	}
	p.breaches = append(p.breaches, d.within(v, p.writes)...)
	if d.Check != nil {
		p.breaches = append(p.breaches, d.Check(s, plan)...)
	}
	return p
}

func (d *Deployments) write(v deploymentView, action deploy.Action) deploymentWrite {
	w := deploymentWrite{desired: -1, revised: -1}
	annotated := func(set map[string]string) {
		if text, ok := set[revision.AnnotationDesired]; ok {
			w.desired = number(text)
		}
		if text, ok := set[revision.AnnotationRevision]; ok {
			w.revised = number(text)
		}
	}
	switch a := action.(type) {
	case deploy.CreateReplicaSet:
		w.what, w.set, w.to = verbCreate, v.template, int8(a.Replicas)
		annotated(a.Annotations)
	case deploy.ScaleReplicaSet:
		w.what, w.set, w.from, w.to = verbScale, setOf(a.Name), int8(a.From), int8(a.To)
		annotated(a.Set)
	case deploy.AnnotateReplicaSet:
		w.what, w.set = verbAnnotate, setOf(a.Name)
		annotated(a.Set)
	case deploy.AnnotateDeployment:
		w.what = verbNumber
		annotated(a.Set)
		if w.revised < 0 {
			w.what = verbNothing
		}
	}
	return w
}

func setOf(name string) int8 { return int8(name[len(name)-1] - 'a') }

// within checks the bounds of a plan by plain arithmetic: after each write of a rolling update
// the desired number of pods does not exceed the surge, or the number before, and the number
// of available pods does not fall below the minimum, or the number before, if unavailable pods
// go first.
func (d *Deployments) within(v deploymentView, writes [6]deploymentWrite) (list []Breach) {
	if d.Strategy == deploy.Recreate || v.paused || v.scaling() {
		return nil
	}
	wanted, available := v.counts(v.sets)
	most, least := max(wanted, v.replicas+d.Surge), min(available, v.replicas-d.unavailable())
	state := deploymentState{deploymentView: v}
	for k, w := range writes {
		next, ok := d.after(state, w)
		if !ok {
			break
		}
		state = next
		list = append(list, d.kept(&v, w, &state)...)
		total, left := v.counts(state.sets)
		if total > most {
			list = append(list, breach("plan: "+PropertySurge, "after %d writes %d pods wanted of at most %d", k+1, total, most))
		}
		if left < least {
			list = append(list, breach("plan: "+PropertyAvailable, "after %d writes %d pods available of at least %d", k+1, left, least))
		}
	}
	return list
}

// kept checks that a write of a partitioned Deployment leaves the old pods that the batch
// reserves.
func (d *Deployments) kept(v *deploymentView, w deploymentWrite, after *deploymentState) (list []Breach) {
	if v.batch == 0 || w.set != v.template || w.what != verbCreate && w.what != verbScale || w.to <= w.from {
		return nil
	}
	wanted, _ := v.counts(v.sets)
	if old := wanted - v.sets[v.template].size; old > 0 && w.to > d.limit(v) {
		list = append(list, breach(PropertyPartition, "%d new pods of %d in batch %d, at most %d: %v", w.to, v.replicas, v.batch, d.limit(v), after))
	}
	return list
}

// limit returns the number of new pods that the batch releases: its share, rounded up. If
// there are several pods, only a batch of everything releases all of them.
func (d *Deployments) limit(v *deploymentView) int8 {
	text, percent := strings.CutSuffix(d.Batches[v.batch-1].String(), "%")
	n, _ := strconv.Atoi(text)
	if !percent {
		return min(int8(n), v.replicas)
	}
	share := int8((n*int(v.replicas) + 99) / 100)
	if n < 100 && v.replicas > 1 {
		share = min(share, v.replicas-1)
	}
	return share
}

// scaling reports whether replicas have changed since some ReplicaSet was scaled.
func (v *deploymentView) scaling() bool {
	for _, set := range v.sets {
		if set.rank > 0 && set.size > 0 && set.desired != v.replicas {
			return true
		}
	}
	return false
}

// counts returns the number of pods that ReplicaSets want, and the number that v reports as
// available.
func (v *deploymentView) counts(sets [3]setState) (wanted, available int8) {
	for i, set := range sets {
		wanted += set.size
		available += max(0, min(v.sets[i].report.available, v.sets[i].size, set.size))
	}
	return wanted, available
}

func (w deploymentWrite) String() string {
	set := string('a' + rune(w.set))
	switch w.what {
	case verbCreate:
		return fmt.Sprintf("create %s at %d for %d", set, w.to, w.desired)
	case verbScale:
		return fmt.Sprintf("scale %s from %d to %d for %d", set, w.from, w.to, w.desired)
	case verbAnnotate:
		return fmt.Sprintf("annotate %s: desired %d, revision %d", set, w.desired, w.revised)
	default:
		return fmt.Sprintf("revision %d", w.revised)
	}
}

// String returns the state on one line: each ReplicaSet as its size, its pods, and its status
// where the status has not followed.
func (s deploymentState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %c", s.replicas, 'a'+rune(s.template))
	if s.paused {
		b.WriteString(", paused")
	}
	for i, set := range s.sets {
		if set.rank == 0 {
			continue
		}
		fmt.Fprintf(&b, "; %c wants %d (of %d) has %d+%d", 'a'+rune(i), set.size, set.desired, set.pods.ready, set.pods.fresh)
		if set.pods.ending > 0 {
			fmt.Fprintf(&b, "-%d", set.pods.ending)
		}
		if !inStep(set) || !set.report.seen {
			fmt.Fprintf(&b, " reports %d of %d", set.report.available, set.report.total)
		}
	}
	for k, w := range s.plan {
		if w.what != verbNothing {
			b.WriteString([]string{" | ", ", "}[min(k, 1)] + w.String())
		}
	}
	return b.String()
}
