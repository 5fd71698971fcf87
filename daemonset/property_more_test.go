// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"pgregory.net/rapid"
)

// With surge, nodes that gain a second pod beside an available old one are at most
// the surge less those that have one already.
func TestPropertySurgeBudget(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		s.DaemonSet.MaxSurge = sample1(t, "surge > 0", rollout.Int(1), rollout.Int(2), rollout.Percent(50))
		s.DaemonSet.Partition, s.DaemonSet.NodeSelector = rollout.IntOrPercent{}, nil
		p, err := daemonset.UpdateOnly(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		fresh, under := 0, 0
		for _, name := range choices(p.Actions).create {
			for _, pod := range mine(&s) {
				if nodeOf(pod) == name && pod.DeletionTimestamp.IsZero() && available(&pod, &s.DaemonSet, opts) {
					fresh++
				}
			}
		}
		reports, err := daemonset.Explain(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			if r.New != "" && r.Old != "" && r.Uses != "" {
				under++
			}
		}
		if fresh > max(int(p.Budget.Surge)-under, 0) {
			t.Fatalf("%d nodes surge already, %d more do, %d may: %v", under, fresh, p.Budget.Surge, p)
		}
	})
}

// Creations, deletions and updates in place are at most the burst each. A pod that the hook
// holds is marked, and never deleted. What is written is ours, and no pod is deleted twice.
func TestPropertyLimits(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), allOrNone(t)
		p := keeps(t, s, opts, "burst bound", "pre-delete hook holds", "own objects only", "one revision per template", "revisions in use stay")
		removed := choices(p.Actions).remove
		if slices.Sort(removed); len(slices.Compact(slices.Clone(removed))) != len(removed) {
			t.Fatalf("a pod is deleted twice: %v", p)
		}
	})
}

// A node whose pods fail forever loses one per delay, and the delays do not
// shrink.
func TestPropertyBackoff(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := cluster(1)
		var last time.Time
		longest := time.Duration(0)
		now := t0
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, "pause")) * time.Second)
			s.Pods = append(s.Pods, pod(fmt.Sprint("p", now.Unix()), "n1", "v2", failed))
			p := reconcile(t, s, now, daemonset.Options{})
			if len(choices(p.Actions).remove) > 0 {
				if gap := now.Sub(last); !last.IsZero() && gap < longest {
					t.Fatalf("deleted after %v, the delay is %v", gap, longest)
				}
				if d := p.Backoff[0].Delay; d < longest || d > 15*time.Minute {
					t.Fatalf("the delay is %v after %v", d, longest)
				}
				last, longest = now, p.Backoff[0].Delay
			} else if p.RecheckAt.IsZero() || p.RecheckAt.After(last.Add(longest)) {
				t.Fatalf("recheck at %v, but the delay ends at %v", p.RecheckAt, last.Add(longest))
			}
			execute(&s, p, now)
		}
	})
}

// healthy returns a cluster of old pods that an update can go through.
func healthy(t *rapid.T) (daemonset.Snapshot, daemonset.Options) {
	source := random.Rapid(t)
	s := random.DaemonSet(source, random.CaughtUp)
	opts := daemonset.Options{
		Dialect: sample1(t, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: random.DaemonSetOptions(source).Repair,
		StrictUnavailable: rapid.Bool().Draw(t, "strict"), PartitionCreatesOld: true,
	}
	return s, opts
}

// An update of healthy nodes ends with exactly the nodes
// updated that partition and selector admit, one revision of the template, and then
// nothing is planned any more. On the way the budget holds.
func TestPropertyUpdateEnds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := healthy(t)
		s.DaemonSet.RevisionHistoryLimit = ptr.To(rapid.Int32Range(0, 1).Draw(t, "history"))
		admitted := len(s.Nodes)
		if s.DaemonSet.NodeSelector != nil {
			admitted = 0
			for _, n := range s.Nodes {
				if n.Labels["zone"] == "a" {
					admitted++
				}
			}
		}
		limit := max(len(s.Nodes)-int(s.DaemonSet.Partition.Of(int32(len(s.Nodes)))), 0)
		want := min(admitted, limit)
		now := t0
		var p daemonset.Plan
		for round := 0; ; round++ {
			p = reconcile(t, s, now, opts)
			if p.Empty() && p.RecheckAt.IsZero() {
				break
			}
			if round > 20*len(s.Nodes)+20 {
				t.Fatalf("it does not end: %v", p)
			}
			execute(&s, p, now)
			if down := len(s.Nodes) - serving(&s); p.Budget.Surge == 0 && down > int(p.Budget.Unavailable) {
				t.Fatalf("%d nodes are down, %d may be: %v", down, p.Budget.Unavailable, p)
			} else if p.Budget.Surge > 0 && down > 0 {
				t.Fatalf("%d nodes are down in spite of the surge: %v", down, p)
			}
			settle(&s, now, nil)
			now = now.Add(time.Minute)
		}
		if int(p.Status.UpdatedNumberScheduled) != want || int(p.Status.NumberAvailable) != len(s.Nodes) {
			t.Fatalf("%d updated, want %d: %v", p.Status.UpdatedNumberScheduled, want, p.Status)
		}
		for _, pod := range s.Pods {
			i := slices.IndexFunc(s.Nodes, func(n daemonset.Node) bool { return n.Name == pod.NodeName })
			if pod.Labels[daemonset.LabelHash] == "v2" && s.DaemonSet.NodeSelector != nil && s.Nodes[i].Labels["zone"] != "a" {
				t.Fatalf("%s is updated", pod.NodeName)
			}
		}
		old := len(s.Revisions) - 1
		if inUse := want < len(s.Nodes); !inUse && old > int(*s.DaemonSet.RevisionHistoryLimit) {
			t.Fatalf("%d old revisions", old)
		}
	})
}

// Pods that are created progressively end on exactly the nodes that the partition
// has released, the first by name.
func TestPropertyProgressive(t *testing.T) {
	check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "nodes")
		s := cluster(n)
		s.DaemonSet.Progressive = true
		s.DaemonSet.Partition = sample1(t, "partition", rollout.Int(1), rollout.Int(3), rollout.Percent(50), rollout.Int(99))
		want := max(n-int(s.DaemonSet.Partition.Of(int32(n))), 0)
		for round := 0; ; round++ {
			p := reconcile(t, s, t0, kruise)
			if p.Empty() {
				break
			}
			if round > 1 {
				t.Fatalf("one plan is enough: %v", p)
			}
			execute(&s, p, t0)
		}
		if len(s.Pods) != want {
			t.Fatalf("%d pods, want %d", len(s.Pods), want)
		}
	})
}

// quirk.All changes nothing where no quirk shows, and the dialects agree on how many
// pods of a healthy cluster are updated.
func TestPropertyRepairAll(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := healthy(t)
		opts.Repair = 0
		p := reconcile(t, s, t0, opts)
		opts.Repair = quirk.All
		if diff := cmp.Diff(p, reconcile(t, s, t0, opts)); diff != "" {
			t.Fatalf("corrected changes the plan:\n%s", diff)
		}
		opts.Dialect, opts.Repair = daemonset.Kubernetes, 0
		a := choices(reconcile(t, s, t0, opts).Actions)
		opts.Dialect = daemonset.OpenKruise
		b := choices(reconcile(t, s, t0, opts).Actions)
		if len(a.create) != len(b.create) || len(a.remove) != len(b.remove) || len(a.inPlace) != len(b.inPlace) {
			t.Fatalf("Kubernetes: %v, OpenKruise: %v", a, b)
		}
	})
}

// serving counts the nodes with a ready pod.
func serving(s *daemonset.Snapshot) int {
	nodes := map[string]bool{}
	for _, p := range s.Pods {
		if p.Ready && p.DeletionTimestamp.IsZero() {
			nodes[p.NodeName] = true
		}
	}
	return len(nodes)
}

// If a plan has no actions, those before RecheckAt have none either.
func TestPropertyRecheck(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		if rapid.Bool().Draw(t, "waiting") { // for new pods to become available
			s, opts = healthy(t)
			s.DaemonSet.MinReadySeconds = 10
			for i := range rapid.IntRange(0, len(s.Pods)).Draw(t, "new") {
				s.Pods[i].Labels[daemonset.LabelHash], s.Pods[i].ReadySince = "v2", t0.Add(-4*time.Second)
			}
		}
		p := reconcile(t, s, t0, opts)
		end := p.RecheckAt
		if end.IsZero() {
			end = t0.Add(24 * 365 * time.Hour)
		}
		if !end.After(t0) {
			t.Fatalf("recheck at %v", end)
		}
		if !p.Empty() {
			return
		}
		last := int64(end.Sub(t0)) - 1
		between := t0.Add(time.Duration(rapid.OneOf(rapid.Just(last), rapid.Int64Range(0, last)).Draw(t, "between")))
		if q := reconcile(t, s, between, opts); !q.Empty() {
			t.Fatalf("nothing to do until %v, but at %v: %v", end, between, q)
		}
	})
}

// A prefix of a plan is safe: what is left of the budget holds at every step.
func TestPropertyPrefix(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := healthy(t)
		p := reconcile(t, s, t0, opts)
		prefix := purity.Clone(s)
		p.Actions = p.Actions[:rapid.IntRange(0, len(p.Actions)).Draw(t, "prefix")]
		execute(&prefix, p, t0)
		if down := len(s.Nodes) - serving(&prefix); down > int(p.Budget.Unavailable) {
			t.Fatalf("%d nodes are down: %v", down, p)
		}
		q := reconcile(t, prefix, t0, opts)
		for _, name := range choices(q.Actions).remove {
			if !slices.ContainsFunc(prefix.Pods, func(p daemonset.Pod) bool { return p.Name == name }) {
				t.Fatalf("%s is deleted twice", name)
			}
		}
	})
}

// What the DaemonSet neither controls nor may adopt can be left out of the snapshot.
func TestPropertyOthersLeftOut(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		want := reconcile(t, s, t0, opts)
		s.Pods = slices.DeleteFunc(slices.Clone(s.Pods), func(p daemonset.Pod) bool {
			return p.ControllerUID != "agent-uid" && (p.ControllerUID != "" || p.Labels["app"] != "agent")
		})
		if diff := cmp.Diff(want, reconcile(t, s, t0, opts)); diff != "" {
			t.Fatal(diff)
		}
	})
}
