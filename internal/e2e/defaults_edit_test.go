package e2e

import (
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// change is what somebody writes into the ith manifest.
func change(i int, u *unstructured.Unstructured) {
	spec := u.Object["spec"].(map[string]any)
	template := spec["template"].(map[string]any)
	pod := template["spec"].(map[string]any)
	web := pod["containers"].([]any)[0].(map[string]any)
	switch i % 6 {
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
