// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Refusal.Err"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"ChangeCause":     kubectl.ChangeCause,
	"FormatTable":     kubectl.FormatTable,
	"FullHistory":     kubectl.FullHistory,
	"History":         kubectl.History,
	"Pause":           kubectl.Pause,
	"PlanUndo":        kubectl.PlanUndo,
	"Restart":         kubectl.Restart,
	"Resume":          kubectl.Resume,
	"RevisionHistory": kubectl.RevisionHistory,
	"Show":            kubectl.Show,
	"Target":          kubectl.Target,
	"UndoRevision":    kubectl.UndoRevision,
	"UndoTarget":      kubectl.UndoTarget,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kubectl.Deployment](),
	reflect.TypeFor[kubectl.DeploymentStatus](),
	reflect.TypeFor[kubectl.Record](),
	reflect.TypeFor[kubectl.Refusal](),
	reflect.TypeFor[kubectl.RefusalReason](),
	reflect.TypeFor[kubectl.Request](),
	reflect.TypeFor[kubectl.Row](),
	reflect.TypeFor[kubectl.Undo](),
}
