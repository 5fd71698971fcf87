// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// underRollout returns a Deployment in the middle of a rollout, its old and its new
// ReplicaSet, and a ReplicaSet of another owner.
func underRollout() (*appsv1.Deployment, []*appsv1.ReplicaSet) {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web", Namespace: "shop", UID: "d1", Generation: 4, Labels: map[string]string{workload.LabelStableRevision: "old"},
			Annotations: map[string]string{partition.AnnotationExtraStatus: `{"updatedReadyReplicas":2}`},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(5)), Paused: true, MinReadySeconds: 7, ProgressDeadlineSeconds: ptr.To(int32(50)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:2"}}}},
			Strategy: appsv1.DeploymentStrategy{Type: "RollingUpdate", RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr.To(intstr.FromString("20%")), MaxUnavailable: ptr.To(intstr.FromInt32(1)),
			}},
		},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 4, Replicas: 6, ReadyReplicas: 5, AvailableReplicas: 4, UpdatedReplicas: 3},
	}
	sets := []*appsv1.ReplicaSet{setOf(d, "old", "web:1"), setOf(d, "new", "web:2"), setOf(d, "other", "web:2"), nil}
	sets[1].Status.ReadyReplicas = 3
	sets[2].OwnerReferences[0].UID = "d2"
	return d, sets
}

func setOf(d *appsv1.Deployment, name, image string) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-" + name, Namespace: "shop", UID: types.UID(name), Labels: map[string]string{revision.LabelHash: name},
			Annotations: map[string]string{revision.AnnotationRevision: "7"}, CreationTimestamp: metav1.Unix(100, 0),
			OwnerReferences: []metav1.OwnerReference{{UID: d.UID, Controller: ptr.To(true)}},
		},
	}
	rs.Spec.Template = *d.Spec.Template.DeepCopy()
	rs.Spec.Template.Spec.Containers[0].Image = image
	rs.Spec.Template.Labels = map[string]string{revision.LabelHash: name}
	return rs
}

func TestRolloutDeployment(t *testing.T) {
	d, sets := underRollout()
	w, err := kubekruise.Deployment(d, sets)
	require.NoError(t, err)
	id := kube.Template(&d.Spec.Template, nil)
	want := workload.Workload{
		Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, UID: "d1", Generation: 4,
		Labels: d.Labels, Annotations: d.Annotations, Replicas: ptr.To(int32(5)), Template: id, Paused: true, StrategyType: "RollingUpdate",
		RollingUpdate:   &partition.RollingUpdate{MaxSurge: rollout.Percent(20), MaxUnavailable: rollout.Int(1)},
		MinReadySeconds: 7, ProgressDeadlineSeconds: ptr.To(int32(50)), StableRevision: "old", UpdateRevision: id.Hash,
		Status: workload.Status{
			ObservedGeneration: 4, Replicas: 6, ReadyReplicas: 5, AvailableReplicas: 4, UpdatedReplicas: 3, UpdatedReadyReplicas: 2,
		},
	}
	require.Empty(t, cmp.Diff(want, w))

	// Blue-green has no annotation of the partition's controller: the ReplicaSet tells.
	d.Annotations[workload.AnnotationOriginalStrategy] = "{}"
	w, err = kubekruise.Deployment(d, sets)
	require.NoError(t, err)
	require.EqualValues(t, 3, w.Status.UpdatedReadyReplicas)

	d.Spec.Strategy.RollingUpdate.MaxSurge = ptr.To(intstr.FromString("many"))
	_, err = kubekruise.Deployment(d, nil)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = kubekruise.Deployment(nil, nil)
	require.NoError(t, err)
}

// The ReplicaSets and pods of a Deployment are those that it controls.
func TestRolloutSetsAndPods(t *testing.T) {
	d, sets := underRollout()
	got := kubekruise.Sets(d, sets)
	require.Len(t, got, 2)
	want := workload.Set{
		Name: "web-old", Template: revision.Template{ID: kube.TemplateID(&sets[0].Spec.Template), Hash: "old"}, Replicas: 1, Revision: "7",
		CreationTimestamp: time.Unix(100, 0).UTC(),
	}
	require.Empty(t, cmp.Diff(want, got[0]))
	require.Empty(t, kubekruise.Sets(nil, sets))

	pod := func(name string, owner types.UID, phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: ptr.To(true)}}},
			Status:     corev1.PodStatus{Phase: phase, Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True"}}},
		}
	}
	pods := kubekruise.Pods(d, sets, []*corev1.Pod{
		pod("b", "new", "Running"), nil, pod("stray", "other", "Running"), pod("a", "old", "Pending"), pod("done", "new", "Succeeded"), pod("own", "d1", "Running"),
	})
	require.Len(t, pods, 3)
	require.Equal(t, []string{"b", "a", "own"}, []string{pods[0].Name, pods[1].Name, pods[2].Name}, "the order is that of the list")
	require.Equal(t, kube.Template(&sets[1].Spec.Template, nil).Hash, pods[0].TemplateHash)
	require.True(t, pods[0].Ready)
	require.Empty(t, pods[2].TemplateHash)

	facts := workload.Inspect(workload.InspectSnapshot{Workload: must(kubekruise.Deployment(d, sets)), Style: workload.Partition, Sets: got})
	require.True(t, facts.Consistent)
	require.Equal(t, "old", facts.StableRevision)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestRolloutCloneSet(t *testing.T) {
	const text = `{
		"apiVersion": "apps.kruise.io/v1beta1", "kind": "CloneSet", "metadata": {"name": "web", "uid": "c", "generation": 2},
		"spec": {"replicas": 4, "minReadySeconds": 3, "template": {}, "updateStrategy": {"type": "ReCreate", "partition": "80%", "maxUnavailable": 1, "maxSurge": "25%", "paused": true}},
		"status": {"observedGeneration": 2, "replicas": 5, "readyReplicas": 4, "availableReplicas": 3, "updatedReplicas": 2, "updatedReadyReplicas": 1, "currentRevision": "web-1", "updateRevision": "web-2"}
	}`
	var s kubekruise.CloneSetObject
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	w, err := kubekruise.CloneSet(&s)
	require.NoError(t, err)
	want := workload.Workload{
		Ref: workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "CloneSet", Name: "web"}, UID: "c", Generation: 2,
		Replicas: ptr.To(int32(4)), Template: kube.Template(&s.Spec.Template, nil), Paused: true, StrategyType: "ReCreate", Partition: rollout.Percent(80),
		RollingUpdate:   &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Int(1)},
		MinReadySeconds: 3, StableRevision: "web-1", UpdateRevision: "web-2",
		Status: workload.Status{
			ObservedGeneration: 2, Replicas: 5, ReadyReplicas: 4, AvailableReplicas: 3, UpdatedReplicas: 2, UpdatedReadyReplicas: 1,
		},
	}
	require.Empty(t, cmp.Diff(want, w))
	s.Spec.UpdateStrategy.Partition = ptr.To(intstr.FromString("some"))
	_, err = kubekruise.CloneSet(&s)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	w, err = kubekruise.CloneSet(nil)
	require.NoError(t, err)
	require.Equal(t, "CloneSet", w.Kind)
}

// Ready pods of the new revision are known by a label that the revision ends with.
func TestRolloutStatefulSetAndDaemonSet(t *testing.T) {
	pod := func(hash string, ready corev1.ConditionStatus) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "shop", Labels: map[string]string{workload.LabelControllerRevision: hash},
				OwnerReferences: []metav1.OwnerReference{{UID: "s", Controller: ptr.To(true)}},
			},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: "Ready", Status: ready}}},
		}
	}
	pods := []*corev1.Pod{pod("web-2", "True"), pod("2", "True"), pod("web-1", "True"), pod("web-2", "False"), pod("", "True"), nil}
	meta := metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "s"}
	s := &appsv1.StatefulSet{ObjectMeta: meta, Status: appsv1.StatefulSetStatus{CurrentRevision: "web-1", UpdateRevision: "web-2", UpdatedReplicas: 3}}
	s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: ptr.To(int32(2)), MaxUnavailable: ptr.To(intstr.FromInt32(1))}
	w, err := kubekruise.StatefulSet(s, pods)
	require.NoError(t, err)
	require.EqualValues(t, 2, w.Status.UpdatedReadyReplicas)
	require.Equal(t, rollout.Int(2), w.Partition)
	require.Equal(t, "web-1", w.StableRevision)
	_, err = kubekruise.StatefulSet(nil, nil)
	require.NoError(t, err)

	history := func(n int64, hash string) *appsv1.ControllerRevision {
		r := &appsv1.ControllerRevision{Revision: n, ObjectMeta: *meta.DeepCopy()}
		r.Labels, r.OwnerReferences = map[string]string{workload.LabelControllerRevision: hash}, pods[0].OwnerReferences
		return r
	}
	ds := &appsv1.DaemonSet{ObjectMeta: meta, Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 4, UpdatedNumberScheduled: 2, NumberReady: 3}}
	w, err = kubekruise.DaemonSet(ds, nil, []*appsv1.ControllerRevision{history(1, "web-1"), history(2, "web-2"), nil}, pods)
	require.NoError(t, err)
	require.Equal(t, "web-1", w.StableRevision)
	require.Equal(t, "web-2", w.UpdateRevision)
	require.EqualValues(t, 4, *w.Replicas)
	require.EqualValues(t, 2, w.Status.UpdatedReadyReplicas)
	require.Equal(t, "apps", w.Group())

	w, err = kubekruise.DaemonSet(ds, &kubekruise.Advanced{UpdateRevision: "web-2", Partition: ptr.To(intstr.FromInt32(3))}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "apps.kruise.io", w.Group())
	require.Equal(t, rollout.Int(3), w.Partition)
	require.Equal(t, "web-2", w.UpdateRevision)
	_, err = kubekruise.DaemonSet(nil, &kubekruise.Advanced{Partition: ptr.To(intstr.FromString("x"))}, nil, nil)
	require.ErrorIs(t, err, kplan.ErrInvalid)
}

func TestRolloutAdvancedStatefulSet(t *testing.T) {
	var s kubekruise.AdvancedStatefulSetObject
	require.NoError(t, json.Unmarshal([]byte(`{
		"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet",
		"metadata": {"name": "web", "namespace": "shop", "uid": "s", "generation": 3},
		"spec": {"replicas": 5, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {
			"partition": 2, "maxUnavailable": "20%", "podUpdatePolicy": "InPlaceIfPossible", "paused": true, "minReadySeconds": 7, "unorderedUpdate": {}
		}}},
		"status": {"observedGeneration": 3, "replicas": 5, "updatedReplicas": 2, "currentRevision": "web-1", "updateRevision": "web-2"}
	}`), &s))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Labels: map[string]string{workload.LabelControllerRevision: "web-2"}, OwnerReferences: []metav1.OwnerReference{{UID: "s", Controller: ptr.To(true)}},
		},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True"}}},
	}
	w, err := kubekruise.AdvancedStatefulSet(&s, []*corev1.Pod{pod, nil})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(workload.Workload{
		Ref: workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "web"}, UID: "s", Generation: 3, Replicas: ptr.To(int32(5)),
		Template: kube.Template(&s.Spec.Template, nil), StrategyType: "RollingUpdate", Paused: true, Unordered: true, MinReadySeconds: 7,
		RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Percent(20)}, Partition: rollout.Int(2), StableRevision: "web-1", UpdateRevision: "web-2",
		Status: workload.Status{ObservedGeneration: 3, Replicas: 5, UpdatedReplicas: 2, UpdatedReadyReplicas: 1},
	}, w))
	s.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = ptr.To(intstr.FromString("x"))
	_, err = kubekruise.AdvancedStatefulSet(&s, nil)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	w, err = kubekruise.AdvancedStatefulSet(nil, nil)
	require.NoError(t, err)
	require.Equal(t, "apps.kruise.io/StatefulSet", w.GroupKind())
}
