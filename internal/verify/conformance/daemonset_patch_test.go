// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// TestInPlacePatches: the API server's merge applies the patches of an in-place update and of a
// hook as intended.
func TestInPlacePatches(t *testing.T) {
	pod := healthyPod(benchNow, 0)
	pod.Labels, pod.Annotations = map[string]string{"app": "web", "a": "1"}, map[string]string{"note": "n", "inplace-update-grace": "{}"}
	pod.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: inplace.Gate}, {ConditionType: daemonset.GateKruiseReady}}
	pod.Spec.Containers = []corev1.Container{{Name: "a", Image: "a:1", Args: []string{"x"}}, {Name: "b", Image: "b:1"}}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
		corev1.PodCondition{Type: daemonset.GateKruiseReady, Status: corev1.ConditionTrue})
	apply := func(pod *corev1.Pod, patch kube.Patch) (changed corev1.Pod) {
		after, err := strategicpatch.StrategicMergePatch(must(json.Marshal(pod)), patch.Data, &corev1.Pod{})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(after, &changed))
		return changed
	}
	spec := inplace.Spec{Revision: "h", Images: map[string]string{"b": "b:2"}, Metadata: inplace.MetadataPatch{
		Labels: map[string]*string{"a": nil, "b": new("2")}, AllAnnotations: true,
	}}
	a := daemonset.UpdatePod{To: "h", CloseGate: true, Patch: inplace.FirstBatch(kube.DaemonSetPod(pod).Containers, &spec, benchNow)}
	updated := apply(pod, kubekruise.UpdatePodPatch(a))
	require.Equal(t, map[string]string{"app": "web", "b": "2", daemonset.LabelHash: "h"}, updated.Labels)
	require.Len(t, updated.Annotations, 1)
	require.Contains(t, updated.Annotations, inplace.AnnotationState)
	require.ElementsMatch(t, []corev1.Container{{Name: "a", Image: "a:1", Args: []string{"x"}}, {Name: "b", Image: "b:2"}}, updated.Spec.Containers)

	spec.Metadata.AllAnnotations = false
	a.Patch = inplace.FirstBatch(nil, &spec, benchNow)
	updated = apply(pod, kubekruise.UpdatePodPatch(a))
	require.Equal(t, "n", updated.Annotations["note"])
	require.NotContains(t, updated.Annotations, "inplace-update-grace")

	closing, needed := kubekruise.CloseGatePatch(pod, a)
	require.True(t, needed)
	closed := apply(pod, closing)
	require.Len(t, closed.Status.Conditions, len(pod.Status.Conditions)+1)
	snapshot := kube.DaemonSetPod(&closed)
	require.False(t, snapshot.Ready)
	require.Equal(t, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}, snapshot.InPlace)
	opening, needed := kubekruise.OpenGatePatch(&closed, daemonset.RefreshPod{OpenGate: true}, benchNow.Add(time.Minute))
	require.True(t, needed)
	opened := apply(&closed, opening)
	require.Equal(t, &inplace.ReadyCondition{True: true}, kube.DaemonSetPod(&opened).InPlace)
	hook, needed := kubekruise.HookPatch(pod, daemonset.PreparePod{NotReady: true, Since: benchNow})
	require.True(t, needed)
	held := apply(pod, hook)
	require.Len(t, held.Status.Conditions, len(pod.Status.Conditions))
	require.False(t, kube.DaemonSetPod(&held).Ready)
}
