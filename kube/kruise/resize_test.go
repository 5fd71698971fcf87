// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset/inplace"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

func TestResizePodPatch(t *testing.T) {
	a := inPlaceAction(inplace.Spec{
		Revision: "v2", Images: map[string]string{"side": "side:2"},
		Resources: map[string]inplace.Resources{"log": {Limits: map[string]string{"cpu": "1500m"}}},
	})
	patch, needed := kubekruise.ResizePodPatch(a.Object, a.Patch)
	require.True(t, needed)
	require.Equal(t, types.StrategicMergePatchType, patch.Type)
	require.Equal(t, `{"metadata":{"uid":"u"},"spec":{"containers":[{"name":"log","resources":{"limits":{"cpu":"1500m"}}}]}}`, string(patch.Data))
	update := kubekruise.UpdatePodPatch(a)
	require.NotContains(t, string(update.Data), "1500m")
	require.Contains(t, string(update.Data), `"spec":{"containers":[{"name":"side","image":"side:2"}]}`)

	decoder := json.NewDecoder(bytes.NewReader(patch.Data))
	decoder.DisallowUnknownFields()
	var got corev1.Pod
	require.NoError(t, decoder.Decode(&got))
	require.Equal(t, resource.MustParse("1500m"), got.Spec.Containers[0].Resources.Limits["cpu"])

	_, needed = kubekruise.ResizePodPatch(a.Object, inPlaceAction(inplace.Spec{Images: map[string]string{"log": "log:2"}}).Patch)
	require.False(t, needed)
}
