// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
)

// planners returns a check of purity for each planner. The last two have no list without an order.
func planners(pick func(impurity, error) []string) []check {
	return []check{
		on[DeploymentPlanner](func(c *DeploymentPlanner) []string { return pick(impure(c, deploymentModel.lists)) }),
		on[ReplicaSetPlanner](func(c *ReplicaSetPlanner) []string { return pick(impure(c, replicaSetModel.lists)) }),
		on[DaemonSetPlanner](func(c *DaemonSetPlanner) []string { return pick(impure(c, daemonSetModel.lists)) }),
		on[ArgoPlanner](func(c *ArgoPlanner) []string { return pick(impure(c, argoModel.lists)) }),
		on[RolloutPlanner](func(c *RolloutPlanner) []string { return pick(impure(c, nil)) }),
		on[BatchPlanner](func(c *BatchPlanner) []string { return pick(impure(c, nil)) }),
	}
}

// An impurity is the finding of package purity about a planner, "" if it is pure.
type impurity string

// A recorder stops at the first failure and keeps its text.
type recorder struct{ text string }

func (*recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.text = fmt.Sprintf(format, args...)
	panic(r)
}

func impure[S, O, P any](c *Planner[S, O, P], lists []string) (impurity, error) {
	if known, ok := c.memo.(impurity); ok {
		_, err := tryPlan(c, c.Snapshot, c.Now)
		return known, err
	}
	r := &recorder{}
	func() {
		defer func() {
			if got := recover(); got != nil && got != any(r) {
				r.text = fmt.Sprintf("the check panics: %v", got)
			}
		}()
		purity.Check(r, c.Snapshot, func(s S) (P, error) { return c.Plan(s, c.Now, c.Options) }, lists...)
	}()
	c.memo = impurity(r.text)
	_, err := tryPlan(c, c.Snapshot, c.Now)
	return impurity(r.text), err
}

func determinism(i impurity, _ error) []string {
	return one(strings.Contains(string(i), "two plans of one snapshot differ"), "%s", i)
}

func inputUntouched(i impurity, _ error) []string {
	return one(strings.Contains(string(i), "plan wrote") || strings.Contains(string(i), "share"), "%s", i)
}

func orderIndependence(i impurity, _ error) []string {
	return one(strings.Contains(string(i), "depends on the order"), "%s", i)
}

func noPanic(i impurity, err error) []string {
	if strings.Contains(string(i), "panics") || errors.Is(err, errPanic) {
		return []string{fmt.Sprintf("%s %v", i, err)}
	}
	return one(err != nil && !errors.Is(err, kplan.ErrInvalid), "the error is of no known class: %v", err)
}

// jsonRoundTrip encodes a pass to JSON and decodes it.
func jsonRoundTrip[S, O, P any](p *Pass[S, O, P]) (lines []string) {
	lines = append(lines, roundTrip("the snapshot", p.Snapshot)...)
	return append(lines, roundTrip("the plan", p.Plan)...)
}

func roundTrip[V any](what string, v V) []string {
	text, err := json.Marshal(v)
	var back V
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		return []string{what + ": " + err.Error()}
	}
	again := encode(back)
	if again == string(text) && sameText(v, back) {
		return nil
	}
	return []string{fmt.Sprintf("%s: written as %s, read as %s", what, text, again)}
}

func sameText(a, b any) bool {
	x, ok := a.(fmt.Stringer)
	return !ok || x.String() == b.(fmt.Stringer).String()
}

// timeShift shifts all times of the snapshot, and the plan's back again. Snapshots with times in
// annotations are left out.
func timeShift[S, O, P any](c *Planner[S, O, P]) (lines []string) {
	want, err := tryPlan(c, c.Snapshot, c.Now)
	text := encode(c.Snapshot)
	if err != nil || strings.Contains(text, "inplace-update-") || strings.Contains(text, "updateTimestamp") {
		return nil
	}
	for _, by := range []time.Duration{-1000 * time.Hour, time.Second, 12345678 * time.Second} {
		moved := purity.Clone(c.Snapshot)
		shift(reflect.ValueOf(&moved).Elem(), by)
		got, err := tryPlan(c, moved, c.Now.Add(by))
		if err != nil {
			return []string{fmt.Sprintf("moved by %v: %v", by, err)}
		}
		got = purity.Clone(got)
		shift(reflect.ValueOf(&got).Elem(), -by)
		if a, b := encode(want), encode(got); a != b {
			lines = append(lines, fmt.Sprintf("moved by %v: %s, not %s", by, b, a))
		}
	}
	return lines
}

// shift adds to every time below v that is set.
func shift(v reflect.Value, by time.Duration) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		if t := v.Interface().(time.Time); !t.IsZero() && v.CanSet() {
			v.Set(reflect.ValueOf(t.Add(by)))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			shift(v.Elem(), by)
		}
	case reflect.Interface:
		if !v.IsNil() {
			inner := reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
			shift(inner, by)
			v.Set(inner)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				shift(v.Field(i), by)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			shift(v.Index(i), by)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			inner := reflect.New(v.Type().Elem()).Elem()
			inner.Set(v.MapIndex(key))
			shift(inner, by)
			v.SetMapIndex(key, inner)
		}
	}
}
