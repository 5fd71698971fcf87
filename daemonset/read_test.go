// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
)

// A reader reads pods of a list and leaves out those that are not here.
type reader struct {
	pods []daemonset.Pod
	gone map[int]bool
	read *int // how many, if it is of interest
}

func (r reader) Len() int { return len(r.pods) }

func (r reader) Count(i int, p *daemonset.Pod) bool {
	q := &r.pods[i]
	p.Name, p.UID, p.Labels = q.Name, q.UID, q.Labels
	p.ControllerKind, p.ControllerName, p.ControllerUID = q.ControllerKind, q.ControllerName, q.ControllerUID
	p.DeletionTimestamp, p.NodeName, p.PinnedNode = q.DeletionTimestamp, q.NodeName, q.PinnedNode
	p.Phase, p.Ready, p.ReadySince = q.Phase, q.Ready, q.ReadySince
	return !r.gone[i]
}

func (r reader) Read(i int, p *daemonset.Pod) {
	*p = r.pods[i]
	if r.read != nil {
		*r.read++
	}
}

// The plan for pods that are read one by one is that for a snapshot of them, and so is the plan that
// Reconcile makes for many. The machine of the Tracker compares both as well.
func TestPropertyReconcileFrom(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		r := reader{pods: s.Pods, gone: map[int]bool{}}
		s.Pods, s.Distinct = nil, random.OneIn(random.Rapid(t), "distinct", 2)
		for i := range r.pods {
			if r.gone[i] = random.OneIn(random.Rapid(t), "gone", 8); !r.gone[i] {
				s.Pods = append(s.Pods, r.pods[i])
			}
		}
		want, wantErr := daemonset.Reconcile(s, t0, opts)
		got, err := daemonset.ReconcileFrom(s, r, t0, opts)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Reconcile (-) and ReconcileFrom (+): %s", diff)
		}
		few, planned := daemonset.ReconcileFew(s, t0, opts)
		if diff := cmp.Diff(want, few, cmpopts.EquateEmpty()); planned && diff != "" {
			t.Fatalf("Reconcile of few (-) and of many pods (+): %s", diff)
		}
	})
}

// However many pods there are, counting them costs the same few allocations.
func TestReconcileFromAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		s := large(n, n)
		r := reader{pods: s.Pods}
		return testing.AllocsPerRun(10, func() { _, _ = daemonset.ReconcileFrom(s, r, t0, daemonset.Options{}) })
	}
	require.InDelta(t, allocations(100), allocations(6000), 1)
	require.LessOrEqual(t, allocations(100), 60.0)
}

// Pods are read of those nodes that are not like most, and of as many others as the plan acts on.
func TestReconcileFromReads(t *testing.T) {
	for _, c := range []struct {
		why     string
		updated int
		change  func(s *daemonset.Snapshot)
		read    int
		opts    daemonset.Options
	}{
		{"all are new and available", 100, func(*daemonset.Snapshot) {}, 0, daemonset.Options{}},
		{"one is not available, and none is old", 100, func(s *daemonset.Snapshot) { unready(&s.Pods[7]) }, 0, daemonset.Options{}},
		{"there is a second pod", 100, func(s *daemonset.Snapshot) { s.Pods[8].NodeName = s.Pods[7].NodeName }, 2, daemonset.Options{}},
		{"ten old ones go", 50, func(*daemonset.Snapshot) {}, 10, daemonset.Options{}},
		{"and one less, which is named, as one is not available", 50, func(s *daemonset.Snapshot) { unready(&s.Pods[7]) }, 10, daemonset.Options{}},
		{"ranks", 50, func(s *daemonset.Snapshot) { s.Nodes[99].Rank = 1 }, 100, daemonset.Options{}},
		{"those beyond the burst are marked", 50, func(s *daemonset.Snapshot) {
			s.DaemonSet.Burst, s.DaemonSet.PreDelete = rollout.Int(1), &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}, 10, daemonset.Options{}},
		{"another one goes for one on a dead node", 50, func(s *daemonset.Snapshot) {
			first := slices.MinFunc(s.Nodes[50:], func(a, b daemonset.Node) int { return strings.Compare(a.Name, b.Name) })
			for i := range s.Nodes {
				if s.Nodes[i].Name == first.Name {
					s.Nodes[i].Taints = []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}}
				}
			}
		}, 11, daemonset.Options{SkipDeadNodes: 1}},
	} {
		s, read := large(100, c.updated), 0
		c.change(&s)
		got, err := daemonset.ReconcileFrom(s, reader{pods: s.Pods, read: &read}, t0, c.opts)
		require.NoError(t, err)
		require.Equal(t, c.read, read, c.why)
		want, err := daemonset.Reconcile(s, t0, c.opts)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()), c.why)
	}
}

// names are pods that are known by name alone, one on each of the nodes n0, n1 and so on.
type names []string

func (n names) Len() int { return len(n) }

func (n names) Count(i int, p *daemonset.Pod) bool {
	*p = daemonset.Pod{}
	n.Read(i, p)
	return true
}

func (n names) Read(i int, p *daemonset.Pod) {
	p.Pod = podorder.Pod{
		Name: n[i], ControllerUID: "agent-uid", NodeName: fmt.Sprint("n", i), Ready: true,
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: "v1"},
	}
}

func ExampleReconcileFrom() {
	s := daemonset.Snapshot{DaemonSet: agent(), Nodes: []daemonset.Node{{Name: "n0"}, {Name: "n1"}}}
	s.Revisions = append(s.Revisions, agentRevision("v1", 1), agentRevision("v2", 2))
	plan, err := daemonset.ReconcileFrom(s, names{"agent-a", "agent-b"}, t0, daemonset.Options{})
	fmt.Println(plan, err)
	// Output:
	// Deleted pod: agent-a on node n0 (Rollout)
	// held back: MaxUnavailable (1 of 1) <nil>
}
