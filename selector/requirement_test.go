// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func TestNewRequirement_errors(t *testing.T) {
	const in = "for 'in', 'notin' operators, values set can't be empty"
	const exact = "exact-match compatibility requires one single value"
	const none = "values set must be empty for exists and does not exist"
	const one = "for 'Gt', 'Lt' operators, exactly one value is required"
	const integer = "for 'Gt', 'Lt' operators, the value must be an integer"
	const ops = `supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"`
	tests := []struct {
		why    string
		key    string
		op     selector.Op
		values []string
		want   string
	}{
		{"in with values", "a", selector.OpIn, []string{"x", "x"}, ""},
		{"in with the empty value", "a", selector.OpIn, []string{""}, ""},
		{"in without values; a nil list is null", "a", selector.OpIn, nil, "values: Invalid value: null: " + in},
		{"an empty list is []", "a", selector.OpNotIn, []string{}, "values: Invalid value: []: " + in},
		{"= with no value", "a", selector.OpEquals, nil, "values: Invalid value: null: " + exact},
		{"== with two", "a", selector.OpDoubleEquals, []string{"x", "y"}, `values: Invalid value: ["x","y"]: ` + exact},
		{"!= with two", "a", selector.OpNotEquals, []string{"x", "y"}, `values: Invalid value: ["x","y"]: ` + exact},
		{"exists with a value", "a", selector.OpExists, []string{"x"}, `values: Invalid value: ["x"]: ` + none},
		{"! with a value", "a", selector.OpDoesNotExist, []string{"x"}, `values: Invalid value: ["x"]: ` + none},
		{"gt with none", "a", selector.OpGreater, nil, "values: Invalid value: null: " + one},
		{"gt with leading zeros", "a", selector.OpGreater, []string{"01"}, ""},
		{"gt with a word", "a", selector.OpGreater, []string{"x"}, `values[0]: Invalid value: "x": ` + integer},
		{"gt beyond 64 bits", "a", selector.OpGreater, []string{"9223372036854775808"}, `values[0]: Invalid value: "9223372036854775808": ` + integer},
		{"a sign is an integer but no label value", "a", selector.OpLess, []string{"+1"}, `values[0][a]: Invalid value: "+1": ` + v1},
		{"so bounds are never negative", "a", selector.OpLess, []string{"-5"}, `values[0][a]: Invalid value: "-5": ` + v1},
		{
			"lt with two values: their number, then each", "a", selector.OpLess, []string{"1", "x"},
			`[values: Invalid value: ["1","x"]: ` + one + `, values[1]: Invalid value: "x": ` + integer + "]",
		},
		{"another operator", "a", "In", nil, `operator: Unsupported value: "In": ` + ops},
		{"a named string is JSON, with its escapes", "a", "<", nil, "operator: Unsupported value: \"\\u003c\": " + ops},
		{"messages of one key are joined", "", selector.OpExists, nil, `key: Invalid value: "": name part must be non-empty; ` + k1},
		{
			"all at once, in order: key, number, values", "-", selector.OpEquals, []string{"-", "x"},
			`[key: Invalid value: "-": ` + k1 + `, values: Invalid value: ["-","x"]: ` + exact + `, values[0][-]: Invalid value: "-": ` + v1 + "]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r, err := selector.NewRequirement(tt.key, tt.op, tt.values)
			if tt.want == "" {
				require.NoError(t, err)
				require.Equal(t, tt.key, r.Key())
				require.Equal(t, tt.op, r.Op())
				require.Equal(t, tt.values, r.Values())
				return
			}
			require.EqualError(t, err, tt.want)
			require.ErrorIs(t, err, kplan.ErrInvalid)
			var field *kplan.FieldError
			require.ErrorAs(t, err, &field)
			require.NotEmpty(t, field.Path)
			require.Equal(t, selector.Requirement{}, r)
		})
	}
}

func TestRequirement_copiesValues(t *testing.T) {
	values := []string{"x", "y"}
	r, err := selector.NewRequirement("a", selector.OpIn, values)
	require.NoError(t, err)
	values[0] = "z"
	r.Values()[1] = "z"
	require.Equal(t, "a in (x,y)", r.String())
}

// One row of the table of section "matching": a requirement and one label.
func TestRequirement_matches(t *testing.T) {
	absent := map[string]string{"other": "x"}
	is := func(v string) map[string]string { return map[string]string{"k": v} }
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("m%d", i)
	}
	tests := []struct {
		why    string
		op     selector.Op
		values []string
		labels map[string]string
		want   bool
	}{
		{"in, absent", selector.OpIn, []string{"x", "y"}, absent, false},
		{"in, listed", selector.OpIn, []string{"x", "y"}, is("y"), true},
		{"in, not listed", selector.OpIn, []string{"x", "y"}, is("z"), false},
		{"in one, listed", selector.OpIn, []string{"x"}, is("x"), true},
		{"in the empty value is not absence", selector.OpIn, []string{""}, absent, false},
		{"in the empty value", selector.OpIn, []string{""}, is(""), true},
		{"in many, listed", selector.OpIn, many, is("m39"), true},
		{"in many, not listed", selector.OpIn, many, is("m40"), false},
		{"= absent", selector.OpEquals, []string{"x"}, absent, false},
		{"= empty is not absence", selector.OpEquals, []string{""}, absent, false},
		{"= equal", selector.OpEquals, []string{"x"}, is("x"), true},
		{"== other", selector.OpDoubleEquals, []string{"x"}, is("X"), false},
		{"notin, absent: yes", selector.OpNotIn, []string{"1"}, absent, true},
		{"notin, listed", selector.OpNotIn, []string{"1"}, is("1"), false},
		{"notin, empty", selector.OpNotIn, []string{"1"}, is(""), true},
		{"notin two, listed", selector.OpNotIn, []string{"1", "2"}, is("2"), false},
		{"notin two, absent", selector.OpNotIn, []string{"1", "2"}, absent, true},
		{"notin many, listed", selector.OpNotIn, many, is("m0"), false},
		{"notin many, not listed", selector.OpNotIn, many, is("x"), true},
		{"!= absent: yes", selector.OpNotEquals, []string{"1"}, absent, true},
		{"!= equal", selector.OpNotEquals, []string{"1"}, is("1"), false},
		{"exists, absent", selector.OpExists, nil, absent, false},
		{"exists, empty", selector.OpExists, nil, is(""), true},
		{"!, absent", selector.OpDoesNotExist, nil, absent, true},
		{"!, empty", selector.OpDoesNotExist, nil, is(""), false},
		{"!, no labels at all", selector.OpDoesNotExist, nil, nil, true},
		{"gt, absent", selector.OpGreater, []string{"1"}, absent, false},
		{"gt is strict", selector.OpGreater, []string{"1"}, is("1"), false},
		{"gt", selector.OpGreater, []string{"1"}, is("2"), true},
		{"gt, leading zero", selector.OpGreater, []string{"1"}, is("02"), true},
		{"gt, a sign that happens to be there", selector.OpGreater, []string{"1"}, is("+2"), true},
		{"gt, no number", selector.OpGreater, []string{"1"}, is("abc"), false},
		{"gt, out of range", selector.OpGreater, []string{"1"}, is("9223372036854775808"), false},
		{"gt, the largest", selector.OpGreater, []string{"1"}, is("9223372036854775807"), true},
		{"gt, float", selector.OpGreater, []string{"1"}, is("2.5"), false},
		{"gt, nothing", selector.OpGreater, []string{"1"}, is(""), false},
		{"gt, only a sign", selector.OpGreater, []string{"1"}, is("+"), false},
		{"lt, absent", selector.OpLess, []string{"5"}, absent, false},
		{"lt is strict", selector.OpLess, []string{"5"}, is("5"), false},
		{"lt", selector.OpLess, []string{"5"}, is("4"), true},
		{"lt, negative", selector.OpLess, []string{"0"}, is("-1"), true},
		{"lt, the smallest", selector.OpLess, []string{"0"}, is("-9223372036854775808"), true},
		{"lt, below the smallest", selector.OpLess, []string{"0"}, is("-9223372036854775809"), false},
		{"lt, no number", selector.OpLess, []string{"5"}, is("x"), false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r, err := selector.NewRequirement("k", tt.op, tt.values)
			require.NoError(t, err)
			require.Equal(t, tt.want, r.Matches(tt.labels))
			require.Equal(t, tt.want, selector.Of(r).Matches(tt.labels), "as a selector")
		})
	}
}

func TestRequirement_zero(t *testing.T) {
	var r selector.Requirement
	require.False(t, r.Matches(nil))
	require.False(t, r.Matches(map[string]string{"": ""}))
	s := selector.Of(r)
	require.False(t, s.Matches(map[string]string{"": ""}))
	_, ok := algebra.Satisfiable(s)
	require.False(t, ok, "the zero Requirement matches nothing, and analysis knows")
}

func TestRequirement_equal(t *testing.T) {
	make := func(op selector.Op, values ...string) selector.Requirement {
		r, err := selector.NewRequirement("a", op, values)
		require.NoError(t, err)
		return r
	}
	require.True(t, make(selector.OpIn, "x", "y").Equal(make(selector.OpIn, "x", "y")))
	require.False(t, make(selector.OpIn, "x", "y").Equal(make(selector.OpIn, "y", "x")), "the order of values counts")
	require.False(t, make(selector.OpIn, "x").Equal(make(selector.OpEquals, "x")), "the operator counts")
	require.False(t, make(selector.OpEquals, "y").Equal(make(selector.OpEquals, "x")))
}

func TestFieldText(t *testing.T) {
	tests := []struct {
		why  string
		err  kplan.FieldError
		want string
	}{
		{"invalid, a string", kplan.FieldError{Path: "p", Value: "a\"b", Detail: "d"}, `p: Invalid value: "a\"b": d`},
		{"invalid, JSON", kplan.FieldError{Path: "p", Value: []string{"a"}, Detail: "d"}, `p: Invalid value: ["a"]: d`},
		{"no JSON", kplan.FieldError{Path: "p", Value: func() {}, Detail: ""}, ""},
		{"required has no value", kplan.FieldError{Path: "p", Value: "x", Detail: "d", Err: selector.ErrRequired}, "p: Required value: d"},
		{"no detail", kplan.FieldError{Path: "p", Err: selector.ErrRequired}, "p: Required value"},
		{"forbidden has no value", kplan.FieldError{Path: "p", Value: "x", Detail: "d", Err: selector.ErrForbidden}, "p: Forbidden: d"},
		{"unsupported", kplan.FieldError{Path: "p", Value: selector.Op("x"), Detail: "d", Err: selector.ErrUnsupported}, `p: Unsupported value: "x": d`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got := selector.FieldText(&tt.err)
			if tt.want == "" {
				require.Contains(t, got, "p: Invalid value: 0x", "printed as Go does")
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	require.ErrorIs(t, &kplan.FieldError{Err: selector.ErrRequired}, selector.ErrRequired)
	require.False(t, errors.Is(&kplan.FieldError{}, selector.ErrRequired))
}
