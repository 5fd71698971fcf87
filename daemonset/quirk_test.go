// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout"
)

// A quirkCase is the smallest input that shows a quirk, what follows from it, and what
// follows if the quirk is repaired.
type quirkCase struct {
	dialect        daemonset.Dialect
	s              daemonset.Snapshot
	result         func(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string
	kept, repaired string
}

func planText(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	return mustPlan(t, s, o).String()
}

func statusText(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	return mustPlan(t, s, o).Status.String()
}

func collisions(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	text, err := json.Marshal(mustPlan(t, s, o).Status.CollisionCount)
	require.NoError(t, err)
	return string(text)
}

// removed returns what the update in place of the only pod removes of its annotations.
func removed(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	put := mustPlan(t, s, o).Actions[0].(daemonset.UpdatePod).Patch
	return fmt.Sprint(put.AllAnnotations, put.RemoveAnnotations)
}

func gate(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	return fmt.Sprint(mustPlan(t, s, o).Actions[0].(daemonset.CreatePod).Gate)
}

func nameLength(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	return fmt.Sprint(len(mustPlan(t, s, o).Actions[0].(daemonset.CreateRevision).Name))
}

// awaited returns how many creations are waited for in a namespace that is going.
func awaited(t *testing.T, s daemonset.Snapshot, o daemonset.Options) string {
	p := mustPlan(t, s, o)
	report := daemonset.Report{Outcomes: []kplan.Outcome{{Answer: kplan.NamespaceTerminating}}, Expectations: p.Expect(expect.Expectations{}, t0)}
	return fmt.Sprint(daemonset.FinishPlan(s, p, report, t0, o).Expectations.Creations)
}

func excluded(s *daemonset.Snapshot, node int) {
	s.Nodes[node].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
}

func annotated(data []byte) []byte {
	return []byte(strings.Replace(string(data), `"metadata":{`, `"metadata":{"annotations":{"a":"1"},`, 1))
}

func otherForm(data []byte) []byte { return []byte(" " + string(data)) }

// quirkCases returns a case for each quirk.
func quirkCases() map[string]quirkCase {
	cases := map[string]quirkCase{
		"OutsideNodesUseBudget": {"", with(cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v2", unready)), func(s *daemonset.Snapshot) { excluded(s, 1) }), planText,
			"held back: MaxUnavailable (1 of 1)\np2 on n2 held back: NotReady", "Deleted pod: p1 on node n1 (Rollout)"},
		"OldUnavailableNotCounted": {daemonset.OpenKruise, cluster(2, pod("p1", "n1", "v1", unready), pod("p2", "n2", "v1")), planText,
			"Deleted pod: p1 on node n1 (OldUnavailable)\nDeleted pod: p2 on node n2 (Rollout)",
			"Deleted pod: p1 on node n1 (OldUnavailable)\nheld back: MaxUnavailable (1 of 1)\np1 on n1 held back: NotReady"},
		"MissingNodeStopsSurge": {"", with(cluster(1, pod("p1", "n1", "v1"), pod("p2", "gone", "v1")), surgeOne), planText,
			"p2 on gone held back: MissingNode", "Created pod on node n1 (Rollout)"},
		"OlderPodsRelabelled": {"", with(cluster(1, pod("p1", "n1", "v1")), func(s *daemonset.Snapshot) {
			s.Revisions = append(s.Revisions, agentRevision("v3", 3))
			s.Revisions[2].Data = stored("v2")
		}), planText,
			"Relabelled pod p1 from \"v1\" to \"v3\" (Duplicate)\nDeleted controller revision agent-v2 (Duplicate)",
			"Deleted controller revision agent-v2 (Duplicate)\nDeleted pod: p1 on node n1 (Rollout)"},
		"GenerationHidesHash": {"", with(cluster(1, pod("p1", "n1", "v1", label(daemonset.LabelGeneration, "5"))), func(s *daemonset.Snapshot) {
			s.DaemonSet.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"}
		}), planText, "nothing to do", "Deleted pod: p1 on node n1 (Rollout)"},
		"StatusCountsDeletedPod": {"", cluster(1, pod("p1", "n1", "v1", terminating, unready), pod("p2", "n1", "v2", aged(time.Hour))), statusText,
			"1 desired, 1 current, 0 ready, 0 updated, 0 available, 0 misscheduled", "1 desired, 1 current, 1 ready, 1 updated, 1 available, 0 misscheduled"},
		"SurgeIgnoresBackoff": {"", with(cluster(1, pod("p1", "n1", "v2", failed)), func(s *daemonset.Snapshot) {
			surgeOne(s)
			s.Backoff = daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: 8 * time.Second, Since: t0}}
		}), planText, "Created pod on node n1 (Missing)\np1 on n1 held back: Backoff (0 of 8)", "p1 on n1 held back: Backoff (0 of 8)"},
		"SharesOfLastStatus": {daemonset.OpenKruise, with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition, s.DaemonSet.MaxUnavailable, s.DaemonSet.Status = rollout.Percent(50), rollout.Int(2), daemonset.Status{}
		}), planText, "Deleted pod: p2 on node n2 (Rollout)\nDeleted pod: p1 on node n1 (Rollout)",
			"Deleted pod: p2 on node n2 (Rollout)\nheld back: Partition (1 of 1)"},
		"BurstRoundsToZero": {daemonset.OpenKruise, with(cluster(1), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Percent(10) }), planText,
			"held back: Burst (1 of 0)", "Created pod on node n1 (Missing)"},
		"CollisionCountNotRaised": {daemonset.OpenKruise, with(cluster(0), func(s *daemonset.Snapshot) { s.Revisions[1].Data = stored("other") }), collisions, "null", "1"},
		"DeletedPodCountsTwice": {daemonset.OpenKruise, with(cluster(2, pod("p1", "n1", "v1"), pod("q1", "n1", "v2", unready, preparing, aged(time.Hour)), pod("p2", "n2", "v1")), func(s *daemonset.Snapshot) {
			s.DaemonSet.MaxUnavailable, s.DaemonSet.PreDelete = rollout.Int(2), &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
		}), planText,
			"q1 on n1 held back: PreDelete\nheld back: MaxUnavailable (2 of 2)\nq1 on n1 held back: Preparing\nq1 on n1 held back: NotReady",
			"Prepared deletion of pod p2 on node n2 (Rollout)\nq1 on n1 held back: PreDelete"},
	}
	moreQuirkCases(cases)
	return cases
}

func moreQuirkCases(cases map[string]quirkCase) {
	inPlace := func(s *daemonset.Snapshot) { s.DaemonSet.RollingType = daemonset.InPlaceIfPossible }
	more := map[string]quirkCase{
		"SucceededPodsStay": {daemonset.OpenKruise, cluster(1, pod("p1", "n1", "v2", succeeded)), planText, "nothing to do", "Deleted pod: p1 on node n1 (Succeeded)"},
		"GateAddedTwice": {daemonset.OpenKruise, with(cluster(1), func(s *daemonset.Snapshot) {
			inPlace(s)
			s.DaemonSet.Template.ReadinessGates = []string{inplace.Gate}
		}), gate, "true", "false"},
		"PodsOfMissingNodesDeletedAgain": {"", cluster(0, pod("p1", "gone", "v2", unbound, terminating)), planText,
			"Deleted pod: p1 on node gone (NodeGone)", "nothing to do"},
		"InPlaceRemovesAllMetadata": {daemonset.OpenKruise, with(cluster(1, pod("p1", "n1", "v1", gated)), func(s *daemonset.Snapshot) {
			inPlace(s)
			s.Revisions[0].Data = annotated(s.Revisions[0].Data)
		}), removed, "true []", "false [a]"},
		"InPlaceLeftUnfinished": {"", cluster(1, pod("p1", "n1", "v2", gated, func(p *daemonset.Pod) { p.InPlace.True = false })), planText,
			"nothing to do", "Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)"},
		"SurgeOnExcludedNodes": {daemonset.OpenKruise, with(cluster(2, pod("p1", "n1", "v1", unready), pod("p2", "n2", "v2")), func(s *daemonset.Snapshot) {
			surgeOne(s)
			excluded(s, 0)
		}), planText, "Created pod on node n1 (Rollout)", "Deleted pod: p1 on node n1 (NotDesired)"},
		"SerialisationIsVersion": {"", with(cluster(1, pod("p1", "n1", "v2")), func(s *daemonset.Snapshot) {
			s.DaemonSet.Template.Hash, s.Revisions[1].Data = "v3", otherForm(s.Revisions[1].Data)
		}), planText, "Created controller revision agent-v3, number 3 (NewTemplate)\nDeleted pod: p1 on node n1 (Rollout)", "nothing to do"},
		"LongNameNotCut": {"", with(cluster(0), func(s *daemonset.Snapshot) {
			s.DaemonSet.Name, s.DaemonSet.Template.Hash, s.Revisions = strings.Repeat("a", 250), "7d4c665cf7", nil
		}), nameLength, "261", "253"},
		"TerminatingNamespaceRaisesExpectations": {"", cluster(1), awaited, "1", "0"},
	}
	for name, c := range more {
		cases[name] = c
	}
}

// Each quirk shows by default. Its repair works alone, and without it all others change
// nothing.
func TestQuirks(t *testing.T) {
	cases := quirkCases()
	table := quirk.Table()
	require.Len(t, cases, len(table), "a case for each row, and no other")
	for _, row := range table {
		t.Run(row.Name, func(t *testing.T) {
			c, found := cases[row.Name]
			require.True(t, found, "no snapshot shows it")
			q, err := quirk.Parse(row.Name)
			require.NoError(t, err)
			for _, set := range []quirk.Set{0, q, quirk.All, quirk.All &^ q} {
				want := c.kept
				if set.Has(q) {
					want = c.repaired
				}
				require.Equal(t, want, c.result(t, c.s, daemonset.Options{Dialect: c.dialect, Repair: set}), "repaired: %v", set)
			}
		})
	}
}

// The table has a row for each constant, in order, and each says everything.
func TestQuirkTable(t *testing.T) {
	table := quirk.Table()
	rules, err := os.ReadFile("rules.md")
	require.NoError(t, err)
	require.Equal(t, quirk.All, quirk.Set(1)<<len(table)-1)
	for i, name := range []quirk.Set{
		quirk.OutsideNodesUseBudget, quirk.OldUnavailableNotCounted, quirk.MissingNodeStopsSurge, quirk.OlderPodsRelabelled,
		quirk.GenerationHidesHash, quirk.StatusCountsDeletedPod, quirk.SurgeIgnoresBackoff, quirk.SharesOfLastStatus,
		quirk.BurstRoundsToZero, quirk.CollisionCountNotRaised, quirk.DeletedPodCountsTwice, quirk.SucceededPodsStay,
		quirk.GateAddedTwice, quirk.PodsOfMissingNodesDeletedAgain, quirk.InPlaceRemovesAllMetadata, quirk.InPlaceLeftUnfinished,
		quirk.SurgeOnExcludedNodes, quirk.SerialisationIsVersion, quirk.LongNameNotCut, quirk.TerminatingNamespaceRaisesExpectations,
	} {
		require.Equal(t, quirk.Set(1)<<i, name)
		require.Equal(t, table[i].Name, name.String())
		require.Contains(t, string(rules), "\n- `"+table[i].Name+"`: ", "rules.md does not tell of it")
		for _, text := range []string{table[i].Upstream, table[i].Source, table[i].Input, table[i].Repair} {
			require.NotEmpty(t, text, table[i].Name)
		}
	}
	require.Equal(t, "OutsideNodesUseBudget,LongNameNotCut", (quirk.OutsideNodesUseBudget | quirk.LongNameNotCut).String())
	_, err = quirk.Parse("LongNameNotCut", "longNameNotCut")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = daemonset.Reconcile(cluster(1), t0, daemonset.Options{Repair: quirk.All + 1})
	require.EqualError(t, err, "Options.Repair: 1048576: must be quirks of the table")
	var back daemonset.Options
	require.NoError(t, json.Unmarshal([]byte(`{"repair":["LongNameNotCut"]}`), &back))
	require.Equal(t, daemonset.Options{Repair: quirk.LongNameNotCut}, back)
	require.ErrorIs(t, json.Unmarshal([]byte(`{"repair":["x"]}`), &back), kplan.ErrInvalid)
}
