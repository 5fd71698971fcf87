// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strconv"

	"github.com/kplan-go/kplan/revision"
)

// An Undo is the plan of kubectl rollout undo.
type Undo struct {
	// Source is the entry or ControllerRevision to restore the template of.
	Source int `json:"source"`
	// Requested is the requested revision, 0 for the previous one.
	Requested int64 `json:"requested,omitzero"`
	// Number is the revision of Source.
	Number int64 `json:"number,omitzero"`
	// Skipped means that the template is in use already, so nothing is written.
	Skipped bool `json:"skipped,omitzero"`
	// Annotations are all annotations of a Deployment after the undo. StatefulSets and
	// DaemonSets keep theirs.
	Annotations map[string]string `json:"annotations,omitempty"`
	// LastApplied means that the Deployment was applied by kubectl, so the next apply
	// may revert the undo. kubectl warns about it.
	LastApplied bool `json:"lastApplied,omitzero"`
}

// String returns the output of kubectl after the name of the object.
func (u Undo) String() string {
	if u.Skipped {
		return "skipped rollback (current template already matches revision " + strconv.FormatInt(u.Requested, 10) + ")"
	}
	return "rolled back"
}

// Failed returns the error of kubectl if the write of u fails.
func (u Undo) Failed(err error) error {
	return &Refusal{Reason: RefusedRestore, Number: u.Requested, Err: err}
}

// UndoTarget returns the target of kubectl rollout undo: the first entry with the
// requested revision, or for 0 the entry with the second highest, where equal revisions
// count separately. An entry without a revision counts as 0; an entry with a revision that
// does not parse is ignored. A client-side dry run shows this template even if the
// Deployment is paused.
//
//	revisions 1, 2, request 0: the entry with 1
//	revisions 2, 3, request 1: error
//
// It mirrors the rollback of a Deployment in kubectl 0.36.3. [Target] is the same without
// the defects.
func UndoTarget(w revision.Workload, entries []revision.Entry, request int64) (int, error) {
	if request < 0 {
		return -1, &Refusal{Reason: RefusedNotFound, Name: w.Name, Number: request}
	}
	list := inOrder(entries, w.Template)
	if request > 0 {
		if i := findEntry(entries, list, request); i >= 0 {
			return i, nil
		}
		return -1, &Refusal{Reason: RefusedNotFound, Name: w.Name, Number: request}
	}
	highest := int64(-1)
	second := highest
	latest, previous := -1, -1
	for _, i := range list {
		n, err := revision.Number(entries[i].Annotations)
		switch {
		case err != nil:
		case n > highest:
			second, previous = highest, latest
			highest, latest = n, i
		case n > second:
			second, previous = n, i
		}
	}
	if previous < 0 {
		return -1, &Refusal{Reason: RefusedNoHistory, Name: w.Name}
	}
	return previous, nil
}

// PlanUndo plans kubectl rollout undo of a Deployment. The errors are a [Refusal], checked in
// this order: a negative revision, a revision that does not exist, a paused Deployment.
//
// It mirrors the rollback of a Deployment in kubectl 0.36.3. See
// [revision.Options].KeepAnnotations.
func PlanUndo(w revision.Workload, entries []revision.Entry, request int64, opts revision.Options) (Undo, error) {
	source, err := UndoTarget(w, entries, request)
	if err != nil {
		return Undo{Source: -1}, err
	}
	if w.Paused {
		return Undo{Source: -1}, &Refusal{Reason: RefusedUndoPaused, Name: w.Name}
	}
	return planUndo(w, entries, source, request, opts), nil
}

func planUndo(w revision.Workload, entries []revision.Entry, source int, request int64, opts revision.Options) Undo {
	opts.Keys = revision.Keys{} // kubectl knows no other keys
	target := &entries[source]
	u := Undo{Source: source, Requested: request, Skipped: target.Template.Same(w.Template)}
	u.Number, _ = revision.Number(target.Annotations) // 0 if unreadable
	_, u.LastApplied = w.Annotations[revision.AnnotationLastApplied]
	if !u.Skipped {
		u.Annotations = revision.RollbackAnnotations(w.Annotations, target.Annotations, opts)
	}
	return u
}
