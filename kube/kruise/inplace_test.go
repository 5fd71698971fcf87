// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/apitest"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

var updatedAt = time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)

// gated is a pod of the DaemonSet log that can be updated in place and is ready.
func gated() *corev1.Pod {
	since := metav1.NewTime(updatedAt.Add(-time.Hour).Truncate(time.Second))
	condition := func(kind corev1.PodConditionType) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: since}
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "log-1", UID: "u", ResourceVersion: "7",
		Labels:      map[string]string{"app": "log", "controller-revision-hash": "v1", "left": "1"},
		Annotations: map[string]string{"note": "n", "inplace-update-state": "{}", "inplace-update-grace": "{}"},
	}}
	p.Spec.NodeName = "n1"
	p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "InPlaceUpdateReady"}, {ConditionType: "KruisePodReady"}}
	p.Spec.Containers = []corev1.Container{{Name: "side", Image: "side:1"}, {Name: "log", Image: "log:1"}}
	p.Status.Conditions = []corev1.PodCondition{
		condition("InPlaceUpdateReady"), condition("KruisePodReady"), condition(corev1.PodReady), condition(corev1.ContainersReady),
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "log", ImageID: "id-1", Image: "log:1"}}
	return p
}

// patched is what the API server makes of a pod and a strategic merge patch of the kind
// that is made here: maps are merged, containers by name, and conditions by type.
func patched(t *testing.T, p *corev1.Pod, patch kube.Patch) *corev1.Pod {
	t.Helper()
	var change struct {
		Metadata struct{ Labels, Annotations map[string]*string }
		Spec     corev1.PodSpec
		Status   corev1.PodStatus
	}
	require.NoError(t, json.Unmarshal(patch.Data, &change))
	pod := p.DeepCopy()
	merge := func(into *map[string]string, change map[string]*string) {
		if change["$patch"] != nil {
			*into = map[string]string{}
		}
		for key, value := range change {
			if delete(*into, key); value != nil && key != "$patch" {
				(*into)[key] = *value
			}
		}
	}
	merge(&pod.Labels, change.Metadata.Labels)
	merge(&pod.Annotations, change.Metadata.Annotations)
	for _, c := range change.Spec.Containers {
		i := slices.IndexFunc(pod.Spec.Containers, func(o corev1.Container) bool { return o.Name == c.Name })
		pod.Spec.Containers[i].Image = c.Image
	}
	for _, c := range change.Status.Conditions {
		i := slices.IndexFunc(pod.Status.Conditions, func(o corev1.PodCondition) bool { return o.Type == c.Type })
		pod.Status.Conditions[i] = c
	}
	return pod
}

func inPlaceAction(spec inplace.Spec) daemonset.UpdatePod {
	p := kube.DaemonSetPod(gated())
	return daemonset.UpdatePod{
		Object: daemonset.Object{Name: "log-1", UID: "u", ResourceVersion: "7"}, Node: "n1", From: "v1", To: "v2", CloseGate: true,
		Patch: inplace.FirstBatch(p.Containers, &spec, updatedAt), Reason: reason.Rollout,
	}
}

func TestUpdatePodPatch(t *testing.T) {
	a := inPlaceAction(inplace.Spec{
		Revision: "v2", Images: map[string]string{"log": "log:2"},
		Metadata: inplace.MetadataPatch{
			Labels: map[string]*string{"left": nil, "new": ptr.To("2")}, Annotations: map[string]*string{"note": ptr.To("m")},
		},
	})
	patch := kubekruise.UpdatePodPatch(a)
	require.Equal(t, types.StrategicMergePatchType, patch.Type)
	require.Equal(t, `{"metadata":{"uid":"u","labels":{"controller-revision-hash":"v2","left":null,"new":"2"},"annotations":{`+
		`"apps.kruise.io/inplace-update-grace":null,"apps.kruise.io/inplace-update-state":`+
		`"{\"revision\":\"v2\",\"updateTimestamp\":\"2026-03-01T12:00:00Z\",\"lastContainerStatuses\":{\"log\":{\"imageID\":\"id-1\"}},`+
		`\"updateImages\":true,\"containerBatchesRecord\":[{\"timestamp\":\"2026-03-01T12:00:00Z\",\"containers\":[\"log\"]}]}",`+
		`"inplace-update-grace":null,"inplace-update-state":null,"note":"m"}},"spec":{"containers":[{"name":"log","image":"log:2"}]}}`, string(patch.Data))

	got := patched(t, gated(), patch)
	want := gated()
	want.Labels = map[string]string{"app": "log", "controller-revision-hash": "v2", "new": "2"}
	want.Annotations = map[string]string{"note": "m", inplace.AnnotationState: got.Annotations[inplace.AnnotationState]}
	want.Spec.Containers[1].Image = "log:2"
	require.Empty(t, cmp.Diff(want, got, apitest.Semantic))

	// It is read back as an update that is under way.
	back := kube.DaemonSetPod(got)
	require.False(t, inplace.Completed(back.InPlacePod()))
	got.Status.ContainerStatuses[0].ImageID = "id-2"
	back = kube.DaemonSetPod(got)
	require.True(t, inplace.Completed(back.InPlacePod()))
}

// A new template without labels and annotations takes all of the pod's away
// (InPlaceRemovesAllMetadata), but
// not those that say what becomes of it.
func TestUpdatePodPatchAll(t *testing.T) {
	a := inPlaceAction(inplace.Spec{Revision: "v2", Metadata: inplace.MetadataPatch{AllLabels: true, AllAnnotations: true}})
	got := patched(t, gated(), kubekruise.UpdatePodPatch(a))
	require.Equal(t, map[string]string{"controller-revision-hash": "v2"}, got.Labels)
	require.Len(t, got.Annotations, 1)
	require.Contains(t, got.Annotations[inplace.AnnotationState], `"revision":"v2"`)
}

func TestGatePatches(t *testing.T) {
	a := inPlaceAction(inplace.Spec{Revision: "v2"})
	close, needed := kubekruise.CloseGatePatch(gated(), a)
	require.True(t, needed)
	closed := patched(t, gated(), close)
	at := metav1.NewTime(updatedAt.Truncate(time.Second))
	want := gated()
	want.Status.Conditions[0] = corev1.PodCondition{Type: "InPlaceUpdateReady", Status: "False", Reason: "StartInPlaceUpdate", LastTransitionTime: at}
	want.Status.Conditions[2] = corev1.PodCondition{
		Type: "Ready", Status: "False", Reason: "ReadinessGatesNotReady", LastTransitionTime: at,
		Message: `the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False`,
	}
	require.Empty(t, cmp.Diff(want, closed, apitest.Semantic))
	require.False(t, kube.DaemonSetPod(closed).Ready)
	_, needed = kubekruise.CloseGatePatch(closed, a)
	require.False(t, needed, "it is closed")
	a.CloseGate = false
	_, needed = kubekruise.CloseGatePatch(gated(), a)
	require.False(t, needed, "nobody asks")

	later := updatedAt.Add(time.Minute)
	refresh := daemonset.RefreshPod{Object: daemonset.Object{Name: "log-1", UID: "u", ResourceVersion: "7"}, OpenGate: true}
	open, needed := kubekruise.OpenGatePatch(closed, refresh, later)
	require.True(t, needed)
	require.Equal(t, `{"metadata":{"uid":"u","resourceVersion":"7"},"status":{"conditions":[{"type":"InPlaceUpdateReady","status":"True",`+
		`"lastTransitionTime":"2026-03-01T12:01:00Z","reason":null,"message":null}]}}`, string(open.Data), "what the gate said goes")
	opened := kube.DaemonSetPod(patched(t, closed, open))
	require.Equal(t, &inplace.ReadyCondition{True: true}, opened.InPlace)
	require.False(t, opened.Ready, "the kubelet makes it ready")
	_, needed = kubekruise.OpenGatePatch(gated(), refresh, later)
	require.False(t, needed, "it is open")
	_, needed = kubekruise.OpenGatePatch(closed, daemonset.RefreshPod{}, later)
	require.False(t, needed, "nobody asks")

	// Ready is not for the gates to decide while the containers are not ready.
	unready := gated()
	unready.Status.Conditions = unready.Status.Conditions[:3]
	patch, needed := kubekruise.CloseGatePatch(unready, inPlaceAction(inplace.Spec{}))
	require.True(t, needed)
	require.NotContains(t, string(patch.Data), `"Ready"`)
	// A gate without a condition is closed as well, and what was not ready stays so since then.
	bare := gated()
	bare.Status.Conditions = bare.Status.Conditions[2:]
	bare.Status.Conditions[0].Status = corev1.ConditionFalse
	patch, _ = kubekruise.CloseGatePatch(bare, inPlaceAction(inplace.Spec{}))
	require.Contains(t, string(patch.Data), `corresponding condition of pod readiness gate \"KruisePodReady\" does not exist.`)
	require.Contains(t, string(patch.Data), `"2026-03-01T11:00:00Z"`)
	_, needed = kubekruise.CloseGatePatch(nil, inPlaceAction(inplace.Spec{}))
	require.True(t, needed)
}

func TestRefreshPodPatch(t *testing.T) {
	o := daemonset.Object{Name: "log-1", UID: "u", ResourceVersion: "7"}
	_, needed := kubekruise.RefreshPodPatch(daemonset.RefreshPod{Object: o, OpenGate: true})
	require.False(t, needed)

	patch, needed := kubekruise.RefreshPodPatch(daemonset.RefreshPod{Object: o, DropGrace: true})
	require.True(t, needed)
	require.Equal(t, `{"metadata":{"uid":"u","resourceVersion":"7","annotations":{"apps.kruise.io/inplace-update-grace":null,"inplace-update-grace":null}}}`,
		string(patch.Data))

	state := inplace.State{Revision: "v2", Timestamp: updatedAt, NextImages: map[string]string{"side": "side:2", "log": "log:2"}}
	put := inplace.NextBatch(kube.DaemonSetPod(gated()).Containers, &state, updatedAt)
	patch, needed = kubekruise.RefreshPodPatch(daemonset.RefreshPod{Object: o, Patch: &put})
	require.True(t, needed)
	got := patched(t, gated(), patch)
	require.Equal(t, gated().Labels, got.Labels)
	require.Equal(t, "{}", got.Annotations["inplace-update-grace"], "it is not asked to drop it")
	for _, c := range got.Spec.Containers {
		require.Equal(t, c.Name+":2", c.Image)
	}
	require.Contains(t, string(patch.Data), `[{"name":"log","image":"log:2"},{"name":"side","image":"side:2"}]`)
}

func TestPreparePodPatch(t *testing.T) {
	a := daemonset.PreparePod{Object: daemonset.Object{Name: "log-1", UID: "u"}, State: daemonset.StatePreparingDelete, Since: updatedAt, NotReady: true}
	patch := kubekruise.PreparePodPatch(a)
	require.Equal(t, types.MergePatchType, patch.Type)
	require.Equal(t, `{"metadata":{"uid":"u","labels":{"lifecycle.apps.kruise.io/state":"PreparingDelete"},`+
		`"annotations":{"lifecycle.apps.kruise.io/timestamp":"2026-03-01T12:00:00Z"}}}`, string(patch.Data))
	require.Equal(t, `{"metadata":{"uid":"u"}}`, string(kubekruise.PreparePodPatch(daemonset.PreparePod{Object: a.Object}).Data), "it is marked")

	hook, needed := kubekruise.HookPatch(gated(), a)
	require.True(t, needed)
	held := patched(t, gated(), hook)
	c := held.Status.Conditions[1]
	require.Equal(t, corev1.ConditionFalse, c.Status)
	require.JSONEq(t, `[{"userAgent":"Lifecycle","key":"preDeleteHook"}]`, c.Message)
	require.False(t, kube.DaemonSetPod(held).Ready)
	_, needed = kubekruise.HookPatch(held, a)
	require.False(t, needed, "it says so already")

	other := gated()
	other.Status.Conditions[1].Status, other.Status.Conditions[1].Message = corev1.ConditionFalse, `[{"userAgent":"x","key":"y"}]`
	hook, needed = kubekruise.HookPatch(other, a)
	require.True(t, needed)
	require.JSONEq(t, `[{"userAgent":"x","key":"y"},{"userAgent":"Lifecycle","key":"preDeleteHook"}]`, patched(t, other, hook).Status.Conditions[1].Message)

	a.NotReady = false
	_, needed = kubekruise.HookPatch(gated(), a)
	require.False(t, needed, "nobody asks")
}
