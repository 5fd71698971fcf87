// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
)

func onLabels(es ...selector.Expression) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchExpressions: es}
}

func onFields(es ...selector.Expression) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchFields: es}
}

func terms(ts ...selector.NodeSelectorTerm) *selector.NodeSelector {
	return &selector.NodeSelector{Terms: ts}
}

func TestNodeMatcher(t *testing.T) {
	const operators = `supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`
	z := func(v string) map[string]string { return map[string]string{"z": v} }
	bad := onLabels(expression("z", "bad"))
	badText := `nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "bad": ` + operators
	named := onFields(expression(selector.FieldName, selector.In, "n"))
	tests := []struct {
		why    string
		ns     *selector.NodeSelector
		name   string
		labels map[string]string
		want   bool
		lazy   string // the error of Match
		strict string // that of CompileNodeSelector
	}{
		{"nil", nil, "n", nil, false, "", ""},
		{"no terms", terms(), "n", nil, false, "", ""},
		{"an empty term", terms(selector.NodeSelectorTerm{}), "n", nil, false, "", ""},
		{"Gt, more", terms(onLabels(expression("z", selector.Gt, "5"))), "n", z("6"), true, "", ""},
		{"Gt, no number", terms(onLabels(expression("z", selector.Gt, "5"))), "n", z("x"), false, "", ""},
		{"Gt, absent", terms(onLabels(expression("z", selector.Gt, "5"))), "n", nil, false, "", ""},
		{"Lt", terms(onLabels(expression("z", selector.Lt, "5"))), "n", z("4"), true, "", ""},
		{"NotIn, absent", terms(onLabels(expression("z", selector.NotIn, "5"))), "n", nil, true, "", ""},
		{"all expressions of a term", terms(onLabels(expression("z", selector.Exists), expression("z", selector.NotIn, "5"))), "n", z("5"), false, "", ""},
		{"any term", terms(onLabels(expression("z", selector.In, "1")), onLabels(expression("z", selector.In, "2"))), "n", z("2"), true, "", ""},
		{"the name", terms(named), "n", nil, true, "", ""},
		{"another name", terms(named), "m", nil, false, "", ""},
		{"no name satisfies every condition on it", terms(named), "", nil, true, "", ""},
		{"NotIn the name", terms(onFields(expression(selector.FieldName, selector.NotIn, "n"))), "n", nil, false, "", ""},
		{"NotIn another", terms(onFields(expression(selector.FieldName, selector.NotIn, "n"))), "m", nil, true, "", ""},
		{"a field that no node has is empty", terms(onFields(expression("metadata.namespace", selector.In, ""))), "n", nil, true, "", ""},
		{"and nothing else", terms(onFields(expression("metadata.namespace", selector.In, "x"))), "n", nil, false, "", ""},
		{"NotIn on it is always true", terms(onFields(expression("metadata.namespace", selector.NotIn, "x"))), "n", nil, true, "", ""},
		{"labels and fields", terms(selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{expression("z", selector.Exists)}, MatchFields: named.MatchFields}), "n", nil, false, "", ""},
		{"a wrong term does not hide a right one", terms(bad, onLabels(expression("z", selector.In, "b"))), "n", z("b"), true, "", badText},
		{"its error shows if no term matches", terms(bad, onLabels(expression("z", selector.In, "c"))), "n", z("b"), false, badText, badText},
		{
			"only In and NotIn on fields", terms(onFields(expression(selector.FieldName, selector.Exists))), "n", nil, false,
			`nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"`,
			`nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"`,
		},
		{
			"one value on fields", terms(onFields(expression(selector.FieldName, selector.In, "a", "b"))), "n", nil, false,
			`nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element`,
			`nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element`,
		},
		{
			"paths count empty terms", terms(selector.NodeSelectorTerm{}, onLabels(expression("z", selector.Exists), expression("-", selector.Gt, "x"))), "n", nil, false,
			`[nodeSelectorTerms[1].matchExpressions[1].key: Invalid value: "-": ` + k1 + `, nodeSelectorTerms[1].matchExpressions[1].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer]`,
			`[nodeSelectorTerms[1].matchExpressions[1].key: Invalid value: "-": ` + k1 + `, nodeSelectorTerms[1].matchExpressions[1].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer]`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			m := selector.NewNodeMatcher(tt.ns)
			got, err := m.Match(tt.name, tt.labels)
			require.Equal(t, tt.want, got)
			requireText(t, tt.lazy, err)
			requireText(t, tt.strict, m.Err())
			_, err = selector.CompileNodeSelector(tt.ns)
			requireText(t, tt.strict, err)
		})
	}
}

func requireText(t *testing.T, want string, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, want)
	require.ErrorIs(t, err, kplan.ErrInvalid)
}

func TestNodeMatcher_copiesValues(t *testing.T) {
	ns := terms(onLabels(expression("z", selector.In, "a", "b")))
	m := selector.NewNodeMatcher(ns)
	ns.Terms[0].MatchExpressions[0].Values[0] = "c"
	ok, err := m.Match("n", map[string]string{"z": "a"})
	require.NoError(t, err)
	require.True(t, ok)
}

// A pod may run where its nodeSelector and its required affinity allow.
func TestNodeAffinity(t *testing.T) {
	z := map[string]string{"z": "a"}
	bad := terms(onLabels(expression("z", "bad")))
	tests := []struct {
		why      string
		selector map[string]string
		required *selector.NodeSelector
		want     bool
		err      bool
	}{
		{"nothing demanded", nil, nil, true, false},
		{"an empty nodeSelector demands nothing", map[string]string{}, nil, true, false},
		{"nodeSelector", z, nil, true, false},
		{"another value", map[string]string{"z": "b"}, nil, false, false},
		{"nodeSelector is not validated", map[string]string{"not a key": ""}, nil, false, false},
		{"affinity with zero terms refuses all", nil, terms(), false, false},
		{"both", z, terms(onLabels(expression("z", selector.Exists))), true, false},
		{"affinity only", nil, terms(onLabels(expression("z", selector.DoesNotExist))), false, false},
		{"an error shows", z, bad, false, true},
		{"unless nodeSelector refuses first", map[string]string{"z": "b"}, bad, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := selector.NewNodeAffinity(tt.selector, tt.required).Match("n", z)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.err, err != nil)
		})
	}
	ok, err := selector.NodeAffinity{}.Match("n", nil)
	require.NoError(t, err)
	require.True(t, ok, "the zero NodeAffinity accepts every node")
}

// A node scores the weights of the preferred terms that hold.
func TestPreferences(t *testing.T) {
	p, err := selector.NewPreferences([]selector.Preference{
		{Weight: 3, Preference: onLabels(expression("z", selector.Exists))},
		{Weight: 5, Preference: onFields(expression(selector.FieldName, selector.In, "n"))},
		{Weight: 0, Preference: onLabels(expression("z", "not even read"))},
		{Weight: 7, Preference: selector.NodeSelectorTerm{}},
		{Weight: -1, Preference: onLabels(expression("y", selector.DoesNotExist))},
	})
	require.NoError(t, err)
	require.Equal(t, int64(7), p.Score("n", map[string]string{"z": ""}))
	require.Equal(t, int64(4), p.Score("n", nil))
	require.Equal(t, int64(0), p.Score("m", map[string]string{"y": ""}))

	_, err = selector.NewPreferences([]selector.Preference{
		{Weight: 1, Preference: onLabels(expression("z", selector.Exists))},
		{Weight: 1, Preference: onLabels(expression("z", "bad"))},
	})
	require.EqualError(t, err, `[1].matchExpressions[0].operator: Unsupported value: "bad": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`)
}
