// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/podorder"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"AgeBucket":           podorder.AgeBucket,
	"Compact":             podorder.Compact,
	"CompareForLogs":      podorder.CompareForLogs,
	"Costs":               podorder.Costs,
	"DeletionCost":        podorder.DeletionCost,
	"Health":              podorder.Health,
	"New":                 podorder.New,
	"OnNodes":             podorder.OnNodes,
	"ParseDeletePriority": podorder.ParseDeletePriority,
	"Seed":                podorder.Seed,
	"SortForLogs":         podorder.SortForLogs,
	"Specified":           podorder.Specified,
	"Tiers":               podorder.Tiers,
	"Witness":             podorder.Witness,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[podorder.Chain](),
	reflect.TypeFor[podorder.Choice](),
	reflect.TypeFor[podorder.Domains](),
	reflect.TypeFor[podorder.Draft](),
	reflect.TypeFor[podorder.Explanation](),
	reflect.TypeFor[podorder.Neighbours](),
	reflect.TypeFor[podorder.Order](),
	reflect.TypeFor[podorder.Phase](),
	reflect.TypeFor[podorder.Pod](),
	reflect.TypeFor[podorder.Priority](),
	reflect.TypeFor[podorder.Rule](),
	reflect.TypeFor[podorder.Stage](),
}
