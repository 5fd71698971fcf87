// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// daemonSet returns a DaemonSet with every field that a snapshot reads.
func daemonSet(changes ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: "log", Namespace: "shop", UID: "uid-of-log", Generation: 7, DeletionTimestamp: &ready,
			Annotations: map[string]string{daemonset.AnnotationGeneration: "5"},
		},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: *template(func(t *corev1.PodTemplateSpec) {
				t.Annotations = map[string]string{"note": "n"}
				t.Finalizers = []string{"example.com/f"}
				t.Spec.NodeName = "n1"
				t.Spec.NodeSelector = map[string]string{"disk": "ssd"}
				t.Spec.HostNetwork = true
				t.Spec.Affinity = requiredAffinity("zone", corev1.NodeSelectorOpIn, "a", "b")
				t.Spec.Tolerations = []corev1.Toleration{
					{Key: "k", Operator: "Equal", Value: "v", Effect: "NoExecute", TolerationSeconds: ptr.To(int64(30))}, {Operator: "Exists"},
				}
				t.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "g1"}, {ConditionType: "g2"}}
			}),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{
					MaxSurge: ptr.To(intstr.FromString("25%")), MaxUnavailable: ptr.To(intstr.FromInt32(2)),
				},
			},
			MinReadySeconds:      5,
			RevisionHistoryLimit: ptr.To(int32(4)),
		},
		Status: daemonSetStatus(),
	}
	for _, change := range changes {
		change(ds)
	}
	return ds
}

func daemonSetStatus() appsv1.DaemonSetStatus {
	return appsv1.DaemonSetStatus{
		ObservedGeneration: 6, DesiredNumberScheduled: 9, CurrentNumberScheduled: 8, NumberMisscheduled: 7, NumberReady: 5,
		NumberAvailable: 4, NumberUnavailable: 3, UpdatedNumberScheduled: 2, CollisionCount: ptr.To(int32(1)),
	}
}

func requiredAffinity(key string, op corev1.NodeSelectorOperator, values ...string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}},
				MatchFields:      []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "NotIn", Values: []string{"n9"}}},
			},
			{},
		}},
	}}
}

func wantDaemonSet(ds *appsv1.DaemonSet) daemonset.DaemonSet {
	return daemonset.DaemonSet{
		Namespace: "shop", Name: "log", UID: "uid-of-log", Generation: 7, DeletionTimestamp: readyUTC,
		Annotations: map[string]string{daemonset.AnnotationGeneration: "5"},
		Selector:    &selector.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
		Template: daemonset.Template{
			Hash:   kube.Template(&ds.Spec.Template, ptr.To(int32(1))).Hash,
			Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"note": "n"},
			NodeName: "n1", NodeSelector: map[string]string{"disk": "ssd"}, HostNetwork: true,
			Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{
				{
					MatchExpressions: []selector.Expression{{Key: "zone", Operator: selector.In, Values: []string{"a", "b"}}},
					MatchFields:      []selector.Expression{{Key: "metadata.name", Operator: selector.NotIn, Values: []string{"n9"}}},
				},
				{},
			}},
			Tolerations: []daemonset.Toleration{
				{Key: "k", Operator: "Equal", Value: "v", Effect: "NoExecute", Seconds: ptr.To(int64(30))}, {Operator: "Exists"},
			},
			ReadinessGates: []string{"g1", "g2"},
		},
		Strategy: daemonset.RollingUpdate, MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Int(2),
		MinReadySeconds: 5, RevisionHistoryLimit: ptr.To(int32(4)),
		Status: daemonset.Status{
			ObservedGeneration: 6, DesiredNumberScheduled: 9, CurrentNumberScheduled: 8, NumberMisscheduled: 7, NumberReady: 5,
			NumberAvailable: 4, NumberUnavailable: 3, UpdatedNumberScheduled: 2, CollisionCount: ptr.To(int32(1)),
		},
	}
}

func TestDaemonSet(t *testing.T) {
	ds := daemonSet()
	before := ds.DeepCopy()
	got, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	require.NotEmpty(t, got.Template.Data)
	got.Template.Data = nil // TestTemplateData
	require.Empty(t, cmp.Diff(wantDaemonSet(ds), got))
	require.Empty(t, cmp.Diff(before, ds), "the object must not change")
	require.Empty(t, allUnset(wantDaemonSet(ds).Template)[1:], "the template must have every field set but the data")
}

// The data is what the controller of Kubernetes 1.36.3 stored for these templates.
func TestTemplateData(t *testing.T) {
	for _, tt := range []struct {
		why      string
		template corev1.PodTemplateSpec
		want     string
	}{
		{"nothing", corev1.PodTemplateSpec{}, `{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":null}}}}`},
		{"sorted and escaped, numbers exact", corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"z": "<&>", "app": "x"}},
			Spec: corev1.PodSpec{
				NodeSelector:          map[string]string{"b": "1", "a": "2"},
				ActiveDeadlineSeconds: ptr.To(int64(9007199254740993)),
				Containers: []corev1.Container{{Name: "c", Image: "i:1", Resources: corev1.ResourceRequirements{
					Limits: corev1.ResourceList{"cpu": resource.MustParse("1000m")},
				}}},
			},
		}, `{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"x","z":"\u003c\u0026\u003e"}},` +
			`"spec":{"activeDeadlineSeconds":9007199254740993,"containers":[{"image":"i:1","name":"c","resources":{"limits":{"cpu":"1"}}}],` +
			`"nodeSelector":{"a":"2","b":"1"}}}}}`},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got, err := kube.DaemonSet(daemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template = tt.template }))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got.Template.Data))
		})
	}
}

func TestDaemonSetStrategies(t *testing.T) {
	unset := rollout.IntOrPercent{}
	for _, tt := range []struct {
		why      string
		strategy appsv1.DaemonSetUpdateStrategy
		surge    rollout.IntOrPercent
	}{
		{"nothing", appsv1.DaemonSetUpdateStrategy{}, unset},
		{"no block", appsv1.DaemonSetUpdateStrategy{Type: "RollingUpdate"}, unset},
		{"an empty block", appsv1.DaemonSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateDaemonSet{}}, unset},
		{"a number", daemonRolling("RollingUpdate", intstr.FromInt32(3)), rollout.Int(3)},
		{"OnDelete reads none", daemonRolling("OnDelete", intstr.FromString("x")), unset},
	} {
		t.Run(tt.why, func(t *testing.T) {
			got, err := kube.DaemonSet(daemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.UpdateStrategy = tt.strategy }))
			require.NoError(t, err)
			require.Equal(t, tt.surge, got.MaxSurge)
			require.Equal(t, unset, got.MaxUnavailable)
			require.Equal(t, string(tt.strategy.Type), string(got.Strategy))
		})
	}
}

func daemonRolling(kind appsv1.DaemonSetUpdateStrategyType, surge intstr.IntOrString) appsv1.DaemonSetUpdateStrategy {
	return appsv1.DaemonSetUpdateStrategy{Type: kind, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge}}
}

func TestDaemonSetErrors(t *testing.T) {
	ds := daemonSet(func(ds *appsv1.DaemonSet) {
		ds.Spec.MinReadySeconds, ds.Spec.RevisionHistoryLimit = -1, ptr.To(int32(-2))
		ds.Spec.UpdateStrategy.Type = "Sideways"
		ds.Spec.UpdateStrategy.RollingUpdate.MaxSurge = ptr.To(intstr.FromString("5"))
		ds.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = ptr.To(intstr.FromInt32(-3))
	})
	const common = `spec.minReadySeconds: -1: must not be negative
spec.revisionHistoryLimit: -2: must not be negative
spec.updateStrategy.rollingUpdate.maxSurge: "5": must be a whole number or a percentage such as 25%
spec.updateStrategy.rollingUpdate.maxUnavailable: -3: must not be negative
`
	const strategy = `spec.updateStrategy.type: "Sideways": must be RollingUpdate or OnDelete`
	_, err := kube.DaemonSet(ds)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.EqualError(t, err, common+strategy)
	_, err = kube.DaemonSetSnapshot(ds, nil, nil, nil)
	require.EqualError(t, err, common+strategy)
	_, err = kubekruise.AdvancedDaemonSet(ds, kubekruise.Advanced{
		RollingType: "Odd", Partition: ptr.To(intstr.FromString("x")), Burst: ptr.To(intstr.FromString("-1%")),
	})
	require.EqualError(t, err, "spec.burstReplicas: -1%: must not be negative\n"+common+
		`spec.updateStrategy.rollingUpdate.partition: "x": must be a whole number or a percentage such as 25%
spec.updateStrategy.rollingUpdate.rollingUpdateType: "Odd": must be Standard, Surging or InPlaceIfPossible
`+strategy)

	_, err = kube.DaemonSet(daemonSet(func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.ManagedFields = []metav1.ManagedFieldsEntry{{FieldsV1: fieldsV1("no JSON")}}
	}))
	var field *kplan.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "spec.template", field.Path)
	require.Error(t, field.Err)
}

func TestAdvancedDaemonSet(t *testing.T) {
	advanced := kubekruise.Advanced{
		RollingType: daemonset.InPlaceIfPossible, Partition: ptr.To(intstr.FromString("30%")),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}, Paused: true,
		Burst: ptr.To(intstr.FromInt32(9)), Progressive: true,
		PreDelete: &daemonset.PreDelete{Finalizers: []string{"f"}}, UpdateRevision: "h",
	}
	require.Empty(t, allUnset(advanced))
	ds := daemonSet()
	before := ds.DeepCopy()
	got, err := kubekruise.AdvancedDaemonSet(ds, advanced)
	require.NoError(t, err)
	plain, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	want := plain
	want.RollingType, want.Partition, want.Burst = daemonset.InPlaceIfPossible, rollout.Percent(30), rollout.Int(9)
	want.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
	want.Paused, want.Progressive, want.PreDelete, want.Status.UpdateRevision = true, true, advanced.PreDelete, "h"
	require.Empty(t, cmp.Diff(want, got))
	require.Empty(t, cmp.Diff(before, ds))

	got, err = kubekruise.AdvancedDaemonSet(ds, kubekruise.Advanced{})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(plain, got), "the zero Advanced asks for nothing")

	for value, progressive := range map[string]bool{"true": true, "True": false, "": false} {
		ds.Annotations[kubekruise.AnnotationProgressive] = value
		got, err = kubekruise.AdvancedDaemonSet(ds, kubekruise.Advanced{})
		require.NoError(t, err)
		require.Equal(t, progressive, got.Progressive, "%q", value)
	}

	ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	advanced.RollingType, advanced.Partition = "Odd", ptr.To(intstr.FromString("x"))
	got, err = kubekruise.AdvancedDaemonSet(ds, advanced)
	require.NoError(t, err, "OnDelete does not read what is wrong")
	require.Equal(t, rollout.Int(9), got.Burst)
	require.Equal(t, advanced.PreDelete, got.PreDelete)
	require.False(t, got.Paused || got.Progressive || got.NodeSelector != nil || got.RollingType != "" || !got.Partition.IsZero())
}

func TestDaemonSetSnapshot(t *testing.T) {
	foreign, other := pod("p2"), controllerRevision()
	foreign.Namespace, other.Namespace = "other", "other"
	r := controllerRevision()
	s, err := kube.DaemonSetSnapshot(daemonSet(), []*corev1.Node{nil, node()}, []*corev1.Pod{pod("p1"), nil, foreign},
		[]*appsv1.ControllerRevision{nil, other, r})
	require.NoError(t, err)
	d, err := kube.DaemonSet(daemonSet())
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(daemonset.Snapshot{
		DaemonSet: d, Nodes: []daemonset.Node{kube.Node(node())}, Pods: []daemonset.Pod{kube.DaemonSetPod(pod("p1"))},
		Revisions: []revision.ControllerRevision{kube.ControllerRevision(r)},
	}, s))
}

func TestDaemonSetStatus(t *testing.T) {
	status := daemonSetStatus()
	require.Equal(t, []string{"Conditions"}, allUnset(status), "the status must have every other field set, or it proves nothing")
	d, err := kube.DaemonSet(daemonSet())
	require.NoError(t, err)
	back := kube.DaemonSetStatus(d.Status)
	require.True(t, equality.Semantic.DeepEqual(status, back), cmp.Diff(status, back))
	requireOwn(t, &back, d.Status)
	require.Equal(t, appsv1.DaemonSetStatus{}, kube.DaemonSetStatus(daemonset.Status{UpdateRevision: "h"}))
}

// Equal objects give equal snapshots, nothing is written to the object, and a revision
// keeps what JSON keeps of a template.
func TestDaemonSetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := daemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template = *drawTemplate(t) })
		before, equal := ds.DeepCopy(), ds.DeepCopy()
		first, err := kube.DaemonSet(ds)
		if err != nil {
			var field *kplan.FieldError
			require.ErrorAs(t, err, &field)
			require.Equal(t, "spec.template", field.Path, "managed fields that are no JSON")
			return
		}
		second, err := kube.DaemonSet(equal)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(first, second))
		require.Empty(t, cmp.Diff(before, ds, semantic))
		r := kube.NewControllerRevision("shop", revision.ControllerRevision{Data: first.Template.Data})
		restored, err := kube.RestoredDaemonSet(ds, r)
		require.NoError(t, err)
		var plain corev1.PodTemplateSpec
		require.NoError(t, json.Unmarshal([]byte(dump(ds.Spec.Template)), &plain))
		require.Empty(t, cmp.Diff(plain, restored.Spec.Template, semantic))
	})
}
