// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
)

// refuseUnknown returns an error for fields that a kind of Kubernetes does not have, as kubectl
// does. It accepts them in a live object, which may come from a newer API, and in other kinds,
// because not all of their fields are known here.
func refuseUnknown(u *unstructured.Unstructured, unknown []error, object any) error {
	if len(unknown) == 0 || u.GetUID() != "" || !ofKubernetes(u.GetAPIVersion()) {
		return nil
	}
	list := make([]error, len(unknown))
	for i, err := range unknown {
		list[i] = err
		if near := nearestField(err, reflect.TypeOf(object)); near != "" {
			list[i] = fmt.Errorf("%w: did you mean %s?", err, near)
		}
	}
	return errors.Join(list...)
}

// nearestField returns the field that was probably misspelt, or "". The error quotes the path of
// the unknown field.
func nearestField(unknown error, of reflect.Type) string {
	_, path, _ := strings.Cut(strings.TrimSuffix(unknown.Error(), `"`), `"`)
	segments := strings.Split(path, ".")
	last := len(segments) - 1
	for _, segment := range segments[:last] {
		name, _, _ := strings.Cut(segment, "[")
		if of = fields(of)[name]; of == nil {
			return ""
		}
	}
	best, least := "", 3
	for name := range fields(of) {
		if d := spelling.Distance(segments[last], name); d < least || d == least && name < best {
			best, least = name, d
		}
	}
	return best
}

// fields returns the fields of a struct, also behind pointers and lists, by their JSON names.
func fields(of reflect.Type) map[string]reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	list := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for name, field := range fields(f.Type) {
				list[name] = field
			}
		case name != "" && name != "-":
			list[name] = f.Type
		}
	}
	return list
}
