package invariant

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// daemonSet returns the invariants of DaemonSets.
func daemonSet() []Invariant {
	pass := func(f func(*daemonView) []string) []check {
		return []check{on[DaemonSetPass](func(p *DaemonSetPass) []string {
			if v := daemonsOf(p); !v.stopped {
				return f(v)
			}
			return nil
		})}
	}
	return []Invariant{
		{ID: "S1", Title: "daemons belong where node name, labels, affinity and taints allow", Source: "upstream: nodeShouldRunDaemonPod", checks: pass(s1)},
		{ID: "S2", Title: "a node gets one pod, or two within the surge", Source: "kubernetes#54096", checks: pass(s2)},
		{ID: "S3", Title: "without surge an update keeps to what may be unavailable, or is", Source: "kubernetes#123232",
			Corrected: true, Defects: []string{"daemonset D-5"}, checks: pass(s3)},
		{ID: "S4", Title: "no more nodes surge than may, or do", Source: "upstream: rollingUpdate with surge", checks: pass(s4)},
		{ID: "S5", Title: "old pods that are not available go first, and count if the policy is strict", Source: "kruise#1323", checks: pass(s5)},
		{ID: "S6", Title: "at most so many dead nodes are passed over", Source: "kubernetes#117658", checks: pass(s6)},
		{ID: "S7", Title: "a failed pod waits for its delay, and delays double up to their end", Source: "upstream: failedPodsBackoff", checks: pass(s7)},
		{ID: "S8", Title: "pods go from nodes that may not keep them", Source: "upstream: podsShouldBeOnNode", checks: pass(s8)},
		{ID: "S9", Title: "an update stops at the partition, and reaches it", Source: "kruise: advanced DaemonSet",
			Corrected: true, Defects: []string{"daemonset D-14"}, checks: append(pass(s9), on[DaemonSetTrace](s9Trace))},
		{ID: "S10", Title: "only selected nodes are updated", Source: "kruise: advanced DaemonSet", checks: pass(s10)},
		{ID: "S11", Title: "paused, nothing is updated, and missing pods are created", Source: "kubernetes#86619", checks: pass(s11)},
		{ID: "S12", Title: "a pod that a hook holds is marked and not deleted", Source: "kruise: lifecycle", checks: pass(s12)},
		{ID: "S13", Title: "one revision has the template, and old ones beyond the limit that no pod has go", Source: "upstream: constructHistory", checks: pass(s13)},
		{ID: "S14", Title: "a cordon changes nothing", Source: "kubernetes#114877", checks: []check{on[DaemonSetPlanner](s14)}},
		{ID: "S15", Title: "the counts of the status are those of a recount", Source: "upstream: updateDaemonSetStatus", checks: pass(s15)},
		{ID: "S16", Title: "creations, deletions and updates keep to the burst", Source: "upstream: syncNodes", checks: pass(s16)},
	}
}

func daemonSetWithin(p *DaemonSetPass, after *daemonset.Snapshot, slack int64) []string {
	v := daemonsOf(p)
	later := *p
	later.Snapshot, later.memo = *after, nil
	w := daemonsOf(&later)
	l, over := list(nil), int64(0)
	most := 1
	if v.surgeAllowed {
		most = 2
	}
	for i := range w.nodes {
		before := 0
		if n := v.byName[w.nodes[i].name]; n != nil {
			before = v.running(n)
		}
		over += int64(max(0, w.running(&w.nodes[i])-max(most, before)))
	}
	l.addIf(over > slack, "%d pods too many, at most %d", over, slack)
	safe := !v.busy && !v.stopped && v.surge == 0 && v.rolling && !v.filtered && v.o.SkipDeadNodes == 0 && (!v.kruise || v.o.Corrected)
	good := slices.ContainsFunc(v.updates(), v.available)
	l.addIf(safe && good && w.unserved() > max(v.unavailable, v.unserved())+slack, "%d nodes serve nobody, at most max(%d, %d)+%d", w.unserved(), v.unavailable, v.unserved(), slack)
	return l
}

func s1(v *daemonView) []string {
	l := list(nil)
	l.addIf(int64(v.p.Plan.Status.DesiredNumberScheduled) != v.desired, "%d nodes are desired, not %d", v.p.Plan.Status.DesiredNumberScheduled, v.desired)
	for _, a := range v.p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			n := v.byName[a.Node]
			l.addIf(n == nil || !n.run && !(v.kruise && v.surgeAllowed), "%v: no pod belongs there", a)
		case daemonset.DeletePod:
			n := v.byName[a.Node]
			l.addIf(a.Reason == daemonset.ReasonMisplaced && (n == nil || n.cont), "%v: it may stay there", a)
		}
	}
	return l
}

func s2(v *daemonView) []string {
	l, more := list(nil), map[string]int{}
	for _, name := range v.creations() {
		n := v.byName[name]
		if n == nil {
			continue
		}
		more[name]++
		running := more[name]
		for _, p := range n.pods {
			ended := p.Phase == podorder.Succeeded || p.Phase == podorder.Failed
			goes := !p.DeletionTimestamp.IsZero() || v.kruise && prepared(p)
			if !ended && !(goes && v.surgeAllowed) {
				running++
			}
		}
		most := 1
		if v.surgeAllowed {
			most = 2
		}
		l.addIf(running > most, "%s gets a pod and has %d then, at most %d", name, running, most)
	}
	return l
}

// s3 looks at updates without surge that take available pods.
func s3(v *daemonView) []string {
	excused := v.kruise && !v.o.Corrected && !v.p.Strict
	if v.surge > 0 || !v.rolling || v.filtered || excused {
		return nil
	}
	good := int64(0)
	for _, p := range v.updates() {
		if v.available(p) {
			good++
		}
	}
	down := max(0, v.unserved()-int64(v.o.SkipDeadNodes))
	return one(good > 0 && good+down > v.unavailable, "%d nodes serve nobody, %d more are taken, %d may be", down, good, v.unavailable)
}

// s4 looks at updates with surge.
func s4(v *daemonView) []string {
	if v.surge == 0 || v.filtered {
		return nil
	}
	surging, fresh := int64(0), int64(0)
	for _, n := range v.all() {
		if n.node == nil && (v.kruise || v.o.Prune) || v.o.Prune && !n.run {
			continue // which the update does not look at
		}
		both := len(n.old) == 1 && len(n.fresh) == 1
		if len(n.old) > 1 || len(n.fresh) > 1 || both && !v.available(n.fresh[0]) && !prepared(n.old[0]) {
			surging++
		}
	}
	for _, name := range v.creations() {
		if n := v.byName[name]; n != nil && v.sole(n) != nil && v.available(n.old[0]) {
			fresh++
		}
	}
	return one(fresh > max(0, v.surge-surging), "%d nodes surge, %d more do, %d may", surging, fresh, v.surge)
}

func prepared(p *daemonset.Pod) bool {
	return p.Labels[daemonset.LabelState] == daemonset.StatePreparingDelete
}

func s5(v *daemonView) []string {
	if v.surge > 0 || !v.rolling {
		return nil
	}
	good, bad, left := int64(0), int64(0), 0
	touched, l := v.touched(), list(nil)
	for _, n := range v.all() {
		p := v.sole(n)
		switch {
		case p == nil:
		case !touched[p.Name]:
			waits := v.d.PreDelete.Holds(p) || n.dead && v.o.SkipDeadNodes > 0 || n.node == nil || v.o.Prune && !n.run
			if !v.available(p) && !waits {
				left++
			}
		case v.available(p):
			good++
		default:
			bad++
		}
	}
	cut := v.filtered || v.holds(daemonset.ReasonBurst) > 0
	l.addIf(good > 0 && left > 0 && !cut, "%d available pods go, and %d that are not available stay", good, left)
	l.addIf(v.o.StrictUnavailable && good+bad > v.unavailable, "%d pods go, %d may", good+bad, v.unavailable)
	return l
}

func s6(v *daemonView) []string {
	l, skipped := list(nil), v.holds(daemonset.ReasonDeadNode)
	l.addIf(skipped > int(v.o.SkipDeadNodes), "%d dead nodes are passed over, %d may", skipped, v.o.SkipDeadNodes)
	touched := v.touched()
	for _, h := range v.p.Plan.Holds {
		if h.Reason != daemonset.ReasonDeadNode {
			continue
		}
		n := v.byName[h.Node]
		l.addIf(n == nil || !n.dead, "%s is passed over, and is not dead", h.Node)
		if n != nil {
			p := v.sole(n)
			l.addIf(p != nil && touched[p.Name], "%s is passed over, and its pod %s goes", h.Node, nameOfPod(p))
		}
	}
	return l
}

func nameOfPod(p *daemonset.Pod) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// delayOf returns the delay of a node in a table.
func (v *daemonView) delayOf(b daemonset.Backoff, node string) (e daemonset.BackoffEntry, ok bool) {
	key := daemonset.BackoffKey{UID: v.d.UID, Generation: v.d.Status.ObservedGeneration, Node: node}
	for _, entry := range b {
		if entry.BackoffKey == key && (!ok || entry.Since.After(e.Since)) {
			e, ok = entry, true
		}
	}
	return e, ok
}

func s7(v *daemonView) []string {
	l, gone := list(nil), map[string]int{}
	for _, a := range v.p.Plan.Actions {
		a, ok := a.(daemonset.DeletePod)
		if !ok || a.Reason != daemonset.ReasonFailed {
			continue
		}
		gone[a.Node]++
		l.addIf(gone[a.Node] > 1, "%d failed pods go from %s at once", gone[a.Node], a.Node)
		before, had := v.delayOf(v.p.Snapshot.Backoff, a.Node)
		after, has := v.delayOf(v.p.Plan.Backoff, a.Node)
		age := v.p.Now.Sub(before.Since)
		fresh := had && age <= 30*time.Minute
		l.addIf(fresh && age < before.Delay, "%v after %v, and the delay is %v", a, age, before.Delay)
		want := time.Second
		if fresh {
			want = min(2*before.Delay, 15*time.Minute)
		}
		l.addIf(!has || !after.Since.Equal(v.p.Now), "the delay of %s does not start", a.Node)
		l.addIf(has && after.Delay != want && before.Delay > 0 && age != 30*time.Minute, "the delay of %s is %v after %v, not %v", a.Node, after.Delay, before.Delay, want)
	}
	return l
}

func s8(v *daemonView) []string {
	l, touched := list(nil), v.touched()
	if v.still || v.holds(daemonset.ReasonBurst) > 0 {
		return nil
	}
	for i := range v.nodes {
		for _, p := range v.nodes[i].pods {
			stays := p.DeletionTimestamp.IsZero() && !touched[p.Name] && !(v.d.PreDelete.Holds(p) && prepared(p))
			l.addIf(!v.nodes[i].cont && stays, "%s stays on %s, which may not keep it", p.Name, v.nodes[i].name)
		}
	}
	return l
}

// s9 looks at partitions: how many nodes are updated, and are about to be.
func s9(v *daemonView) []string {
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

// s9Trace looks at where an update of healthy nodes comes to rest.
func s9Trace(t *DaemonSetTrace) []string {
	if !t.Fair || len(t.Passes) < 2 {
		return nil
	}
	first, last := daemonsOf(&t.Passes[0]), daemonsOf(&t.Passes[len(t.Passes)-1])
	rests := len(last.p.Plan.Actions) == 0 && last.p.Plan.RecheckAt.IsZero() && !last.stopped && !last.still
	rests = rests && len(last.p.Plan.Holds) == last.holds(daemonset.ReasonPartition) // and waits for nothing else
	percent := !first.o.Corrected && int64(first.d.Status.DesiredNumberScheduled) != first.desired
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

// tidy tells that exactly the desired nodes have a pod, one each, and all may run one.
func (v *daemonView) tidy() bool {
	for i := range v.nodes {
		if n := &v.nodes[i]; !n.run || len(n.pods) != 1 {
			return false
		}
	}
	return len(v.missing) == 0
}

func s10(v *daemonView) []string {
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

func s11(v *daemonView) []string {
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
	cut := v.holds(daemonset.ReasonBurst) > 0 || v.holds(daemonset.ReasonProgressive) > 0
	for i := range v.nodes {
		n := &v.nodes[i]
		l.addIf(n.run && len(n.pods) == 0 && !cut && !slices.Contains(made, n.name), "%s has no pod, and gets none", n.name)
	}
	return l
}

func s12(v *daemonView) []string {
	l, hook := list(nil), v.d.PreDelete
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
		}
	}
	return l
}

func s13(v *daemonView) []string {
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

// s14 cordons every node.
func s14(c *DaemonSetPlanner) []string {
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

// face returns the pod that stands for a node in the status: the oldest or, corrected,
// the best.
func (v *daemonView) face(n *daemonsOn) *daemonset.Pod {
	rank := func(p *daemonset.Pod) int {
		if !v.o.Corrected {
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

func s15(v *daemonView) []string {
	var want daemonset.Status
	for i := range v.nodes {
		n := &v.nodes[i]
		switch {
		case len(n.pods) == 0:
		case !n.run:
			want.NumberMisscheduled++
		default:
			want.CurrentNumberScheduled++
			p := v.face(n)
			if v.isNew(p) {
				want.UpdatedNumberScheduled++
			}
			if p.Ready {
				want.NumberReady++
				if v.available(p) && (!v.kruise || daemonset.InPlaceCompleted(p)) {
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

func s16(v *daemonView) []string {
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
