// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strconv"

	"github.com/kplan-go/kplan/revision"
)

// An Undo is the plan of kubectl rollout undo.
type Undo struct {
	// Source is the index of the entry or ControllerRevision to restore, or -1
	// with an error.
	Source int `json:"source"`
	// Requested is the requested revision, 0 for the previous one.
	Requested int64 `json:"requested,omitzero"`
	// Number is the revision of Source, 0 if it is missing or does not parse.
	Number int64 `json:"number,omitzero"`
	// Skipped means that the object has this template already: write nothing.
	Skipped bool `json:"skipped,omitzero"`
	// Annotations are all annotations of a Deployment after the undo, unless it is skipped. An
	// undo does not change annotations of StatefulSets and DaemonSets.
	Annotations map[string]string `json:"annotations,omitempty"`
	// LastApplied means that kubectl apply was used for the Deployment. The next kubectl apply
	// may revert the undo; kubectl warns about it.
	LastApplied bool `json:"lastApplied,omitzero"`
}

// String returns the text that kubectl prints after the name of the object.
func (u Undo) String() string {
	if u.Skipped {
		return "skipped rollback (current template already matches revision " + strconv.FormatInt(u.Requested, 10) + ")"
	}
	return "rolled back"
}

// Failed returns the [Refusal] that kubectl prints if the write of u fails with err.
func (u Undo) Failed(err error) error {
	return &Refusal{Reason: RefusedRestore, Number: u.Requested, Err: err}
}

// UndoTarget returns the index of the entry that kubectl rollout undo restores: the oldest old
// entry with the requested revision, or the entry with the Deployment's template if no old entry
// has this revision.
// For request 0 it is the entry with the second highest revision, where equal revisions count
// separately. A missing revision counts as 0; an unreadable revision is ignored. A
// client-side dry run of kubectl shows this template even if the Deployment is paused.
//
//	revisions 1, 2, request 0: the entry with 1
//	revisions 2, 3, request 1: error
//
// Without such an entry the result is -1 and a [Refusal]. It mirrors the rollback of a Deployment
// in kubectl 0.36.3. [Target] is a version of it without the defects.
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

// PlanUndo plans kubectl rollout undo of a Deployment; see [UndoTarget] for the request. Of the
// options it reads KeepAnnotations only. An error is a [Refusal]: the error of UndoTarget or, if
// that succeeds, that the Deployment is paused.
//
// It mirrors the rollback of a Deployment in kubectl 0.36.3.
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
	opts.Keys = revision.Keys{} // kubectl uses the keys of Kubernetes
	target := &entries[source]
	u := Undo{Source: source, Requested: request, Skipped: target.Template.Same(w.Template)}
	u.Number, _ = revision.Number(target.Annotations) // 0 if unreadable
	_, u.LastApplied = w.Annotations[revision.AnnotationLastApplied]
	if !u.Skipped {
		u.Annotations = revision.RollbackAnnotations(w.Annotations, target.Annotations, opts)
	}
	return u
}
