// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Done":       ordinal.Done,
	"Limits":     ordinal.Limits,
	"Partition":  ordinal.Partition,
	"Replace":    ordinal.Replace,
	"ReplaceOne": ordinal.ReplaceOne,
	"Roll":       ordinal.Roll,
	"RoleSteps":  ordinal.RoleSteps,
	"StepRoles":  ordinal.StepRoles,
	"Size":       ordinal.Size,
	"Step":       ordinal.Step,
	"Waiting":    ordinal.Waiting,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[ordinal.Group](),
	reflect.TypeFor[ordinal.Next](),
	reflect.TypeFor[ordinal.Role](),
	reflect.TypeFor[ordinal.State](),
}
