// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
)

// ResizePodPatch returns the strategic merge patch of the resources of a batch, and
// whether it has any. Pod and batch come from a [daemonset.UpdatePod] or a
// [daemonset.RefreshPod]. Send it to the subresource resize; the patches of
// [UpdatePodPatch] and [RefreshPodPatch] have no resources. If the UID is known and the
// name belongs to another pod meanwhile, the API server rejects the patch with a
// conflict.
func ResizePodPatch(pod daemonset.Object, b inplace.Put) (p kube.Patch, needed bool) {
	type container struct {
		Name      string            `json:"name"`
		Resources inplace.Resources `json:"resources"`
	}
	var o struct {
		Metadata podMeta `json:"metadata"`
		Spec     struct {
			Containers []container `json:"containers"` // merged by name
		} `json:"spec"`
	}
	o.Metadata.UID = pod.UID
	for _, name := range slices.Sorted(maps.Keys(b.Resources)) {
		o.Spec.Containers = append(o.Spec.Containers, container{name, b.Resources[name]})
	}
	if len(o.Spec.Containers) == 0 {
		return kube.Patch{}, false
	}
	data, _ := json.Marshal(o) // texts always have a JSON form
	return kube.Patch{Type: types.StrategicMergePatchType, Data: data}, true
}
