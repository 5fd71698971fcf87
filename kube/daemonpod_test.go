// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
)

func node() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"zone": "a"}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Value: "v", Effect: "NoExecute"}, {Key: "l", Effect: "NoSchedule"}}},
	}
}

func TestNode(t *testing.T) {
	require.Equal(t, daemonset.Node{
		Name: "n1", Labels: map[string]string{"zone": "a"},
		Taints: []daemonset.Taint{{Key: "k", Value: "v", Effect: "NoExecute"}, {Key: "l", Effect: "NoSchedule"}},
	}, kube.Node(node()))
	require.Nil(t, kube.Node(&corev1.Node{}).Taints)
}

func env(name string, from *corev1.EnvVarSource) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: from}
}

func fromField(path string) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
}

func fromConfig(key string) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{Key: key}}
}

// updatablePod returns a pod that may be updated in place.
func updatablePod() *corev1.Pod {
	p := pod("p")
	p.Finalizers = []string{"f"}
	p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "other"}, {ConditionType: inplace.Gate}}
	literal := env("F", fromField("metadata.labels['literal']"))
	literal.Value = "x"
	p.Spec.Containers = []corev1.Container{
		{Name: "a", Image: "a:1", Env: []corev1.EnvVar{
			{Name: "A", Value: "plain"}, env("B", fromField("metadata.labels['b']")), env("C", fromField("metadata.annotations['c']")),
			env("D", fromField("metadata.name")), env("E", fromField("metadata.labels[e]")), literal,
			env("SIDECARSET_VERSION", fromField("metadata.labels['g']")), env("SIDECARSET_VERSION_ALT", fromField("metadata.labels['h']")),
			env("KRUISE_CONTAINER_BARRIER", fromConfig("p_-3")),
		}},
		{Name: "b", Image: "b:1", Env: []corev1.EnvVar{env("KRUISE_CONTAINER_BARRIER", fromConfig("p_x")), env("X", fromConfig("p_4"))}},
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "z"}, {Name: "a", Image: "a:0", ImageID: "id", Ready: true}, {Name: "a", Image: "second"},
	}
	p.Status.Conditions = append(p.Status.Conditions,
		corev1.PodCondition{Type: inplace.Gate, Status: "True", Reason: "r", Message: "m"},
		corev1.PodCondition{Type: inplace.Gate, Status: "False"})
	return p
}

func TestDaemonSetPod(t *testing.T) {
	p := updatablePod()
	before := p.DeepCopy()
	want := daemonset.Pod{
		Pod: kube.Pod(p), Finalizers: []string{"f"}, ReadinessGates: []string{"other", inplace.Gate},
		Containers: []inplace.Container{
			{
				Name: "a", Image: "a:1", Labels: []string{"b"}, Annotations: []string{"c"}, Priority: ptr.To(int32(-3)),
				Status: &inplace.ContainerStatus{Image: "a:0", ImageID: "id", Ready: true},
			},
			{Name: "b", Image: "b:1"},
		},
		InPlace: &inplace.ReadyCondition{True: true, Reason: "r", Message: "m"},
	}
	require.Empty(t, cmp.Diff(want, kube.DaemonSetPod(p)))
	require.Empty(t, cmp.Diff(before, p), "the object must not change")

	p.Spec.ReadinessGates = nil
	got := kube.DaemonSetPod(p)
	require.Nil(t, got.Containers, "nobody reads them")
	require.Nil(t, got.ReadinessGates)
	for _, name := range []string{"apps.kruise.io/inplace-update-state", "inplace-update-state", "apps.kruise.io/inplace-update-grace", "inplace-update-grace"} {
		p.Annotations = map[string]string{name: "{}"}
		require.Empty(t, cmp.Diff(want.Containers, kube.DaemonSetPod(p).Containers), name)
	}
}

// What a pod and a template say about containers is the same, whichever is read.
func TestContainersOfPodAndTemplate(t *testing.T) {
	p := updatablePod()
	p.Status.ContainerStatuses = nil
	ds := daemonSet()
	ds.Spec.Template.Spec = p.Spec
	d, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(inplace.Containers(d.Template.Data), kube.DaemonSetPod(p).Containers))
}

func TestPinnedNode(t *testing.T) {
	pin := kube.NewDaemonPod(daemonSet(), daemonset.CreatePod{Node: "n7"}).Spec.Affinity
	for _, tt := range []struct {
		why      string
		node     string
		affinity *corev1.Affinity
		want     string
	}{
		{"pinned", "", pin, "n7"},
		{"bound, so nobody asks", "n1", pin, ""},
		{"no affinity", "", nil, ""},
		{"no node affinity", "", &corev1.Affinity{}, ""},
		{"none required", "", &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}, ""},
		{"by label", "", requiredAffinity("zone", corev1.NodeSelectorOpIn, "a"), ""},
	} {
		t.Run(tt.why, func(t *testing.T) {
			p := pod("p")
			p.Spec.NodeName, p.Spec.Affinity = tt.node, tt.affinity
			require.Equal(t, tt.want, kube.DaemonSetPod(p).PinnedNode)
		})
	}
}
