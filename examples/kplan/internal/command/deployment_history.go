// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// History returns the revisions, or only one; 0 is all. Its notes are about ReplicaSets that it leaves
// out.
func (w Deployment) History(number int64, full bool) (answer document, notes []string, err error) {
	workload, entries := w.Workload.History()
	newest, _ := revision.Split(entries, workload.Template)
	rows, skipped := kubectl.History(entries, workload.Template)
	for _, i := range skipped {
		notes = append(notes, fmt.Sprintf("%s: ReplicaSet %q: left out, because its revision is %q", w.File, entries[i].Name, entries[i].Annotations[revision.AnnotationRevision]))
	}
	h := view.History{Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Records: kubectl.FullHistory(entries), Number: number, Full: full}
	for i, rs := range w.Controlled() {
		n, _ := revision.Number(rs.Annotations)
		template, err := templateIf(number != 0, &rs.Spec.Template)
		if err != nil {
			return h, notes, err
		}
		h.Entries = append(h.Entries, view.Entry{
			Name: rs.Name, Revision: n, Current: i == newest, Images: images(&rs.Spec.Template),
			Cause: kubectl.ChangeCause(entries[i]), Template: template,
		})
	}
	if full && number > 0 {
		h.Records, rows = only(h.Records, number)
	}
	h.Rows, err = kubectl.Show(rows, number)
	return h, notes, err
}

// only returns the record of a revision, also as a row. It is the first record with that number,
// and so the current one if there is any.
func only(records []kubectl.Record, number int64) ([]kubectl.Record, []kubectl.Row) {
	for i, r := range records {
		if r.Number == number {
			return records[i : i+1], []kubectl.Row{{Number: number, Source: r.Entry}}
		}
	}
	return nil, nil
}

// templateIf returns a template as YAML if a single revision is shown, otherwise "".
func templateIf(shown bool, t *corev1.PodTemplateSpec) (string, error) {
	if !shown {
		return "", nil
	}
	return templateText(t)
}
