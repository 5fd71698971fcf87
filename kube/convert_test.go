// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// there checks that to undoes from on a value with every field set but those named.
func there[A, B any](t *testing.T, from func(A) B, to func(B) A, unset ...string) {
	t.Helper()
	name := reflect.TypeFor[A]().Name()
	skip := make([]string, len(unset))
	for i, field := range unset {
		skip[i] = name + "." + field
	}
	api := filled[A](1, skip...)
	snapshot := from(api)
	require.ElementsMatch(t, unset, total.Zeros(api, nil), "or it proves nothing")
	back := to(snapshot)
	if !equalText(api, back) {
		t.Fatalf("%T: %s\nis %s", api, dump(api), dump(back))
	}
	requireOwn(t, &back, &api, &snapshot)
	require.True(t, equalText(*new(A), to(from(*new(A)))), "what is empty stays so")
}

func equalText(a, b any) bool { return dump(a) == dump(b) }

func TestStatusesAndBack(t *testing.T) {
	there(t, kube.FromDeploymentStatus, kube.DeploymentStatus)
	there(t, kube.FromReplicaSetStatus, kube.ReplicaSetStatus)
	there(t, kube.FromReplicationControllerStatus, kube.ReplicationControllerStatus)
	there(t, kube.FromDaemonSetStatus, kube.DaemonSetStatus, "Conditions")
}

func TestConditionsAndBack(t *testing.T) {
	there(t, kube.FromDeploymentCondition, kube.DeploymentCondition)
	there(t, kube.FromReplicaSetCondition, kube.ReplicaSetCondition)
	there(t, kube.FromReplicationControllerCondition, kube.ReplicationControllerCondition)
}

func TestNodeSelectorsAndTolerationsBack(t *testing.T) {
	there(t, kube.NodeSelector, kube.ToNodeSelector)
	there(t, kube.Tolerations, kube.ToTolerations)
	none := kube.NodeSelector(&corev1.NodeSelector{})
	require.NotNil(t, none, "one without terms selects nothing, nil everything")
	require.Equal(t, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{}}, kube.ToNodeSelector(none))
}

func TestIntOrPercent(t *testing.T) {
	for _, bad := range []intstr.IntOrString{
		intstr.FromString("5"), intstr.FromString(""), intstr.FromString("%"), intstr.FromString("2.5%"), intstr.FromString(" 5%"),
		intstr.FromString("50"), {Type: 2, IntVal: 3, StrVal: "3%"}, {Type: -1},
	} {
		got, err := kube.IntOrPercent(&bad)
		require.ErrorIs(t, err, kplan.ErrInvalid, "%q", bad.StrVal)
		require.True(t, got.IsZero())
		_, upstream := intstr.GetScaledValueFromIntOrPercent(&bad, 10, true)
		require.Error(t, upstream, "%q", bad.StrVal)
	}
	unset, err := kube.IntOrPercent(nil)
	require.NoError(t, err)
	require.True(t, unset.IsZero())
	require.Nil(t, kube.ToIntOrString(unset))
}

func TestIntOrPercentAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Int32(), rapid.Int32Range(-2, 120)).Draw(t, "n")
		v := intstr.FromInt32(n)
		if rapid.Bool().Draw(t, "percent") {
			v = intstr.FromString(fmt.Sprint(n, "%"))
		}
		got, err := kube.IntOrPercent(&v)
		require.NoError(t, err)
		require.Equal(t, &v, kube.ToIntOrString(got))
		total := rapid.Int32Range(0, 100).Draw(t, "total")
		want, err := intstr.GetScaledValueFromIntOrPercent(&v, int(total), true)
		require.NoError(t, err)
		if want >= math.MinInt32 && want <= math.MaxInt32 {
			require.Equal(t, int32(want), got.OfUp(total))
		}
	})
	require.Equal(t, ptr.To(intstr.FromString("-3%")), kube.ToIntOrString(rollout.Percent(-3)))
}

func TestSelectorOfNothing(t *testing.T) {
	require.Empty(t, labels.Nothing().String(), "the trap: this reads back as everything")
	for _, s := range []labels.Selector{nil, labels.Nothing()} {
		got, err := kube.Selector(s)
		require.NoError(t, err)
		require.True(t, got.IsNothing())
		require.False(t, got.Matches(nil))
	}
	everything, err := kube.Selector(labels.Everything())
	require.NoError(t, err)
	require.True(t, everything.IsEverything())
	require.True(t, labels.MatchesNothing(kube.ToSelector(selector.Nothing())))
	require.True(t, kube.ToSelector(selector.Everything()).Empty())
	require.False(t, kube.ToSelector(selector.Of(selector.Requirement{})).Matches(labels.Set{"": ""}))
	_, err = kube.Selector(labels.NewSelector().Add(labels.Requirement{}))
	require.ErrorIs(t, err, kplan.ErrInvalid)
}

// drawRequirement returns a requirement that package labels accepts.
func drawRequirement(t *rapid.T) labels.Requirement {
	value := rapid.SampledFrom([]string{"", "a", "b", "1", "2", "-7"})
	for {
		op := rapid.SampledFrom([]selection.Operator{
			selection.In, selection.NotIn, selection.Equals, selection.DoubleEquals, selection.NotEquals,
			selection.Exists, selection.DoesNotExist, selection.GreaterThan, selection.LessThan,
		}).Draw(t, "op")
		key := rapid.SampledFrom([]string{"k", "l", "example.com/m"}).Draw(t, "key")
		if r, err := labels.NewRequirement(key, op, rapid.SliceOfN(value, 0, 3).Draw(t, "values")); err == nil {
			return *r
		}
	}
}

// What package labels selects is what the snapshot selects, and so is the way back.
func TestSelectorAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := labels.NewSelector().Add(rapid.SliceOfN(rapid.Custom(drawRequirement), 0, 4).Draw(t, "requirements")...)
		if rapid.IntRange(0, 4).Draw(t, "unchecked") == 0 {
			s = labels.SelectorFromSet(labels.Set{"not a key": "not a value", "k": "a"})
		}
		got, err := kube.Selector(s)
		require.NoError(t, err)
		back := kube.ToSelector(got)
		require.Equal(t, got.String(), back.String())
		text := rapid.SampledFrom([]string{"", "a", "b", "1", "3", "not a value"})
		key := rapid.SampledFrom([]string{"k", "l", "example.com/m", "not a key"})
		set := rapid.MapOfN(key, text, 0, 4).Draw(t, "labels")
		require.Equal(t, s.Matches(labels.Set(set)), got.Matches(set), "%s of %v", s, set)
		require.Equal(t, s.Matches(labels.Set(set)), back.Matches(labels.Set(set)), "%s of %v", s, set)
	})
}

func TestEntry(t *testing.T) {
	rs := replicaSet("web-1")
	rs.Spec.Template.Annotations = map[string]string{kubectl.AnnotationChangeCause: "image 2"}
	got := kube.Entry(rs)
	require.Empty(t, allUnset(got))
	want := revision.Entry{
		Name: "web-1", UID: "uid-of-web-1", ControllerUID: "uid-of-web", Annotations: rs.Annotations,
		Template:            revision.Template{ID: kube.TemplateID(&rs.Spec.Template), Hash: "abc"},
		TemplateAnnotations: rs.Spec.Template.Annotations,
		CreationTimestamp:   created.UTC(), DeletionTimestamp: ready.UTC(), Generation: 3, Replicas: ptr.To(int32(4)),
		Status: revision.EntryStatus{ObservedGeneration: rs.Status.ObservedGeneration, Replicas: rs.Status.Replicas},
	}
	require.Equal(t, want, got)
	require.Equal(t, []revision.Entry{{}, want}, kube.Entries([]*appsv1.ReplicaSet{nil, rs}))
	require.Nil(t, kube.Entries(nil))
	require.Equal(t, "image 2", kubectl.ChangeCause(got))
}

func TestChildAndOwner(t *testing.T) {
	rs := replicaSet("web-1")
	c := kube.Child(rs)
	require.Equal(t, []string{"Finished", "Rejected"}, allUnset(c))
	require.Equal(t, claim.Child{
		Namespace: "shop", Name: "web-1", UID: "uid-of-web-1", Labels: rs.Labels,
		ControllerKind: "Deployment", ControllerName: "web", ControllerUID: "uid-of-web", Deleting: true,
	}, c)
	for phase, finished := range map[corev1.PodPhase]bool{"Succeeded": true, "Failed": true, "Running": false, "": false} {
		require.Equal(t, finished, kube.Child(&corev1.Pod{Status: corev1.PodStatus{Phase: phase}}).Finished)
	}
	kind := appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	o := kube.Owner(rs, kind, selector.Everything())
	require.Equal(t, []string{"ChildKind", "Finalizers"}, allUnset(o))
	require.Equal(t, claim.OwnerReference{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-1", UID: "uid-of-web-1", Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}, o.Reference())
	require.True(t, o.Deleting)
	rs.DeletionTimestamp = nil
	require.False(t, kube.Owner(rs, kind, selector.Everything()).Deleting)
	require.False(t, kube.Child(rs).Deleting)

	var none *corev1.Pod
	for _, o := range []metav1.Object{nil, none} {
		require.Zero(t, kube.Child(o))
		require.Equal(t, claim.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet"}, kube.Owner(o, kind, selector.Nothing()))
		require.Zero(t, kube.Fresh(o, nil))
	}
}

func TestFresh(t *testing.T) {
	rs, gone := replicaSet("web-1"), errors.New("gone")
	o := kube.Owner(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), selector.Everything())
	require.ErrorContains(t, claim.CheckLive(&o, kube.Fresh(rs, nil)).Err, "just been deleted")
	rs.DeletionTimestamp = nil
	require.Equal(t, claim.LiveCheck{OK: true}, claim.CheckLive(&o, kube.Fresh(rs, nil)))
	require.ErrorIs(t, claim.CheckLive(&o, kube.Fresh(rs, gone)).Err, gone)
	require.ErrorContains(t, claim.CheckLive(&o, kube.Fresh(nil, nil)).Err, "is gone")
}

func TestOutcomes(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	terminating := apierrors.NewForbidden(pods, "p", errors.New("no"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for _, c := range []struct {
		err    error
		answer kplan.ServerAnswer
	}{
		{nil, kplan.Done},
		{apierrors.NewNotFound(pods, "p"), kplan.NotFound},
		{fmt.Errorf("wrapped: %w", apierrors.NewNotFound(pods, "p")), kplan.NotFound},
		{apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "p", nil), kplan.Invalid},
		{terminating, kplan.NamespaceTerminating},
		{apierrors.NewConflict(pods, "p", nil), kplan.Changed},
		{apierrors.NewAlreadyExists(pods, "p"), kplan.AlreadyExists},
		{apierrors.NewForbidden(pods, "p", nil), kplan.Failed},
		{errors.New("broken"), kplan.Failed},
	} {
		require.Equal(t, kplan.Outcome{Answer: c.answer, Err: c.err}, kube.Outcome(c.err))
	}
}
