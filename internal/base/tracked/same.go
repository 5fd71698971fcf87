// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/selector"
)

// SameSelector reports whether two selectors have equal fields, with values in the same order.
func SameSelector(a, b *selector.LabelSelector) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return maps.Equal(a.MatchLabels, b.MatchLabels) && SameExpressions(a.MatchExpressions, b.MatchExpressions)
}

// SameExpressions reports whether two lists of requirements are equal, with values in the same
// order.
func SameExpressions(a, b []selector.Expression) bool {
	return slices.EqualFunc(a, b, func(x, y selector.Expression) bool {
		return x.Key == y.Key && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
	})
}

// Clock returns an instant as a number, in nanoseconds since 1970, if it is near enough to have
// one.
func Clock(t time.Time) (int64, bool) {
	s := t.Unix()
	return s*1e9 + int64(t.Nanosecond()), s > -9e9 && s < 9e9
}

// SameVersion reports whether two objects have the same UID and the same resource version. An object
// without a resource version may have changed.
func SameVersion[T any, K Kind[T]](k K, a, b *T) bool {
	return k.Version(a) != "" && k.Version(a) == k.Version(b) && k.UID(a) == k.UID(b)
}
