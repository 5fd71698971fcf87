// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// TestQuirks: every quirk of every planner is listed with all that is known, in text of 80
// columns and as JSON.
func TestQuirks(t *testing.T) {
	text := succeed(t, nil, "quirks")
	golden(t, data+"golden/quirks.txt", []byte(text))
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
	var list struct{ Items []view.Quirks }
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "quirks", "-o", "json")), &list))
	require.Equal(t, quirks(), list.Items)
	words := strings.Join(strings.Fields(text), " ")
	for _, p := range list.Items {
		require.NotEmpty(t, p.Quirks, p.Kind)
		for _, q := range p.Quirks {
			for _, field := range []string{q.Name, q.Upstream, q.Source, q.Issue, q.Input, q.Repair} {
				require.Contains(t, words, strings.Join(strings.Fields(field), " "), "%s of %s", q.Name, p.Kind)
			}
		}
	}
}

// TestRepairNames: each name goes to all planners that know it, and to no other.
func TestRepairNames(t *testing.T) {
	for _, name := range quirkNames() {
		r := repairs{}
		require.NoError(t, (*repairNames)(&r).Set(name))
		require.NoError(t, (*repairNames)(&r).Set(name), "repeated")
		for _, p := range quirks() {
			knows := slices.ContainsFunc(p.Quirks, func(q kplan.Quirk) bool { return q.Name == name })
			want := []string(nil)
			if knows {
				want = []string{"--repair=" + name}
			}
			require.Equal(t, want, r.flags(p.Quirks), p.Kind)
			require.Equal(t, strings.TrimPrefix(strings.Join(want, ""), "--repair="), setsOf(&r)[p.Kind].String(), p.Kind)
		}
	}
	all := repairs{all: true, names: []string{"x"}}
	require.Equal(t, []string{"--corrected"}, all.flags())
	require.Equal(t, replicaset.RepairAll, all.replicaSets())
	require.Equal(t, daemonset.RepairAll, all.daemonSets())
	require.Zero(t, new(repairs).replicaSets())
}

// setsOf returns what each planner is asked to repair.
func setsOf(r *repairs) map[string]fmt.Stringer {
	return map[string]fmt.Stringer{
		"Deployment": r.deployments(), "ReplicaSet": r.replicaSets(), "DaemonSet": r.daemonSets(), "Rollout": r.rollouts(),
		"Rollout of Argo": r.argoRollouts(),
	}
}

func TestRepairIsCompleted(t *testing.T) {
	name := replicaset.FailureConditionNotRefreshed.String()
	require.Equal(t, name+"\n:4\n", succeed(t, nil, "__complete", "plan", "--repair", name[:10]))
	for _, command := range []string{"plan", "explain", "simulate", "undo"} {
		require.Equal(t, strings.Join(quirkNames(), "\n")+"\n:4\n", succeed(t, nil, "__complete", command, "--repair", ""), "wherever --corrected is")
	}
	require.Equal(t, "text\nwide\njson\nyaml\nname\n:4\n", succeed(t, nil, "__complete", "quirks", "-o", ""))
}

func TestNearest(t *testing.T) {
	require.Equal(t, "SucceededPodsStay", nearest("succededpodstay", quirkNames()), "letters of either size")
}

// TestRepairReaches: a single repair has its effect on the planner that knows it, another
// has none, and the output says that it is not what Kubernetes does.
func TestRepairReaches(t *testing.T) {
	ended := itemsOf(t, "daemonset/partition.yaml")
	for _, object := range ended {
		if o := object.(map[string]any); o["kind"] == "Pod" {
			o["status"].(map[string]any)["phase"] = "Succeeded"
		}
	}
	for _, c := range []struct {
		command string
		objects []any
		repair  string
	}{
		{"simulate --time-limit 1h", withoutReadyTimes(t), "RecheckWithoutReadyTime"},
		{"explain", itemsOf(t, "live/stuck-annotation.yaml"), "StaleAnnotationBlocksRollout"},
		{"simulate --time-limit 1h", itemsOf(t, "live/stuck-annotation.yaml"), "StaleAnnotationBlocksRollout"},
		{"plan", ended, "SucceededPodsStay"},
		{"simulate --time-limit 1h", ended, "SucceededPodsStay"},
	} {
		t.Run(c.command+" "+c.repair, func(t *testing.T) {
			upstream, _ := runText(t, c.command, c.objects)
			repaired, _ := runText(t, c.command+" --repair "+c.repair, c.objects)
			others := c.command
			for _, name := range quirkNames() {
				if name != c.repair {
					others += " --repair " + name
				}
			}
			other, _ := runText(t, others, c.objects)
			whose := "Kubernetes"
			if c.repair == "SucceededPodsStay" { // of an Advanced DaemonSet
				whose = "OpenKruise"
			}
			require.Contains(t, repaired, "With --repair="+c.repair+", unlike "+whose+".\n")
			// Without what says how it was called.
			answer := func(text string) string {
				if _, after, ok := strings.Cut(text, ", unlike "+whose+".\n"); ok {
					return strings.TrimSpace(after)
				}
				return strings.TrimSpace(text)
			}
			require.NotContains(t, repaired, strings.TrimSpace(upstream))
			require.NotEqual(t, answer(other), answer(repaired), "not by another")
		})
	}
}

// TestRevisionQuirks: the command knows the quirks of package revision that a planner
// reaches, under the planner's row. The others are of functions that it does not call, or of
// ReplicaSets' annotations, which package deploy keeps as upstream writes them.
func TestRevisionQuirks(t *testing.T) {
	var unreached []string
	for _, q := range revision.QuirkTable() {
		if !slices.Contains(quirkNames(), q.Name) {
			unreached = append(unreached, q.Name)
		}
	}
	require.Equal(t, []string{"UnreadableRevisionFreezes", "DataBesideObjectNotHashed", "CollisionLabelDiffers", "UnsetCollisionCountFails"}, unreached)
}
