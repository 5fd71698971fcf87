// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// remembered is how many values may be shared by what is read after them, and fewer is how many
// until a quarter of so many are.
const (
	remembered = 1 << 15
	fewer      = 1 << 10
)

// alike lets objects share the lists, maps and texts that they have in common: nearly all
// that a template gives to pods and to ReplicaSets, and what most templates have anyway.
// Nobody writes to what was read. It forgets values when others come in their place, so
// that it does not grow with what is read. The same files are shared in the same way each
// time: no hash is seeded at random, and who makes texts collide takes their own memory.
type alike struct {
	slots []slot // by the hash of the value
	taken int    // slots that have a value
}

// A slot is a value, and whether it was shared since another one wanted its place.
type slot struct {
	value  reflect.Value
	hash   uint64
	shared bool
}

// share replaces what an object holds by equal values of objects before it.
func (a *alike) share(object any) {
	switch {
	case a.slots == nil:
		a.slots = make([]slot, fewer)
	case a.taken > len(a.slots)/4 && len(a.slots) < remembered:
		a.grow()
	}
	a.within(reflect.ValueOf(object).Elem())
}

// grow makes room for as many values as there may be.
func (a *alike) grow() {
	slots := a.slots
	a.slots = make([]slot, remembered)
	for i := range slots {
		if s := &slots[i]; s.value.IsValid() {
			*a.slot(s.hash) = *s // none of them has the place of another one
		}
	}
}

func (a *alike) slot(hash uint64) *slot { return &a.slots[mix(hash, 5)%uint64(len(a.slots))] }

// within shares what is in a value that can be set, and returns the hash of all of it.
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
		if v.Cap() > v.Len() { // decoders grow lists beyond what they need
			exact := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(exact, v)
			v.Set(exact)
		}
		return a.same(v, sum)
	case reflect.Map:
		if v.Len() == 0 {
			return 2
		}
		sum := uint64(0) // of entries in any order
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

// fields shares what is in the fields of a struct. Some have none that others see.
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

// leaf returns the hash of a value that holds no others.
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

// same replaces a value by an equal one that others have as well, if there is one.
func (a *alike) same(v reflect.Value, hash uint64) uint64 {
	slot := a.slot(hash)
	switch known := slot.value; {
	case known.IsValid() && known.Type() == v.Type() && equal(known, v):
		v.Set(known)
		slot.shared = true
	case slot.shared:
		slot.shared = false // the next one gets its place
	default:
		own := reflect.New(v.Type()).Elem() // which stays as it is if the object gets another
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

// mix returns a hash of two.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}
