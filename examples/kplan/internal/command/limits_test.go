// SPDX-License-Identifier: Apache-2.0

package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	autoscaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 3, maxReplicas: 7, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n"
	quota      = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few}\nspec: {hard: {pods: \"4\"}}\n"
	disruption = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: keep}\nspec: {minAvailable: 100%, selector: {matchLabels: {app: web}}}\n"
)

// An autoscaler in the files gives a Deployment its replicas, and keeps those of a live
// one.
func TestAutoscaler(t *testing.T) {
	hpa := inFile(t, "hpa.yaml", autoscaler)
	b := simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("", "1")))
	require.EqualValues(t, 3, b.Steps[len(b.Steps)-1].Total)
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 3 to 7 replicas; they are 3 to begin with")
	b = simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("  replicas: 9\n", "1")))
	require.EqualValues(t, 7, b.Steps[len(b.Steps)-1].Total)
	b = simulated(t, nil, "-f", hpa, "-f", inFile(t, "new.yaml", newWeb("  replicas: 0\n", "1")))
	require.EqualValues(t, 0, b.Steps[len(b.Steps)-1].Total, "which turns it off")
	b = simulated(t, applied("").yaml(t), "-f", hpa, "-f", "-")
	require.EqualValues(t, 4, b.Steps[0].Total)
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 3 to 7 replicas; they stay at 4")
}

// A quota of the files holds, and what it and a disruption budget forbid is told of in a
// line each.
func TestLimits(t *testing.T) {
	files := []string{"-f", inFile(t, "limits.yaml", quota+"---\n"+disruption)}
	old, next := inFile(t, "old.yaml", newWeb("  replicas: 4\n", "1")), inFile(t, "new.yaml", newWeb("  replicas: 4\n", "2"))
	b := simulated(t, nil, append(files, "--from", old, "-f", next)...)
	require.True(t, b.Done, "one pod may be missing, so that the next can be made")
	for _, s := range b.Steps {
		ready := int32(0)
		for _, rs := range s.ReplicaSets {
			ready += rs.Ready
		}
		require.LessOrEqual(t, ready, int32(4))
	}
	require.Contains(t, b.Assumed, "the quota few stays: 4 pods")
	require.Contains(t, b.Assumed, "ResourceQuota few allows 4 pods of it, and up to 5 are wanted: creations will fail")
	require.Contains(t, b.Assumed, "PodDisruptionBudget keep wants 4 available pods, and the rollout, which does not heed it, may leave 3: no pod can be evicted then")
	for _, command := range []string{"plan", "explain"} {
		code, _, stderr := run(nil, append(append([]string{command}, files...), "-f", next)...)
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, `note: Deployment "web": ResourceQuota few allows 4 pods of it`, command)
		require.NotContains(t, stderr, "skipped ResourceQuota")
	}
	none := simulated(t, nil, append(files, "-f", inFile(t, "small.yaml", newWeb("  replicas: 2\n  strategy: {rollingUpdate: {maxUnavailable: 0}}\n", "1")))...)
	require.NotContains(t, none.Assumed, "creations will fail")
	require.NotContains(t, none.Assumed, "evicted")
}
