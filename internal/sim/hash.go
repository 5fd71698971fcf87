// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"

	"github.com/kplan-go/kplan/revision"
)

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

// hashOf returns the hash of a template: the one that it came with, or its ID, behind the
// collisions.
func (w *World) hashOf(t revision.Template, collisions *int32) string {
	if w.fleet == nil {
		return w.hash(t.ID, collisions)
	}
	hash := t.Hash
	if hash == "" {
		hash = t.ID
	}
	if collisions != nil && *collisions > 0 {
		hash += strconv.Itoa(int(*collisions))
	}
	return hash
}
