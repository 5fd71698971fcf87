// SPDX-License-Identifier: Apache-2.0

package sim

import "maps"

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
