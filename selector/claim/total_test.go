// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/selector/claim"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Owner.Selector", "Failure.Err", "LiveCheck.Err", "OwnerNow.Err"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"ApplyOutcome":         claim.ApplyOutcome,
	"CheckLive":            claim.CheckLive,
	"Classify":             claim.Classify,
	"ClassifyActive":       claim.ClassifyActive,
	"CompareAge":           claim.CompareAge,
	"Conflicts":            claim.Conflicts,
	"ControllerOf":         claim.ControllerOf,
	"ControllersSelecting": claim.ControllersSelecting,
	"Decide":               claim.Decide,
	"DecideActive":         claim.DecideActive,
	"Project":              claim.Project,
	"Resolve":              claim.Resolve,
	"SelectorChange":       claim.SelectorChange,
	"Simulate":             claim.Simulate,
	"UnmanagedChildren":    claim.UnmanagedChildren,
	"ValidateReference":    claim.ValidateReference,
	"WhoWouldAdopt":        claim.WhoWouldAdopt,
	"WithReference":        claim.WithReference,
	"WithoutReference":     claim.WithoutReference,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[claim.Action](),
	reflect.TypeFor[claim.Actions](),
	reflect.TypeFor[claim.AdoptChild](),
	reflect.TypeFor[claim.Change](),
	reflect.TypeFor[claim.Child](),
	reflect.TypeFor[claim.Claim](),
	reflect.TypeFor[claim.Conflict](),
	reflect.TypeFor[claim.Contested](),
	reflect.TypeFor[claim.Controller](),
	reflect.TypeFor[claim.Decision](),
	reflect.TypeFor[claim.Failure](),
	reflect.TypeFor[claim.LiveCheck](),
	reflect.TypeFor[claim.Owner](),
	reflect.TypeFor[claim.OwnerNow](),
	reflect.TypeFor[claim.OwnerReference](),
	reflect.TypeFor[claim.Reason](),
	reflect.TypeFor[claim.ReleaseChild](),
	reflect.TypeFor[claim.Resolution](),
	reflect.TypeFor[claim.Round](),
	reflect.TypeFor[claim.RoundAction](),
	reflect.TypeFor[claim.Unmanaged](),
	reflect.TypeFor[claim.Verdict](),
}
