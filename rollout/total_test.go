// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Apportion":         rollout.Apportion,
	"Available":         rollout.Available,
	"BySize":            rollout.BySize,
	"Deadlock":          rollout.Deadlock,
	"Fenceposts":        rollout.Fenceposts,
	"Fraction":          rollout.Fraction,
	"FromIntOrString":   rollout.FromIntOrString,
	"Grow":              rollout.Grow,
	"GrowTo":            rollout.GrowTo,
	"Agones":            rollout.Agones,
	"ClusterAPI":        rollout.ClusterAPI,
	"InPlace":           rollout.InPlace,
	"Int":               rollout.Int,
	"KeepAvailable":     rollout.KeepAvailable,
	"KeepLimit":         rollout.KeepLimit,
	"LeaveRoom":         rollout.LeaveRoom,
	"MachineController": rollout.MachineController,
	"NodesNeedingPods":  rollout.NodesNeedingPods,
	"NodesToUpdate":     rollout.NodesToUpdate,
	"OnDelete":          rollout.OnDelete,
	"Parse":             rollout.Parse,
	"Percent":           rollout.Percent,
	"Proportion":        rollout.Proportion,
	"Proportional":      rollout.Proportional,
	"Recreate":          rollout.Recreate,
	"Remaining":         rollout.Remaining,
	"RemoveAvailable":   rollout.RemoveAvailable,
	"RemoveUnavailable": rollout.RemoveUnavailable,
	"Resolve":           rollout.Resolve,
	"ResolveExact":      rollout.ResolveExact,
	"ResolveNodes":      rollout.ResolveNodes,
	"Roll":              rollout.Roll,
	"Saturated":         rollout.Saturated,
	"Scale":             rollout.Scale,
	"Serving":           rollout.Serving,
	"Shrink":            rollout.Shrink,
	"Step":              rollout.Step,
	"ShrinkWorstCase":   rollout.ShrinkWorstCase,
	"Spare":             rollout.Spare,
	"Surplus":           rollout.Surplus,
	"Weights":           rollout.Weights,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[rollout.Budget](),
	reflect.TypeFor[rollout.Counting](),
	reflect.TypeFor[rollout.IntOrPercent](),
	reflect.TypeFor[rollout.Leftover](),
	reflect.TypeFor[rollout.NodeCounts](),
	reflect.TypeFor[rollout.Part](),
	reflect.TypeFor[rollout.Policy](),
	reflect.TypeFor[rollout.Rolling](),
	reflect.TypeFor[rollout.Set](),
	reflect.TypeFor[rollout.Shrinking](),
	reflect.TypeFor[rollout.SurgeCounts](),
	reflect.TypeFor[rollout.Wait](),
}
