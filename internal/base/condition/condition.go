// SPDX-License-Identifier: Apache-2.0

// Package condition looks up conditions in lists that are never written to.
package condition

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
)

// Find returns the condition of a type, or nil.
func Find(list []kplan.Condition, kind string) *kplan.Condition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}

// Without returns a copy of the list without the condition of a type, or nil if no other is left.
func Without(list []kplan.Condition, kind string) []kplan.Condition {
	var kept []kplan.Condition
	for _, c := range list {
		if c.Type != kind {
			kept = append(kept, c)
		}
	}
	return kept
}

// With returns the conditions with c added or replaced. A changed condition moves to the end and
// keeps both times of the old one, even if its status changes.
func With(conditions []kplan.Condition, c kplan.Condition, now time.Time) []kplan.Condition {
	old := Find(conditions, c.Type)
	if old == nil {
		c.LastUpdateTime, c.LastTransitionTime = now, now
		return append(slices.Clone(conditions), c)
	}
	if c.Message == "" {
		c.Message = old.Message
	}
	c.LastUpdateTime, c.LastTransitionTime = old.LastUpdateTime, old.LastTransitionTime
	if c == *old {
		return conditions
	}
	return append(Without(conditions, c.Type), c)
}
