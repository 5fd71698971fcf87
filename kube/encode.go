// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/binary"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kplan-go/kplan/revision"
)

// An encoder writes values so that two encodings are equal if and only if the values
// are semantically equal. Each value is self-delimiting: texts and lists begin with
// their length, structs list the fields that are set and end with 0. Fields are named
// and unset fields are left out, so that the encoding does not change when a later
// release adds fields.
type encoder struct {
	buf []byte
	sorter
}

// encode appends v and reports whether it is set: whether it differs from the zero
// value of its type.
func (e *encoder) encode(s *shape, v reflect.Value) bool {
	switch s.rule {
	case ruleString:
		return e.text(v.String())
	case ruleBool:
		return e.bool(v.Bool())
	case ruleInt:
		e.buf = binary.AppendVarint(e.buf, v.Int())
		return v.Int() != 0
	case ruleUint:
		e.buf = binary.AppendUvarint(e.buf, v.Uint())
		return v.Uint() != 0
	case rulePointer:
		if e.bool(!v.IsNil()) {
			e.encode(s.elem, v.Elem())
		}
		return !v.IsNil()
	case ruleSlice:
		return e.slice(s, v)
	case ruleStruct:
		return e.structure(s, v)
	case ruleMap:
		return e.mapping(s, v)
	case ruleTexts, ruleLabels:
		return e.texts(v.Interface().(map[string]string), s.rule == ruleLabels)
	case ruleAmounts:
		return e.amounts(v.Interface().(corev1.ResourceList))
	case ruleQuantity:
		return e.quantity(v.Addr().Interface().(*resource.Quantity))
	case ruleTime:
		return e.time(v.Addr().Interface().(interface{ UTC() time.Time }).UTC())
	case ruleFields:
		return e.bytes(rawFields(v))
	}
	return e.json(v)
}

// rawFields returns the text of a FieldsV1: by its method, which the API has since 1.36 and
// which knows the internal form of the text, or else from the field.
func rawFields(v reflect.Value) []byte {
	if f, ok := v.Addr().Interface().(interface{ GetRawBytes() []byte }); ok {
		return f.GetRawBytes()
	}
	return v.FieldByName("Raw").Bytes()
}

func (e *encoder) count(n int) { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }

func (e *encoder) text(s string) bool {
	e.count(len(s))
	e.buf = append(e.buf, s...)
	return s != ""
}

func (e *encoder) bytes(b []byte) bool {
	e.count(len(b))
	e.buf = append(e.buf, b...)
	return len(b) > 0
}

func (e *encoder) bool(b bool) bool {
	if b {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
	return b
}

func (e *encoder) structure(s *shape, v reflect.Value) bool {
	set := false
	memory := s.memory(v)
	for from := nextSet(memory, 0); from < s.size; {
		f := s.fieldAt(from)
		if f == nil {
			break // padding between two fields
		}
		start := len(e.buf)
		e.buf = append(e.buf, f.prefix...)
		if e.encode(f.shape, v.Field(f.index)) {
			set = true
		} else {
			e.buf = e.buf[:start]
		}
		from = nextSet(memory, f.end)
	}
	e.buf = append(e.buf, 0)
	return set
}

// memory returns the bytes that hold v, which has the shape s and an address. They are
// only read. Nine in ten fields of a template are unset, and asking reflect for each of
// them takes most of the time.
func (s *shape) memory(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v.UnsafeAddr())), s.size)
}

// nextSet returns the offset of the next word of b, at from or later, that is not zero, or
// the length of b. The zero value of every type is all zeros.
func nextSet(b []byte, from uintptr) uintptr {
	b = b[from:]
	for len(b) >= 32 && word(b, 0)|word(b, 8)|word(b, 16)|word(b, 24) == 0 {
		b, from = b[32:], from+32
	}
	for ; len(b) >= 8; b = b[8:] {
		if word(b, 0) != 0 {
			return from
		}
		from += 8
	}
	for _, x := range b {
		if x != 0 {
			return from
		}
		from++
	}
	return from
}

func word(b []byte, at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }

func (e *encoder) slice(s *shape, v reflect.Value) bool {
	n := v.Len()
	e.count(n)
	for i := range n {
		e.encode(s.elem, v.Index(i))
	}
	return n > 0
}

// mapping encodes a map of a type without a special rule. No pod template of Kubernetes
// 1.36 has one.
func (e *encoder) mapping(s *shape, v reflect.Value) bool {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	e.count(len(keys))
	for _, k := range keys {
		e.text(k.String())
		value := reflect.New(v.Type().Elem()).Elem() // map elements have no address, which some rules need
		value.Set(v.MapIndex(k))
		e.encode(s.elem, value)
	}
	return len(keys) > 0
}

func (e *encoder) texts(m map[string]string, withoutHash bool) bool {
	pairs := e.sorted(m, withoutHash)
	e.count(len(pairs))
	for i := range pairs {
		e.text(pairs[i].key)
		e.text(pairs[i].value)
	}
	return len(pairs) > 0
}

func (e *encoder) amounts(m corev1.ResourceList) bool {
	names := e.names(m)
	e.count(len(names))
	for _, name := range names {
		e.text(name)
		q := m[corev1.ResourceName(name)]
		e.quantity(&q)
	}
	return len(names) > 0
}

// quantity appends the value without trailing zeros and its power of ten, which
// depend on the value alone, except that a zero keeps its power. It does not
// change q, as some methods of a Quantity do.
func (e *encoder) quantity(q *resource.Quantity) bool {
	if q.IsZero() {
		e.buf = append(e.buf, "0e\x00"...)
		return false
	}
	digits, exponent := q.AsCanonicalBytes(e.buf)
	e.buf = binary.AppendVarint(append(digits, 'e'), int64(exponent))
	return true
}

// time appends the instant.
func (e *encoder) time(t time.Time) bool {
	e.buf = binary.AppendVarint(e.buf, t.Unix())
	e.buf = binary.AppendUvarint(e.buf, uint64(t.Nanosecond()))
	return !t.IsZero()
}

// json encodes a value of a type without a rule. No pod template of Kubernetes 1.36 has
// one, and a value that has no JSON is of no API type.
func (e *encoder) json(v reflect.Value) bool {
	data, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		data = nil
	}
	e.bytes(data)
	return !v.IsZero()
}

// A sorter sorts many maps in the same memory: a result is valid until the next call.
type sorter struct {
	keys  []string
	pairs []pair
}

type pair struct{ key, value string }

func (s *sorter) sorted(m map[string]string, withoutHash bool) []pair {
	s.pairs = s.pairs[:0]
	for k, v := range m {
		if !withoutHash || k != revision.LabelHash {
			s.pairs = append(s.pairs, pair{k, v})
		}
	}
	slices.SortFunc(s.pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	return s.pairs
}

func (s *sorter) names(m corev1.ResourceList) []string {
	s.keys = s.keys[:0]
	for k := range m {
		s.keys = append(s.keys, string(k))
	}
	slices.Sort(s.keys)
	return s.keys
}
