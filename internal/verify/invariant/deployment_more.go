// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

func nameOf(rs *replicaset.ReplicaSet) string {
	if rs == nil {
		return "none"
	}
	return rs.Name
}

func revisionOf(annotations map[string]string) (int64, bool) {
	n, err := strconv.ParseInt(annotations[revision.AnnotationRevision], 10, 64)
	return n, err == nil
}

// historyOf checks the new revision and the history of the new set.
func (v *deploymentView) historyOf(a deploy.AnnotateReplicaSet, highest int64) []string {
	l := list(nil)
	rs, err := setNamed(&v.p.Snapshot, a.Name, a.UID)
	number, ok := revisionOf(a.Set)
	if err != nil || !ok {
		return nil
	}
	former, had := revisionOf(rs.Annotations)
	l.addIf(number <= highest, "%v gets revision %d, but an old one has %d", a, number, highest)
	l.addIf(had && number < former, "%v lowers the revision from %d to %d", a, former, number)
	history, grows := a.Set[revision.AnnotationHistory]
	if !grows {
		return l
	}
	before := rs.Annotations[revision.AnnotationHistory]
	l.addIf(len(history) > max(revision.HistoryLimit, len(before)), "the history of %s is %d bytes long", a.Name, len(history))
	l.addIf(had && !strings.HasSuffix(","+history, ","+rs.Annotations[revision.AnnotationRevision]), "the history %q of %s does not end with %d", history, a.Name, former)
	l.addIf(ascending(before) && had && ascends(before, former) && !ascending(history), "the history %q of %s is out of order", history, a.Name)
	return l
}

func entries(history string) (numbers []int64, ok bool) {
	if history == "" {
		return nil, true
	}
	for _, text := range strings.Split(history, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

func ascending(history string) bool {
	numbers, ok := entries(history)
	return ok && slices.IsSorted(numbers)
}

func ascends(history string, next int64) bool {
	numbers, ok := entries(history)
	return ok && (len(numbers) == 0 || numbers[len(numbers)-1] <= next)
}

// proportionalScaling checks passes that distribute replicas in the middle of a rollout.
func proportionalScaling(p *DeploymentPass) []string {
	v := viewOf(p)
	o := p.Options
	plain := o.Terminating == deploy.TerminationStarted && !o.WeighByAvailable && !o.RolloutFirst && v.d.Partitioned == nil
	still := v.paused && (o.Paused == deploy.PausedFreeze || o.Paused == deploy.PausedScale && !v.scaling)
	if !v.scales() || !plain || still || v.saturated() || v.excused(true) || v.paused && o.PausePoints {
		return nil
	}
	goal := v.most()
	if v.replicas == 0 {
		goal = 0
	}
	goal = min(goal, 1<<31-1)
	before, after := v.sizes(nil), v.sizes(p.Plan.Actions)
	l := list(nil)
	l.addIf(sum(after) != goal, "%d pods are wanted, not %d", sum(after), goal)
	l = append(l, v.healthyGo(before, after)...)
	shares, even := v.shares(goal)
	for _, rs := range v.active() {
		if shares == nil {
			break // only the sum is known
		}
		size, share := after[rs.Name], shares[rs.Name]
		off := max(float64(size)-share, share-float64(size))
		available := between(int64(rs.Status.AvailableReplicas), 0, before[rs.Name])
		kept := float64(size) > share && size <= available || float64(size) < share && size >= available && rs != v.newest
		if kept && o.Repair.Has(quirk.ScalingKeepsUnavailable) {
			off = 0 // available pods of this set, or of others in its place, are kept
		}
		tidy := o.Leftover == deploy.LeftoverDefault && goal < 100_000
		l.addIf(size < 0, "%s wants %d pods", rs.Name, size)
		l.addIf(tidy && off > 1.01, "%s gets %d pods, and its share is %.2f", rs.Name, size, share)
		against := sum(before) <= goal && size < before[rs.Name] || sum(before) >= goal && size > before[rs.Name]
		l.addIf(even && against, "%s goes from %d to %d while the whole goes from %d to %d", rs.Name, before[rs.Name], size, sum(before), goal)
	}
	return l
}

// shares returns the exact share of each active set, and whether all were last scaled for the same
// maximum, or for an unknown one. There are no shares if only some sets have a known maximum: no
// scaling leaves them like that, and upstream uses the counts of the status for the others.
func (v *deploymentView) shares(goal int64) (shares map[string]float64, even bool) {
	weights, whole := map[string]float64{}, 0.0
	bases := map[int64]bool{}
	known := 0
	for _, rs := range v.active() {
		base, ok := number(rs.Annotations[revision.AnnotationMax])
		if ok && base > 0 {
			known++
		}
		bases[base] = true
	}
	if known > 0 && known < len(v.active()) {
		return nil, false
	}
	even = known == 0 || len(bases) == 1
	for _, rs := range v.active() {
		w := float64(sizeOf(rs))
		if !even {
			base, _ := number(rs.Annotations[revision.AnnotationMax])
			w /= float64(base)
		}
		weights[rs.Name] = w
		whole += w
	}
	for name := range weights {
		weights[name] *= float64(goal) / whole
	}
	return weights, even
}

// healthyGo finds available pods that are removed while unavailable old pods stay.
func (v *deploymentView) healthyGo(before, after map[string]int64) []string {
	healthy, sick := int64(0), int64(0)
	for _, rs := range v.active() {
		available := between(int64(rs.Status.AvailableReplicas), 0, before[rs.Name])
		healthy += max(0, available-after[rs.Name])
		if rs != v.newest {
			sick += max(0, min(before[rs.Name], after[rs.Name])-available)
		}
	}
	return one(healthy > 0 && sick > 0, "%d available pods go, and %d that are not available stay", healthy, sick)
}

// saturated reports whether the new set has all replicas available, so that all others are scaled
// down.
func (v *deploymentView) saturated() bool {
	n := v.newest
	return n != nil && sizeOf(n) == v.replicas && int64(n.Status.AvailableReplicas) == v.replicas
}

// unhealthyOldPodsFirst checks the pods that a rolling update removes from old sets.
func unhealthyOldPodsFirst(p *DeploymentPass) []string {
	v := viewOf(p)
	if !v.rolls() || v.d.Partitioned != nil || v.excused(v.odd || v.wraps) {
		return nil
	}
	before, after := v.sizes(nil), v.sizes(p.Plan.Actions)
	removed, healthy, sick, serving := int64(0), int64(0), int64(0), sum(after)
	for _, rs := range v.old {
		available := between(int64(rs.Status.AvailableReplicas), 0, before[rs.Name])
		removed += before[rs.Name] - after[rs.Name]
		healthy += max(0, available-after[rs.Name])
		sick += max(0, after[rs.Name]-available)
	}
	serving += removed
	if v.newest != nil {
		// The additional pods of a grown set are not available yet.
		serving -= after[v.newest.Name] - between(int64(v.newest.Status.AvailableReplicas), 0, min(before[v.newest.Name], after[v.newest.Name]))
	} else {
		for _, a := range p.Plan.Actions {
			if a, ok := a.(deploy.CreateReplicaSet); ok {
				serving -= int64(a.Replicas)
			}
		}
	}
	l := list(nil)
	l.addIf(healthy > 0 && sick > 0, "%d available pods go, and %d that are not available stay", healthy, sick)
	l.addIf(removed > max(0, serving-v.least()), "%d pods go, at most %d - %d may", removed, serving, v.least())
	return l
}

// noStuckRollout checks updates without actions.
func noStuckRollout(p *DeploymentPass) []string {
	v := viewOf(p)
	if v.stopped || v.deleting || v.paused || v.rollback || v.d.Partitioned != nil || p.Options.PausePoints || v.excused(v.scaling || v.odd || v.wraps) {
		return nil
	}
	moves := slices.ContainsFunc(p.Plan.Actions, func(a deploy.Action) bool {
		switch a := a.(type) {
		case deploy.CreateReplicaSet, deploy.ScaleReplicaSet:
			return true
		case deploy.AnnotateReplicaSet:
			return a.Set[revision.AnnotationDesired] != ""
		}
		return false
	})
	if moves {
		return nil
	}
	if v.scaling && !v.recreate {
		return []string{fmt.Sprintf("replicas have changed to %d, and nothing is done", v.replicas)}
	}
	if v.recreate {
		return one(v.newest == nil && sum(v.sizes(nil)) == 0 && v.emptied(), "no ReplicaSet is left, and none is created")
	}
	return v.permitted()
}

// emptied reports whether no old pod is left.
func (v *deploymentView) emptied() bool {
	for _, rs := range v.old {
		if rs.Status.Replicas != 0 {
			return false
		}
	}
	return len(v.p.Snapshot.Pods) == 0
}

// permitted returns a step of a rolling update that the bounds permit.
func (v *deploymentView) permitted() []string {
	if v.newest == nil {
		return []string{"there is no new ReplicaSet, and none is created"}
	}
	total, size := sum(v.sizes(nil)), sizeOf(v.newest)
	fresh := between(int64(v.newest.Status.AvailableReplicas), 0, size)
	room, sick, healthy := total-(size-fresh)-v.least(), int64(0), int64(0)
	for _, rs := range v.old {
		available := between(int64(rs.Status.AvailableReplicas), 0, sizeOf(rs))
		healthy += available
		sick += sizeOf(rs) - available
	}
	l := list(nil)
	l.addIf(size > v.replicas, "%s wants %d pods of %d, and stays", v.newest.Name, size, v.replicas)
	grows := size < v.replicas && total < v.most() && v.p.Options.Terminating == deploy.TerminationStarted
	l.addIf(grows, "%d pods are wanted of %d, and %s stays at %d", total, v.most(), v.newest.Name, size)
	l.addIf(size == v.replicas && room > 0 && sick > 0, "%d unavailable old pods stay, and %d may go", sick, room)
	l.addIf(room > 0 && healthy > 0 && fresh+healthy > v.least(), "%d old pods stay, and %d are available of %d", healthy, fresh+healthy, v.least())
	return l
}

const deadlineExceeded = "ProgressDeadlineExceeded"

func conditionOf(conditions []kplan.Condition, kind string) *kplan.Condition {
	for i := range conditions {
		if conditions[i].Type == kind {
			return &conditions[i]
		}
	}
	return nil
}

// progressDeadline checks passes that find the deadline exceeded.
func progressDeadline(p *DeploymentPass) []string {
	d := &p.Snapshot.Deployment
	before, after := conditionOf(d.Status.Conditions, deploy.ConditionProgressing), conditionOf(p.Plan.Status.Conditions, deploy.ConditionProgressing)
	if after == nil || after.Reason != deadlineExceeded || before != nil && before.Reason == deadlineExceeded {
		return nil
	}
	seconds := int64(deploy.NoLimit)
	if d.ProgressDeadlineSeconds != nil {
		seconds = int64(*d.ProgressDeadlineSeconds)
	}
	switch {
	case viewOf(p).paused:
		return []string{"the deadline is missed while paused"}
	case seconds == deploy.NoLimit:
		return []string{"the deadline is missed, and there is none"}
	case before == nil:
		return []string{"the deadline is missed, and no progress was reported before"}
	}
	due := before.LastUpdateTime.Add(time.Duration(seconds) * time.Second)
	return one(!due.Before(p.Now), "the deadline is missed at %v, and ends at %v", p.Now, due)
}

// historyLimit checks the cleanup of the history.
func historyLimit(p *DeploymentPass) []string {
	v := viewOf(p)
	limit := int64(deploy.NoLimit)
	if n := v.d.RevisionHistoryLimit; n != nil {
		limit = max(0, int64(*n))
	}
	candidates, idle, deletable, started, deleted := int64(0), int64(0), int64(0), int64(0), int64(0)
	l := list(nil)
	empty, scaled := map[string]bool{}, map[string]bool{}
	for name, size := range v.sizes(slices.DeleteFunc(slices.Clone(p.Plan.Actions), func(a deploy.Action) bool { _, ok := a.(deploy.DeleteReplicaSet); return ok })) {
		scaled[name] = size > 0
	}
	for _, rs := range v.old {
		if rs.DeletionTimestamp.IsZero() {
			candidates++
			if sizeOf(rs) != 0 || rs.Status.Replicas != 0 {
				continue
			}
			idle++
			switch {
			case scaled[rs.Name] && p.Options.Repair.Has(quirk.CleanupDeletesStartedSet):
				started++ // it stays
			case rs.Generation <= rs.Status.ObservedGeneration:
				deletable++
				empty[rs.UID] = true
			}
		}
	}
	for _, a := range p.Plan.Actions {
		if a, ok := a.(deploy.DeleteReplicaSet); ok {
			deleted++
			l.addIf(!empty[a.UID], "%v is not an old one without pods", a)
			l.addIf(p.Strict && scaled[a.Name], "%v, and it is scaled up before", a)
			delete(empty, a.UID)
		}
	}
	surplus := max(0, candidates-limit)
	l.addIf(deleted > surplus, "%d of %d old sets are deleted, %d are beyond the limit", deleted, candidates, surplus)
	beyond := max(0, idle-limit) // one of these may be unobserved
	l.addIf(p.Options.Repair.Has(quirk.UsedSetsFillHistory) && (deleted > beyond || deleted > 0 && deleted < beyond-(idle-deletable)),
		"%d old sets are deleted, %d idle ones are beyond the limit", deleted, beyond)
	l.addIf(p.Strict && !p.Options.Repair.Has(quirk.UsedSetsFillHistory) && deleted > 0 && started == 0 && deleted != min(surplus, deletable),
		"%d old sets are deleted, %d are beyond the limit and %d of them empty", deleted, surplus, deletable)
	return l
}
