// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// FuzzExplain: any nodes, pods and template are survived, and an explanation counts each node once at
// least, as one that the pod fits or that a filter refuses.
func FuzzExplain(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"name":"a","labels":{"zone":"x"},"room":[2]},{"name":"b","cordoned":true}],"pods":[{"name":"p","uid":"1","labels":{"app":"web"}}],"template":{"needs":[3],"hostPorts":[{"port":80}],"topologySpread":[{"maxSkew":1,"topologyKey":"zone","selector":{"matchLabels":{"app":"web"}}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in struct {
			Nodes    []cluster.Node   `json:"nodes"`
			Pods     []podorder.Pod   `json:"pods"`
			Template cluster.Template `json:"template"`
		}
		if json.Unmarshal(data, &in) != nil || len(in.Nodes) == 0 {
			t.Skip()
		}
		n := scheduler.New(in.Nodes, 2)
		for i := range in.Pods {
			n.Take(scheduler.Pod{Pod: &in.Pods[i], Template: in.Template}, in.Nodes[i%len(in.Nodes)].Name)
		}
		p := scheduler.Pod{Pod: &podorder.Pod{Name: "new"}, Template: in.Template}
		e := n.Explain(p)
		counted := e.Fit
		for _, r := range e.Refusals {
			counted += r.Nodes
		}
		require.GreaterOrEqual(t, counted, e.Nodes)
		fit := 0
		for i := range n.Len() {
			if n.Fits(i, p) {
				fit++
			}
		}
		require.Equal(t, fit, e.Fit)
		require.NotPanics(t, func() { _ = e.Text([]string{"pods", "memory"}) })
		each := map[string]scheduler.Pod{"nowhere": p}
		for i := range in.Nodes {
			each[in.Nodes[i].Name] = p
		}
		pinned := n.ExplainPinned(each)
		require.Equal(t, len(each), pinned.Nodes)
		require.Less(t, pinned.Fit, len(each), "there is no node nowhere")
	})
}
