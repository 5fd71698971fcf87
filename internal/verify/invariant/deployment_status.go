// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A Collision is the result of a pass that found the name of its new ReplicaSet taken.
type Collision struct {
	Pass   DeploymentPass // the pass that creates it
	Create deploy.CreateReplicaSet
	After  deploy.Result // result of [deploy.Pass.Finish]
}

func collisions(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

func hashCollision(c *Collision) []string {
	d := &c.Pass.Snapshot.Deployment
	i := slices.IndexFunc(c.Pass.Snapshot.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == c.Create.Name })
	before, after := collisions(d.Status.CollisionCount), collisions(c.After.Status.CollisionCount)
	want := before
	if i >= 0 {
		rs := &c.Pass.Snapshot.ReplicaSets[i]
		if rs.ControllerUID != d.UID || rs.Template.ID != d.Template.ID {
			want = min(before+1, math.MaxInt32)
		}
	}
	l := list(nil)
	l.addIf(after != want, "%d collisions after %d, not %d", after, before, want)
	l.addIf(c.After.Err == nil, "the name is taken, and nobody tries again")
	return l
}

// hashCollisionTrace checks that the count only increases, by one at a time.
func hashCollisionTrace(t *DeploymentTrace) []string {
	l := list(nil)
	for i := 1; i < len(t.Passes); i++ {
		before, after := collisions(t.Passes[i-1].Snapshot.Deployment.Status.CollisionCount), collisions(t.Passes[i].Snapshot.Deployment.Status.CollisionCount)
		l.addIf(after < before || after > before+1, "pass %d: %d collisions after %d", i+1, after, before)
	}
	return l
}

// rollbackTemplate checks rollbacks.
func rollbackTemplate(p *DeploymentPass) []string {
	v, l := viewOf(p), list(nil)
	for _, a := range p.Plan.Actions {
		if a, ok := a.(deploy.RollBackDeployment); ok {
			l.addIf(!v.rollback, "nobody has asked for %v", a)
			l = append(l, v.rolledBack(a)...)
		}
	}
	return l
}

func (v *deploymentView) rolledBack(a deploy.RollBackDeployment) []string {
	l := list(nil)
	asked, _ := strconv.ParseInt(v.d.Annotations[revision.AnnotationRollback], 10, 64)
	l.addIf(asked != 0 && a.Revision != asked, "revision %d was asked for, not %d", asked, a.Revision)
	i := slices.IndexFunc(v.sets, func(rs *replicaset.ReplicaSet) bool { return rs.Name == a.Name })
	if i < 0 {
		return append(l, fmt.Sprintf("%v: there is no such ReplicaSet", a))
	}
	rs := v.sets[i]
	number, _ := revisionOf(rs.Annotations)
	l.addIf(number != a.Revision && rs != v.newest, "%s has revision %d, not %d", a.Name, number, a.Revision)
	l.addIf(a.Template.ID != rs.Template.ID, "%v gives template %q, not %q", a, a.Template.ID, rs.Template.ID)
	l.addIf(a.Annotations[revision.AnnotationRollback] != "", "%v keeps the request", a)
	own := []string{revision.AnnotationRevision, revision.AnnotationHistory, revision.AnnotationDesired, revision.AnnotationMax, revision.AnnotationLastApplied, revision.AnnotationRollback}
	for key, value := range rs.Annotations {
		l.addIf(!slices.Contains(own, key) && a.Annotations[key] != value, "%v: annotation %s is %q, not %q", a, key, a.Annotations[key], value)
	}
	for _, key := range []string{revision.AnnotationDesired, revision.AnnotationMax, revision.AnnotationLastApplied} {
		if value, ok := v.d.Annotations[key]; ok {
			l.addIf(a.Annotations[key] != value, "%v: annotation %s is %q, not %q", a, key, a.Annotations[key], value)
		}
	}
	return l
}

// deploymentStatusRecount counts the status again.
func deploymentStatusRecount(p *DeploymentPass) []string {
	v := viewOf(p)
	if !v.reports() {
		return nil
	}
	var replicas, ready, available, terminating int64
	known := true
	for _, rs := range v.sets {
		replicas += int64(rs.Status.Replicas)
		ready += int64(rs.Status.ReadyReplicas)
		available += int64(rs.Status.AvailableReplicas)
		if n := rs.Status.TerminatingReplicas; n != nil {
			terminating += int64(*n)
		} else if rs.Status.ObservedGeneration != 0 {
			known = false
		}
	}
	outside := leaves32(replicas) || leaves32(ready) || leaves32(available) || leaves32(terminating)
	if v.excused(v.wraps || outside) {
		return nil
	}
	s, l := p.Plan.Status, list(nil)
	count := func(what string, got int32, want int64) {
		want = between(want, math.MinInt32, math.MaxInt32)
		l.addIf(int64(got) != want, "%d %s pods, and a recount finds %d", got, what, want)
	}
	count("existing", s.Replicas, replicas)
	count("ready", s.ReadyReplicas, ready)
	count("available", s.AvailableReplicas, available)
	l.addIf(known != (s.TerminatingReplicas != nil), "terminating pods are known: %v, but reported: %v", known, s.TerminatingReplicas != nil)
	if known && s.TerminatingReplicas != nil {
		count("terminating", *s.TerminatingReplicas, terminating)
	}
	if s.AvailableReplicas >= 0 && !hasDeployment[deploy.DeleteReplicaSet](p) && (p.Options.Repair.Has(quirk.UnavailableReplicasLag) || p.Strict) {
		wanted := between(sum(v.sizes(p.Plan.Actions)), math.MinInt32, math.MaxInt32)
		count("unavailable", s.UnavailableReplicas, max(0, wanted-int64(s.AvailableReplicas)))
	}
	l.addIf(s.ObservedGeneration != v.d.Generation, "generation %d is observed, not %d", s.ObservedGeneration, v.d.Generation)
	return l
}

// terminatingPodsPolicy checks the bounds with policies that count terminating pods.
func terminatingPodsPolicy(p *DeploymentPass) []string {
	v := viewOf(p)
	if p.Options.Terminating == deploy.TerminationStarted || v.recreate || v.stopped || v.excused(v.wraps) || v.d.Partitioned != nil {
		return nil
	}
	leaving := int64(0)
	for _, rs := range v.sets {
		if n := rs.Status.TerminatingReplicas; n != nil {
			if *n < 0 {
				return nil
			}
			leaving += int64(*n)
		} else if rs.Status.ObservedGeneration != 0 && p.Options.Terminating == deploy.TerminationComplete {
			return nil // their number is unknown
		}
	}
	// Scaling gives all replicas to a single active set at once.
	if v.paused || v.scaling || v.rollback {
		return nil
	}
	before := sum(v.sizes(nil)) + leaving
	return v.eachPrefix(func(sizes map[string]int64) []string {
		n := sum(sizes) + leaving
		return one(n > max(v.most(), before), "%d pods wanted or being deleted, at most max(%d, %d)", n, v.most(), before)
	})
}

// desiredReplicasRecorded checks the annotations of sizes.
func desiredReplicasRecorded(p *DeploymentPass) []string {
	v := viewOf(p)
	if v.stopped || v.excused(v.wraps) {
		return nil
	}
	desired, most := fmt.Sprint(v.replicas), fmt.Sprint(min(v.most(), math.MaxInt32))
	l, last := list(nil), map[string]string{}
	for _, rs := range v.active() {
		last[rs.Name] = rs.Annotations[revision.AnnotationDesired]
	}
	record := func(a deploy.Action, name string, set map[string]string) {
		l.addIf(set[revision.AnnotationDesired] != desired || set[revision.AnnotationMax] != most,
			"%v records %q and %q, not %s and %s", a, set[revision.AnnotationDesired], set[revision.AnnotationMax], desired, most)
		last[name] = set[revision.AnnotationDesired]
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.ScaleReplicaSet:
			record(a, a.Name, a.Set)
		case deploy.CreateReplicaSet:
			record(a, a.Name, a.Annotations)
		case deploy.AnnotateReplicaSet:
			if text, ok := a.Set[revision.AnnotationDesired]; ok {
				last[a.Name] = text
			}
		}
	}
	settles := v.scaling && !v.deleting && !v.paused && !v.rollback && !v.recreate
	if !settles || !p.Options.Repair.Has(quirk.StaleAnnotationBlocksRollout) && !p.Strict {
		return l
	}
	for name, size := range v.sizes(p.Plan.Actions) {
		n, ok := number(last[name])
		l.addIf(size > 0 && ok && n != v.replicas, "%s still tells of %d replicas, not %d", name, n, v.replicas)
	}
	return l
}

// sizesWithinInt32 checks sizes in actions. Limits may overflow, planned sizes may not.
func sizesWithinInt32(p *DeploymentPass) []string {
	v, l := viewOf(p), list(nil)
	created, size := "", int32(0)
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			l.addIf(a.Replicas < 0, "%v wants %d pods", a, a.Replicas)
			created, size = a.Name, a.Replicas
		case deploy.ScaleReplicaSet:
			rs, err := setNamed(&p.Snapshot, a.Name, a.UID)
			known := err == nil && sizeOf(rs) == int64(a.From)
			known = known || a.UID == "" && a.Name == created && size == a.From // by this plan
			l.addIf(!known, "%v: the size is not %d", a, a.From)
			l.addIf(a.To < 0, "%v wants %d pods", a, a.To)
		}
	}
	b := p.Plan.Budget
	l.addIf(!v.excused(v.wraps) && (b.Replicas < 0 || b.Surge < 0 || b.Unavailable < 0), "the budget is %d+%d-%d", b.Replicas, b.Surge, b.Unavailable)
	return l
}

// interruptedScaling interrupts a scaling after each action and changes its goal.
func interruptedScaling(c *DeploymentPlanner) (lines []string) {
	m, plan := &deploymentModel, *c
	plan.Options.Repair &^= quirk.ScalingKeepsUnavailable // it leaves other shares than before
	c = &plan
	p, err := m.pass(c, c.Snapshot, c.Now)
	if err != nil || !c.Options.Repair.Has(quirk.ScalingLosesShares) && !c.Strict {
		return nil
	}
	v := viewOf(p)
	_, even := v.shares(v.most())
	plain := reflect.DeepEqual(c.Options, deploy.Options{Repair: c.Options.Repair}) && v.d.Partitioned == nil && !v.paused && !v.rollback
	if !v.scales() || !even || !plain || v.replicas == 0 || v.wraps || v.saturated() || v.scaledForFewer() {
		return nil
	}
	// Sizes determine the shares only while their sum is the size that they were scaled for.
	for _, rs := range v.active() {
		if base, ok := number(rs.Annotations[revision.AnnotationMax]); !ok || base != sum(v.sizes(nil)) {
			return nil
		}
	}
	for _, goal := range []int64{v.replicas*3/4 + 1, v.replicas + 3} {
		want, ok := scaledTo(c, c.Snapshot, goal)
		for k := range p.Plan.Actions {
			s, err := m.after(c.Snapshot, m.actions(&p.Plan)[:k], c.Now)
			if err != nil || !ok {
				break
			}
			got, ok := scaledTo(c, s, goal)
			for name, size := range got {
				tolerance := int64(2) + (goal+v.surge)/max(v.most(), 1)
				if off := size - want[name]; ok && max(off, -off) > tolerance {
					lines = append(lines, fmt.Sprintf("scaled to %d, interrupted after %d actions and scaled to %d: %s has %d pods, not %d", v.replicas, k, goal, name, size, want[name]))
				}
			}
		}
	}
	return lines
}

// scaledTo returns the sizes after one pass with other replicas, and whether that pass distributes
// them.
func scaledTo(c *DeploymentPlanner, s deploy.Snapshot, replicas int64) (map[string]int64, bool) {
	s = purity.Clone(s)
	s.Deployment.Replicas = ptr.To(int32(replicas))
	p, err := deploymentModel.pass(c, s, c.Now)
	if err != nil {
		return nil, false
	}
	v := viewOf(p)
	return v.sizes(p.Plan.Actions), v.scales() && !v.saturated()
}
