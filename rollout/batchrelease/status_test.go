// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
)

// eachField calls f for every field in a struct, and in those that are its fields or what these point
// to or have first, with a function that gives it another value and one that takes that back.
func eachField(v reflect.Value, path string, f func(path string, change, undo func())) {
	for i := range v.NumField() {
		field, name := v.Field(i), path+"."+v.Type().Field(i).Name
		was := reflect.ValueOf(field.Interface())
		var change func()
		switch field.Interface().(type) {
		case time.Time:
			change = func() { field.Set(reflect.ValueOf(time.Unix(7, 0))) }
		case *int32:
			change = func() { field.Set(reflect.ValueOf(ptr.To(*was.Interface().(*int32) + 1))) }
		case rollout.IntOrPercent:
			change = func() { field.Set(reflect.ValueOf(rollout.Percent(7))) }
		default:
			switch field.Kind() {
			case reflect.String:
				change = func() { field.SetString(field.String() + "x") }
			case reflect.Bool:
				change = func() { field.SetBool(!field.Bool()) }
			case reflect.Map:
				change = func() { field.Set(reflect.ValueOf(map[string]string{"x": "y"})) }
			case reflect.Pointer:
				change = func() { field.Set(reflect.Zero(field.Type())) }
				eachField(field.Elem(), name, f)
			case reflect.Int32, reflect.Int64:
				change = func() { field.SetInt(field.Int() + 1) }
			case reflect.Struct:
				eachField(field, name, f)
				continue
			default: // a list
				change = func() { field.Set(reflect.Zero(field.Type())) }
				eachField(field.Index(0), name, f)
			}
		}
		f(name, change, func() { field.Set(was) })
	}
}

// TestStatusEqual: two statuses are equal although they share no memory, and times are in two zones, and
// are not if one field differs, whichever it is.
func TestStatusEqual(t *testing.T) {
	at := time.Unix(1, 0)
	of := func() Status {
		return Status{
			Conditions:     []kplan.Condition{{Type: "a", LastUpdateTime: at, LastTransitionTime: at}},
			Current:        CurrentBatch{BatchReadyTime: at, NoNeedUpdateReplicas: ptr.To(int32(1))},
			CollisionCount: ptr.To(int32(1)),
		}
	}
	a, b := of(), of()
	b.Current.BatchReadyTime = at.In(time.FixedZone("far", 3600))
	require.True(t, a.equal(&b))
	none := Status{}
	require.True(t, none.equal(&Status{Conditions: []kplan.Condition{}}))
	require.Equal(t, 22, eachCounts(t, &a, func() bool { return a.equal(&b) && b.equal(&a) }))
}

// eachCounts changes one field of a struct after the other, finds that it is not equal to another one
// then, and returns how many there are.
func eachCounts(t *testing.T, of any, equal func() bool) (fields int) {
	eachField(reflect.ValueOf(of).Elem(), "", func(path string, change, undo func()) {
		change()
		require.False(t, equal(), path)
		undo()
		require.True(t, equal(), path)
		fields++
	})
	return fields
}
