// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// AnnotationChangeCause is the annotation with the text that kubectl rollout history prints for a
// revision.
const AnnotationChangeCause = "kubernetes.io/change-cause"

// A Row is one revision in kubectl rollout history.
type Row struct {
	Number int64  `json:"number"`         // the revision
	Cause  string `json:"cause,omitzero"` // the change cause, "" without one
	Source int    `json:"source"`         // the index of the entry or ControllerRevision
}

// ChangeCause returns the change cause of an entry: its annotation [AnnotationChangeCause] or, if
// that is missing or empty, the annotation of its pod template.
//
// The deployment controller copies the annotation of the Deployment to its newest ReplicaSet. If
// the annotation changes but the template does not, the cause of the current revision changes. If
// the template changes but the annotation does not, the new revision has the cause of the previous
// one. A rollback restores the cause of its target.
func ChangeCause(e revision.Entry) string {
	return cmp.Or(e.Annotations[AnnotationChangeCause], e.TemplateAnnotations[AnnotationChangeCause])
}

// History returns the revisions of a Deployment with template t as kubectl rollout history lists
// them, lowest first. An entry without a revision has revision 0. Of several entries with a
// revision, one is listed: the entry with template t or, if none of them has it, the youngest.
// Entries with a revision that does not parse are not listed. Their indices are in skipped, oldest
// first but the entry with template t last; kubectl warns about them.
func History(entries []revision.Entry, t revision.Template) (rows []Row, skipped []int) {
	for _, i := range inOrder(entries, t) {
		n, err := revision.Number(entries[i].Annotations)
		if err != nil {
			skipped = append(skipped, i)
			continue
		}
		rows = append(rows, Row{Number: n, Cause: ChangeCause(entries[i]), Source: i})
	}
	return lastOfEach(rows), skipped
}

// RevisionHistory is [History] for the ControllerRevisions of a StatefulSet or DaemonSet. Of
// several with the same number, the last by [revision.CompareRevisions] is listed.
func RevisionHistory(revisions []revision.ControllerRevision) []Row {
	var rows []Row
	for _, i := range revisionOrder(revisions) {
		r := &revisions[i]
		rows = append(rows, Row{Number: r.Revision, Cause: r.Annotations[AnnotationChangeCause], Source: i})
	}
	return lastOfEach(rows)
}

// lastOfEach sorts rows by number and keeps the last of equal ones.
func lastOfEach(rows []Row) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Number, b.Number) })
	n := 0
	for i, row := range rows {
		if i+1 < len(rows) && rows[i+1].Number == row.Number {
			continue
		}
		rows[n], n = row, n+1
	}
	return rows[:n:n]
}

// Show returns the rows that kubectl rollout history --revision=number shows: all for 0, and
// otherwise the row with this revision; kubectl prints its cause as an annotation of the pod
// template. The rows must be sorted as [History] returns them. A negative number, and a revision
// without a row, is a [Refusal].
func Show(rows []Row, number int64) ([]Row, error) {
	if number < 0 {
		return nil, &Refusal{Reason: RefusedNegative, Number: number}
	}
	if number == 0 {
		return rows, nil
	}
	at, found := slices.BinarySearchFunc(rows, number, func(r Row, n int64) int { return cmp.Compare(r.Number, n) })
	if !found {
		return nil, &Refusal{Reason: RefusedNotShown, Number: number}
	}
	return rows[at : at+1 : at+1], nil
}
