// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A reader reads pods of a list and leaves out those that are not here.
type reader struct {
	pods []podorder.Pod
	gone map[int]bool
}

func (r reader) Len() int { return len(r.pods) }

func (r reader) Count(i int, p *podorder.Pod) bool {
	q := &r.pods[i]
	p.Labels, p.ControllerKind, p.ControllerName, p.ControllerUID = q.Labels, q.ControllerKind, q.ControllerName, q.ControllerUID
	p.DeletionTimestamp, p.Phase, p.Ready, p.ReadySince = q.DeletionTimestamp, q.Phase, q.Ready, q.ReadySince
	return !r.gone[i]
}

func (r reader) Read(i int, p *podorder.Pod) { *p = r.pods[i] }

// The plan for pods that are read one by one is that for a snapshot of them.
func TestPropertyReconcileFrom(t *testing.T) {
	for range 20 {
		rapid.Check(t, func(t *rapid.T) {
			source := random.Rapid(t)
			s, opts := random.ReplicaSet(source, random.Kinds(source)), random.ReplicaSetOptions(source)
			r := reader{s.Pods, map[int]bool{}}
			s.Pods = nil
			for i := range r.pods {
				if r.gone[i] = random.OneIn(source, "gone", 8); !r.gone[i] {
					s.Pods = append(s.Pods, r.pods[i])
				}
			}
			want, wantErr := replicaset.Reconcile(s, t0, opts)
			got, err := replicaset.ReconcileFrom(s, r, t0, opts)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("Reconcile (-) and ReconcileFrom (+): %s", diff)
			}
		})
	}
}

// However many pods there are, counting them costs the same few allocations.
func TestReconcileFromAllocates(t *testing.T) {
	allocations := func(n int) float64 {
		s, r := replicaset.Snapshot{ReplicaSet: web(int32(n))}, reader{pods: pods(n)}
		return testing.AllocsPerRun(20, func() { _, _ = replicaset.ReconcileFrom(s, r, t0, replicaset.Options{}) })
	}
	require.Equal(t, allocations(20), allocations(2000))
	require.LessOrEqual(t, allocations(20), 7.0)
}

// names are pods that are known by name alone.
type names []string

func (n names) Len() int { return len(n) }

func (n names) Count(_ int, p *podorder.Pod) bool {
	*p = podorder.Pod{ControllerUID: "r1", Ready: true}
	return true
}

func (n names) Read(i int, p *podorder.Pod) {
	*p = podorder.Pod{Name: n[i], ControllerUID: "r1", Ready: true}
}

// Pods stay where the caller keeps them: they are counted, and one more is created.
func ExampleReconcileFrom() {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: ptr.To(int32(3))}}
	plan, err := replicaset.ReconcileFrom(s, names{"web-a", "web-b"}, t0, replicaset.Options{})
	fmt.Println(plan, err)
	fmt.Println(plan.Status.ReadyReplicas, "ready")
	// Output:
	// Created 1 pods (TooFew) <nil>
	// 2 ready
}
