// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// Empty Domains put all nodes into one, and nil ones make each node one of its own. That stays so in
// JSON, and a Tracker that is told of one after the other plans accordingly.
func TestDomainsEmptyOrNil(t *testing.T) {
	pods := []podorder.Pod{
		pod("a", on("n1"), readyAgo(4*time.Hour)), pod("b", on("n1"), readyAgo(2*time.Hour)), pod("c", on("n2"), readyAgo(time.Hour)),
	}
	spread := replicaset.Options{Spread: true}
	var tracker replicaset.Tracker
	rs := web(2)
	require.NoError(t, tracker.Apply(replicaset.Delta{ReplicaSet: &rs}))
	for i := range pods {
		require.NoError(t, tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: &pods[i]}}))
	}
	for _, c := range []struct {
		why     string
		domains podorder.Domains
		want    string
	}{
		{"most pods are on n1", nil, "Deleted pod: b (TooMany)"},
		{"all are in one domain, and c is the youngest", podorder.Domains{}, "Deleted pod: c (TooMany)"},
		{"n2 is elsewhere", podorder.Domains{"n2": "x"}, "Deleted pod: b (TooMany)"},
		{"there are none any more", nil, "Deleted pod: b (TooMany)"},
		{"and are again", podorder.Domains{}, "Deleted pod: c (TooMany)"},
	} {
		s := replicaset.Snapshot{ReplicaSet: rs, Pods: pods, Domains: c.domains}
		require.Equal(t, c.want, actionTexts(reconcile(t, s, spread)), c.why)

		text, err := json.Marshal(s)
		require.NoError(t, err)
		var back replicaset.Snapshot
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, c.want, actionTexts(reconcile(t, back, spread)), "%s, in JSON", c.why)

		require.NoError(t, tracker.Apply(replicaset.Delta{Domains: &c.domains}))
		p, err := tracker.Plan(t0, spread)
		require.NoError(t, err)
		require.Equal(t, c.want, actionTexts(p), "%s, of a Tracker", c.why)
		require.Equal(t, c.domains, tracker.Snapshot().Domains)

		text, err = json.Marshal(podorder.Order{Stages: []podorder.Stage{{Rule: podorder.RuleSpread, Domains: c.domains}}, Domains: podorder.Domains{"n1": "x"}})
		require.NoError(t, err)
		var order podorder.Order
		require.NoError(t, json.Unmarshal(text, &order))
		require.Equal(t, c.domains, order.Stages[0].Domains, "of a stage")
	}
	var order podorder.Order
	require.NoError(t, json.Unmarshal([]byte(`{"stages":[]}`), &order))
	text, err := json.Marshal(order)
	require.NoError(t, err)
	require.Contains(t, string(text), `"stages":[]`, "no stages are not those of the chain")
}
