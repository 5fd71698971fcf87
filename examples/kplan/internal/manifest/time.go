// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A latest is the latest time that objects tell, zero if none does.
type latest struct{ time time.Time }

// notice notes the latest time that an object tells: when it was created, when a field was
// written last, and what its status says. That is as close to when it was read as it tells.
// When it is to be gone lies ahead, and annotations are anybody's.
func (l *latest) notice(u *unstructured.Unstructured) {
	l.see(u.GetCreationTimestamp().Time)
	fields, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields") // a strange form has no times
	l.seeIn(timesOf(fields))
	l.seeIn(u.Object["status"])
}

// timesOf returns the entries of managed fields without what they manage. Their field for
// the time has the name "time".
func timesOf(fields any) (times []any) {
	list, _ := fields.([]any)
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok {
			times = append(times, map[string]any{"writeTime": m["time"]})
		}
	}
	return times
}

// seeIn notes the times in a value. A field of one is called so: names and messages may
// look like a time.
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

// Plausible reports whether a time is one that clocks show. Others, which anybody may write
// into a status, are not the present, and cannot be reckoned with for centuries.
func Plausible(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 2200 }

func (l *latest) see(t time.Time) {
	if t.After(l.time) && Plausible(t) {
		l.time = t.UTC()
	}
}
