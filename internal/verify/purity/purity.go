// SPDX-License-Identifier: Apache-2.0

// Package purity checks that a planner is a pure function of its snapshot: that it writes to
// nothing, keeps nothing, always returns the same plan, returns nil instead of empty lists, and
// ignores the order of unordered lists and differences that JSON does not keep.
//
// Examples of defects, and whether the checks detect them:
//
//	a planner that                       without -race   with -race
//	sorts the caller's slice             seen            seen
//	leaves a tie without a tie-break     seen            seen
//	lets the order of a map reach a plan seen            seen
//	appends to the caller's slice        seen            seen
//	writes a field and restores it       not seen        seen
//	lets a plan share memory with the    seen            seen
//	snapshot
//	makes a list and puts nothing in it  seen            seen
//
// So run the tests that use it under the race detector as well.
package purity

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
)

// T is the part of *testing.T and *rapid.T that [Check] uses.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// shuffles is the number of random orders to try, in addition to the reverse order.
const shuffles = 4

// Check fails t unless plan is a pure function of s, and returns the plan of s. If plan returns an
// error, it must always return one with the same text.
//
// The plan must not depend on whether lists and maps are empty or nil, where JSON does not keep the
// difference. It must not depend on the order of the unordered slices. Each is named by the path of
// fields from s: "Pods", or "Nodes.Taints" for the Taints of each of the Nodes. An empty name is s
// itself. The order of other slices does not change.
func Check[S, P any](t T, s S, plan func(S) (P, error), unordered ...string) P {
	t.Helper()
	s = Clone(s)
	before := Clone(s)
	again := make(chan outcome[P])
	go func() { again <- call(plan, s) }()
	want := call(plan, s) // concurrently, on the same memory
	got := <-again
	if want.panicked != nil {
		t.Fatalf("plan panics: %v", want.panicked)
	}
	if d := want.difference(got); d != "" {
		t.Fatalf("two plans of one snapshot differ: %s", d)
	}
	unchanged(t, "plan wrote to the snapshot", before, s)

	kept := want
	kept.plan = Clone(want.plan)
	scribble(reflect.ValueOf(&got.plan).Elem())
	unchanged(t, "the plan shares memory with the snapshot", before, s)
	if d := kept.difference(want); d != "" {
		t.Fatalf("two plans of one snapshot share memory: %s", d)
	}
	NilWhenEmpty(t, want.plan)
	orders(t, s, plan, want, unordered)
	empties(t, s, plan, want)
	return want.plan
}

// orders checks that the plan is the same for other orders of the named slices.
func orders[S, P any](t T, s S, plan func(S) (P, error), want outcome[P], unordered []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 1 + shuffles {
		shuffled := Clone(s)
		for _, name := range unordered {
			reorder := func(list reflect.Value) {
				swap := reflect.Swapper(list.Interface())
				if round > 0 {
					random.Shuffle(list.Len(), swap)
					return
				}
				for i, j := 0, list.Len()-1; i < j; i, j = i+1, j-1 {
					swap(i, j)
				}
			}
			if !visit(reflect.ValueOf(&shuffled).Elem(), name, reorder) {
				t.Fatalf("%T has no slice named %q", s, name)
			}
		}
		if d := want.difference(call(plan, shuffled)); d != "" {
			t.Fatalf("the plan depends on the order of %s: %s", strings.Join(unordered, ", "), d)
		}
	}
}

func unchanged[S any](t T, what string, before, after S) {
	t.Helper()
	if d := difference("", reflect.ValueOf(&before).Elem(), reflect.ValueOf(&after).Elem()); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
	if path := spare("", reflect.ValueOf(&after).Elem()); path != "" {
		t.Fatalf("%s: behind the end of %s", what, path)
	}
}

// An outcome is the result of a call of a planner.
type outcome[P any] struct {
	plan     P
	err      error
	panicked any
}

func call[S, P any](plan func(S) (P, error), s S) (o outcome[P]) {
	defer func() { o.panicked = recover() }()
	o.plan, o.err = plan(s)
	return o
}

// difference returns the difference between o and p, or "".
func (o outcome[P]) difference(p outcome[P]) string {
	if a, b := fmt.Sprint(o.panicked), fmt.Sprint(p.panicked); a != b {
		return fmt.Sprintf("panic: %s, then %s", a, b)
	}
	if a, b := fmt.Sprint(o.err), fmt.Sprint(p.err); a != b {
		return fmt.Sprintf("error: %s, then %s", a, b)
	}
	return difference("", reflect.ValueOf(&o.plan).Elem(), reflect.ValueOf(&p.plan).Elem())
}
