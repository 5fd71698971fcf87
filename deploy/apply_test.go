// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// TestPropertyApply: no action of a plan is refused by the snapshot that it was made for,
// a plan is the sum of its actions and the status, and the snapshot stays as it is.
func TestPropertyApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyKind(t)
		if rapid.Bool().Draw(t, "by partition") {
			s = byPartition(t, s)
		}
		p, err := deploy.Reconcile(s, t0, deploy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		one := func(s deploy.Snapshot, a deploy.Action, now time.Time) (deploy.Snapshot, error) {
			next, err := deploy.Apply(s, a, now)
			if a, ok := a.(deploy.ScaleReplicaSet); ok && err == nil {
				scaledAlone(t, a, s.ReplicaSets, next.ReplicaSets)
			}
			return next, err
		}
		purity.Apply(t, s, t0, p.Apply, p.Actions, one, func(step *deploy.Snapshot) { step.Deployment.Status = p.Status })
	})
}

// scaledAlone compares what becomes of one ReplicaSet with what becomes of it among others, which the
// action refuses.
func scaledAlone(t *rapid.T, a deploy.ScaleReplicaSet, before, after []replicaset.ReplicaSet) {
	for i := range before {
		rs, err := a.ApplyTo(before[i])
		if before[i].Name == a.Name && (a.UID == "" || before[i].UID == a.UID) {
			require.NoError(t, err)
			require.Equal(t, after[i], rs)
			_, err = a.ApplyTo(after[i])
			require.Equal(t, a.From != a.To, err != nil, "it has another size by now")
			continue
		}
		require.ErrorIs(t, err, kplan.ErrInvalid)
	}
}

// TestApplyScalesWhatWasCreated: a plan that creates a ReplicaSet and scales it, too, does
// not know its UID. The sum of the sizes wraps here, so that there is room for one more pod.
func TestApplyScalesWhatWasCreated(t *testing.T) {
	s := snapshot(web(2, template("v0"), recreate, paused), set(1, math.MaxInt32, counts(0, 0)))
	s.Deployment.Partitioned = &partition.Strategy{}
	p := reconcile(t, s)
	require.Equal(t, "create web-v0 1, web-v0 1->2", sizes(p))
	next, err := p.Apply(s, t0)
	require.NoError(t, err)
	require.Equal(t, int32(2), *next.ReplicaSets[1].Replicas)
}

// TestApply has what each action does, and when it is refused.
func TestApply(t *testing.T) {
	s := deploy.Snapshot{
		Deployment: deploy.Deployment{
			Name: "web", UID: "u", Generation: 3, Annotations: map[string]string{"a": "1", revision.AnnotationRollback: "2"},
			Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		},
		ReplicaSets: []replicaset.ReplicaSet{
			{Name: "web-1", UID: "1", ControllerUID: "u", Generation: 1, Replicas: ptr.To(int32(3)), Annotations: map[string]string{"a": "1"}},
			{Name: "orphan", UID: "2", Generation: 1},
			{Name: "other", UID: "3", ControllerUID: "v"},
		},
	}
	after := func(a deploy.Action) deploy.Snapshot {
		t.Helper()
		next, err := deploy.Apply(s, a, t0)
		require.NoError(t, err)
		return next
	}
	require.Equal(t, "u", after(deploy.AdoptReplicaSet{Name: "orphan", UID: "2"}).ReplicaSets[1].ControllerUID)
	require.Empty(t, after(deploy.ReleaseReplicaSet{Name: "web-1", UID: "1"}).ReplicaSets[0].ControllerUID)
	require.Equal(t, "v", after(deploy.ReleaseReplicaSet{Name: "other", UID: "3"}).ReplicaSets[2].ControllerUID)
	require.Len(t, after(deploy.DeleteReplicaSet{Name: "orphan", UID: "2"}).ReplicaSets, 2)

	scaled := after(deploy.ScaleReplicaSet{Name: "web-1", UID: "1", From: 3, To: 5, Set: map[string]string{"b": "2"}}).ReplicaSets[0]
	require.Equal(t, int32(5), *scaled.Replicas)
	require.Equal(t, int64(2), scaled.Generation)
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, scaled.Annotations)
	scaled = after(deploy.ScaleReplicaSet{Name: "orphan", UID: "2", From: 1, To: 1}).ReplicaSets[1]
	require.Equal(t, int64(1), scaled.Generation, "a size that is not set is 1")
	annotated := after(deploy.AnnotateReplicaSet{Name: "web-1", UID: "1", MinReadySeconds: ptr.To(int32(9))}).ReplicaSets[0]
	require.Equal(t, int32(9), annotated.MinReadySeconds)
	require.Equal(t, int64(2), annotated.Generation)
	require.Equal(t, int64(1), after(deploy.AnnotateReplicaSet{Name: "web-1", UID: "1", MinReadySeconds: new(int32)}).ReplicaSets[0].Generation)

	made := after(deploy.CreateReplicaSet{
		Name: "web-2", Replicas: 2, Template: revision.Template{ID: "v2", Hash: "2"}, Labels: map[string]string{"app": "web"}, MinReadySeconds: 4,
	}).ReplicaSets[3]
	require.Equal(t, "app=web,"+revision.LabelHash+"=2", selector.Format(made.Selector))
	require.Equal(t, "u", made.ControllerUID)
	require.Equal(t, t0, made.CreationTimestamp)
	require.Equal(t, []int32{2, 4}, []int32{*made.Replicas, made.MinReadySeconds})

	cleared := after(deploy.ClearRollback{}).Deployment
	require.Equal(t, map[string]string{"a": "1"}, cleared.Annotations)
	require.Equal(t, int64(4), cleared.Generation, "annotations of a Deployment count")
	noted := after(deploy.AnnotateDeployment{Set: map[string]string{"a": "2"}}).Deployment
	require.Equal(t, "2", noted.Annotations["a"])
	require.Equal(t, int64(3), noted.Generation, "they go along with the status")
	paused := after(deploy.PauseDeployment{Set: map[string]string{"p": ""}}).Deployment
	require.True(t, paused.Paused)
	require.Equal(t, int64(4), paused.Generation)
	back := after(deploy.RollBackDeployment{Template: revision.Template{ID: "v1"}, Annotations: map[string]string{"c": "3"}}).Deployment
	require.Equal(t, "v1", back.Template.ID)
	require.Equal(t, map[string]string{"c": "3"}, back.Annotations)

	for path, a := range map[string]deploy.Action{
		"Action": nil, "Action.Name": deploy.DeleteReplicaSet{Name: "web-1", UID: "2"}, "Action.From": deploy.ScaleReplicaSet{Name: "web-1", UID: "1", From: 4},
	} {
		_, err := deploy.Apply(s, a, t0)
		var refused *kplan.FieldError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.Equal(t, path, refused.Path)
	}
	_, err := deploy.Apply(s, deploy.AdoptReplicaSet{Name: "other", UID: "3"}, t0)
	require.ErrorContains(t, err, "has another controller")
	_, err = deploy.Apply(s, deploy.CreateReplicaSet{Name: "other"}, t0)
	require.ErrorContains(t, err, "must not be that of a ReplicaSet")
}
