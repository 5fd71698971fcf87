// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// remembered is the maximum number of slots for shared values, and fewer is the number until a
// quarter of them is taken.
const (
	remembered = 1 << 15
	fewer      = 1 << 10
)

// alike makes objects share equal lists, maps and texts: nearly all that a template gives to pods
// and to ReplicaSets, and the common parts of templates. Nothing that was read is written to later.
// The number of slots is limited, and a new value may replace an old one. Hashes have no random
// seed, so that the same files are always shared in the same way; collisions made on purpose only
// cost memory.
type alike struct {
	slots []slot // by the hash of the value
	taken int    // slots with a value
}

// A slot is a value, and whether it was shared since another value last wanted the slot.
type slot struct {
	value  reflect.Value
	hash   uint64
	shared bool
}

// share replaces parts of an object by equal parts of objects before it.
func (a *alike) share(object any) {
	switch {
	case a.slots == nil:
		a.slots = make([]slot, fewer)
	case a.taken > len(a.slots)/4 && len(a.slots) < remembered:
		a.grow()
	}
	a.within(reflect.ValueOf(object).Elem())
}

// grow increases the number of slots to remembered.
func (a *alike) grow() {
	slots := a.slots
	a.slots = make([]slot, remembered)
	for i := range slots {
		if s := &slots[i]; s.value.IsValid() {
			*a.slot(s.hash) = *s // no two of them have the same new slot
		}
	}
}

func (a *alike) slot(hash uint64) *slot { return &a.slots[mix(hash, 5)%uint64(len(a.slots))] }

// within shares the parts of a value that can be set, and returns the hash of the value.
func (a *alike) within(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return a.same(v, a.within(v.Elem())+1)
	case reflect.Slice:
		if v.Len() == 0 {
			return 1
		}
		sum := uint64(v.Len())
		for i := range v.Len() {
			sum = mix(sum, a.within(v.Index(i)))
		}
		if v.Cap() > v.Len() { // decoders give lists more capacity than they need
			exact := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(exact, v)
			v.Set(exact)
		}
		return a.same(v, sum)
	case reflect.Map:
		if v.Len() == 0 {
			return 2
		}
		sum := uint64(0) // does not depend on the order of entries
		for key, value := range v.Seq2() {
			entry := reflect.New(value.Type()).Elem()
			entry.Set(value)
			sum += mix(leaf(key), a.within(entry))
		}
		return a.same(v, mix(sum, 3))
	case reflect.Struct:
		return a.fields(v)
	case reflect.String:
		return a.same(v, leaf(v))
	}
	return leaf(v)
}

// fields shares the fields of a struct. Times and quantities are hashed as a whole, because their
// fields are not exported.
func (a *alike) fields(v reflect.Value) uint64 {
	switch x := v.Addr().Interface().(type) {
	case *metav1.Time:
		return uint64(x.UnixNano())
	case *metav1.MicroTime:
		return uint64(x.UnixNano())
	case *time.Time:
		return uint64(x.UnixNano())
	case *resource.Quantity:
		return uint64(x.MilliValue())
	}
	sum := uint64(v.NumField())
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() {
			sum = mix(sum, a.within(f))
		}
	}
	return sum
}

// leaf returns the hash of a value without parts.
func leaf(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.String:
		return fnv(v.String())
	case v.CanInt():
		return uint64(v.Int())
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Bool && v.Bool():
		return 1
	}
	return 0
}

// same replaces a value by an equal shared value, if there is one.
func (a *alike) same(v reflect.Value, hash uint64) uint64 {
	slot := a.slot(hash)
	switch known := slot.value; {
	case known.IsValid() && known.Type() == v.Type() && equal(known, v):
		v.Set(known)
		slot.shared = true
	case slot.shared:
		slot.shared = false // the next value gets the slot
	default:
		own := reflect.New(v.Type()).Elem() // does not change if the field of the object is set again
		own.Set(v)
		if !known.IsValid() {
			a.taken++
		}
		slot.value, slot.hash = own, hash
	}
	return hash
}

func equal(a, b reflect.Value) bool {
	if a.Kind() == reflect.String {
		return a.String() == b.String()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// fnv returns the FNV-1a hash of a text.
func fnv(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// mix combines two hashes.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}
