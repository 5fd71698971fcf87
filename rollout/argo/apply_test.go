// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
)

// TestPropertyApply: no action of a plan is refused by the snapshot that it was made for,
// a plan is the sum of its actions and the status, and the snapshot stays as it is.
func TestPropertyApply(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := anyRollout(t)
		p, err := reconcile(s, now)
		if err != nil {
			return // not a snapshot that is planned
		}
		purity.Apply(t, s, now, p.Apply, p.Actions, argo.Apply, func(step *argo.Snapshot) { step.Rollout.Status = p.Status })
	})
}

// TestApply has what each action does, and when it is refused.
func TestApply(t *testing.T) {
	at := now.Add(time.Minute)
	s := argo.Snapshot{
		Rollout: argo.Rollout{Name: "web"},
		Sets:    []argo.ReplicaSet{{Name: "web-1", Hash: "1", Size: argo.Size{Replicas: 3, AvailableReplicas: 2}}},
		Active:  &argo.Service{Name: "web", Selector: map[string]string{"app": "web"}},
		Preview: &argo.Service{Name: "web"},
		Routes:  []argo.Route{{Name: "a"}},
		Pods:    []argo.Pod{{Name: "web-1-a"}, {Name: "web-1-b"}},
	}
	after := func(a argo.Action) argo.Snapshot {
		t.Helper()
		next, err := argo.Apply(s, a, now)
		require.NoError(t, err)
		return next
	}
	made := after(argo.CreateReplicaSet{Name: "web-2", Hash: "2", Revision: 4, Replicas: 1, Desired: 3}).Sets
	require.Equal(t, argo.ReplicaSet{
		Name: "web-2", Hash: "2", Revision: 4, Size: argo.Size{Replicas: 1}, DesiredReplicas: ptr.To(int32(3)), CreationTimestamp: now,
	}, made[1], "its pods are not there yet")
	scaled := after(argo.ScaleReplicaSet{Hash: "1", From: 3, To: 5, Desired: 9}).Sets[0]
	require.Equal(t, argo.Size{Replicas: 5, AvailableReplicas: 2}, scaled.Size)
	require.Equal(t, int32(9), *scaled.DesiredReplicas)
	require.Equal(t, at, after(argo.DelayReplicaSet{Hash: "1", Until: at}).Sets[0].ScaleDownAt)
	selected := after(argo.SelectPods{Service: "web", Key: argo.HashLabel, Value: "2"})
	require.Equal(t, map[string]string{"app": "web", argo.HashLabel: "2"}, selected.Active.Selector)
	require.Equal(t, map[string]string{argo.HashLabel: "2"}, selected.Preview.Selector, "it is the same Service")

	require.Equal(t, []argo.Pod{{Name: "web-1-a"}, {Name: "web-1-b", Deleting: true}}, after(argo.EvictPod{Name: "web-1-b"}).Pods)

	routed := after(argo.SetRoute{Route: argo.Route{Name: "b", Headers: []argo.HeaderMatch{{Name: "user"}}}, Service: "web"})
	require.Equal(t, []argo.Route{{Name: "a"}, {Name: "b", Headers: []argo.HeaderMatch{{Name: "user"}}}}, routed.Routes)
	mirror := argo.Route{Name: "a", Mirror: &argo.Mirror{Percentage: ptr.To(int32(5))}}
	require.Equal(t, []argo.Route{mirror}, after(argo.SetRoute{Route: mirror}).Routes, "in the place of the one of its name")
	require.Empty(t, after(argo.RemoveRoute{Name: "a"}).Routes)

	for path, a := range map[string]argo.Action{
		"Action": nil, "Action.Hash": argo.DelayReplicaSet{Hash: "2"}, "Action.From": argo.ScaleReplicaSet{Hash: "1", From: 4},
		"Action.Name": argo.EvictPod{Name: "other"}, "Action.Service": argo.SelectPods{Service: "other"},
	} {
		_, err := argo.Apply(s, a, now)
		var refused *kplan.FieldError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.Equal(t, path, refused.Path)
	}
	_, err := argo.Apply(s, argo.CreateReplicaSet{Hash: "1"}, now)
	require.ErrorContains(t, err, "must not be that of a ReplicaSet")
	_, err = argo.Apply(s, argo.ScaleReplicaSet{Hash: "9"}, now)
	require.ErrorContains(t, err, "must be the hash of a ReplicaSet")
	_, err = argo.Apply(s, argo.RemoveRoute{Name: "9"}, now)
	require.ErrorContains(t, err, "must be the name of a route")
}
