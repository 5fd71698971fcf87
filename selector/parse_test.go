// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func TestParse(t *testing.T) {
	tests := []struct{ why, text, want string }{
		{"nothing is everything", "", ""},
		{"only blanks", " \t\r\n ", ""},
		{"exists", "a", "a"},
		{"does not exist, with a blank", "! a", "!a"},
		{"no value is the empty value", "a=", "a="},
		{"with !=", "a!=", "a!="},
		{"before a comma", "a=,b", "a=,b"},
		{"= and ==", "a=b,c == d", "a=b,c==d"},
		{"an empty list is one empty value", "a in ()", "a in ()"},
		{"so are two empty positions", "a in (,)", "a in ()"},
		{"an empty position first", "a in (,b)", "a in (,b)"},
		{"last", "a in (b,)", "a in (,b)"},
		{"in between", "a in (b,,c)", "a in (,b,c)"},
		{"sorted, each once", "a in (c,b,c)", "a in (b,c)"},
		{"operators are words elsewhere", "in in (in)", "in in (in)"},
		{"even as keys and values", "notin,in notin (notin),a=in", "a=in,in notin (notin),notin"},
		{"comparisons", "a>1,a<5", "a>1,a<5"},
		{"no blanks needed", "a in(b)", "a in (b)"},
		{"all kinds", "x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"},
		{"a contradiction is accepted", "a,!a", "a,!a"},
		{"repetitions are kept", "a=1,a=1", "a=1,a=1"},
		{"a prefix", "example.com/a!=b", "example.com/a!=b"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			require.Equal(t, tt.want, parse(t, tt.text).String())
			rs, err := selector.ParseRequirements(tt.text)
			require.NoError(t, err)
			require.True(t, selector.Of(rs...).Equal(parse(t, tt.text)))
		})
	}
}

func TestParse_errors(t *testing.T) {
	const r = "unable to parse requirement: "
	const operators = "expected: in, notin, =, ==, !=, gt, lt"
	tests := []struct {
		why, text, want string
		offset          int
	}{
		{"cannot start", "=a", "found '=', expected: !, identifier, or 'end of string'", 0},
		{"cannot start either", ",", "found ',', expected: !, identifier, or 'end of string'", 0},
		{"neither comma nor end", "a=b c", "found 'c', expected: ',' or 'end of string'", 4},
		{"behind !a nothing may follow", "!a=b", "found '=', expected: ',' or 'end of string'", 2},
		{"not even a list", "!a in (x)", "found 'in', expected: ',' or 'end of string'", 3},
		{"comma and nothing", "a,", "found '', expected: identifier after ','", 2},
		{"two commas", "a,,b", "found ',', expected: identifier after ','", 2},
		{"no key", "!", r + "found '', expected: identifier", 1},
		{"twice not", "!!a", r + "found '!', expected: identifier", 1},
		{"no operator", "a b", r + "found 'b', " + operators, 2},
		{"a parenthesis is no operator", "a(b)", r + "found '(', " + operators, 1},
		{"a ! is none", "a!b", r + "found '!', " + operators, 1},
		{"a list without parenthesis", "a in b", r + "found 'b' expected: '('", 5},
		{"wrong at the start of a list", "a in (=", r + "found '=', expected: ',', ')' or identifier", 6},
		{"a list that does not start", "a in (", r + "found '', expected: ',', ')' or identifier", 6},
		{"a list that does not end", "a in (b", r + "found '', expected: ',' or ')'", 7},
		{"two words in a list", "a in (b c)", r + "found 'c', expected: ',' or ')'", 8},
		{"wrong behind the comma of a list", "a in (b,=", r + "found '=', expected: ',', or identifier", 8},
		{"ends behind it", "a in (b,", r + "found '', expected: ',', or identifier", 8},
		{"value is no word", "a===b", r + "found '=', expected: identifier", 3},
		{"value is no word", "a=!b", r + "found '!', expected: identifier", 2},
		{"there is no >=", "a>=1", r + "found '=', expected: identifier", 2},
		{"a value in parentheses", "a=(b)", r + "found '(', expected: identifier", 2},
		{"a wrong key has no field", "-=b", r + `<nil>: Invalid value: "-": ` + k1, 0},
		{"a wrong value", "a=b,c=-", r + `values[0][c]: Invalid value: "-": ` + v1, 6},
		{"a wrong value in a list", "c in (a,-)", r + `values[0][c]: Invalid value: "-": ` + v1, 5},
		{"no integer", "a>", r + `values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer`, 2},
		{"no negative one", "a>-1", r + `values[0][a]: Invalid value: "-1": ` + v1, 2},
		{"a NUL would hide the rest", "a=b \x00,c=d", "found NUL at byte 4, which would hide the rest of the selector", 4},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s, err := selector.Parse(tt.text)
			require.EqualError(t, err, tt.want)
			require.True(t, s.IsNothing())
			require.ErrorIs(t, err, kplan.ErrInvalid)
			var e *selector.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.offset, e.Offset)
			if strings.Contains(tt.want, "Invalid value") {
				var f *kplan.FieldError
				require.ErrorAs(t, err, &f)
			}
			rs, err := selector.ParseRequirements(tt.text)
			require.Error(t, err)
			require.Nil(t, rs)
		})
	}
}

func TestParseWith_NUL(t *testing.T) {
	tests := []struct{ why, text, want string }{
		{"right behind a token it separates", "a=b\x00,c=d", "a=b,c=d"},
		{"behind a special one as well", "a=\x00b", "a=b"},
		{"where a token should start it ends the text", "a=b \x00,c=d", "a=b"},
		{"two end it", "a=b\x00\x00,c=d", "a=b"},
		{"at the start", "\x00a", ""},
		{"in a word it cuts", "a in (b\x00)", "a in (b)"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s, err := selector.ParseWith(tt.text, selector.ParseOptions{NUL: true})
			require.NoError(t, err)
			require.Equal(t, tt.want, s.String())
			_, err = selector.Parse(tt.text)
			require.ErrorIs(t, err, kplan.ErrInvalid)
		})
	}
}

// What the parser accepts prints back to an equal selector, with all that was
// there: every letter of the text that is neither blank nor punctuation.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "a", "!a", "a=b", "a==b,c!=d", "a in (b,,c),d notin ()", "a>1,b<2", "x in (foo,,baz),y,z notin ()", "a=b\x00,c=d", "a,", "(", "in in (in)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selector.Parse(text)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			require.NotEmpty(t, err.Error())
			return
		}
		printed := s.String()
		again, err := selector.Parse(printed)
		require.NoError(t, err, "%q printed as %q", text, printed)
		require.True(t, s.Equal(again), "%q printed as %q", text, printed)
		words := func(text string) map[string]bool {
			found := map[string]bool{}
			for _, w := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("=!(),<> \t\r\n", c) }) {
				found[w] = true
			}
			return found
		}
		require.Equal(t, words(text), words(printed), "nothing is dropped")
		back, err := s.LabelSelector()
		if err == nil {
			compiled, err := selector.FromLabelSelector(back)
			require.NoError(t, err)
			require.True(t, algebra.Equivalent(s, compiled), "%q as %+v", text, back)
		}
		if labels, ok := algebra.Satisfiable(s); ok {
			require.True(t, s.Matches(labels), "%q on %v", text, labels)
			require.True(t, algebra.Normalize(s).Matches(labels), "%q on %v", text, labels)
		}
	})
}

// The fast check of an expression agrees with the one that has the texts, and
// what compiles is also valid.
func FuzzExpression(f *testing.F) {
	f.Add("a", "In", "x,y", true)
	f.Add("example.com/a", "NotIn", "", true)
	f.Add("-", "Exists", "x", false)
	f.Add("a", "Gt", "1", true)
	f.Fuzz(func(t *testing.T, key, op, list string, values bool) {
		e := selector.Expression{Key: key, Operator: selector.Operator(op)}
		if values {
			e.Values = strings.Split(list, ",")
		}
		ls := expressions(e)
		s, err := selector.FromLabelSelector(ls)
		invalid := selector.Validate(ls, "spec.selector", selector.ValidateOptions{})
		require.Equal(t, err == nil, invalid == nil, "%v and %v", err, invalid)
		_, nodeErr := selector.CompileNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: ls.MatchExpressions}}})
		if err == nil {
			require.NoError(t, nodeErr, "node selectors know all operators")
			require.Equal(t, key, s.Requirements()[0].Key())
			again, err := selector.Parse(s.String())
			require.NoError(t, err)
			require.True(t, algebra.Equivalent(s, again))
			return
		}
		require.ErrorIs(t, err, kplan.ErrInvalid)
		var field *kplan.FieldError
		require.ErrorAs(t, err, &field)
		require.True(t, s.IsNothing())
	})
}
