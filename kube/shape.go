// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A rule determines how the values of a type are encoded.
type rule uint8

const (
	ruleJSON     rule = iota // no special rule: interfaces, arrays, floats, structs with private fields
	ruleString               //
	ruleBool                 //
	ruleInt                  // signed, of any size
	ruleUint                 // unsigned, of any size
	rulePointer              // nil differs from a pointer to zero
	ruleSlice                // nil is empty
	ruleStruct               // field by field
	ruleMap                  // nil is empty, keys are sorted texts
	ruleTexts                // map[string]string
	ruleLabels               // map[string]string without the hash label
	ruleAmounts              // a ResourceList
	ruleQuantity             // by value
	ruleTime                 // by instant
	ruleFields               // a FieldsV1, byte by byte
)

// A shape holds the facts about a type that an encoder and a dumper need, so that they
// need not ask reflect for every value.
type shape struct {
	rule   rule
	zero   string // the dump of its zero value
	odd    bool   // no dumper writes it
	elem   *shape
	fields []shapeField
	size   uintptr  // of a struct, in bytes
	at     []uint16 // for each eight bytes of a struct, the first field that ends after their start
}

// fieldAt returns the first field that ends after an offset, or nil.
func (s *shape) fieldAt(offset uintptr) *shapeField {
	for i := int(s.at[offset/8]); i < len(s.fields); i++ {
		if f := &s.fields[i]; f.end > offset {
			return f
		}
	}
	return nil
}

// index fills the field at.
func (s *shape) index() {
	i := 0
	for offset := uintptr(0); offset < s.size; offset += 8 {
		for i < len(s.fields) && s.fields[i].end <= offset {
			i++
		}
		s.at = append(s.at, uint16(i))
	}
}

type shapeField struct {
	index      int
	start, end uintptr // where it is in memory
	prefix     string  // the length of the name and the name
	zero       int     // where its value begins in the dump of a struct that leaves it unset
	shape      *shape
}

// templateShape is the shape of a pod template. It is the only state of this
// package: derived from types alone, computed once because it takes far longer
// than an encoding, and never written again, so that no call can see another.
var templateShape = sync.OnceValue(func() *shape {
	shapes := map[reflect.Type]*shape{}
	template := *shapeOf(reflect.TypeFor[corev1.PodTemplateSpec](), shapes)
	meta := *shapeOf(reflect.TypeFor[metav1.ObjectMeta](), shapes)
	// Only the template's own labels lose the hash. Claim templates inside it
	// have metadata as well, and keep theirs.
	meta.override("Labels", &shape{rule: ruleLabels, zero: "<nil>"})
	template.override("ObjectMeta", &meta)
	return &template
})

// override gives one field another shape, without changing the shared slice.
func (s *shape) override(name string, with *shape) {
	fields := make([]shapeField, len(s.fields))
	copy(fields, s.fields)
	for i := range fields {
		if fields[i].prefix[1:] == name {
			fields[i].shape = with
		}
	}
	s.fields = fields
}

// shapeOf returns the shape of t. Types may contain themselves: shapes holds unfinished
// shapes, too.
func shapeOf(t reflect.Type, shapes map[reflect.Type]*shape) *shape {
	if s, ok := shapes[t]; ok {
		return s
	}
	s := &shape{}
	shapes[t] = s
	s.byKind(t, shapes)
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		s.rule = ruleQuantity
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		s.rule = ruleTime
	case reflect.TypeFor[metav1.FieldsV1]():
		s.rule = ruleFields
	case reflect.TypeFor[map[string]string]():
		s.rule = ruleTexts
	case reflect.TypeFor[corev1.ResourceList]():
		s.rule = ruleAmounts
	}
	return s
}

func (s *shape) byKind(t reflect.Type, shapes map[reflect.Type]*shape) {
	switch t.Kind() {
	case reflect.String:
		s.rule = ruleString
	case reflect.Bool:
		s.rule, s.zero = ruleBool, "false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.rule, s.zero = ruleInt, "0"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.rule, s.zero = ruleUint, "0"
	case reflect.Pointer:
		s.rule, s.zero, s.elem = rulePointer, "<nil>", shapeOf(t.Elem(), shapes)
		s.odd = indirect(t.Elem())
	case reflect.Slice:
		s.rule, s.zero, s.elem = ruleSlice, "<nil>", shapeOf(t.Elem(), shapes)
		s.odd = indirect(t.Elem())
	case reflect.Map:
		s.zero, s.odd = "<nil>", true
		if t.Key().Kind() == reflect.String {
			s.rule, s.elem = ruleMap, shapeOf(t.Elem(), shapes)
			s.odd = indirect(t.Elem())
		}
	case reflect.Struct:
		s.byFields(t, shapes)
	default:
		s.odd = true
	}
}

// indirect reports whether the dump of a list of t, or of a pointer to it, has special rules.
func indirect(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface
}

func (s *shape) byFields(t reflect.Type, shapes map[reflect.Type]*shape) {
	s.rule, s.zero, s.size = ruleStruct, "{", t.Size()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			s.rule = ruleJSON
		}
		of := shapeOf(f.Type, shapes)
		s.odd = s.odd || of.odd
		if i > 0 {
			s.zero += " "
		}
		s.zero += f.Name + ":(" + f.Type.String() + ")"
		s.fields = append(s.fields, shapeField{
			index: i, start: f.Offset, end: f.Offset + f.Type.Size(),
			prefix: string(rune(len(f.Name))) + f.Name, zero: len(s.zero), shape: of,
		})
		s.zero += of.zero
	}
	s.zero += "}"
	s.index()
}
