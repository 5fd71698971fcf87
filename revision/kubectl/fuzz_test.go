// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"errors"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// An undone is the input of PlanUndo.
type undone struct {
	Workload revision.Workload `json:"workload"`
	Entries  []revision.Entry  `json:"entries"`
	Request  int64             `json:"request"`
}

func undoSeeds() []undone {
	w := revision.Workload{Name: "web", Template: template("c"), Annotations: texts{"mine": "x", revision.AnnotationLastApplied: "{}"}}
	paused := w
	paused.Paused = true
	return []undone{{w, entries("1", "2", "3"), 0}, {w, entries("1", "x", "-"), 1}, {paused, entries("5", "5"), 5}, {w, nil, 9}, {w, entries("-3"), -3}}
}

// FuzzPlanUndo: the restored entry has the requested revision.
func FuzzPlanUndo(f *testing.F) {
	purity.Fuzz(f, nil, func(u undone) (kubectl.Undo, error) {
		p, err := kubectl.PlanUndo(u.Workload, u.Entries, u.Request, revision.Options{})
		if err != nil {
			var refused *kubectl.Refusal
			purity.Must(errors.As(err, &refused), "not a refusal: %v", err)
			return kubectl.Undo{}, nil
		}
		purity.Must(p.Source >= 0 && p.Source < len(u.Entries) && (u.Request == 0 || p.Number == u.Request), "%+v of %+v", p, u)
		return p, nil
	}, undoSeeds()...)
}

// A restoring is the input of UndoRevision.
type restoring struct {
	Revisions []revision.ControllerRevision `json:"revisions"`
	Data      []byte                        `json:"data,omitempty"`
	Request   int64                         `json:"request"`
}

// FuzzUndoRevision: the restored ControllerRevision has the requested number.
func FuzzUndoRevision(f *testing.F) {
	list := versions(version("a", 1), version("b", 2), version("c", 2))
	purity.Fuzz(f, nil, func(r restoring) (kubectl.Undo, error) {
		u, err := kubectl.UndoRevision(r.Revisions, r.Data, r.Request, revision.Options{})
		if err != nil {
			var refused *kubectl.Refusal
			purity.Must(errors.As(err, &refused) && u.Source == -1, "not a refusal: %v of %+v", err, u)
			return u, nil
		}
		purity.Must(u.Source >= 0 && u.Source < len(r.Revisions) && (r.Request == 0 || u.Number == r.Request), "%+v of %+v", u, r)
		return u, nil
	}, restoring{list, nil, 0}, restoring{list, list[0].Data, 1}, restoring{list, nil, -1}, restoring{nil, nil, 7})
}
