// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
)

// Load applies the event of each object of a list, as of one that is new. The error, if any, is that of
// apply, or two objects have one name: then it is a field.Error.
func Load[T any, K Kind[T]](k K, list []T, known func(name string) bool, apply func(*T) error) error {
	for i := range list {
		v := &list[i]
		if name := k.Name(v); known(name) {
			return &kplan.FieldError{Path: field.Element(k.Path()+"s", name) + ".Name", Value: name, Detail: "must be unique"}
		}
		if err := apply(v); err != nil {
			return err
		}
	}
	return nil
}

// Load applies the event of each object of a list: see the function Load.
func (t *Table[T, K]) Load(list []T, apply func(*T) error) error {
	return Load(t.kind, list, func(name string) bool { return t.Find(name) >= 0 }, apply)
}
