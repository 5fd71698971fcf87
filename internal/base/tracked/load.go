// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"github.com/kplan-go/kplan"
)

// Load applies an addition of each object of a list. It returns the error of apply, or a
// field.Error if two objects have the same name.
func Load[T any, K Kind[T]](k K, list []T, known func(name string) bool, apply func(*T) error) error {
	for i := range list {
		v := &list[i]
		if name := k.Name(v); known(name) {
			return &kplan.FieldError{Path: kplan.ElementPath(k.Path()+"s", name) + ".Name", Value: name, Detail: "must be unique"}
		}
		if err := apply(v); err != nil {
			return err
		}
	}
	return nil
}

// Load applies an addition of each object of a list: see the function Load.
func (t *Table[T, K]) Load(list []T, apply func(*T) error) error {
	return Load(t.kind, list, func(name string) bool { return t.Find(name) >= 0 }, apply)
}
