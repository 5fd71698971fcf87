// SPDX-License-Identifier: Apache-2.0

package kplan_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/total"
)

// No method of the shared types panics, whatever it holds, and the types come through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"FieldError.Value", "FieldError.Err", "Outcome.Err"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{"ElementPath": kplan.ElementPath}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kplan.Condition](),
	reflect.TypeFor[kplan.ConditionStatus](),
	reflect.TypeFor[kplan.Event](),
	reflect.TypeFor[kplan.FieldError](),
	reflect.TypeFor[kplan.FieldErrors](),
	reflect.TypeFor[kplan.Hold](),
	reflect.TypeFor[kplan.Identity](),
	reflect.TypeFor[kplan.Listing[string]](),
	reflect.TypeFor[kplan.Outcome](),
	reflect.TypeFor[kplan.Quirk](),
	reflect.TypeFor[kplan.Reason](),
	reflect.TypeFor[kplan.ServerAnswer](),
}
