// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// FuzzParseMap: labels that can be read are written as they were read, and select
// themselves.
func FuzzParseMap(f *testing.F) {
	for _, text := range []string{"", "a=b", "a=b,c=", "a==b", "a", "=", "a=b,a=c", "example.com/a=b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := selector.ParseMap(text)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		again, err := selector.ParseMap(selector.FormatLabels(labels))
		if len(labels) == 0 {
			return // there is another text for none
		}
		require.NoError(t, err, "%v", labels)
		require.True(t, selector.EqualLabels(labels, again), "%v and %v", labels, again)
		require.False(t, selector.LabelsConflict(labels, again))
		require.Equal(t, labels, selector.MergeLabels(labels, again))
	})
}

// FuzzParseLabelSelector: what can be read selects the same in all its forms.
func FuzzParseLabelSelector(f *testing.F) {
	for _, text := range []string{"", "a=b", "a=b,a=c", "a in (b,c),!d", "a!=b", "a,b notin ()", "a>1"} {
		f.Add(text, "a=b,d=e")
	}
	f.Fuzz(func(t *testing.T, text, on string) {
		ls, err := selector.ParseLabelSelector(text)
		if err != nil {
			require.Nil(t, ls)
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		compiled, err := selector.FromLabelSelector(ls)
		require.Equal(t, err == nil, selector.Validate(ls, "selector", selector.ValidateOptions{}) == nil)
		if err != nil {
			return
		}
		labels, err := selector.ParseMap(on)
		if err != nil {
			return
		}
		again, err := selector.ParseLabelSelector(selector.Format(ls))
		if err != nil {
			return // of two values for one key only the text of one is left
		}
		other, err := selector.FromLabelSelector(again)
		require.NoError(t, err)
		require.Equal(t, compiled.Matches(labels), other.Matches(labels), "%q on %q", text, on)
	})
}

// A matching is a node selector and a node.
type matching struct {
	Selector *selector.NodeSelector `json:"selector"`
	Name     string                 `json:"name"`
	Labels   map[string]string      `json:"labels"`
}

// withNumbers returns the selector with 1 for each value of Gt and Lt that is no int64:
// validation leaves these to compilation.
func withNumbers(ns *selector.NodeSelector) (fixed *selector.NodeSelector, wrong int) {
	fixed = purity.Clone(ns)
	for i := range fixed.Terms {
		for _, e := range fixed.Terms[i].MatchExpressions {
			for k, v := range e.Values {
				_, err := strconv.ParseInt(v, 10, 64)
				if err != nil && (e.Operator == selector.Gt || e.Operator == selector.Lt) {
					e.Values[k] = "1"
					wrong++
				}
			}
		}
	}
	return fixed, wrong
}

// FuzzNodeMatcher: what is valid compiles but for the numbers of Gt and Lt, each of
// which is told, an example is selected, and a selector implies itself as far as can be
// told.
func FuzzNodeMatcher(f *testing.F) {
	for _, text := range []string{
		`{"selector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]},{"key":"n","operator":"Gt","values":["3"]}]}]},"name":"n1","labels":{"zone":"a","n":"4"}}`,
		`{"selector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]},{"matchExpressions":[{"key":"gpu","operator":"DoesNotExist"}]}]},"name":"n1"}`,
		`{"selector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"0","operator":"Gt","values":[""]},{"key":"0","operator":"Lt","values":["x"]}]}]}}`,
		`{"selector":{"nodeSelectorTerms":[{}]},"name":""}`, `{"selector":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c matching
		if json.Unmarshal(text, &c) != nil {
			return
		}
		m, err := selector.CompileNodeSelector(c.Selector)
		if c.Selector != nil && selector.ValidateNodeSelector(c.Selector, "affinity", selector.ValidateOptions{}) == nil {
			fixed, wrong := withNumbers(c.Selector)
			_, none := selector.CompileNodeSelector(fixed)
			require.NoError(t, none)
			var all *selector.Error
			require.Equal(t, wrong > 0, errors.As(err, &all), "%v", err)
			require.False(t, wrong > 0 && len(all.Fields) != wrong, "%v", err)
		}
		matches := purity.Check(t, c, func(c matching) (bool, error) { return selector.NewNodeMatcher(c.Selector).Match(c.Name, c.Labels) })
		if err != nil {
			return
		}
		if example, ok := algebra.SatisfiableNodes(m); ok {
			matched, err := m.Match(example.Name, example.Labels)
			require.True(t, matched && err == nil, "%s: %+v", text, example)
		} else {
			require.False(t, matches, "%s", text)
		}
		_, overlaps := algebra.OverlapNodes(m, m)
		_, can := algebra.SatisfiableNodes(m)
		require.Equal(t, can, overlaps)
		_, answer := algebra.ImpliesNodes(m, m)
		require.NotEqual(t, algebra.No, answer, "%s", text)
	})
}
