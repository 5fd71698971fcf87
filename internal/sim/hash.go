// SPDX-License-Identifier: Apache-2.0

package sim

import "strconv"

// hash returns the hash of a template. Weak ones differ only behind the second
// collision.
func (w *World) hash(template string, collisions *int32) string {
	n := int32(0)
	if collisions != nil {
		n = *collisions
	}
	switch {
	case w.weakHash && n < 3:
		return string('x' + n)
	case collisions != nil:
		return template + strconv.Itoa(int(n))
	}
	return template
}
