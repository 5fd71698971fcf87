// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/selector"
)

// updateStopsAtThePartition checks the number of nodes that are updated after the plan.
func updateStopsAtThePartition(v *daemonView) []string {
	if v.partition == 0 || v.surge > 0 {
		return nil
	}
	all, updated, more := int64(0), int64(0), int64(len(v.updates()))
	for i := range v.nodes {
		n := &v.nodes[i]
		if len(n.pods) == 0 && !n.run || v.o.Prune && !n.run {
			continue
		}
		all++
		if len(n.fresh) > 0 || len(n.old) > 1 {
			updated++
		}
	}
	limit := max(0, all-v.partition)
	return one(more > 0 && updated+more > limit, "%d nodes are updated and %d more are, at most %d-%d may be", updated, more, all, v.partition)
}

// updateStopsAtThePartitionTrace checks the end of an update of healthy nodes.
func updateStopsAtThePartitionTrace(t *DaemonSetTrace) []string {
	if !t.Fair || len(t.Passes) < 2 {
		return nil
	}
	first, last := daemonsOf(&t.Passes[0]), daemonsOf(&t.Passes[len(t.Passes)-1])
	rests := len(last.p.Plan.Actions) == 0 && last.p.Plan.RecheckAt.IsZero() && !last.stopped && !last.still
	rests = rests && len(last.p.Plan.Holds) == last.holds(reason.Partition) // no other hold
	percent := !first.o.Repair.Has(quirk.SharesOfLastStatus) && int64(first.d.Status.DesiredNumberScheduled) != first.desired
	if !rests || !last.rolling || last.d.Paused || percent && !t.Strict || !first.tidy() || !last.tidy() || last.d.NodeSelector != nil {
		return nil
	}
	updated := int64(0)
	for i := range last.nodes {
		if last.nodes[i].hasNew {
			updated++
		}
	}
	before := int64(0)
	for i := range first.nodes {
		if first.nodes[i].hasNew {
			before++
		}
	}
	base := first.d.Partition
	want := max(before, first.desired-min(first.desired, amount(base, first.desired, false)))
	return one(updated != want, "%d of %d nodes are updated in the end, and the partition is %v", updated, last.desired, base.String())
}

// tidy reports whether all nodes are desired and have exactly one pod, which is not prepared for
// deletion.
func (v *daemonView) tidy() bool {
	for i := range v.nodes {
		if n := &v.nodes[i]; !n.run || len(n.pods) != 1 || prepared(n.pods[0]) {
			return false
		}
	}
	return len(v.missing) == 0
}

func selectedNodesOnly(v *daemonView) []string {
	if v.d.NodeSelector == nil {
		return nil
	}
	compiled, err := selector.FromLabelSelector(v.d.NodeSelector)
	l := list(nil)
	for _, p := range v.updates() {
		n := v.byName[daemonNode(p)]
		l.addIf(err != nil || n == nil || !compiled.Matches(n.node.Labels), "%s is updated on %s, which is not selected", p.Name, daemonNode(p))
	}
	return l
}

func pausedUpdate(v *daemonView) []string {
	if !v.d.Paused || v.still {
		return nil
	}
	l := list(nil)
	for _, p := range v.updates() {
		l.add("paused, but %s is updated", p.Name)
	}
	made := v.creations()
	for _, name := range made {
		n := v.byName[name]
		l.addIf(n != nil && v.sole(n) != nil, "paused, but %s surges", name)
	}
	cut := v.holds(reason.Burst) > 0 || v.holds(reason.Progressive) > 0
	for i := range v.nodes {
		n := &v.nodes[i]
		l.addIf(n.run && len(n.pods) == 0 && !cut && !slices.Contains(made, n.name), "%s has no pod, and gets none", n.name)
	}
	return l
}

func preDeleteHookHolds(v *daemonView) []string {
	l, hook, marks := list(nil), v.d.PreDelete, map[string]bool{}
	find := func(name string) *daemonset.Pod {
		for _, p := range v.owned {
			if p.Name == name {
				return p
			}
		}
		return nil
	}
	for _, a := range v.p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.DeletePod:
			p := find(a.Name)
			l.addIf(p != nil && hook.Holds(p), "%v, and the hook holds it", a)
		case daemonset.PreparePod:
			p := find(a.Name)
			l.addIf(p == nil || hook == nil || !hook.Holds(p), "%v, and no hook holds it", a)
			l.addIf(marks[a.Name], "%v, for the second time", a)
			marks[a.Name] = true
		}
	}
	return l
}

func oneRevisionPerTemplate(v *daemonView) []string {
	same, old, live, l := 0, map[string]string{}, map[string]bool{}, list(nil)
	for i := range v.p.Snapshot.Revisions {
		r := &v.p.Snapshot.Revisions[i]
		switch {
		case !v.ours(r.Labels, r.ControllerUID, false):
		case v.sameData(r.Data):
			same++
		default:
			old[r.Name] = hashOf(r)
		}
	}
	for _, p := range v.owned {
		if hash, ok := v.relabel[p.Name]; ok {
			live[hash] = true
		} else if daemonNode(p) != "" {
			live[p.Labels[daemonset.LabelHash]] = true
		}
	}
	limit, deleted := 10, 0
	if n := v.d.RevisionHistoryLimit; n != nil {
		limit = int(*n)
	}
	for _, a := range v.p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.CreateRevision:
			same++
		case daemonset.DeleteRevision:
			if hash, ok := old[a.Name]; ok {
				deleted++
				l.addIf(live[hash], "%v, and a pod has it", a)
			} else {
				same--
			}
		}
	}
	unused := 0
	for _, hash := range old {
		if !live[hash] {
			unused++
		}
	}
	l.addIf(same > 1 && !v.still, "%d revisions have the template", same)
	l.addIf(deleted > max(0, len(old)-limit), "%d of %d old revisions go, the limit is %d", deleted, len(old), limit)
	l.addIf(deleted > 0 && deleted < min(len(old)-limit, unused), "%d of %d old revisions go, the limit is %d and %d are not used", deleted, len(old), limit, unused)
	return l
}

// cordonChangesNothing cordons every node and compares the plans.
func cordonChangesNothing(c *DaemonSetPlanner) []string {
	want, err := tryPlan(c, c.Snapshot, c.Now)
	if err != nil {
		return nil
	}
	s := purity.Clone(c.Snapshot)
	for i := range s.Nodes {
		s.Nodes[i].Taints = append(s.Nodes[i].Taints, daemonset.Taint{Key: "node.kubernetes.io/unschedulable", Effect: daemonset.NoSchedule})
	}
	got, err := tryPlan(c, s, c.Now)
	a, b := encode(want), encode(got)
	return one(err != nil || a != b, "a cordon makes %s of %s", b, a)
}

// countedPod returns the pod that the status counts for a node: the oldest or, with the repair, the
// best.
func (v *daemonView) countedPod(n *daemonsOn) *daemonset.Pod {
	rank := func(p *daemonset.Pod) int {
		if !v.o.Repair.Has(quirk.StatusCountsDeletedPod) {
			return 0
		}
		r := 0
		for i, good := range []bool{v.isNew(p), p.Ready, v.available(p), p.DeletionTimestamp.IsZero()} {
			if good {
				r |= 1 << i
			}
		}
		return r
	}
	return slices.MinFunc(n.pods, func(a, b *daemonset.Pod) int {
		bound := func(p *daemonset.Pod) int {
			if p.NodeName == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(bound(a), bound(b)), a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
	})
}

func daemonSetStatusRecount(v *daemonView) []string {
	var want daemonset.Status
	for i := range v.nodes {
		n := &v.nodes[i]
		switch {
		case len(n.pods) == 0:
		case !n.run:
			want.NumberMisscheduled++
		default:
			want.CurrentNumberScheduled++
			p := v.countedPod(n)
			if v.isNew(p) {
				want.UpdatedNumberScheduled++
			}
			if p.Ready {
				want.NumberReady++
				if v.available(p) && (!v.kruise || inplace.Completed(p.InPlacePod())) {
					want.NumberAvailable++
				}
			}
		}
	}
	s, l := v.p.Plan.Status, list(nil)
	count := func(what string, got, want int32) { l.addIf(got != want, "%d nodes %s, not %d", got, what, want) }
	count("have a pod", s.CurrentNumberScheduled, want.CurrentNumberScheduled)
	count("have a pod and should not", s.NumberMisscheduled, want.NumberMisscheduled)
	count("are ready", s.NumberReady, want.NumberReady)
	count("are available", s.NumberAvailable, want.NumberAvailable)
	count("are updated", s.UpdatedNumberScheduled, want.UpdatedNumberScheduled)
	count("are unavailable", s.NumberUnavailable, int32(v.desired)-want.NumberAvailable)
	return l
}

func burstBound(v *daemonView) []string {
	creates, deletes, updates := 0, 0, 0
	for _, a := range v.p.Plan.Actions {
		switch a.(type) {
		case daemonset.CreatePod:
			creates++
		case daemonset.DeletePod:
			deletes++
		case daemonset.UpdatePod:
			updates++
		}
	}
	worst := max(creates, deletes, updates)
	return one(int64(worst) > v.burst, "%s, at most %d each", fmt.Sprintf("%d pods are created, %d deleted, %d updated", creates, deletes, updates), v.burst)
}
