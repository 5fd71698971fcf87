// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// TestNamesOfPods: no two pods get one name in a world that goes on from another one: not one that somebody
// else's pod has, nor one that comes later.
func TestNamesOfPods(t *testing.T) {
	begun := newWorld(t, cluster.Snapshot{}, sim.Config{Times: lives})
	require.NoError(t, begun.Put(webDeployment("v1", 10)))
	settled(t, begun)
	plain := newWorld(t, begun.Snapshot(), sim.Config{Times: lives})
	require.NoError(t, plain.Put(webDeployment("v2", 10)))
	settled(t, plain)
	next := plain.View().Pods()[0].Name // a name that is made later

	for name, change := range map[string]func(pods []podorder.Pod){
		"as they are":               func([]podorder.Pod) {},
		"foreign":                   func(pods []podorder.Pod) { pods[0].UID, pods[9].UID = "one", "another" },
		"without a UID":             func(pods []podorder.Pod) { pods[4].UID = "" },
		"another name":              func(pods []podorder.Pod) { pods[4].Name = "web" },
		"a name that is made later": func(pods []podorder.Pod) { pods[4].UID, pods[4].Name = "foreign", next },
		"far from the others":       func(pods []podorder.Pod) { pods[4].UID = "sim-123456789" },
	} {
		t.Run(name, func(t *testing.T) {
			s := begun.Snapshot()
			change(s.Pods)
			w := newWorld(t, s, sim.Config{Times: lives})
			for _, template := range []string{"v2", "v3"} {
				require.NoError(t, w.Put(webDeployment(template, 10)))
				settled(t, w)
			}
			names, uids := map[string]bool{}, map[string]bool{}
			for _, p := range w.View().Pods() {
				names[p.Name], uids[p.UID] = true, true
			}
			require.Len(t, names, 10)
			require.Len(t, uids, 10)
		})
	}
}
