// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/selector"
)

// says is a naive evaluation of a selector; an invalid selector selects nothing.
func says(s *selector.LabelSelector, labels map[string]string) bool {
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if got, ok := labels[key]; !ok || got != want {
			return false
		}
	}
	for i := range s.MatchExpressions {
		e := &s.MatchExpressions[i]
		got, ok := labels[e.Key]
		if !expressionHolds(e, got, ok) {
			return false
		}
	}
	return true
}

func expressionHolds(e *selector.Expression, got string, ok bool) bool {
	switch e.Operator {
	case selector.In:
		return len(e.Values) > 0 && ok && slices.Contains(e.Values, got)
	case selector.NotIn:
		return len(e.Values) > 0 && (!ok || !slices.Contains(e.Values, got))
	case selector.Exists:
		return len(e.Values) == 0 && ok
	case selector.DoesNotExist:
		return len(e.Values) == 0 && !ok
	case selector.Gt, selector.Lt:
		if len(e.Values) != 1 || !ok {
			return false
		}
		limit, err := strconv.ParseInt(e.Values[0], 10, 64)
		n, err2 := strconv.ParseInt(got, 10, 64)
		return err == nil && err2 == nil && (e.Operator == selector.Gt && n > limit || e.Operator == selector.Lt && n < limit)
	}
	return false
}
