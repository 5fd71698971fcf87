// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

func TestPatches(t *testing.T) {
	set := map[string]string{"b": "2", "a": "\"<1>\""}
	scale := func(a deploy.ScaleReplicaSet) (kube.Patch, error) { return deploymentPatch(nil, a) }
	for _, tt := range []struct {
		why   string
		patch func() (kube.Patch, error)
		want  string
	}{
		{"scale", func() (kube.Patch, error) { return scale(deploy.ScaleReplicaSet{UID: "u", From: 1, To: 2, Set: set}) },
			`{"metadata":{"uid":"u","annotations":{"a":"\"\u003c1\u003e\"","b":"2"}},"spec":{"replicas":2}}`},
		{"to zero is said", func() (kube.Patch, error) { return scale(deploy.ScaleReplicaSet{From: 1}) }, `{"spec":{"replicas":0}}`},
		{"annotate", func() (kube.Patch, error) {
			return deploymentPatch(nil, deploy.AnnotateReplicaSet{UID: "u", Set: map[string]string{"a": ""}})
		}, `{"metadata":{"uid":"u","annotations":{"a":""}}}`},
		{"minReadySeconds 0 is said", func() (kube.Patch, error) {
			return deploymentPatch(nil, deploy.AnnotateReplicaSet{MinReadySeconds: new(int32)})
		}, `{"spec":{"minReadySeconds":0}}`},
		{"deployment", func() (kube.Patch, error) {
			return deploymentPatch(deployment(), deploy.AnnotateDeployment{Set: map[string]string{"a": "1"}})
		}, `{"metadata":{"uid":"uid-of-web","annotations":{"a":"1"}}}`},
		{"no deployment", func() (kube.Patch, error) { return deploymentPatch(nil, deploy.AnnotateDeployment{}) }, `{}`},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got, err := tt.patch()
			require.NoError(t, err)
			require.Equal(t, types.MergePatchType, got.Type)
			require.Equal(t, tt.want, string(got.Data))
		})
	}
}

// A patch says what the updated object has.
func TestPatchIsTheUpdate(t *testing.T) {
	rs := replicaSet("web-1")
	a := deploy.ScaleReplicaSet{UID: string(rs.UID), To: 9, Set: map[string]string{"a": "2", "z": "3"}}
	patch, err := deploymentPatch(nil, a)
	require.NoError(t, err)
	patched := rs.DeepCopy()
	require.NoError(t, json.Unmarshal(patch.Data, patched)) // adds to maps and replaces numbers, as a merge does
	require.Empty(t, cmp.Diff(kube.Scaled(rs, a), patched))

	b := deploy.AnnotateReplicaSet{UID: string(rs.UID), Set: a.Set, MinReadySeconds: ptr.To(int32(8))}
	patch, err = deploymentPatch(nil, b)
	require.NoError(t, err)
	patched = rs.DeepCopy()
	require.NoError(t, json.Unmarshal(patch.Data, patched))
	require.Empty(t, cmp.Diff(kube.Annotated(rs, b), patched))
}

func TestPatchRejectsWhatJSONCannotCarry(t *testing.T) {
	for _, set := range []map[string]string{{"a": "\xff"}, {"\xff": "a"}} {
		_, err := deploymentPatch(nil, deploy.ScaleReplicaSet{Set: set})
		require.ErrorIs(t, err, kplan.ErrInvalid)
		var f *kplan.FieldError
		require.True(t, errors.As(err, &f))
		require.Contains(t, f.Path, "metadata.annotations[")
		_, err = deploymentPatch(&appsv1.Deployment{}, deploy.AnnotateDeployment{Set: set})
		require.ErrorIs(t, err, kplan.ErrInvalid)
	}
}

func setDeletion(a deploy.DeleteReplicaSet) metav1.DeleteOptions {
	list, _ := kube.DeploymentRequests(nil, nil, a)
	return list[0].Options
}

func TestDeleteOptions(t *testing.T) {
	uid, version := types.UID("u"), "7"
	for _, tt := range []struct {
		why  string
		got  metav1.DeleteOptions
		want *metav1.Preconditions
	}{
		{"pod", podRequest(replicaset.DeletePod{UID: "u", ResourceVersion: "7"}).Options, &metav1.Preconditions{UID: &uid, ResourceVersion: &version}},
		{"pod, no version", podRequest(replicaset.DeletePod{UID: "u"}).Options, &metav1.Preconditions{UID: &uid}},
		{"pod, no UID", podRequest(replicaset.DeletePod{ResourceVersion: "7"}).Options, &metav1.Preconditions{ResourceVersion: &version}},
		{"pod, nothing known", podRequest(replicaset.DeletePod{}).Options, nil},
		{"replica set", setDeletion(deploy.DeleteReplicaSet{UID: "u"}), &metav1.Preconditions{UID: &uid}},
		{"replica set, nothing known", setDeletion(deploy.DeleteReplicaSet{}), nil},
	} {
		t.Run(tt.why, func(t *testing.T) {
			require.Equal(t, metav1.DeleteOptions{Preconditions: tt.want}, tt.got)
		})
	}
}
