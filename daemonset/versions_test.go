// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// While a cache is older than what was written, nothing is planned, the hold says which
// versions these are, and Finish asks to try again and keeps what was written.
func TestStale(t *testing.T) {
	written := expect.Versions{OwnerUID: "agent-uid", Children: "12", Owner: "20"}
	for _, tt := range []struct {
		why  string
		read expect.Versions
		hold kplan.Hold
		err  string
	}{
		{"a pod that was created is not there", expect.Versions{Children: "9", Owner: "20"},
			kplan.Hold{Reason: reason.StalePods, Have: 9, Limit: 12},
			"read version: 9 is not as new as written version: 12 for group resource pods"},
		{"the status is an older one", expect.Versions{Children: "12", Owner: "19"},
			kplan.Hold{Reason: reason.StaleOwner, Have: 19, Limit: 20},
			"read version: 19 is not as new as written version: 20 for group resource daemonsets.apps"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			s := cluster(2)
			s.Written, s.Read = written, tt.read
			p := mustPlan(t, s, daemonset.Options{})
			require.Empty(t, p.Actions)
			require.Equal(t, []kplan.Hold{tt.hold}, p.Holds)
			require.Equal(t, s.DaemonSet.Status, p.Status)
			r := daemonset.FinishPlan(s, p, daemonset.Report{}, t0, daemonset.Options{})
			require.EqualError(t, r.Err, tt.err)
			require.False(t, r.WriteStatus)
			require.Equal(t, written, r.Written)
			nodes, err := daemonset.Explain(s, t0, daemonset.Options{})
			require.NoError(t, err)
			require.Len(t, nodes, 2)
		})
	}
	for why, read := range map[string]expect.Versions{
		"as new as what was written": {Children: "12", Owner: "20"},
		"newer, by number":           {Children: "100", Owner: "100"},
		"a cache that cannot tell":   {},
		"not comparable":             {Children: "x", Owner: "01"},
	} {
		s := cluster(2)
		s.Written, s.Read = written, read
		require.NotEmpty(t, mustPlan(t, s, daemonset.Options{}).Actions, why)
	}
	s := cluster(1)
	s.DaemonSet.Selector.MatchLabels, s.Written, s.Read = nil, written, expect.Versions{Children: "1"}
	require.Equal(t, reason.StalePods, mustPlan(t, s, daemonset.Options{}).Holds[0].Reason, "before it is said that it selects all")
}

// What a pass has created and adopted is recorded, by the highest version; what it has
// released, relabelled, deleted or failed to do is not.
func TestWritten(t *testing.T) {
	s := cluster(2)
	p := daemonset.Plan{Actions: daemonset.Actions{
		daemonset.AdoptPod{Object: object("a")}, daemonset.ReleasePod{Object: object("b")}, daemonset.RelabelPod{Object: object("c"), To: "x"},
		daemonset.CreatePod{Node: "n1"}, daemonset.CreatePod{Node: "n2"}, daemonset.DeletePod{Object: object("d")},
	}}
	outcomes := []kplan.Outcome{}
	for _, version := range []string{"7", "90", "91", "12", "10", "93"} {
		outcomes = append(outcomes, kplan.Outcome{Answer: kplan.Done, ResourceVersion: version})
	}
	r := daemonset.FinishPlan(s, p, daemonset.Report{Outcomes: outcomes}, t0, daemonset.Options{})
	require.Equal(t, expect.Versions{OwnerUID: s.DaemonSet.UID, Children: "12"}, r.Written)
	require.Equal(t, expect.Versions{OwnerUID: s.DaemonSet.UID, Children: "12", Owner: "31"},
		r.Written.WroteOwner(s.DaemonSet.UID, "31").WroteOwner(s.DaemonSet.UID, "30"))
	require.Equal(t, expect.Versions{OwnerUID: "other", Owner: "3"}, r.Written.WroteOwner("other", "3"), "another owner starts anew")

	outcomes[3], outcomes[0] = boom, kplan.Outcome{Answer: kplan.Done}
	r = daemonset.FinishPlan(s, p, daemonset.Report{Outcomes: outcomes}, t0, daemonset.Options{})
	require.Equal(t, "10", r.Written.Children, "what failed, and a version that is not known, are not recorded")
}
