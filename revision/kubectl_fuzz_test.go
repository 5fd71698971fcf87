package revision_test

import (
	"errors"
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/revision"
)

// An undone is what is looked at to go back to a revision.
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

// FuzzPlanUndo: what is restored has the revision that was asked for.
func FuzzPlanUndo(f *testing.F) {
	purity.Fuzz(f, nil, func(u undone) (revision.Undo, error) {
		p, err := revision.PlanUndo(u.Workload, u.Entries, u.Request, revision.Options{})
		if err != nil {
			var refused *revision.Refusal
			purity.Must(errors.As(err, &refused), "not a refusal: %v", err)
			return revision.Undo{}, nil
		}
		purity.Must(p.Source >= 0 && p.Source < len(u.Entries) && (u.Request == 0 || p.Number == u.Request), "%+v of %+v", p, u)
		return p, nil
	}, undoSeeds()...)
}
