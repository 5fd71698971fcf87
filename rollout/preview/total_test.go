// SPDX-License-Identifier: Apache-2.0

package preview_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/preview"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Of":       preview.Of,
	"Warnings": preview.Warnings,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[preview.Input](),
	reflect.TypeFor[preview.Plan](),
	reflect.TypeFor[preview.Sizes](),
	reflect.TypeFor[preview.Step](),
	reflect.TypeFor[preview.Warning](),
}
