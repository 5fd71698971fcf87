// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// The examples, rounded up for a limit and down for a partition.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		percent, total, up, down int32
	}{{10, 7, 1, 0}, {34, 7, 3, 2}, {0, 7, 0, 0}, {100, 0, 0, 0}, {99, 7, 7, 6}} {
		surge := daemonset.Resolve(daemonset.RollingUpdate, rollout.Percent(c.percent), rollout.Int(1), c.total)
		require.Equal(t, c.up, surge.Surge, "%d%% of %d", c.percent, c.total)
		require.Equal(t, c.down, daemonset.Burst(rollout.Percent(c.percent), c.total), "%d%% of %d", c.percent, c.total)
	}
	require.Equal(t, int32(9), daemonset.Resolve("", rollout.IntOrPercent{}, rollout.Int(9), 2).Unavailable, "a number whatever the total")
	require.Equal(t, daemonset.Budget{Desired: 3, Unavailable: 1}, daemonset.Resolve(daemonset.OnDelete, rollout.Int(2), rollout.Int(2), 3), "both 0 without a rolling update")
	require.False(t, daemonset.SurgeAllowed("", rollout.Percent(0)), "no surge")
	require.False(t, daemonset.SurgeAllowed("", rollout.IntOrPercent{}), "no surge")
}

// Neither the phase nor a deletion matters.
func TestReadiness(t *testing.T) {
	always := daemonset.Availability{Now: t0}
	for _, c := range []change{failed, succeeded, terminating, unbound} {
		p := pod("p", "n", "v1", c)
		p.Ready = true
		require.True(t, always.Available(&p))
		p.Ready = false
		require.False(t, always.Available(&p))
	}
}

// The template generation.
func TestTemplateGeneration(t *testing.T) {
	for text, want := range map[string]int64{"2": 2, "02": 2, "+2": 2, "-3": -3, "9223372036854775807": 9223372036854775807} {
		n, ok := daemonset.TemplateGeneration(map[string]string{daemonset.AnnotationGeneration: text})
		require.True(t, ok, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "x", "2.0", " 2", "9223372036854775808"} {
		_, ok := daemonset.TemplateGeneration(map[string]string{daemonset.AnnotationGeneration: text})
		require.False(t, ok, text)
	}
	_, ok := daemonset.TemplateGeneration(nil)
	require.False(t, ok)
}

// Either is enough.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		why                    string
		hash, annotation       string
		podHash, podGeneration string
		want                   bool
	}{
		{"the hash", "v2", "", "v2", "", true},
		{"another hash", "v2", "", "v1", "", false},
		{"the generation, with a wrong hash", "v2", "2", "v1", "2", true},
		{"the hash, with a wrong generation", "v2", "2", "v2", "1", true},
		{"neither", "v2", "2", "v1", "1", false},
		{"text that is not that of the number", "v2", "2", "v1", "02", false},
		{"the annotation is read as a number", "v2", "02", "v1", "2", true},
		{"no generation", "v2", "x", "v1", "x", false},
		{"no hash matches nothing, not even a pod without one", "", "", "", "", false},
	} {
		annotations, labels := map[string]string{}, map[string]string{}
		for _, put := range []struct {
			m          map[string]string
			key, value string
		}{{annotations, daemonset.AnnotationGeneration, c.annotation}, {labels, daemonset.LabelHash, c.podHash}, {labels, daemonset.LabelGeneration, c.podGeneration}} {
			if put.value != "" {
				put.m[put.key] = put.value
			}
		}
		require.Equal(t, c.want, daemonset.NewVersion(c.hash, annotations).Current(labels), c.why)
	}
}

// Bound, then older, then by name; readiness and phase play no part.
func TestCompareAge(t *testing.T) {
	order := []daemonset.Pod{
		pod("d", "n", "v1", aged(3*time.Hour), failed), pod("a", "n", "v1", aged(2*time.Hour), unready), pod("b", "n", "v1", aged(2*time.Hour)),
		pod("c", "n", "v1", aged(time.Hour)), pod("0", "n", "v1", aged(4*time.Hour), unbound), pod("1", "n", "v1", aged(time.Hour), unbound),
	}
	for i := range order {
		for j := range order {
			got := daemonset.CompareAge(&order[i], &order[j])
			require.Equal(t, [2]bool{i < j, i > j}, [2]bool{got < 0, got > 0}, "%s, %s", order[i].Name, order[j].Name)
		}
	}
}

func fields(requirements ...selector.Expression) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchFields: requirements}
}

func named(op selector.Operator, values ...string) selector.Expression {
	return selector.Expression{Key: selector.FieldName, Operator: op, Values: values}
}

// textOf returns the text of an error, "" for nil.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The node of a pod, pinning.
func TestTargetNode(t *testing.T) {
	of := func(terms ...selector.NodeSelectorTerm) *selector.NodeSelector {
		return &selector.NodeSelector{Terms: terms}
	}
	for _, c := range []struct {
		why, bound string
		required   *selector.NodeSelector
		want       string
		err        string
	}{
		{"bound", "m", of(fields(named(selector.In, "n"))), "m", ""},
		{"pinned", "", daemonset.Pin("n"), "n", ""},
		{"the first one that names a node", "", of(in("zone", "a"), fields(named(selector.NotIn, "x"), named(selector.In, "n"), named(selector.In, "m"))), "n", ""},
		{"two nodes: later terms are not tried", "", of(fields(named(selector.In, "a", "b")), fields(named(selector.In, "n"))), "", "more than one node"},
		{"no node at all", "", of(fields(named(selector.In))), "", "more than one node"},
		{"no affinity", "", nil, "", "no required node affinity"},
		{"no terms", "", of(), "", "no node selector terms"},
		{"another field", "", of(fields(selector.Expression{Key: "metadata.uid", Operator: selector.In, Values: []string{"n"}})), "", "no node is named"},
	} {
		got, err := daemonset.TargetNode(c.bound, c.required)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.err, textOf(err), c.why)
	}
	require.Equal(t, of(fields(named(selector.In, "n"))), daemonset.Pin("n"), "one term with one requirement")
}

// The table.
func TestDefaultTolerationsTable(t *testing.T) {
	var want []daemonset.Toleration
	for _, row := range []struct {
		key    string
		effect daemonset.Effect
	}{
		{"node.kubernetes.io/not-ready", daemonset.NoExecute}, {"node.kubernetes.io/unreachable", daemonset.NoExecute},
		{"node.kubernetes.io/disk-pressure", daemonset.NoSchedule}, {"node.kubernetes.io/memory-pressure", daemonset.NoSchedule},
		{"node.kubernetes.io/pid-pressure", daemonset.NoSchedule}, {"node.kubernetes.io/unschedulable", daemonset.NoSchedule},
		{"node.kubernetes.io/network-unavailable", daemonset.NoSchedule},
	} {
		want = append(want, daemonset.Toleration{Key: row.key, Operator: daemonset.TolerationExists, Effect: row.effect})
	}
	require.Empty(t, cmp.Diff(want, daemonset.DefaultTolerations(nil, true)))
	require.Empty(t, cmp.Diff(want[:6], daemonset.DefaultTolerations(nil, false)), "the network is tolerated on the host's only")
	user := daemonset.Toleration{Key: "mine", Value: "x"}
	require.Empty(t, cmp.Diff(append([]daemonset.Toleration{user}, want[:6]...), daemonset.DefaultTolerations([]daemonset.Toleration{user}, false)), "defaults go to the end")
	for _, taint := range want {
		require.Equal(t, taint.Effect == daemonset.NoExecute, slices.Contains([]string{want[0].Key, want[1].Key}, taint.Key))
		placer := daemonset.NewPlacer(&daemonset.Template{HostNetwork: true}, daemonset.Options{})
		require.True(t, placer.Place(&daemonset.Node{Name: "n", Taints: []daemonset.Taint{{Key: taint.Key, Effect: taint.Effect}}}).ShouldRun, taint.Key)
	}
}

// What a term may ask for.
func TestAffinityTerms(t *testing.T) {
	label := func(key string, op selector.Operator, values ...string) selector.NodeSelectorTerm {
		return selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: key, Operator: op, Values: values}}}
	}
	both := label("zone", selector.In, "a")
	both.MatchFields = []selector.Expression{named(selector.In, "n")}
	elsewhere := both
	elsewhere.MatchFields = []selector.Expression{named(selector.In, "m")}
	two := selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{
		{Key: "zone", Operator: selector.In, Values: []string{"a"}}, {Key: "cpu", Operator: selector.Gt, Values: []string{"8"}},
	}}
	node := daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a", "cpu": "8", "text": "x"}}
	for _, c := range []struct {
		why  string
		term selector.NodeSelectorTerm
		want bool
	}{
		{"a term that asks nothing matches nothing", selector.NodeSelectorTerm{}, false},
		{"labels and fields", both, true}, {"labels, but another node", elsewhere, false}, {"only one of two", two, false},
		{"In", label("zone", selector.In, "b", "a"), true}, {"In, other values", label("zone", selector.In, "b"), false}, {"In, absent", label("no", selector.In, "a"), false},
		{"NotIn, absent", label("no", selector.NotIn, "a"), true}, {"NotIn, other values", label("zone", selector.NotIn, "b"), true}, {"NotIn, listed", label("zone", selector.NotIn, "a"), false},
		{"Exists", label("zone", selector.Exists), true}, {"Exists, absent", label("no", selector.Exists), false},
		{"DoesNotExist", label("no", selector.DoesNotExist), true}, {"DoesNotExist, present", label("zone", selector.DoesNotExist), false},
		{"Gt", label("cpu", selector.Gt, "7"), true}, {"Gt is strict", label("cpu", selector.Gt, "8"), false}, {"Gt, no number", label("text", selector.Gt, "1"), false},
		{"Gt, absent", label("no", selector.Gt, "1"), false}, {"Lt", label("cpu", selector.Lt, "9"), true}, {"Lt is strict", label("cpu", selector.Lt, "8"), false},
		{"a field, NotIn", fields(named(selector.NotIn, "m")), true}, {"a field, NotIn this one", fields(named(selector.NotIn, "n")), false},
		{"an unknown field reads as nothing", fields(selector.Expression{Key: "metadata.uid", Operator: selector.In, Values: []string{"n"}}), false},
		{"which is not this", fields(selector.Expression{Key: "metadata.uid", Operator: selector.NotIn, Values: []string{"n"}}), true},
		{"wrong: a field with two values", fields(named(selector.In, "n", "m")), false}, {"wrong: a field that exists", fields(named(selector.Exists)), false},
		{"wrong: an operator", label("zone", "Near", "a"), false}, {"wrong: In without values", label("zone", selector.In), false},
		{"wrong: NotIn without values", label("no", selector.NotIn), false}, {"wrong: Exists with values", label("zone", selector.Exists, "a"), false},
		{"wrong: DoesNotExist with values", label("no", selector.DoesNotExist, "a"), false}, {"wrong: Gt with two", label("cpu", selector.Gt, "1", "2"), false},
		{"wrong: Gt with text", label("cpu", selector.Gt, "x"), false}, {"wrong: a key", label("a b", selector.DoesNotExist), false},
		{"wrong: a value", label("no", selector.NotIn, "a b"), false},
	} {
		template := daemonset.Template{Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{c.term}}}
		placer := daemonset.NewPlacer(&template, daemonset.Options{})
		got := placer.Place(&node)
		require.Equal(t, c.want, got.ShouldRun, c.why)
		require.Equal(t, c.want, got.ShouldContinueRunning, c.why)
		template.Affinity.Terms = append(template.Affinity.Terms, both)
		placer = daemonset.NewPlacer(&template, daemonset.Options{})
		require.True(t, placer.Place(&node).ShouldRun, "%s: the other term still can", c.why)
	}
}

// The operators behind a gate that is off, and effects.
func TestToleratesRest(t *testing.T) {
	x := daemonset.Taint{Key: "k", Value: "1", Effect: daemonset.NoExecute}
	for _, c := range []struct {
		why  string
		t    daemonset.Toleration
		want bool
	}{
		{"Lt", daemonset.Toleration{Key: "k", Operator: "Lt", Value: "2"}, false},
		{"an operator that nobody knows", daemonset.Toleration{Key: "k", Operator: "Near", Value: "1"}, false},
		{"the effect", daemonset.Toleration{Key: "k", Value: "1", Effect: daemonset.NoExecute}, true},
		{"seconds do not matter", daemonset.Toleration{Operator: daemonset.TolerationExists, Seconds: ptr.To(int64(0))}, true},
	} {
		require.Equal(t, c.want, c.t.Tolerates(x), c.why)
	}
}
