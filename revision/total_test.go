// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/revision"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"AppendHistory":         revision.AppendHistory,
	"ByAge":                 revision.ByAge,
	"ByLatestRevision":      revision.ByLatestRevision,
	"ByRevision":            revision.ByRevision,
	"ChooseUpdate":          revision.ChooseUpdate,
	"CleanUp":               revision.CleanUp,
	"CleanUpRevisions":      revision.CleanUpRevisions,
	"Collides":              revision.Collides,
	"CompareRevisions":      revision.CompareRevisions,
	"Copied":                revision.Copied,
	"CreationAnnotations":   revision.CreationAnnotations,
	"DaemonSetRevisionName": revision.DaemonSetRevisionName,
	"DaemonSetTaken":        revision.DaemonSetTaken,
	"Dedupe":                revision.Dedupe,
	"FindEqual":             revision.FindEqual,
	"FirstAttempt":          revision.FirstAttempt,
	"Hash":                  revision.Hash,
	"HashRevision":          revision.HashRevision,
	"Last":                  revision.Last,
	"Max":                   revision.Max,
	"NewControllerRevision": revision.NewControllerRevision,
	"NewDaemonSetRevision":  revision.NewDaemonSetRevision,
	"Next":                  revision.Next,
	"NextCollision":         revision.NextCollision,
	"NextRevision":          revision.NextRevision,
	"Normalize":             revision.Normalize,
	"Number":                revision.Number,
	"Partition":             revision.Partition,
	"PlanRollback":          revision.PlanRollback,
	"ReplicaSetName":        revision.ReplicaSetName,
	"RevisionHash":          revision.RevisionHash,
	"RevisionName":          revision.RevisionName,
	"RollbackAnnotations":   revision.RollbackAnnotations,
	"RollbackRequest":       revision.RollbackRequest,
	"SafeEncode":            revision.SafeEncode,
	"SameData":              revision.SameData,
	"SortRevisions":         revision.SortRevisions,
	"Split":                 revision.Split,
	"Sync":                  revision.Sync,
	"SyncWith":              revision.SyncWith,
	"Truncate":              revision.Truncate,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[revision.Attempt](),
	reflect.TypeFor[revision.Change](),
	reflect.TypeFor[revision.Choice](),
	reflect.TypeFor[revision.ControllerRevision](),
	reflect.TypeFor[revision.Deduped](),
	reflect.TypeFor[revision.Entry](),
	reflect.TypeFor[revision.EntryStatus](),
	reflect.TypeFor[revision.Held](),
	reflect.TypeFor[revision.HoldReason](),
	reflect.TypeFor[revision.Keys](),
	reflect.TypeFor[revision.Options](),
	reflect.TypeFor[revision.Parent](),
	reflect.TypeFor[revision.Rollback](),
	reflect.TypeFor[revision.RollbackReason](),
	reflect.TypeFor[revision.StatefulSet](),
	reflect.TypeFor[revision.Template](),
	reflect.TypeFor[revision.Verb](),
	reflect.TypeFor[revision.Workload](),
}
