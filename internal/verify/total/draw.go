// SPDX-License-Identifier: Apache-2.0

package total

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"time"
)

// A drawer draws arguments.
type drawer struct {
	random   *rand.Rand
	depth    int
	pool     map[reflect.Type][]reflect.Value // results of earlier calls
	types    []reflect.Type
	specials []func(reflect.Type, *rand.Rand) (reflect.Value, bool)
}

// keep keeps a result with unexported fields, which only its package can make.
func (d *drawer) keep(v reflect.Value) {
	const most = 16
	t := v.Type()
	if t.Kind() != reflect.Struct || !opaque(t) {
		return
	}
	if len(d.pool[t]) < most {
		d.pool[t] = append(d.pool[t], v)
	} else {
		d.pool[t][d.random.IntN(most)] = v
	}
}

func opaque(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

const deepest = 7

// draw returns a value for a round: the zero value in the first, one without nil in the second, any
// in the others. Functions are nil only in the first round, where every count is 0 and so none is
// called.
func (d *drawer) draw(t reflect.Type, round int) reflect.Value {
	v := reflect.New(t).Elem()
	if round == 0 || d.depth > deepest {
		return v
	}
	d.depth++
	defer func() { d.depth-- }()
	if round > 1 {
		for _, special := range d.specials {
			if made, ok := special(t, d.random); ok {
				return made
			}
		}
		if kept := d.pool[t]; len(kept) > 0 && d.random.IntN(2) == 0 {
			return kept[d.random.IntN(len(kept))]
		}
	}
	missing := round > 1 && d.random.IntN(4) == 0
	switch t.Kind() {
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			results := make([]reflect.Value, t.NumOut())
			for i := range results {
				results[i] = reflect.Zero(t.Out(i))
			}
			return results
		}))
	case reflect.Pointer:
		if !missing {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(d.draw(t.Elem(), round))
		}
	case reflect.Slice:
		if !missing {
			d.list(v, round)
		}
	case reflect.Map:
		if !missing {
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(d.draw(t.Key(), round), d.draw(t.Elem(), round))
		}
	case reflect.Interface:
		if !missing {
			d.implementation(v, round)
		}
	case reflect.Struct:
		d.structure(v, round)
	default:
		if round > 1 {
			d.basic(v)
		}
	}
	return v
}

func (d *drawer) list(v reflect.Value, round int) {
	if v.Type().Elem().Kind() == reflect.Uint8 && round > 1 {
		texts := []string{"", "{}", "null", "[]", `{"spec":{"template":{"spec":{"containers":[{}]}}}}`, `"`, "\xff", `""`, "1e999"}
		v.SetBytes([]byte(texts[d.random.IntN(len(texts))]))
		return
	}
	n := 1
	if round > 1 {
		n = d.random.IntN(3)
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		v.Index(i).Set(d.draw(v.Type().Elem(), round))
	}
}

// implementation sets v to a value of a type of the package that implements it, or to an error.
func (d *drawer) implementation(v reflect.Value, round int) {
	if v.Type() == reflect.TypeFor[error]() {
		v.Set(reflect.ValueOf(errors.New("an error")))
		return
	}
	var fit []reflect.Type
	for _, t := range d.types {
		if t.Kind() != reflect.Interface && t.Implements(v.Type()) {
			fit = append(fit, t)
		}
	}
	if len(fit) > 0 && v.NumMethod() > 0 {
		v.Set(d.draw(fit[d.random.IntN(len(fit))], round))
	}
}

func (d *drawer) structure(v reflect.Value, round int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		if round > 1 {
			seconds := []int64{0, 1, 1_700_000_000, -62135596800, 1 << 40, math.MinInt64 / 2, math.MaxInt64}
			v.Set(reflect.ValueOf(time.Unix(seconds[d.random.IntN(len(seconds))], d.random.Int64N(3))))
		}
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() && (round == 1 || d.random.IntN(3) > 0) {
			v.Field(i).Set(d.draw(v.Type().Field(i).Type, round))
		}
	}
}

// basic draws extremes. An int, which counts or indexes, stays small, since memory limits the
// number of objects.
func (d *drawer) basic(v reflect.Value) {
	pick := func(list ...int64) int64 { return list[d.random.IntN(len(list))] }
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.random.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(pick(-1, 0, 1, 2, 3, 100))
	case reflect.Int8, reflect.Int16:
		v.SetInt(pick(-1, 0, 1, 127))
	case reflect.Int32:
		v.SetInt(pick(math.MinInt32, -1, 0, 1, 2, 3, 100, math.MaxInt32))
	case reflect.Int64:
		v.SetInt(pick(math.MinInt64, math.MinInt32, -1, 0, 1, 2, 1e9, math.MaxInt32, math.MaxInt64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(pick(0, 1, 255)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, -1, math.NaN(), math.Inf(1), math.MaxFloat64}[d.random.IntN(5)])
	case reflect.String:
		texts := []string{"", "a", "b", "web", "web-1", "\xff", "1", "-1", "25%", "%", "99999999999999999999", "a=b", "In", "=", "{}", "true", "True", "metadata.name"}
		v.SetString(texts[d.random.IntN(len(texts))])
	}
}
