// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// nodes returns the nodes of the DaemonSets.
func (p *previews) nodes() (list []*unstructured.Unstructured) {
	p.Helper()
	for i := range daemonNodes {
		data, err := json.Marshal(node(i))
		require.NoError(p, err)
		u := &unstructured.Unstructured{}
		require.NoError(p, u.UnmarshalJSON(data))
		list = append(list, u)
	}
	return list
}

// changes is how many ways there are to change a manifest, and an object by hand.
const changes = 6

// change edits the ith manifest as a user would.
func change(i int, u *unstructured.Unstructured) {
	spec := u.Object["spec"].(map[string]any)
	template := spec["template"].(map[string]any)
	pod := template["spec"].(map[string]any)
	web := pod["containers"].([]any)[0].(map[string]any)
	switch i % changes {
	case 0: // with the same tag, so that the policy of pulling stays
		image := web["image"].(string)
		at := strings.LastIndex(image, "/") + 1
		web["image"] = image[:at] + "my-" + image[at:]
	case 1:
		web["env"] = []any{map[string]any{"name": "CHANGED", "value": "1"}}
	case 2:
		template["metadata"].(map[string]any)["labels"].(map[string]any)["changed"] = "yes"
	case 3:
		pod["terminationGracePeriodSeconds"] = int64(31)
	case 4: // which is no rollout
		spec["minReadySeconds"] = int64(1)
		if u.GetKind() == "Deployment" {
			spec["replicas"] = int64(3)
		}
	case 5: // which is one
		if context, ok := web["securityContext"].(map[string]any); ok && len(context) == 0 {
			delete(web, "securityContext")
		} else {
			web["securityContext"] = map[string]any{}
		}
	}
}

// patched changes the objects of manifests in the cluster by hand, or with dry returns them as they
// would become.
func (p *previews) patched(list []*unstructured.Unstructured, dry bool) (after []*unstructured.Unstructured) {
	p.Helper()
	o := metav1.PatchOptions{FieldManager: "hand"}
	if dry {
		o.DryRun = []string{metav1.DryRunAll}
	}
	for i, u := range list {
		client := p.client.AppsV1().RESTClient().Patch(types.StrategicMergePatchType)
		data, err := client.Namespace(p.namespace).Resource(strings.ToLower(u.GetKind())+"s").Name(u.GetName()).
			VersionedParams(&o, scheme.ParameterCodec).Body([]byte(byHand(i, u.GetKind()))).
			SetHeader("Accept", "application/json").DoRaw(p.ctx)
		require.NoError(p, err, string(data))
		patched := &unstructured.Unstructured{}
		require.NoError(p, patched.UnmarshalJSON(data))
		after = append(after, patched)
	}
	return after
}

// byHand is the patch of a user for the ith object of the cluster.
func byHand(i int, kind string) string {
	pod := `{"spec": {"template": {"spec": %s}}}`
	switch {
	case i%changes == 0 && kind == "Deployment":
		return `{"spec": {"replicas": 2}}`
	case i%changes == 1:
		return `{"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}}}}}`
	case i%changes == 2:
		return fmt.Sprintf(pod, `{"containers": [{"name": "web", "env": [{"name": "HAND", "value": "1"}]}]}`)
	case i%changes == 3:
		return fmt.Sprintf(pod, `{"containers": [{"name": "web", "image": "hand:1"}]}`)
	case i%changes == 4 && kind == "Deployment":
		return `{"spec": {"paused": true}}`
	default:
		return fmt.Sprintf(pod, `{"terminationGracePeriodSeconds": 7}`)
	}
}
