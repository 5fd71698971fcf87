// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A latest is the latest time in any object, zero if unknown.
type latest struct{ time time.Time }

// notice notes the latest time in an object, which is the best estimate of when it was read: its
// creation, the last write to a field, and the times in its status. It ignores the deletion
// timestamp, which lies in the future, and annotations, which may hold anything.
func (l *latest) notice(u *unstructured.Unstructured) {
	l.see(u.GetCreationTimestamp().Time)
	fields, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields") // nil if malformed
	l.seeIn(timesOf(fields))
	l.seeIn(u.Object["status"])
}

// timesOf returns the times of managed fields, without the fields.
func timesOf(fields any) (times []any) {
	list, _ := fields.([]any)
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok {
			times = append(times, map[string]any{"writeTime": m["time"]})
		}
	}
	return times
}

// seeIn notes the times in a value. It reads only fields with a name that ends in Time, At or
// Timestamp, because other texts may look like a time.
func (l *latest) seeIn(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			text, ok := inner.(string)
			if !ok {
				l.seeIn(inner)
				continue
			}
			if !strings.HasSuffix(key, "Time") && !strings.HasSuffix(key, "At") && !strings.HasSuffix(key, "Timestamp") {
				continue
			}
			if t, err := time.Parse(time.RFC3339, text); err == nil {
				l.see(t)
			}
		}
	case []any:
		for _, inner := range v {
			l.seeIn(inner)
		}
	}
}

// Plausible reports whether a time can come from a clock. Anybody may write other times into a
// status, and they cannot be the present.
func Plausible(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 2200 }

func (l *latest) see(t time.Time) {
	if t.After(l.time) && Plausible(t) {
		l.time = t.UTC()
	}
}
