// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// History returns the revisions, or only one; 0 is all.
func (d DaemonSet) History(number int64, full bool) (document, []string, error) {
	h := view.History{Daemon: true, Advanced: d.Advanced != nil, Namespace: d.Object.Namespace, Name: d.Object.Name, Number: number, Full: full}
	snapshot, err := d.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	objects, own := d.DaemonSet.History()
	for i, r := range objects {
		restored, err := kube.RestoredDaemonSet(d.Object, r)
		if err != nil {
			return nil, nil, err
		}
		template, err := templateIf(number != 0, &restored.Spec.Template)
		if err != nil {
			return nil, nil, err
		}
		h.Entries = append(h.Entries, view.Entry{
			Name: r.Name, Revision: r.Revision, Current: string(own[i].Data) == string(snapshot.DaemonSet.Template.Data),
			Images: images(&restored.Spec.Template), Cause: r.Annotations[kubectl.AnnotationChangeCause], Template: template,
		})
	}
	rows := kubectl.RevisionHistory(own)
	for _, row := range rows {
		h.Records = append(h.Records, kubectl.Record{Number: row.Number, Entry: row.Source})
	}
	h.Rows, err = kubectl.Show(rows, number)
	return h, nil, err
}
