// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("cause")
	for _, c := range []struct {
		name, why string
		err       FieldError
		want      string
	}{
		{"string", "a string is quoted, so that blanks and the empty one are seen",
			FieldError{Path: "Name", Value: "", Detail: "must not be empty"}, `Name: "": must not be empty`},
		{"number", "anything else is printed as it is",
			FieldError{Path: "Replicas", Value: int32(-1), Detail: "must not be negative"}, "Replicas: -1: must not be negative"},
		{"no path", "a value that stands alone has no colon in front",
			FieldError{Value: "x%", Detail: "must be a percentage"}, `"x%": must be a percentage`},
		{"cause", "the detail already says it in the reader's terms",
			FieldError{Path: "P", Value: 1, Detail: "must be odd", Err: cause}, "P: 1: must be odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			require.Equal(t, c.want, c.err.Error())
		})
	}
}

func TestErrorIs(t *testing.T) {
	cause, other := errors.New("cause"), errors.New("other")
	with, without := &FieldError{Err: cause}, &FieldError{}
	require.ErrorIs(t, with, ErrInvalid)
	require.ErrorIs(t, with, cause)
	require.NotErrorIs(t, with, other)
	require.ErrorIs(t, without, ErrInvalid)
	require.NotErrorIs(t, without, cause)
}

func TestErrorsJoin(t *testing.T) {
	var es FieldErrors
	require.NoError(t, es.Join())
	es.NotNegative("B", 0)
	es.NotNegative("B", 7)
	require.Empty(t, es, "0 and 7 are fine")

	es.NotNegative("B", -1)
	es.Add("A", "x", "must be y")
	es.Add("B", int32(-2), "must not be negative")
	es.Add("A", "x", "must be y") // said twice, reported once
	before := slices.Clone(es)
	err := es.Join()
	require.EqualError(t, err, "A: \"x\": must be y\nB: -1: must not be negative\nB: -2: must not be negative")
	require.Equal(t, before, es, "Join must not sort the list in place")
	require.ErrorIs(t, err, ErrInvalid)
	var one *FieldError
	require.ErrorAs(t, err, &one)
	require.Equal(t, "A", one.Path)
}

func TestErrorsJoinOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", `C["x"]`, ""}), 1, 8).Draw(t, "paths")
		list := func(paths []string) string {
			var es FieldErrors
			for _, p := range paths {
				es.Add(p, len(p), "bad")
			}
			return es.Join().Error()
		}
		shuffled := rapid.Permutation(paths).Draw(t, "shuffled")
		if a, b := list(paths), list(shuffled); a != b {
			t.Fatalf("the text depends on the order:\n%s\n\n%s", a, b)
		}
	})
}

func TestElement(t *testing.T) {
	require.Equal(t, `Pods["a\"b"]`, ElementPath("Pods", `a"b`))
	require.Equal(t, `Pods[""].Name`, ElementPath("Pods", "")+".Name")
}
