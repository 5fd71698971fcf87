// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
)

func TestValidate(t *testing.T) {
	const p = "spec.selector"
	const must = "must be specified when `operator` is 'In' or 'NotIn'"
	const mayNot = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
	lax := selector.ValidateOptions{AllowUnknownOperators: true, AllowInvalidValues: true}
	tests := []struct {
		why  string
		ls   *selector.LabelSelector
		opts selector.ValidateOptions
		want string
	}{
		{"nil is right: its owner decides whether it must be", nil, selector.ValidateOptions{}, ""},
		{"all kinds", &selector.LabelSelector{
			MatchLabels:      map[string]string{"a": ""},
			MatchExpressions: []selector.Expression{expression("b", selector.In, "x"), expression("b", selector.NotIn, ""), expression("c", selector.Exists), expression("d", selector.DoesNotExist)},
		}, selector.ValidateOptions{}, ""},
		{
			"labels in the order of the keys, one error for each message",
			&selector.LabelSelector{MatchLabels: map[string]string{"b": "-", "": "x"}}, selector.ValidateOptions{},
			"[" + p + `.matchLabels: Invalid value: "": name part must be non-empty, ` + p + `.matchLabels: Invalid value: "": ` + k1 + ", " + p + `.matchLabels: Invalid value: "-": ` + v1 + "]",
		},
		{"In without values", expressions(expression("a", selector.In)), selector.ValidateOptions{}, p + ".matchExpressions[0].values: Required value: " + must},
		{"NotIn without values", expressions(expression("a", selector.NotIn)), selector.ValidateOptions{}, p + ".matchExpressions[0].values: Required value: " + must},
		{"Exists with values", expressions(expression("z", selector.Exists), expression("a", selector.Exists, "x")), selector.ValidateOptions{}, p + ".matchExpressions[1].values: Forbidden: " + mayNot},
		{"DoesNotExist with values", expressions(expression("a", selector.DoesNotExist, "x")), selector.ValidateOptions{}, p + ".matchExpressions[0].values: Forbidden: " + mayNot},
		{"an operator of node selectors", expressions(expression("a", selector.Gt, "1")), selector.ValidateOptions{}, p + `.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator`},
		{"that is allowed", expressions(expression("a", selector.Gt, "1")), lax, ""},
		{"key and value", expressions(expression("-", selector.In, "x", "_")), selector.ValidateOptions{}, "[" + p + `.matchExpressions[0].key: Invalid value: "-": ` + k1 + ", " + p + `.matchExpressions[0].values[1]: Invalid value: "_": ` + v1 + "]"},
		{"values that are allowed", expressions(expression("-", selector.In, "x", "_")), lax, p + `.matchExpressions[0].key: Invalid value: "-": ` + k1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			err := selector.Validate(tt.ls, p, tt.opts)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
			require.ErrorIs(t, err, kplan.ErrInvalid)
		})
	}
	require.EqualError(t, selector.Validate(expressions(expression("a", selector.In)), "", selector.ValidateOptions{}),
		"matchExpressions[0].values: Required value: "+must, "without a path")
	require.ErrorIs(t, selector.Validate(expressions(expression("a", selector.In)), p, selector.ValidateOptions{}), selector.ErrRequired)
	require.ErrorIs(t, selector.Validate(expressions(expression("a", selector.Exists, "x")), p, selector.ValidateOptions{}), selector.ErrForbidden)
}

func TestValidateWorkload(t *testing.T) {
	app := map[string]string{"app": "web"}
	tests := []struct {
		why  string
		ls   *selector.LabelSelector
		want string
	}{
		{"right", selector.FromLabels(app), ""},
		{
			"missing, and so it selects nothing", nil,
			"[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template `labels`]",
		},
		{"as many labels as expressions are not empty", &selector.LabelSelector{MatchLabels: app, MatchExpressions: expressions(expression("app", selector.Exists)).MatchExpressions}, ""},
		{"empty", &selector.LabelSelector{}, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"},
		{
			"does not select what it creates", selector.FromLabels(map[string]string{"app": "db"}),
			"spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template `labels`",
		},
		{
			"wrong", expressions(expression("a", selector.In)),
			"[spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', " +
				`spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}: invalid label selector]`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			err := selector.ValidateWorkload(tt.ls, app, selector.ValidateOptions{})
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestValidateNodeSelector(t *testing.T) {
	const p = "spec.nodeSelectorTerms[0]."
	term := func(es ...selector.Expression) *selector.NodeSelector {
		return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: es}}}
	}
	fields := func(es ...selector.Expression) *selector.NodeSelector {
		return &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchFields: es}}}
	}
	const single = "must be specified single value when `operator` is 'Lt' or 'Gt'"
	const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
	tests := []struct {
		why  string
		ns   *selector.NodeSelector
		want string
	}{
		{"nil", nil, ""},
		{"no terms", &selector.NodeSelector{}, "spec.nodeSelectorTerms: Required value: must have at least one node selector term"},
		{"an empty term is allowed", &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{}}}, ""},
		{"whether the value is an integer is not checked", term(expression("a", selector.Gt, "x")), ""},
		{"Gt with two values", term(expression("a", selector.Gt, "1", "2")), p + "matchExpressions[0].values: Required value: " + single},
		{"Lt with none", term(expression("a", selector.Lt)), p + "matchExpressions[0].values: Required value: " + single},
		{"In with none", term(expression("a", selector.In)), p + "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"},
		{"unknown operator", term(expression("a", "x")), p + `matchExpressions[0].operator: Invalid value: "x": not a valid selector operator`},
		{"a wrong value", term(expression("a", selector.In, "-")), p + `matchExpressions[0].values[0]: Invalid value: "-": ` + v1},
		{"the name", fields(expression(selector.FieldName, selector.In, "n1")), ""},
		{"two names", fields(expression(selector.FieldName, selector.NotIn, "n1", "n2")), p + "matchFields[0].values: Required value: " + one},
		{"an operator that fields do not have", fields(expression(selector.FieldName, selector.Exists)), p + `matchFields[0].operator: Invalid value: "Exists": not a valid selector operator`},
		{"another field", fields(expression("metadata.namespace", selector.In, "n1")), p + `matchFields[0].key: Invalid value: "metadata.namespace": not a valid field selector key`},
		{"too long for a name, in the words of names", fields(expression(selector.FieldName, selector.In, strings.Repeat("n", 254))), p + `matchFields[0].values[0]: Invalid value: "` + strings.Repeat("n", 254) + `": must be no more than 253 characters`},
		{"253 bytes fit", fields(expression(selector.FieldName, selector.In, strings.Repeat("n", 253))), ""},
		{"no name of a node", fields(expression(selector.FieldName, selector.In, "Up")), p + `matchFields[0].values[0]: Invalid value: "Up": ` + d1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			err := selector.ValidateNodeSelector(tt.ns, "spec", selector.ValidateOptions{AllowUnknownOperators: true})
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
		})
	}
	require.NoError(t, selector.ValidateNodeSelector(term(expression("a", selector.In, "-")), "spec", selector.ValidateOptions{AllowInvalidValues: true}))
}
