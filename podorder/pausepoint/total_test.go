// SPDX-License-Identifier: Apache-2.0

package pausepoint_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Decide":     pausepoint.Decide,
	"Parse":      pausepoint.Parse,
	"ParseToken": pausepoint.ParseToken,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[pausepoint.Cause](),
	reflect.TypeFor[pausepoint.Entry](),
	reflect.TypeFor[pausepoint.Mode](),
	reflect.TypeFor[pausepoint.Oversight](),
	reflect.TypeFor[pausepoint.PauseDeployment](),
	reflect.TypeFor[pausepoint.Plan](),
	reflect.TypeFor[pausepoint.ScaleDown](),
	reflect.TypeFor[pausepoint.State](),
	reflect.TypeFor[pausepoint.Token](),
	reflect.TypeFor[pausepoint.Warning](),
}
