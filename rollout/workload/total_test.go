// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"ControlInfo":   workload.ControlInfo,
	"DriverOf":      workload.DriverOf,
	"Inspect":       workload.Inspect,
	"LastPart":      workload.LastPart,
	"MatchesHash":   workload.MatchesHash,
	"NamedRelease":  workload.NamedRelease,
	"ParseOriginal": workload.ParseOriginal,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[workload.DaemonSetRevision](),
	reflect.TypeFor[workload.Driver](),
	reflect.TypeFor[workload.InspectSnapshot](),
	reflect.TypeFor[workload.OriginalStrategy](),
	reflect.TypeFor[workload.Patch](),
	reflect.TypeFor[workload.Pod](),
	reflect.TypeFor[workload.Ref](),
	reflect.TypeFor[workload.Set](),
	reflect.TypeFor[workload.State](),
	reflect.TypeFor[workload.Status](),
	reflect.TypeFor[workload.Style](),
	reflect.TypeFor[workload.TemplateMetadata](),
	reflect.TypeFor[workload.Traits](),
	reflect.TypeFor[workload.Workload](),
}
