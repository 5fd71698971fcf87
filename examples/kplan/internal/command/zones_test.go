// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestZones: six nodes in three zones, which take new pods in turn.
func TestZones(t *testing.T) {
	args := append(echoserver, "--nodes", "6", "--zones", "3")
	golden(t, data+"golden/zones.txt", []byte(succeed(t, nil, args...)))
	var r struct {
		PeakSkew *int32
		Steps    []struct{ Zones map[string]int32 }
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, append(args, "-o", "json")...)), &r))
	require.Equal(t, int32(1), *r.PeakSkew)
	most := int32(0)
	for _, s := range r.Steps {
		require.Len(t, s.Zones, 3)
		a, b, c := s.Zones["zone-1"], s.Zones["zone-2"], s.Zones["zone-3"]
		most = max(most, max(a, b, c)-min(a, b, c))
	}
	require.Equal(t, most, *r.PeakSkew, "the peak is that of the steps")
	require.Equal(t, map[string]int32{"zone-1": 2, "zone-2": 2, "zone-3": 2}, r.Steps[len(r.Steps)-1].Zones)

	args = append(args, "--start", "p50=10s,p90=30s", "--try", "maxSurge=1,maxUnavailable=0", "--try", "maxSurge=100%", "--runs", "40")
	golden(t, data+"golden/compare-zones.txt", []byte(succeed(t, nil, args...)))
	text := succeed(t, nil, append(args, "-o", "json")...)
	require.Contains(t, text, `"peakSkew"`)
}

// TestNoZones: nodes without zones, or none at all, tell nothing about skew.
func TestNoZones(t *testing.T) {
	for _, args := range [][]string{echoserver, append(echoserver, "--nodes", "6")} {
		text := succeed(t, nil, args...)
		require.NotContains(t, text, "ZONES")
		require.Equal(t, succeed(t, nil, echoserver...), text)
		require.NotContains(t, succeed(t, nil, append(args, "-o", "json")...), "peakSkew")
	}
}

// TestZonesOfNodes: the nodes of the files have the zones that their labels say, and one
// that is cordoned takes no pod.
func TestZonesOfNodes(t *testing.T) {
	nodes := `{kind: Node, apiVersion: v1, metadata: {name: a, labels: {topology.kubernetes.io/zone: east}}}
---
{kind: Node, apiVersion: v1, metadata: {name: b, labels: {topology.kubernetes.io/zone: west}}, spec: {unschedulable: true}}
`
	file := t.TempDir() + "/nodes.yaml"
	require.NoError(t, os.WriteFile(file, []byte(nodes), 0o600))
	text := succeed(t, nil, append(echoserver, "-f", file)...)
	require.Contains(t, text, "ZONES: pods that run in east/west.")
	require.Contains(t, text, "6/0    6     complete")
	require.Contains(t, text, "Peak skew of zones: 8")
}
