// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/dump"

	"github.com/kplan-go/kplan/revision"
)

// templateHash is revision.Hash of the text of dump.ForHash for t.
func templateHash(t *corev1.PodTemplateSpec, collisions *int32) string {
	var h hasher
	h.begin(reflect.TypeFor[corev1.PodTemplateSpec]())
	h.value(templateShape(), reflect.ValueOf(t).Elem())
	if h.odd {
		return revision.Hash(dump.ForHash(*t), collisions)
	}
	if collisions != nil {
		h.bytes(binary.LittleEndian.AppendUint64(nil, uint64(uint32(*collisions))))
	}
	return revision.SafeEncode(strconv.FormatUint(uint64(h.sum), 10))
}

// A hasher computes the sum of the text of dump.ForHash, byte for byte, without building
// the text. It exists because the library asks reflect for every field, and nine in ten
// are unset: a shape has the text of unset fields at hand. Types that no pod template of
// Kubernetes has, and unusual values, are left to the library.
type hasher struct {
	sum    uint32      // 32-bit FNV-1a
	odd    bool        // something is left to the library
	depth  int         // how many structs, lists and maps the value is in
	inside [32]uintptr // by depth, the last pointer
	amount resource.Quantity
	digits [20]byte
	sorter
}

// begin adds the type, which precedes the value of a field, too, but not the elements of a
// list or map.
func (h *hasher) begin(t reflect.Type) {
	h.sum = 2166136261
	h.text("(")
	h.text(t.String())
	h.text(")")
}

func (h *hasher) text(s string) {
	sum := h.sum
	for i := range len(s) {
		sum = (sum ^ uint32(s[i])) * 16777619
	}
	h.sum = sum
}

func (h *hasher) bytes(b []byte) {
	for _, x := range b {
		h.sum = (h.sum ^ uint32(x)) * 16777619
	}
}

// value adds the text of v without its type.
func (h *hasher) value(s *shape, v reflect.Value) {
	if h.odd = h.odd || s.odd; h.odd {
		return
	}
	switch v.Kind() {
	case reflect.String:
		h.text(v.String())
	case reflect.Bool:
		h.text(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.bytes(strconv.AppendInt(h.digits[:0], v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		h.bytes(strconv.AppendUint(h.digits[:0], v.Uint(), 10))
	case reflect.Struct:
		h.depth++
		h.structure(s, v)
		h.depth--
	default:
		if v.IsNil() {
			h.text(s.zero)
			return
		}
		h.indirect(s, v)
	}
}

// structure adds the fields that are set, and the text between them, which is the same as
// in a struct without set fields.
func (h *hasher) structure(s *shape, v reflect.Value) {
	done := 0
	memory := s.memory(v)
	for from := nextSet(memory, 0); from < s.size; {
		f := s.fieldAt(from)
		if f == nil {
			break // padding between two fields
		}
		h.text(s.zero[done:f.zero])
		h.value(f.shape, v.Field(f.index))
		done = f.zero + len(f.shape.zero)
		from = nextSet(memory, f.end)
	}
	h.text(s.zero[done:])
}

// indirect adds a pointer, list or map that is not nil.
func (h *hasher) indirect(s *shape, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		h.pointer(s, v)
	case reflect.Slice:
		h.depth++
		h.text("[")
		for i := range v.Len() {
			h.space(i)
			h.value(s.elem, v.Index(i))
		}
		h.text("]")
		h.depth--
	default:
		h.depth++
		h.text("map[")
		h.mapping(s, v)
		h.text("]")
		h.depth--
	}
}

// pointer adds the value of a pointer, unless the library may take the pointer for a cycle: it
// does so for a pointer that it met before at a lower depth, which is a cycle or, rarely, is
// not.
func (h *hasher) pointer(s *shape, v reflect.Value) {
	to := v.Pointer()
	if h.depth >= len(h.inside) || slices.Contains(h.inside[:h.depth], to) {
		h.odd = true
		return
	}
	h.inside[h.depth] = to
	h.value(s.elem, v.Elem())
}

// space adds the separator of two elements.
func (h *hasher) space(i int) {
	if i > 0 {
		h.text(" ")
	}
}

func (h *hasher) mapping(s *shape, v reflect.Value) {
	if !v.CanInterface() {
		h.odd = true
		return
	}
	switch m := v.Interface().(type) {
	case map[string]string:
		for i, p := range h.sorted(m, false) {
			h.space(i)
			h.text(p.key)
			h.text(":")
			h.text(p.value)
		}
	case corev1.ResourceList:
		for i, name := range h.names(m) {
			h.space(i)
			h.text(name)
			h.text(":")
			h.amount = m[corev1.ResourceName(name)] // map elements have no address
			h.value(s.elem, reflect.ValueOf(&h.amount).Elem())
		}
	default:
		h.odd = true
	}
}
