// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector/claim"
)

// TestPropertyApply: Apply refuses no action of a plan for the same snapshot, Plan.Apply applies
// the actions and the status, and the snapshot does not change.
func TestPropertyApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		p := mustPlan(t, s, options(t))
		purity.Apply(t, s, t0, p.Apply, p.Actions, replicaset.Apply, func(step *replicaset.Snapshot) { step.ReplicaSet.Status = p.Status })
	})
}

// TestApply shows what each action does, and when it is refused.
func TestApply(t *testing.T) {
	zero, end := time.Time{}, t0.Add(-time.Second)
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "u", TemplateLabels: map[string]string{"app": "web"}}, Pods: []podorder.Pod{
		{Name: "web-0", UID: "a", ControllerUID: "u", NodeName: "n"},
		{Name: "orphan", UID: "b"},
		{Name: "ended", UID: "c", ControllerUID: "u", NodeName: "n", Phase: podorder.Failed},
		{Name: "held", UID: "d", ControllerUID: "u", DeletionTimestamp: end},
		{Name: "other", UID: "e", ControllerUID: "v"},
	}}
	pod := func(a replicaset.Action, name string) *podorder.Pod {
		t.Helper()
		next, err := replicaset.Apply(s, a, t0)
		require.NoError(t, err)
		for i := range next.Pods {
			if next.Pods[i].Name == name {
				return &next.Pods[i]
			}
		}
		return nil
	}
	owner := claim.OwnerReference{Kind: "ReplicaSet", Name: "web", UID: "u"}
	require.Equal(t, "u", pod(replicaset.AdoptPod{Name: "orphan", UID: "b", Reference: owner}, "orphan").ControllerUID)
	require.Empty(t, pod(replicaset.ReleasePod{Name: "web-0", UID: "a", OwnerUID: "u"}, "web-0").ControllerUID)
	require.Equal(t, "v", pod(replicaset.ReleasePod{Name: "other", UID: "e", OwnerUID: "u"}, "other").ControllerUID, "it is not ours to release")
	require.Equal(t, t0, pod(replicaset.DeletePod{Name: "web-0", UID: "a"}, "web-0").DeletionTimestamp, "its kubelet ends it")
	require.Nil(t, pod(replicaset.DeletePod{Name: "orphan", UID: "b"}, "orphan"), "no kubelet has it")
	require.Nil(t, pod(replicaset.DeletePod{Name: "ended", UID: "c"}, "ended"))
	require.Equal(t, end, pod(replicaset.DeletePod{Name: "held", UID: "d"}, "held").DeletionTimestamp, "deleted before")

	two := replicaset.CreatePods{Count: 2}
	made := pod(two, "web-2")
	require.Equal(t, podorder.Pod{
		Name: "web-2", UID: made.UID, Labels: map[string]string{"app": "web"}, ControllerKind: "ReplicaSet", ControllerName: "web",
		ControllerUID: "u", CreationTimestamp: t0, Phase: podorder.Pending, ReadySince: zero,
	}, *made)
	require.NotEqual(t, pod(two, "web-1").UID, made.UID)
	next, err := replicaset.Apply(s, two, t0)
	require.NoError(t, err)
	require.Len(t, next.Pods, 7)
	require.Len(t, s.Pods, 5)

	for path, a := range map[string]replicaset.Action{
		"Action": nil, "Action.Name": replicaset.DeletePod{Name: "web-0", UID: "another"},
		"Action.Count": replicaset.CreatePods{Count: replicaset.MostCreated + 1},
	} {
		_, err := replicaset.Apply(s, a, t0)
		var refused *kplan.FieldError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.Equal(t, path, refused.Path)
	}
	_, err = replicaset.Apply(s, replicaset.AdoptPod{Name: "other", UID: "e", Reference: owner}, t0)
	require.ErrorContains(t, err, "has another controller")
	_, err = replicaset.Plan{Actions: replicaset.Actions{two, replicaset.DeletePod{Name: "gone"}}}.Apply(s, t0)
	require.Error(t, err)
}

// Many deletions take time that grows with the pods.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run("pods="+strconv.Itoa(n), func(b *testing.B) {
			s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "u", Replicas: ptr.To(int32(0))}}
			for i := range n {
				name := "web-" + strconv.Itoa(i)
				s.Pods = append(s.Pods, podorder.Pod{Name: name, UID: name, ControllerUID: "u", NodeName: "n", Phase: podorder.Running})
			}
			p, err := replicaset.Reconcile(s, t0, replicaset.Options{Burst: int32(n)})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Apply(s, t0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
