// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// sibling returns a field next to p by its path. Each "../" in front goes up one level.
// The result is no value if a pointer on the path is nil.
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

// is holds if a sibling has a value.
func is(name, value string) condition {
	return func(p place) bool { return p.sibling(name).String() == value }
}

// unset holds if a sibling is not set.
func unset(name string) condition {
	return func(p place) bool { return unsetValue(p.sibling(name)) }
}

// given holds if a sibling is set.
func given(name string) condition {
	return func(p place) bool { return !unsetValue(p.sibling(name)) }
}

// lacks holds if a map, a sibling, does not have a key.
func lacks(name, key string) condition {
	return func(p place) bool { return !p.sibling(name).MapIndex(reflect.ValueOf(key)).IsValid() }
}

// alone holds if no field next to p is set, except for the named one.
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

// latest holds if a sibling is an image with the tag latest, explicit or implied.
func latest(name string) condition {
	return func(p place) bool { return isLatest(p.sibling(name).String()) }
}

// same is the value of a sibling.
func same(name string) computed {
	return func(p place) any { return p.sibling(name).Interface() }
}

// milli is a quantity rounded up to thousandths. A quantity that needs no rounding is left
// untouched in memory, too, since hashes are computed from its memory.
var milli = computed(func(p place) any {
	q := p.value.Interface().(resource.Quantity)
	rounded := q.DeepCopy()
	if rounded.RoundUp(resource.Milli); rounded.Cmp(q) == 0 {
		return q
	}
	return rounded
})
