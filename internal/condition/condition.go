// Package condition looks up conditions in lists that are never written to.
package condition

import "github.com/kplan-go/kplan/selector"

// Find returns the condition of a type, or nil.
func Find(list []selector.Condition, kind string) *selector.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}

// Without returns a copy of the list without the condition of a type, nil if nothing is
// left.
func Without(list []selector.Condition, kind string) []selector.Condition {
	var kept []selector.Condition
	for _, c := range list {
		if c.Type != kind {
			kept = append(kept, c)
		}
	}
	return kept
}
