// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// Empties draws snapshots, and makes each of their empty lists and maps empty or nil. The plan must
// be the same after JSON, and for two Trackers: one that is told of the changes from the snapshot
// before, by tell, and one that is decoded from the JSON of the first. The snapshot before is the
// same one with other empty lists and maps, or the zero one, which follows yet another one.
func Empties[T, S, O, P any, Tracker Planner[S, O, P, T]](
	t *testing.T, draw func(random.Source) (S, O), reconcile func(S, time.Time, O) (P, error), tell func(tracker Tracker, from, to *S) error,
) {
	t.Helper()
	random.Check(t, func(t random.T) {
		drawn, opts := draw(t)
		told := Tracker(new(T))
		var before S
		for round := range 4 {
			if round == 2 {
				if err := tell(told, &before, new(S)); err != nil {
					t.Fatalf("%v", err)
				}
				drawn, _ = draw(t)
				before = *new(S)
			}
			s := purity.Clone(drawn)
			purity.SetEmpties(&s, func() bool { return random.Bool(t, "empty, not nil") })
			want, wrong := reconcile(s, random.Now, opts)
			same := func(of string, got P, err error) {
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || fmt.Sprint(err) != fmt.Sprint(wrong) {
					t.Fatalf("%s: %v, want %v\n%s\n%+v", of, err, wrong, diff, s)
				}
			}
			var back S
			throughJSON(t, s, &back)
			got, err := reconcile(back, random.Now, opts)
			same("after JSON", got, err)
			if err := tell(told, &before, &s); err != nil {
				t.Fatalf("%v", err)
			}
			got, err = told.Plan(random.Now, opts)
			same("of a Tracker", got, err)
			decoded := Tracker(new(T))
			throughJSON(t, told, decoded)
			got, err = decoded.Plan(random.Now, opts)
			same("of a Tracker after JSON", got, err)
			before = s
		}
	})
}

// Replace applies the events that replace each object of from by the one of to with its name, add the
// others of to, and remove the others of from. It returns the errors.
func Replace[T any](from, to []T, name func(*T) string, apply func(Event[T]) error) (err error) {
	for _, e := range Changes(from, to, name, func(_, _ *T) bool { return false }) {
		err = errors.Join(err, apply(e))
	}
	return err
}

func throughJSON(t purity.T, from, into any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
}
