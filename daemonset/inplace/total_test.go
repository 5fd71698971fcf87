// SPDX-License-Identifier: Apache-2.0

package inplace_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/verify/total"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"CalculateSpec": inplace.CalculateSpec,
	"Completed":     inplace.Completed,
	"Containers":    inplace.Containers,
	"Continue":      inplace.Continue,
	"FirstBatch":    inplace.FirstBatch,
	"NextBatch":     inplace.NextBatch,
	"UnderWay":      inplace.UnderWay,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[inplace.Batch](),
	reflect.TypeFor[inplace.ReadyCondition](),
	reflect.TypeFor[inplace.Container](),
	reflect.TypeFor[inplace.ContainerStatus](),
	reflect.TypeFor[inplace.LastContainer](),
	reflect.TypeFor[inplace.MetadataPatch](),
	reflect.TypeFor[inplace.Options](),
	reflect.TypeFor[inplace.Pod](),
	reflect.TypeFor[inplace.PreCheck](),
	reflect.TypeFor[inplace.Put](),
	reflect.TypeFor[inplace.RefMetadata](),
	reflect.TypeFor[inplace.Resources](),
	reflect.TypeFor[inplace.Spec](),
	reflect.TypeFor[inplace.State](),
	reflect.TypeFor[inplace.Step](),
}
