// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// byValue returns a copy by value. go vet does not report it, because T may be any type.
func byValue[T any](v *T) *T {
	c := *v
	return &c
}

// Copied requires each method of a copy by value of a Tracker to panic, with the name of its
// package, and the Tracker itself to work on.
func Copied[T any](t *testing.T, pkg string, tracker *T) {
	t.Helper()
	call := func(of *T, i int) {
		method := reflect.ValueOf(of).Method(i)
		args := make([]reflect.Value, method.Type().NumIn())
		for k := range args {
			args[k] = reflect.Zero(method.Type().In(k))
		}
		method.Call(args)
	}
	methods := reflect.TypeOf(tracker)
	require.Greater(t, methods.NumMethod(), 5)
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		require.PanicsWithValue(t, pkg+": Tracker copied by value; use Clone", func() { call(byValue(tracker), i) }, name)
		require.NotPanics(t, func() { call(tracker, i) }, name)
		require.NotPanics(t, func() { call(byValue(new(T)), i) }, "%s of a copy of the zero Tracker", name)
	}
}
