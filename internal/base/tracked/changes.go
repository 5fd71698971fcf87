// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
)

// A Change is a change of one object of a table.
type Change[T any] struct {
	Verdict Verdict // Add, Replace or Remove
	Number  int     // of the known object, -1 for Add
	New     *T      // a copy of the object in the list, nil for Remove
}

// Changes returns the changes from n known objects to the objects of a complete list, in the order
// in which to apply them: replacements, then removals from the last number to the first, so that
// numbers stay valid while the last object takes the number of a removed one, then additions. The
// error has a field.Error for objects without a name, and one for objects with the same name.
//
// The objects are copied one by one: pointers to elements would keep a whole list in memory for as
// long as one of its objects is known.
func Changes[T any, K Kind[T]](k K, list []T, n int, at func(int) *T, find func(name string) int) ([]Change[T], error) {
	var errs kplan.FieldErrors
	field.Unique(&errs, k.Path()+"s", len(list), func(i int) (name, uid string, counts bool) { return k.Name(&list[i]), "", true })
	if len(errs) > 0 {
		return nil, errs.Join()
	}
	var changes, added []Change[T]
	listed := make([]bool, n)
	for i := range list {
		v := &list[i]
		known := find(k.Name(v))
		if known >= 0 {
			if listed[known] = true; k.Same(at(known), v) {
				continue
			}
		}
		c := *v
		if known < 0 {
			added = append(added, Change[T]{Add, known, &c})
			continue
		}
		changes = append(changes, Change[T]{Replace, known, &c})
	}
	for i := n - 1; i >= 0; i-- {
		if !listed[i] {
			changes = append(changes, Change[T]{Remove, i, nil})
		}
	}
	return append(changes, added...), nil
}

// Changes returns the changes of a table: see the function Changes.
func (t *Table[T, K]) Changes(list []T) ([]Change[T], error) {
	return Changes(t.kind, list, t.Len(), t.At, t.Find)
}
