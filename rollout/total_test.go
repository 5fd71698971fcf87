package rollout_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/total"
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
	"Fenceposts":       rollout.Fenceposts,
	"FromIntOrString":  rollout.FromIntOrString,
	"Int":              rollout.Int,
	"NodesNeedingPods": rollout.NodesNeedingPods,
	"NodesToUpdate":    rollout.NodesToUpdate,
	"Parse":            rollout.Parse,
	"Percent":          rollout.Percent,
	"Resolve":          rollout.Resolve,
	"ResolveExact":     rollout.ResolveExact,
	"ResolveNodes":     rollout.ResolveNodes,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[rollout.Budget](),
	reflect.TypeFor[rollout.IntOrPercent](),
	reflect.TypeFor[rollout.NodeCounts](),
	reflect.TypeFor[rollout.SurgeCounts](),
}
