// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"

	"github.com/kplan-go/kplan/internal/apply"
)

var appWeb = map[string]string{"app": "web"}

// labelled returns labels with one of them changed.
func labelled(labels map[string]string, key, value string) map[string]string {
	changed := maps.Clone(labels)
	if changed == nil {
		changed = map[string]string{}
	}
	changed[key] = value
	return changed
}

// annotated returns a copy of annotations with one more, or without it.
func annotated(m map[string]string, key, value string) map[string]string {
	if value == "" {
		return apply.Without(m, key)
	}
	return apply.With(m, map[string]string{key: value})
}
