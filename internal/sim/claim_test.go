// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// TestClaims: orphans that match are adopted and take part in the rollout, and what
// no longer matches is released and left alone.
func TestClaims(t *testing.T) {
	app := map[string]string{"app": "web"}
	c, err := Finished(deploy.Deployment{
		Name: "web", UID: "d", Replicas: ptr.To(int32(3)), Selector: selector.FromLabels(app),
		Template: revision.Template{ID: "a", Hash: "a"}, TemplateLabels: app,
	})
	require.NoError(t, err)
	rs := &c.ReplicaSets[0]
	require.Equal(t, map[string]string{"app": "web", "pod-template-hash": "a"}, rs.Labels)
	stray := ptr.To(newPod(rs, uidPrefix, 100, c.Now))
	c.Pods = append(c.Pods, stray)
	stray.ControllerKind, stray.ControllerName, stray.ControllerUID = "", "", ""
	stray.NodeName, stray.Phase, stray.Ready, stray.ReadySince = "n", podorder.Running, true, c.Now
	c.Pods[0].Labels = map[string]string{"app": "other"} // taken out for inspection

	r, err := Run(c, Config{Kubelet: Kubelet{ReadyAfter: 10 * time.Second}})
	require.NoError(t, err)
	require.True(t, r.Done)
	own := 0
	for _, p := range r.Cluster.Pods {
		if p.ControllerUID == rs.UID {
			own++
		}
	}
	require.Equal(t, 3, own, "the adopted one replaces the released one")
	require.Len(t, r.Cluster.Pods, 4, "which still runs")

	c = r.Cluster
	c.ReplicaSets[0].ControllerKind, c.ReplicaSets[0].ControllerName, c.ReplicaSets[0].ControllerUID = "", "", ""
	r, err = Run(c, Config{})
	require.NoError(t, err)
	require.Equal(t, "d", r.Cluster.ReplicaSets[0].ControllerUID, "the ReplicaSet is adopted")
}
