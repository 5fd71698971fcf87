// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/kplan-go/kplan"
)

// Fuzz fuzzes a planner with snapshots in JSON. It must not panic, be a pure function of each
// snapshot ([Check]), return errors that wrap invalid and name the field, and return plans that
// JSON keeps unchanged.
//
// plan may return [ErrTooLarge] to skip a snapshot.
func Fuzz[S, P any](f *testing.F, invalid error, plan func(S) (P, error), seeds ...S) {
	f.Helper()
	for _, s := range seeds {
		text, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s S
		if json.Unmarshal(text, &s) != nil {
			return
		}
		p := Check(t, s, plan)
		if _, err := plan(s); err != nil {
			named(t, err, invalid)
			return
		}
		encoded, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("a plan is not written: %v", err)
		}
		var back P
		if err := json.Unmarshal(encoded, &back); err != nil {
			t.Fatalf("a plan is not read again: %v\n%s", err, encoded)
		}
		if d := difference("", reflect.ValueOf(&p).Elem(), reflect.ValueOf(&back).Elem()); d != "" {
			t.Fatalf("JSON loses something: %s", d)
		}
	})
}

// ErrTooLarge is the error of a plan of [Fuzz] for a snapshot that would take too long.
var ErrTooLarge = errors.New("too large to try")

// named fails t unless an error wraps invalid and names a field.
func named(t *testing.T, err, invalid error) {
	t.Helper()
	if errors.Is(err, ErrTooLarge) {
		return
	}
	var e *kplan.FieldError
	if !errors.Is(err, invalid) || !errors.As(err, &e) || e.Path == "" {
		t.Fatalf("an error without the field: %v", err)
	}
}

// Must panics unless ok, which fails the check that calls the planner.
func Must(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}
