// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func add[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string) {
	addAs(l, list, u, file, func(object *T) *T { return object })
}

// addAs decodes an object, converts it and adds the result. It passes over an object that cannot be
// decoded.
func addAs[T, L any](l *loader, list *[]source[L], u *unstructured.Unstructured, file string, convert func(*T) *L) {
	object := new(T)
	unknown, err := decode(u, object)
	if err == nil {
		err = refuseUnknown(u, unknown, object)
	}
	if err != nil {
		l.passOver(u, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err})
		return
	}
	if l.selected.passes(idOf(u)) {
		unknown = nil
	}
	for _, err := range unknown {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s: %v", file, describe(u.GetKind(), u.GetName()), err))
	}
	if o, ok := any(object).(metav1.Object); ok {
		slimMeta(o)
	}
	result := convert(object)
	l.alike.share(result)
	*list = append(*list, source[L]{result, file})
}

// addLoose decodes an object of which only some fields are used, applies the functions to it, and
// adds the result. It notes no unknown fields.
func addLoose[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string, convert ...func(*T) *T) {
	notes := len(l.notes)
	addAs(l, list, u, file, func(object *T) *T {
		for _, f := range convert {
			object = f(object)
		}
		return object
	})
	l.notes = l.notes[:notes]
}
