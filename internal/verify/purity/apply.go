// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"reflect"
	"time"
)

// Apply fails t unless whole, which carries out a plan on s, gives the same as its actions one by one
// and rest, which sets the parts of the plan that are not actions. Neither may refuse or write to s.
func Apply[S, A any](t T, s S, now time.Time, whole func(S, time.Time) (S, error), actions []A, one func(S, A, time.Time) (S, error), rest func(*S)) {
	t.Helper()
	before := Clone(s)
	atOnce, err := whole(s, now)
	if err != nil {
		t.Fatalf("%v", err)
	}
	step := s
	for _, a := range actions {
		if step, err = one(step, a, now); err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
	}
	rest(&step)
	if !reflect.DeepEqual(step, atOnce) {
		t.Fatalf("one by one:\n%+v\nat once:\n%+v", step, atOnce)
	}
	if !reflect.DeepEqual(s, before) {
		t.Fatalf("the snapshot was written to:\n%+v\n%+v", before, s)
	}
}
