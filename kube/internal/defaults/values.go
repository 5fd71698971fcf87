// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// sibling returns a field beside another by its path, which begins with "../" if it lies
// beside what both lie in. There may be no such value.
func (p place) sibling(path string) reflect.Value {
	in := p.in
	for rest, up := strings.CutPrefix(path, "../"); up; rest, up = strings.CutPrefix(path, "../") {
		in, path = in.in, rest
	}
	v := in.value
	for name := range strings.SplitSeq(path, ".") {
		if v = pointee(v); v.IsValid() {
			v = named(v, name)
		}
	}
	return v
}

// is holds if a field beside has a value.
func is(name, value string) condition {
	return func(p place) bool { return p.sibling(name).String() == value }
}

// unset holds if a field beside is not set.
func unset(name string) condition {
	return func(p place) bool { return unsetValue(p.sibling(name)) }
}

// given holds if a field beside is set.
func given(name string) condition {
	return func(p place) bool { return !unsetValue(p.sibling(name)) }
}

// lacks holds if a map beside has no such key.
func lacks(name, key string) condition {
	return func(p place) bool { return !p.sibling(name).MapIndex(reflect.ValueOf(key)).IsValid() }
}

// alone holds if nothing is set in what the field lies in but one other field.
func alone(name string) condition {
	return func(p place) bool {
		for other := range fields(p.in.value.Type()) {
			if other != name && !unsetValue(named(p.in.value, other)) {
				return false
			}
		}
		return true
	}
}

// latest holds if the image beside is the latest, in words or without.
func latest(name string) condition {
	return func(p place) bool { return isLatest(p.sibling(name).String()) }
}

// same is the value of a field beside.
func same(name string) computed {
	return func(p place) any { return p.sibling(name).Interface() }
}

// milli is a quantity that is rounded up to thousandths. One that has no more digits stays
// as it is in memory, too, which is what a hash is computed from.
var milli = computed(func(p place) any {
	q := p.value.Interface().(resource.Quantity)
	rounded := q.DeepCopy()
	if rounded.RoundUp(resource.Milli); rounded.Cmp(q) == 0 {
		return q
	}
	return rounded
})
