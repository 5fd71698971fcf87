// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A change is an outcome in which one value was changed.
type change[O any] struct {
	path    string
	outcome O
}

// copied returns a deep copy of an outcome.
func copied[O any](o O) O {
	c := &changer{at: -1}
	return c.copy(reflect.ValueOf(&o).Elem()).Interface().(O)
}

// changed returns a deep copy of an outcome for each of its values, which has another
// value: numbers and times are one more, texts longer, lists lose their last element and
// get one more, maps lose a key and get one, and pointers become nil or point to
// something.
func changed[O any](o O) (list []change[O]) {
	c := &changer{at: -1}
	c.copy(reflect.ValueOf(&o).Elem())
	for at := range c.n {
		c = &changer{at: at}
		wrong := c.copy(reflect.ValueOf(&o).Elem()).Interface().(O)
		list = append(list, change[O]{c.found, wrong})
	}
	return list
}

// A changer copies values and changes the one with the number at.
type changer struct {
	at, n int
	path  []string
	found string
}

// here reports whether the next value is the one to change.
func (c *changer) here(what string) bool {
	hit := c.n == c.at
	if hit {
		c.found = strings.Join(c.path, ".") + what
	}
	c.n++
	return hit
}

func (c *changer) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch x := v.Interface().(type) {
	case metav1.Time:
		if c.here("") {
			out.Set(reflect.ValueOf(metav1.NewTime(x.Add(time.Second))))
		}
		return out
	case resource.Quantity:
		return out
	}
	switch v.Kind() {
	case reflect.Bool:
		out.SetBool(v.Bool() != c.here(""))
	case reflect.Int, reflect.Int32, reflect.Int64:
		if c.here("") {
			out.SetInt(v.Int() + 1)
		}
	case reflect.String:
		if c.here("") {
			out.SetString(v.String() + "x")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				c.path = append(c.path, f.Name)
				out.Field(i).Set(c.copy(v.Field(i)))
				c.path = c.path[:len(c.path)-1]
			}
		}
	case reflect.Pointer:
		c.pointer(v, out)
	case reflect.Slice:
		c.slice(v, out)
	case reflect.Map:
		c.dictionary(v, out)
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(c.copy(v.Elem()))
		}
	}
	return out
}

func (c *changer) pointer(v, out reflect.Value) {
	change := c.here(": nil or not")
	if v.IsNil() != change { // it is nil and stays so, or becomes so
		out.SetZero()
		return
	}
	out.Set(reflect.New(v.Type().Elem()))
	if !v.IsNil() {
		out.Elem().Set(c.copy(v.Elem()))
	}
}

func (c *changer) slice(v, out reflect.Value) {
	if c.here(": one more") {
		out.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), more(v.Type().Elem())))
		return
	}
	if v.Len() == 0 {
		return
	}
	n := v.Len()
	if c.here(": one less") {
		n--
	}
	out.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		out.Index(i).Set(c.copy(v.Index(i)))
	}
}

func (c *changer) dictionary(v, out reflect.Value) {
	out.Set(reflect.MakeMap(v.Type()))
	keys := v.MapKeys()
	for _, key := range keys {
		out.SetMapIndex(key, v.MapIndex(key))
	}
	if c.here(": one more") {
		out.SetMapIndex(reflect.ValueOf("one more").Convert(v.Type().Key()), more(v.Type().Elem()))
	}
	if len(keys) == 0 {
		return
	}
	least := keys[0] // maps have no order, and which value is changed must not depend on one
	for _, key := range keys {
		if key.String() < least.String() {
			least = key
		}
	}
	if c.here(": one less") {
		out.SetMapIndex(least, reflect.Value{})
		return
	}
	out.SetMapIndex(least, c.copy(v.MapIndex(least)))
}

// more is an element that is in no list.
func more(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.String {
		v.SetString("one more")
	}
	return v
}

// TestChanged counts the changes of a value of each kind, and checks that each is a single change
// and does not modify the original.
func TestChanged(t *testing.T) {
	type inner struct {
		N    int32
		Name string
	}
	type outer struct {
		B    bool
		In   inner
		P, Q *inner
		L    []inner
		M    map[string]string
		At   metav1.Time
		Any  any
	}
	of := func() outer {
		return outer{P: &inner{N: 3}, L: []inner{{N: 1}, {N: 2}}, M: map[string]string{"a": "b", "c": "d"}, At: metav1.Unix(1, 0), Any: inner{}}
	}
	o := of()
	list := changed(o)
	require.Equal(t, o, copied(o))
	require.Len(t, list, 1+2+3+1+(2+4)+3+1+2)
	seen := map[string]bool{}
	for _, c := range list {
		require.NotEqual(t, o, c.outcome, c.path)
		require.NotEmpty(t, differing(&o, &c.outcome), c.path)
		seen[c.path] = true
	}
	require.Contains(t, seen, "L: one less")
	require.Contains(t, seen, "Q: nil or not")
	require.Contains(t, seen, "In.Name")
	require.Equal(t, of(), o)
}
