// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/partition"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"AtLeast":          partition.AtLeast,
	"BatchSize":        partition.BatchSize,
	"Budget":           partition.Budget,
	"CloneSetBudget":   partition.CloneSetBudget,
	"CreationSize":     partition.CreationSize,
	"ExactShare":       partition.ExactShare,
	"Limit":            partition.Limit,
	"LimitOfShare":     partition.LimitOfShare,
	"LowerBound":       partition.LowerBound,
	"NewSize":          partition.NewSize,
	"OldLimit":         partition.OldLimit,
	"ParseExtraStatus": partition.ParseExtraStatus,
	"ParseStrategy":    partition.ParseStrategy,
	"StableShare":      partition.StableShare,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[partition.CloneSet](),
	reflect.TypeFor[partition.CloneSetDiff](),
	reflect.TypeFor[partition.CloneSetPods](),
	reflect.TypeFor[partition.ExtraStatus](),
	reflect.TypeFor[partition.Progress](),
	reflect.TypeFor[partition.RollingUpdate](),
	reflect.TypeFor[partition.Strategy](),
}
