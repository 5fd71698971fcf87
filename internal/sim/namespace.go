// SPDX-License-Identifier: Apache-2.0

package sim

import "strings"

// namespace is the part of a name before the slash. No selector looks beyond it.
func namespace(name string) string {
	before, _, found := strings.Cut(name, "/")
	if !found {
		return ""
	}
	return before
}

// ofNamespace adds the orphans that are in the namespace of a name.
func ofNamespace[T any](t *table[T], values []T, name string, version int64) []T {
	n, within := len(values), namespace(name)
	values = t.appendOf(values, "", version)
	kept := values[:n]
	for i := n; i < len(values); i++ {
		if namespace(*t.key(&values[i]).name) == within {
			kept = append(kept, values[i])
		}
	}
	return kept
}
