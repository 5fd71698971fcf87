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
	"github.com/kplan-go/kplan/selector"
)

// A reader reads the pods of a list into the same memory, except pods that are gone.
type reader struct {
	pods    []daemonset.Pod
	gone    map[int]bool
	scratch daemonset.Pod
	read    int // pods that were read in full
}

func (r *reader) Len() int { return len(r.pods) }

func (r *reader) At(i int) *daemonset.Pod {
	r.scratch = daemonset.Pod{}
	if r.gone[i] {
		return nil
	}
	p, q := &r.scratch, &r.pods[i]
	p.Name, p.UID, p.Labels, p.Annotations = q.Name, q.UID, q.Labels, q.Annotations
	p.ControllerKind, p.ControllerName, p.ControllerUID = q.ControllerKind, q.ControllerName, q.ControllerUID
	p.DeletionTimestamp, p.NodeName, p.PinnedNode = q.DeletionTimestamp, q.NodeName, q.PinnedNode
	p.Phase, p.Ready, p.ReadySince = q.Phase, q.Ready, q.ReadySince
	p.ReadinessGates, p.InPlace = q.ReadinessGates, q.InPlace
	return p
}

func (r *reader) Read(i int) *daemonset.Pod {
	r.read++
	p := r.pods[i]
	return &p
}

// A plan for pods of a reader is the plan for a snapshot with these pods.
func TestPropertyReconcileFrom(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		r := &reader{pods: s.Pods, gone: map[int]bool{}}
		s.Pods = nil
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
	})
}

// A plan reads the pods that it acts on, and the pods of nodes that are not as they should be.
func TestReconcileFromReads(t *testing.T) {
	for _, c := range []struct {
		why     string
		updated int
		change  func(s *daemonset.Snapshot)
		read    int
		opts    daemonset.Options
	}{
		{"all pods are new and available", 100, func(*daemonset.Snapshot) {}, 0, daemonset.Options{}},
		{"one new pod is not available", 100, func(s *daemonset.Snapshot) { unready(&s.Pods[7]) }, 0, daemonset.Options{}},
		{"a second pod: for the manage step, and for the status", 100, func(s *daemonset.Snapshot) { s.Pods[8].NodeName = s.Pods[7].NodeName }, 4, daemonset.Options{}},
		{"ten old pods are deleted", 50, func(*daemonset.Snapshot) {}, 10, daemonset.Options{}},
		{"nine, since one pod is not available", 50, func(s *daemonset.Snapshot) { unready(&s.Pods[7]) }, 9, daemonset.Options{}},
		{"ten pods beyond the burst are marked", 50, func(s *daemonset.Snapshot) {
			s.DaemonSet.Burst, s.DaemonSet.PreDelete = rollout.Int(1), &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}, 10, daemonset.Options{}},
		{"a pod of another node in place of a pod of a dead node", 50, func(s *daemonset.Snapshot) {
			first := slices.MinFunc(s.Nodes[50:], func(a, b daemonset.Node) int { return strings.Compare(a.Name, b.Name) })
			for i := range s.Nodes {
				if s.Nodes[i].Name == first.Name {
					s.Nodes[i].Taints = []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}}
				}
			}
		}, 10, daemonset.Options{SkipDeadNodes: 1}},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := large(100, c.updated)
			c.change(&s)
			r := &reader{pods: s.Pods}
			got, err := daemonset.ReconcileFrom(s, r, t0, c.opts)
			require.NoError(t, err)
			require.Equal(t, c.read, r.read)
			want, err := daemonset.Reconcile(s, t0, c.opts)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()))
		})
	}
}

// names are pods of which only the names differ, one on each of the nodes n0, n1 and so on.
type names []string

func (n names) Len() int { return len(n) }

func (n names) At(i int) *daemonset.Pod { return n.Read(i) }

func (n names) Read(i int) *daemonset.Pod {
	return &daemonset.Pod{Pod: podorder.Pod{
		Name: n[i], ControllerUID: "agent-uid", NodeName: fmt.Sprint("n", i), Ready: true,
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: "v1"},
	}}
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

// TestNamelessOrphan: a selector that selects all pods ends the pass, whatever the pods are.
func TestNamelessOrphan(t *testing.T) {
	s := cluster(1, daemonset.Pod{Pod: podorder.Pod{NodeName: "n1"}})
	s.DaemonSet.Selector = &selector.LabelSelector{}
	require.Equal(t, "held back: SelectingAll", planText(t, s, daemonset.Options{}))
}
