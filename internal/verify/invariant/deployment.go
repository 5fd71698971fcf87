// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/revision"
)

// deploymentWithin returns the bounds that the state after a pass violates.
func deploymentWithin(p *DeploymentPass, after *deploy.Snapshot, slack int64) (lines []string) {
	v := viewOf(p)
	sizes, ours := map[string]int64{}, map[string]bool{}
	for _, rs := range v.sets {
		sizes[rs.Name], ours[rs.Name+"/"+rs.UID] = 0, true
	}
	left := map[string]bool{} // existing sets of other owners
	for i := range p.Snapshot.ReplicaSets {
		rs := &p.Snapshot.ReplicaSets[i]
		left[rs.Name] = !ours[rs.Name+"/"+rs.UID]
	}
	for i := range after.ReplicaSets {
		rs := &after.ReplicaSets[i]
		if ours[rs.Name+"/"+rs.UID] || rs.ControllerUID == v.d.UID && !left[rs.Name] {
			sizes[rs.Name] = sizeOf(rs)
		}
	}
	if v.excused(v.scales()) {
		return nil // meanwhile a set may grow before another shrinks (quirk.ScalingLosesShares)
	}
	return append(v.tooMany(sizes, slack), v.tooFew(sizes, slack)...)
}

func (v *deploymentView) tooMany(sizes map[string]int64, slack int64) []string {
	// With annotations that no scaling has written, a set grows before another shrinks.
	if v.excused(v.wraps || v.rollback) || v.stopped || v.scaledForFewer() && !v.p.Strict {
		return nil
	}
	before := sum(v.sizes(nil))
	// In a partitioned Deployment without surge, the new set begins with one pod.
	if v.d.Partitioned != nil && v.surge == 0 && v.newest == nil && v.replicas > 0 {
		slack++
	}
	n := sum(sizes)
	return one(n > max(v.most(), before)+slack, "%d pods wanted, at most max(%d+%d, %d)+%d", n, v.replicas, v.surge, before, slack)
}

func (v *deploymentView) tooFew(sizes map[string]int64, slack int64) []string {
	shared := v.d.Partitioned != nil && v.scales() // quirk.ScalingTakesAvailable
	if !v.rolls() && !shared || v.excused(v.wraps || v.odd || shared) {
		return nil
	}
	before, n := v.available(v.sizes(nil)), v.available(sizes)
	return one(n < min(v.least(), before)-slack, "%d pods available, at least min(%d-%d, %d)-%d", n, v.replicas, v.unavailable, before, slack)
}

// eachPrefix calls f with the sizes after each prefix of the actions.
func (v *deploymentView) eachPrefix(f func(sizes map[string]int64) []string) (lines []string) {
	for k := range len(v.p.Plan.Actions) + 1 {
		for _, line := range f(v.sizes(v.p.Plan.Actions[:k])) {
			lines = append(lines, fmt.Sprintf("after %d actions: %s", k, line))
		}
	}
	return lines
}

func surgeBound(p *DeploymentPass) []string {
	v := viewOf(p)
	if v.excused(v.scales()) {
		return v.tooMany(v.sizes(p.Plan.Actions), 0)
	}
	return v.eachPrefix(func(sizes map[string]int64) []string { return v.tooMany(sizes, 0) })
}

func availabilityBound(p *DeploymentPass) []string {
	v := viewOf(p)
	return v.eachPrefix(func(sizes map[string]int64) []string { return v.tooFew(sizes, 0) })
}

func roundingOfLimits(p *DeploymentPass) []string {
	v := viewOf(p)
	if v.excused(false) {
		return nil
	}
	b := p.Plan.Budget
	return one(int64(b.Replicas) != v.replicas || int64(b.Surge) != v.surge || int64(b.Unavailable) != v.unavailable,
		"the budget is %d+%d-%d, not %d+%d-%d", b.Replicas, b.Surge, b.Unavailable, v.replicas, v.surge, v.unavailable)
}

func limitsNeverBothZero(p *DeploymentPass) []string {
	v := viewOf(p)
	unlimited := p.Snapshot.Deployment.Partitioned != nil && p.Snapshot.Deployment.Partitioned.RollingUpdate == nil
	b := p.Plan.Budget
	return one(!v.excused(false) && v.replicas > 0 && !unlimited && b.Surge == 0 && b.Unavailable == 0, "neither surge nor unavailable for %d replicas", v.replicas)
}

// scaledToZero checks Deployments that are scaled to 0.
func scaledToZero(p *DeploymentPass) []string {
	v := viewOf(p)
	frozen := v.paused && p.Options.Paused != deploy.PausedFill || v.newest == nil && p.Options.RolloutFirst
	if v.replicas > 0 || !v.scaling || v.stopped || v.deleting || v.rollback && !v.paused || v.recreate || frozen || v.d.Partitioned != nil || v.excused(v.wraps) {
		return nil
	}
	left := sum(v.sizes(p.Plan.Actions))
	return one(left != 0, "%d pods are wanted of 0", left)
}

func pausedDeployment(p *DeploymentPass) (lines []string) {
	v := viewOf(p)
	if !v.paused || v.deleting || v.stopped {
		return nil
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet, deploy.RollBackDeployment, deploy.ClearRollback, deploy.PauseDeployment:
			lines = append(lines, fmt.Sprintf("paused, but: %v", a))
		case deploy.ScaleReplicaSet:
			still := p.Options.Paused == deploy.PausedFreeze || p.Options.Paused == deploy.PausedScale && !v.scaling
			if still && !p.Options.PausePoints {
				lines = append(lines, fmt.Sprintf("paused, and sizes stay as they are, but: %v", a))
			}
		}
	}
	return lines
}

func recreateWaitsForOldPods(p *DeploymentPass) (lines []string) {
	v := viewOf(p)
	if !v.recreate || v.stopped || v.deleting || v.paused || v.scaling || v.rollback {
		return nil
	}
	owners, left := map[string]bool{}, int64(0)
	for _, rs := range v.old {
		owners[rs.UID+"/"+rs.Name] = true
		left += max(sizeOf(rs), int64(rs.Status.Replicas), 0)
	}
	for i := range p.Snapshot.Pods {
		pod := &p.Snapshot.Pods[i]
		if ended := pod.Phase == "Succeeded" || pod.Phase == "Failed"; owners[pod.ControllerUID+"/"+pod.ControllerName] && pod.ControllerKind == "ReplicaSet" && !ended {
			left++
		}
	}
	if left == 0 || v.excused(v.wraps || v.odd) {
		return nil
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			lines = append(lines, one(a.Replicas > 0, "%d old pods, but: %v", left, a)...)
		case deploy.ScaleReplicaSet:
			lines = append(lines, one(a.To > a.From, "%d old pods, but: %v", left, a)...)
		}
	}
	return lines
}

func oneNewReplicaSet(p *DeploymentPass) (lines []string) {
	v := viewOf(p)
	if v.stopped || v.excused(v.wraps) {
		return nil
	}
	l := list(nil)
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			l.addIf(v.newest != nil, "%v beside %s", a, nameOf(v.newest))
			l.addIf(a.Template.ID != v.d.Template.ID, "%v has template %q, not %q", a, a.Template.ID, v.d.Template.ID)
		case deploy.ScaleReplicaSet:
			grows := a.To > a.From && v.rolls() && a.Reason != reason.PartitionRestore
			l.addIf(grows && (v.newest == nil || a.Name != v.newest.Name), "%v, but the new one is %s", a, nameOf(v.newest))
		}
	}
	if v.reports() {
		want := int64(0)
		if v.newest != nil {
			want = int64(v.newest.Status.Replicas)
		}
		l.addIf(int64(p.Plan.Status.UpdatedReplicas) != want, "%d pods are updated, but %s has %d", p.Plan.Status.UpdatedReplicas, nameOf(v.newest), want)
	}
	return l
}

// reports reports whether the pass computes the whole status.
func (v *deploymentView) reports() bool {
	aborted := v.d.Partitioned != nil && !v.p.Options.Repair.Has(quirk.StatusAheadFailsScaling)
	return !v.stopped && !aborted && (!v.rollback || v.paused || v.deleting)
}

// oneActiveReplicaSetInTheEnd checks plans without actions and holds.
func oneActiveReplicaSetInTheEnd(p *DeploymentPass) []string {
	v := viewOf(p)
	waits := slices.ContainsFunc(p.Plan.Holds, func(h kplan.Hold) bool {
		return h.Reason != reason.HistoryNotEmpty && h.Reason != reason.HistoryNotSynced
	})
	part := v.d.Partitioned
	if len(p.Plan.Actions) > 0 || waits || v.stopped || v.deleting || v.paused || part != nil && !isAll(part.Partition, v.replicas) {
		return nil
	}
	l := list(nil)
	l.addIf(v.newest == nil, "done without a ReplicaSet")
	for _, rs := range v.sets {
		want := int64(0)
		if rs == v.newest {
			want = v.replicas
		}
		l.addIf(sizeOf(rs) != want, "done, but %s wants %d pods, not %d", rs.Name, sizeOf(rs), want)
	}
	return l
}

// revisionsGrow checks the revisions in a plan.
func revisionsGrow(p *DeploymentPass) []string {
	v := viewOf(p)
	highest, l := int64(0), list(nil)
	for _, rs := range v.old {
		if n, ok := revisionOf(rs.Annotations); ok {
			highest = max(highest, n)
		}
	}
	if v.stopped || highest == 1<<63-1 {
		return nil
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			l.addIf(a.Revision != highest+1, "%v gets revision %d after %d", a, a.Revision, highest)
			l.addIf(a.Annotations[revision.AnnotationRevision] != fmt.Sprint(a.Revision), "%v is annotated %q", a, a.Annotations[revision.AnnotationRevision])
		case deploy.AnnotateReplicaSet:
			l = append(l, v.historyOf(a, highest)...)
		}
	}
	return l
}
