// SPDX-License-Identifier: Apache-2.0

package store

import "reflect"

// Progress counts writes. It leaves out a write that gives an object the content of two writes ago: a controller
// writes so while it repeats the same attempt, as for a BatchRelease "Upgrading", "Verifying", "Upgrading".
func (s *Store) Progress() int64 { return s.version - s.recurred }

// recurring counts the writes to a table that give an object the content of two writes ago, without its version.
func recurring[T any](t *Table[T]) {
	before := map[string]*T{}
	t.Watch(func(old, o *T) {
		name := *t.meta(either(o, old)).Name
		if old == nil || o == nil {
			delete(before, name)
			return
		}
		if b := before[name]; b != nil && t.equal(b, o) {
			t.store.recurred++
		}
		before[name] = old
	})
}

// equal reports whether two objects differ in their versions alone.
func (t *Table[T]) equal(a, b *T) bool {
	same := *b
	*t.meta(&same).Version = *t.meta(a).Version
	return reflect.DeepEqual(*a, same)
}
