// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
)

// TestNamesOfPods: pods that an earlier run has made are not listed by name, and no two get one all
// the same: not one that somebody else's pod has, and of two that have one the run tells.
func TestNamesOfPods(t *testing.T) {
	start := updated(finished(t, deployment("old", 10, quarter, quarter)), deployment("new", 10, quarter, quarter))
	cfg := Config{Kubelet: Kubelet{ReadyAfter: 5 * time.Second, TerminateAfter: time.Second, Jitter: 3 * time.Second, Nodes: 3}}
	plain, err := Run(start, cfg)
	require.NoError(t, err)
	firstNew := plain.Cluster.Pods[0]

	far := func(p *podorder.Pod) { p.UID, p.Name = "sim-123456789", "web"+nameSuffix("123456789") }
	foreign := func(p *podorder.Pod) { p.UID = "of somebody else" }
	for name, tt := range map[string]struct {
		change func(pods []*podorder.Pod)
		fails  bool
	}{
		"made":                      {func([]*podorder.Pod) {}, false},
		"foreign, first":            {func(pods []*podorder.Pod) { foreign(pods[0]) }, false},
		"foreign, last":             {func(pods []*podorder.Pod) { foreign(pods[9]) }, false},
		"without a UID":             {func(pods []*podorder.Pod) { pods[4].UID = "" }, false},
		"another name":              {func(pods []*podorder.Pod) { pods[4].Name = "web" }, false},
		"a name that is made later": {func(pods []*podorder.Pod) { foreign(pods[4]); pods[4].Name = firstNew.Name }, false},
		"the same, not the foreign": {func(pods []*podorder.Pod) { pods[4].Name = firstNew.Name }, false},
		"far from the others":       {func(pods []*podorder.Pod) { far(pods[4]) }, false},
		"far, and first":            {func(pods []*podorder.Pod) { far(pods[0]) }, false},
		"in another order":          {slices.Reverse[[]*podorder.Pod], false},
		"one twice":                 {func(pods []*podorder.Pod) { pods[4] = pods[3] }, true},
		"a name twice":              {func(pods []*podorder.Pod) { foreign(pods[4]); pods[4].Name = pods[8].Name }, true},
		"a name twice, foreign":     {func(pods []*podorder.Pod) { foreign(pods[8]); pods[8].Name = pods[4].Name }, true},
	} {
		c := start
		c.Pods = ptr.Each(fill(nil, c.Pods))
		tt.change(c.Pods)
		check := func(t *testing.T) {
			r, err := Run(c, cfg)
			if tt.fails {
				require.ErrorContains(t, err, c.Pods[4].Name)
				return
			}
			require.NoError(t, err)
			require.True(t, r.Done)
			r, err = Run(updated(r.Cluster, deployment("next", 10, quarter, quarter)), cfg)
			require.NoError(t, err)
			require.True(t, r.Done)
			names := map[string]bool{}
			for _, p := range r.Cluster.Pods {
				require.False(t, names[p.Name], p.Name)
				names[p.Name] = true
			}
			require.Len(t, names, 10)
		}
		t.Run(name, check)
		c.serial = 0
		t.Run(name+", of a cluster that was put together", check)
	}
}
