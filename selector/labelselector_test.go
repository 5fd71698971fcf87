// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func expression(key string, op selector.Operator, values ...string) selector.Expression {
	return selector.Expression{Key: key, Operator: op, Values: values}
}

func expressions(es ...selector.Expression) *selector.LabelSelector {
	return &selector.LabelSelector{MatchExpressions: es}
}

func TestFromLabelSelector_errors(t *testing.T) {
	tests := []struct {
		why    string
		ls     *selector.LabelSelector
		want   string
		fields []string // paths
	}{
		{
			"an operator of node selectors", expressions(expression("a", selector.Gt, "1")),
			`"Gt" is not a valid label selector operator`, []string{"matchExpressions[0].operator"},
		},
		{
			"operators are spelled in one way", expressions(expression("a", "in", "1")),
			`"in" is not a valid label selector operator`, []string{"matchExpressions[0].operator"},
		},
		{"no operator", expressions(expression("a", "")), `"" is not a valid label selector operator`, []string{"matchExpressions[0].operator"}},
		{
			"In without values is wrong here, and fine in the text form", expressions(selector.Expression{Key: "a", Operator: selector.In, Values: []string{}}),
			"values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty", []string{"matchExpressions[0].values"},
		},
		{
			"the text names the first in order, the fields all",
			&selector.LabelSelector{
				MatchLabels:      map[string]string{"b": "-", "a": ".", "c": "fine"},
				MatchExpressions: []selector.Expression{expression("x", selector.Exists), expression("-", selector.In, "y", "_")},
			},
			`values[0][a]: Invalid value: ".": ` + v1,
			[]string{"matchLabels[a].values[0][a]", "matchLabels[b].values[0][b]", "matchExpressions[1].key", "matchExpressions[1].values[1][-]"},
		},
		{
			"two faults of one requirement are one text", expressions(expression("-", selector.Exists, "y")),
			`[key: Invalid value: "-": ` + k1 + `, values: Invalid value: ["y"]: values set must be empty for exists and does not exist]`,
			[]string{"matchExpressions[0].key", "matchExpressions[0].values"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s, err := selector.FromLabelSelector(tt.ls)
			require.EqualError(t, err, tt.want)
			require.True(t, s.IsNothing())
			require.ErrorIs(t, err, kplan.ErrInvalid)
			var e *selector.Error
			require.ErrorAs(t, err, &e)
			var paths []string
			for _, f := range e.Fields {
				paths = append(paths, f.Path)
			}
			if diff := cmp.Diff(tt.fields, paths); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			require.Equal(t, "<error>", selector.Format(tt.ls))
		})
	}
}

func TestFromLabelSelector_copies(t *testing.T) {
	ls := expressions(expression("a", selector.In, "x", "y"), expression("b", selector.NotIn, "v", "w"))
	s := compile(t, ls)
	ls.MatchExpressions[0].Values[0] = "z"
	require.Equal(t, "a in (x,y),b notin (v,w)", s.String())
	require.Equal(t, []string{"v", "w"}, s.Requirements()[1].Values(), "each has its own")
}

func TestLabelSelector_back(t *testing.T) {
	tests := []struct {
		why  string
		text string
		want *selector.LabelSelector
		err  string
	}{
		{"equality is labels", "a=1,b==2", &selector.LabelSelector{MatchLabels: map[string]string{"a": "1", "b": "2"}}, ""},
		{"everything", "", &selector.LabelSelector{}, ""},
		{
			"the others are expressions", "a in (y,x),b notin (z),c,!d",
			expressions(expression("a", selector.In, "x", "y"), expression("b", selector.NotIn, "z"), expression("c", selector.Exists), expression("d", selector.DoesNotExist)), "",
		},
		{"!= is NotIn", "a!=1", expressions(expression("a", selector.NotIn, "1")), ""},
		{
			"a contradiction stays one", "a=1,a=2",
			&selector.LabelSelector{MatchLabels: map[string]string{"a": "1"}, MatchExpressions: []selector.Expression{expression("a", selector.In, "2")}}, "",
		},
		{"numbers cannot be compared", "a>1", nil, `"gt" isn't supported in label selectors`},
		{"numbers cannot be compared", "a<1", nil, `"lt" isn't supported in label selectors`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := parse(t, tt.text)
			got, err := s.LabelSelector()
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.ErrorIs(t, err, kplan.ErrInvalid)
				return
			}
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			require.True(t, algebra.Equivalent(s, compile(t, got)), "and back")
		})
	}
	ls, err := selector.Nothing().LabelSelector()
	require.NoError(t, err)
	require.Nil(t, ls, "nothing is nil")
}

func TestParseLabelSelector(t *testing.T) {
	tests := []struct {
		why  string
		text string
		want *selector.LabelSelector
		err  string
	}{
		{"the empty text is everything, and not nil", "", &selector.LabelSelector{}, ""},
		{"a later = wins", "a=1,a==2", &selector.LabelSelector{MatchLabels: map[string]string{"a": "2"}}, ""},
		{
			"sets", "b in (z,y),c notin (),d,!e",
			expressions(expression("b", selector.In, "y", "z"), expression("c", selector.NotIn, ""), expression("d", selector.Exists), expression("e", selector.DoesNotExist)), "",
		},
		{"!= has no place", "a!=1", nil, `"!=" is not a valid label selector operator`},
		{"> has none", "a>1", nil, `"gt" isn't supported in label selectors`},
		{"< has none", "a<1", nil, `"lt" isn't supported in label selectors`},
		{"a NUL would hide the rest", "a=b \x00,c=d", nil, "couldn't parse the selector string \"a=b \x00,c=d\": found NUL at byte 4, which would hide the rest of the selector"},
		{"a wrong text", "a b", nil, `couldn't parse the selector string "a b": unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := selector.ParseLabelSelector(tt.text)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.ErrorIs(t, err, kplan.ErrInvalid)
				return
			}
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLabelSelector_map(t *testing.T) {
	var none *selector.LabelSelector
	m, err := none.Map()
	require.NoError(t, err)
	require.Nil(t, m)
	tests := []struct {
		why  string
		ls   *selector.LabelSelector
		want map[string]string
		err  string
	}{
		{"empty", &selector.LabelSelector{}, map[string]string{}, ""},
		{"labels", &selector.LabelSelector{MatchLabels: map[string]string{"a": "1"}}, map[string]string{"a": "1"}, ""},
		{
			"In with one value overwrites", &selector.LabelSelector{MatchLabels: map[string]string{"a": "1"}, MatchExpressions: []selector.Expression{expression("a", selector.In, "2")}},
			map[string]string{"a": "2"}, "",
		},
		{"In with two", expressions(expression("a", selector.In, "1", "2")), nil, `operator "In" without a single value cannot be converted into the old label selector format`},
		{"In with none", expressions(expression("a", selector.In)), nil, `operator "In" without a single value cannot be converted into the old label selector format`},
		{"NotIn", expressions(expression("a", selector.NotIn, "1")), nil, `operator "NotIn" cannot be converted into the old label selector format`},
		{"Exists", expressions(expression("a", selector.Exists)), nil, `operator "Exists" cannot be converted into the old label selector format`},
		{"DoesNotExist", expressions(expression("a", selector.DoesNotExist)), nil, `operator "DoesNotExist" cannot be converted into the old label selector format`},
		{"unknown", expressions(expression("a", selector.Gt, "1")), nil, `"Gt" is not a valid selector operator`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := tt.ls.Map()
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestWithLabel(t *testing.T) {
	var none *selector.LabelSelector
	require.Nil(t, none.WithLabel("a", "1"), "nothing stays nothing")
	ls := &selector.LabelSelector{MatchLabels: map[string]string{"a": "1"}, MatchExpressions: []selector.Expression{expression("b", selector.In, "x")}}
	more := ls.WithLabel("hash", "5d8")
	require.Equal(t, "a=1,b in (x),hash=5d8", compile(t, more).String())
	more.MatchExpressions[0].Values[0] = "y"
	require.Equal(t, "a=1,b in (x)", compile(t, ls).String(), "a deep copy")
	require.Equal(t, "a=2,b in (x)", compile(t, ls.WithLabel("a", "2")).String(), "replaced")
	require.Equal(t, ls, ls.WithLabel("", "x"), "an empty key changes nothing")
	require.Equal(t, "a=1", compile(t, (&selector.LabelSelector{}).WithLabel("a", "1")).String())
}

func TestLabelSelector_JSON(t *testing.T) {
	ls := &selector.LabelSelector{MatchLabels: map[string]string{"a": "1"}, MatchExpressions: []selector.Expression{expression("b", selector.In, "x"), expression("c", selector.Exists)}}
	data, err := json.Marshal(ls)
	require.NoError(t, err)
	require.Equal(t, `{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b","operator":"In","values":["x"]},{"key":"c","operator":"Exists"}]}`, string(data))
	var back *selector.LabelSelector
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, ls, back)
	require.NoError(t, json.Unmarshal([]byte("null"), &back))
	require.Nil(t, back)
}

func TestFormat(t *testing.T) {
	require.Equal(t, "<none>", selector.Format(nil), "as kubectl shows nothing")
	require.Equal(t, "<none>", selector.Format(&selector.LabelSelector{}))
	require.Equal(t, "a=1", selector.Format(selector.FromLabels(map[string]string{"a": "1"})))
}

func TestLabels(t *testing.T) {
	a := map[string]string{"a": "1", "b": "2"}
	require.Nil(t, selector.FromLabels(nil), "nil is nothing here")
	require.Equal(t, &selector.LabelSelector{MatchLabels: map[string]string{}}, selector.FromLabels(map[string]string{}))
	require.Equal(t, "a-b=2,a.b=0,a=1", selector.LabelsText(map[string]string{"a": "1", "a-b": "2", "a.b": "0"}), "sorted as whole strings")
	require.Equal(t, "<none>", selector.FormatLabels(nil))
	require.Equal(t, "a=1,b=2", selector.FormatLabels(a))

	require.True(t, selector.LabelsConflict(a, map[string]string{"b": "3"}))
	require.True(t, selector.LabelsConflict(map[string]string{"b": "3"}, a))
	require.False(t, selector.LabelsConflict(a, map[string]string{"c": "3", "a": "1"}))
	require.False(t, selector.LabelsConflict(a, nil))
	require.Equal(t, map[string]string{"a": "1", "b": "3", "c": "4"}, selector.MergeLabels(a, map[string]string{"b": "3", "c": "4"}))
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, a)
	require.True(t, selector.EqualLabels(nil, map[string]string{}))
	require.False(t, selector.EqualLabels(a, map[string]string{"a": "1"}))

	s := selector.FromMap(map[string]string{"not a key": "not a value"})
	require.Equal(t, "not a key=not a value", s.String(), "not validated")
	_, err := selector.FromValidMap(map[string]string{"b": "-", "a": "."})
	require.EqualError(t, err, `values[0][a]: Invalid value: ".": `+v1)
	s, err = selector.FromValidMap(a)
	require.NoError(t, err)
	require.Equal(t, "a=1,b=2", s.String())
	s, err = selector.FromValidMap(nil)
	require.NoError(t, err)
	require.True(t, s.IsEverything())
}

func TestParseMap(t *testing.T) {
	tests := []struct {
		why, text string
		want      map[string]string
		err       string
	}{
		{"nothing", "", map[string]string{}, ""},
		{"blanks are dropped", " a = 1 ,b=2", map[string]string{"a": "1", "b": "2"}, ""},
		{"a later key wins", "a=1,a=2", map[string]string{"a": "2"}, ""},
		{"empty value", "a=", map[string]string{"a": ""}, ""},
		{"no other operator", "a==1", nil, "invalid selector: [a  1]"},
		{"no bare key", "a", nil, "invalid selector: [a]"},
		{"no trailing comma", "a=1,", nil, "invalid selector: []"},
		{"a wrong key", "-=1", nil, `<nil>: Invalid value: "-": ` + k1},
		{"a wrong value", "a=-", nil, `[a]: Invalid value: "-": ` + v1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := selector.ParseMap(tt.text)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.True(t, errors.Is(err, kplan.ErrInvalid))
				require.Nil(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}

	_, err := selector.ParseMap("ab=1,cd=2,x")
	var at *selector.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, len("ab=1,cd=2,"), at.Offset, "the third item")
}
