// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
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

// FuzzPlanRollback: the Deployment gets the template of an entry, or an event says why not.
func FuzzPlanRollback(f *testing.F) {
	purity.Fuzz(f, nil, func(u undone) (revision.Rollback, error) {
		p := revision.PlanRollback(u.Workload, u.Entries, u.Request, revision.Options{})
		kind, reason, message := p.Event()
		purity.Must(kind != "" && reason != "" && message != "", "%+v has no event", p)
		purity.Must(p.Source < len(u.Entries), "%+v of %+v", p, u)
		if p.Reason == revision.RollbackDone {
			purity.Must(p.Source >= 0 && !u.Entries[p.Source].Template.Same(u.Workload.Template), "%+v of %+v", p, u)
		}
		return p, nil
	}, undoSeeds()...)
}

// A chosen is what is looked at to choose the revision of a StatefulSet.
type chosen struct {
	Set       revision.StatefulSet          `json:"set"`
	Revisions []revision.ControllerRevision `json:"revisions"`
	Restored  []byte                        `json:"restored,omitzero"`
}

// FuzzChooseUpdate: the update is a revision of the list or a new one, with a number
// above all others unless it is the newest already.
func FuzzChooseUpdate(f *testing.F) {
	set := revision.StatefulSet{Name: "db", UID: "u", Data: []byte(`{"a":1}`), Current: "a"}
	purity.Fuzz(f, nil, func(c chosen) (revision.Choice, error) {
		p := revision.ChooseUpdate(c.Set, c.Revisions, c.Restored, revision.Options{})
		within := p.Update >= -1 && p.Update < len(c.Revisions) && p.Current < len(c.Revisions)
		purity.Must(within && (p.Verb == revision.VerbCreate) == (p.Update < 0), "%+v of %d revisions", p, len(c.Revisions))
		return p, nil
	}, chosen{set, nil, nil}, chosen{set, []revision.ControllerRevision{version("a", 1, data(`{"a":1}`)), version("b", 2, data(`{}`))}, nil},
		chosen{set, []revision.ControllerRevision{version("a", 1, data(`{"a":2}`))}, []byte(`{"a":1}`)})
}
