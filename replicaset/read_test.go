// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector"
)

// A reader reads pods of a list and leaves out those that are not here.
type reader struct {
	pods []podorder.Pod
	gone map[int]bool
	read *int // how many, if it is of interest
}

func (r reader) Len() int { return len(r.pods) }

func (r reader) At(i int) *podorder.Pod {
	if r.gone[i] {
		return nil
	}
	q := &r.pods[i]
	return &podorder.Pod{
		Labels: q.Labels, ControllerKind: q.ControllerKind, ControllerName: q.ControllerName, ControllerUID: q.ControllerUID,
		DeletionTimestamp: q.DeletionTimestamp, NodeName: q.NodeName, Phase: q.Phase, Ready: q.Ready, ReadySince: q.ReadySince,
	}
}

func (r reader) Read(i int, p *podorder.Pod) {
	*p = r.pods[i]
	if r.read != nil {
		*r.read++
	}
}

// A plan for pods of a reader is the plan for a snapshot with these pods.
func TestPropertyReconcileFrom(t *testing.T) {
	for range 20 {
		rapid.Check(t, func(t *rapid.T) {
			source := random.Rapid(t)
			s, opts := random.ReplicaSet(source, random.Kinds(source)), random.ReplicaSetOptions(source)
			r := reader{pods: s.Pods, gone: map[int]bool{}}
			s.Pods = nil
			for i := range r.pods {
				if r.gone[i] = random.OneIn(source, "gone", 8); !r.gone[i] {
					s.Pods = append(s.Pods, r.pods[i])
				}
			}
			s.ReplicaSet.Status.Replicas = random.Between[int32](source, "observed", -1, 4)
			want, wantErr := replicaset.Reconcile(s, t0, opts)
			got, err := replicaset.ReconcileFrom(s, r, t0, opts)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("Reconcile (-) and ReconcileFrom (+): %s", diff)
			}
		})
	}
}

// If pods go, those are read that may be among the first; all are where the status was wrong or
// more is asked of a pod than what counts.
func TestReconcileFromReads(t *testing.T) {
	all := pods(100)
	for i := range 10 {
		unready(&all[i])
	}
	for _, c := range []struct {
		why      string
		observed int32
		order    podorder.Order
		read     int
	}{
		{"three of ten that are not ready", 100, podorder.Order{}, 10},
		{"nothing is known", 0, podorder.Order{}, 10},
		{"the status says that there are not too many", 97, podorder.Order{}, 100},
		{"protected pods are known by all that they are", 100, podorder.Order{Protected: func(p *podorder.Pod) bool { return p.Name == "p000000" }}, 100},
		{"stages too", 100, podorder.Order{Stages: podorder.Current.Stages()}, 100},
	} {
		s := replicaset.Snapshot{ReplicaSet: web(97)}
		s.ReplicaSet.Status.Replicas = c.observed
		read, opts := 0, replicaset.Options{Order: c.order}
		got, err := replicaset.ReconcileFrom(s, reader{pods: all, read: &read}, t0, opts)
		require.NoError(t, err)
		require.Equal(t, c.read, read, c.why)
		s.Pods = all
		want, err := replicaset.Reconcile(s, t0, opts)
		require.NoError(t, err)
		require.Len(t, want.Actions, 3)
		require.Equal(t, want, got, c.why)
	}
}

// names are pods that are known by name alone.
type names []string

func (n names) Len() int { return len(n) }

func (n names) At(int) *podorder.Pod { return &podorder.Pod{ControllerUID: "r1", Ready: true} }

func (n names) Read(i int, p *podorder.Pod) {
	*p = podorder.Pod{Name: n[i], ControllerUID: "r1", Ready: true}
}

// Pods stay where the caller keeps them: they are counted, and one more is created.
func ExampleReconcileFrom() {
	three := int32(3)
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: &three}}
	plan, err := replicaset.ReconcileFrom(s, names{"web-a", "web-b"}, t0, replicaset.Options{})
	fmt.Println(plan, err)
	fmt.Println(plan.Status.ReadyReplicas, "ready")
	// Output:
	// Created 1 pods (TooFew) <nil>
	// 2 ready
}

// Of many pods as many count as of each of them alone, whatever stands beside it.
func TestPropertyManyPods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := random.Rapid(t)
		s, opts := random.ReplicaSet(source, random.Kinds(source)), random.ReplicaSetOptions(source)
		s.Written, s.Expectations, s.ReplicaSet.Replicas = expect.Versions{}, expect.Expectations{}, ptr.To[int32](0)
		opts.Repair = 0
		models, n := s.Pods, rapid.SampledFrom([]int{0, 1, 33, 1<<14 + 31}).Draw(t, "number")
		if len(models) == 0 {
			return
		}
		if n := rapid.IntRange(0, 5).Draw(t, "labels"); n > 0 { // pods that miss one of so many, or none
			s.ReplicaSet.Selector, s.ReplicaSet.TemplateLabels = &selector.LabelSelector{MatchLabels: map[string]string{"l0": "v"}}, map[string]string{}
			for i := range n {
				s.ReplicaSet.TemplateLabels[fmt.Sprint("l", i)] = "v"
			}
			for i := range models {
				models[i].ControllerUID, models[i].Labels = s.ReplicaSet.UID, maps.Clone(s.ReplicaSet.TemplateLabels)
				delete(models[i].Labels, fmt.Sprint("l", rapid.IntRange(1, 5).Draw(t, "missing")))
			}
		}
		counts := func(pods []podorder.Pod) []int32 {
			s.Pods = pods
			p, err := replicaset.Reconcile(s, t0, opts)
			require.NoError(t, err)
			if len(p.Holds) > 0 && p.Holds[0].Reason == reason.BadSelector {
				return nil
			}
			from, err := replicaset.ReconcileFrom(s, reader{pods: pods}, t0, opts)
			require.NoError(t, err)
			require.Equal(t, p.Status, from.Status)
			return []int32{p.Status.Replicas, p.Status.FullyLabeledReplicas, p.Status.ReadyReplicas, p.Status.AvailableReplicas}
		}
		want, pods := make([]int32, 4), make([]podorder.Pod, n)
		alone := make([][]int32, len(models))
		for i := range models {
			alone[i] = counts(models[i : i+1])
		}
		for i := range pods {
			pods[i] = models[i*i%len(models)]
			pods[i].Name, pods[i].UID = fmt.Sprint("web-", n-i), fmt.Sprint(i*7919%100_003)
			for j, count := range alone[i*i%len(models)] {
				want[j] += count
			}
		}
		got := counts(pods)
		if got == nil {
			return
		}
		require.Equal(t, want, got)
		gone, left := map[int]bool{}, []podorder.Pod(nil)
		for i := range pods {
			if gone[i] = i*i%5 == 1; !gone[i] {
				left = append(left, pods[i])
			}
		}
		from, err := replicaset.ReconcileFrom(s, reader{pods: pods, gone: gone}, t0, opts)
		require.NoError(t, err)
		require.Equal(t, counts(left)[0], from.Status.Replicas)
	})
}
