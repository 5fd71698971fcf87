// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// What runs before a manifest has been rolled out if its status says so, at the revision that it
// tells of. Otherwise nobody knows where it stands.
func TestMissingBefore(t *testing.T) {
	next := inFile(t, "next.yaml", newWeb("  replicas: 4\n", "2"))
	at7 := applied("")
	at7.revision = "7"
	b := simulated(t, nil, "--from", inFile(t, "live.yaml", string(ofKinds(t, at7.yaml(t), "Deployment"))), "-f", next)
	require.True(t, b.Done)
	require.Contains(t, b.Assumed, "the Deployment has been rolled out, as its status says: its ReplicaSets are not in the input")
	require.EqualValues(t, 7, b.Steps[0].Parts[0].Revision)
	require.EqualValues(t, 8, b.Steps[0].Parts[1].Revision)

	half := inFile(t, "half.yaml", string(ofKinds(t, halfWay(1, 0, nil).yaml(t), "Deployment")))
	for _, more := range [][]string{nil, {"--try", "maxSurge=2"}} {
		code, _, stderr := run(nil, append([]string{"simulate", "--from", half, "-f", next}, more...)...)
		require.Equal(t, 1, code)
		require.Contains(t, stderr, "By its status it has not been rolled out, so nobody knows where it stands")
	}

	done, err := os.ReadFile(data + "daemonset/done.yaml")
	require.NoError(t, err)
	agent, err := os.ReadFile(data + "daemonset/agent-v2.yaml")
	require.NoError(t, err)
	agent = bytes.Replace(agent, []byte("  name: agent"), []byte("  name: agent\n  namespace: kube-system"), 1)
	r := releasedBy(t, agent, "--from", inFile(t, "daemons.yaml", string(ofKinds(t, done, "DaemonSet", "ControllerRevision", "Node"))), "-f", "-")
	require.Contains(t, r.Assumed, "the DaemonSet has been rolled out, as its status says: its pods are not in the input")

	manifest := argoData + "canary-timed.yaml"
	for phase, want := range map[argo.Phase]string{argo.PhaseHealthy: "the Rollout has been rolled out, as its status says", argo.PhaseDegraded: "nobody knows where it stands"} {
		live := ofKinds(t, liveArgo(t, manifest, func(s *cluster.Snapshot) {
			status := &s.ArgoRollouts[0].Status
			status.Phase, status.StableRS = phase, status.CurrentPodHash
		}), "Rollout")
		text, err := os.ReadFile(manifest)
		require.NoError(t, err)
		_, stdout, stderr := run(bytes.Replace(text, []byte("image: "), []byte("image: other/"), 1), "simulate", "-o", "json", "--from", inFile(t, "rollout.yaml", string(live)), "-f", "-")
		require.Contains(t, stdout+stderr, want)
	}
}

// A ReplicaSet by itself begins with the pods that its status tells of.
func TestMissingPodsBefore(t *testing.T) {
	rs := applied("").objects().sets[0]
	rs.OwnerReferences = nil
	text, err := yaml.Marshal(rs)
	require.NoError(t, err)
	from := inFile(t, "live.yaml", string(text))
	_, stdout, stderr := run(bytes.Replace(text, []byte("replicas: 4"), []byte("replicas: 2"), 1), "simulate", "--from", from, "-f", "-")
	require.Contains(t, stdout, "any 2 of these 4", stderr)
}
