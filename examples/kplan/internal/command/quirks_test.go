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
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	revisionquirk "github.com/kplan-go/kplan/revision/quirk"
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
	require.Equal(t, subject.Quirks(), list.Items)
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
	for _, name := range subject.QuirkNames() {
		r := subject.Repairs{}
		require.NoError(t, (*subject.RepairNames)(&r).Set(name))
		require.NoError(t, (*subject.RepairNames)(&r).Set(name), "repeated")
		for _, p := range subject.Quirks() {
			knows := slices.ContainsFunc(p.Quirks, func(q kplan.Quirk) bool { return q.Name == name })
			want := []string(nil)
			if knows {
				want = []string{"--repair=" + name}
			}
			require.Equal(t, want, r.Flags(p.Quirks), p.Kind)
			require.Equal(t, strings.TrimPrefix(strings.Join(want, ""), "--repair="), setsOf(&r)[p.Kind].String(), p.Kind)
		}
	}
	all := subject.Repairs{All: true, Names: []string{"x"}}
	require.Equal(t, []string{"--corrected"}, all.Flags())
	require.Equal(t, replicasetquirk.All, all.ReplicaSets())
	require.Equal(t, daemonsetquirk.All, all.DaemonSets())
	require.Zero(t, new(subject.Repairs).ReplicaSets())
}

// setsOf returns what each planner is asked to repair.
func setsOf(r *subject.Repairs) map[string]fmt.Stringer {
	return map[string]fmt.Stringer{
		"Deployment": r.Deployments(), "ReplicaSet": r.ReplicaSets(), "DaemonSet": r.DaemonSets(), "Rollout": r.Rollouts(),
		"Rollout of Argo": r.ArgoRollouts(),
	}
}

func TestRepairIsCompleted(t *testing.T) {
	name := replicasetquirk.FailureConditionNotRefreshed.String()
	require.Equal(t, name+"\n:4\n", succeed(t, nil, "__complete", "plan", "--repair", name[:10]))
	for _, command := range []string{"plan", "explain", "simulate", "undo"} {
		require.Equal(t, strings.Join(subject.QuirkNames(), "\n")+"\n:4\n", succeed(t, nil, "__complete", command, "--repair", ""), "wherever --corrected is")
	}
	require.Equal(t, "text\nwide\njson\nyaml\nname\n:4\n", succeed(t, nil, "__complete", "quirks", "-o", ""))
}

func TestNearest(t *testing.T) {
	require.Equal(t, "SucceededPodsStay", subject.Nearest("succededpodstay", subject.QuirkNames()), "letters of either size")
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
			for _, name := range subject.QuirkNames() {
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
	for _, q := range revisionquirk.Table() {
		if !slices.Contains(subject.QuirkNames(), q.Name) {
			unreached = append(unreached, q.Name)
		}
	}
	require.Equal(t, []string{"UnreadableRevisionFreezes", "DataBesideObjectNotHashed", "CollisionLabelDiffers", "UnsetCollisionCountFails"}, unreached)
}
