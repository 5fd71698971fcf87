// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// A listing holds the flags of the command history.
type listing struct {
	input
	number int64
	full   bool
}

func newHistory(name string) *cobra.Command {
	l := &listing{}
	c := &cobra.Command{
		Use:   "history [-f FILE] [TYPE/NAME] [--revision N]",
		Short: "Show the revisions that a workload can go back to",
		Long: `Show the revisions of each Deployment and DaemonSet in the files, or of those named
in a cluster, in the words of kubectl rollout history, and those of Rollouts of Argo.
` + narrowing + `

A template that is used again gets a new revision, and kubectl then no longer shows
the former ones. With --full they are shown as well, with the ReplicaSet of each.

With --revision the ReplicaSet, or the ControllerRevision of a DaemonSet, and the
template of one revision are shown, as YAML.

` + listed + ` Histories have
revisions.

The exit code is 1 if there is no such revision.`,
		Example: examples(name, `
# What can be undone?
kplan history deployment/web -n shop
kubectl get deployment,replicaset -o yaml | kplan history -f -

# And what was revision 1, before it was used again?
kplan history -f cluster.yaml --full --revision 1`),
		Args: l.checkArgs,
		RunE: l.running(l.execute),
	}
	l.addFlags(c)
	l.addWatch(c, "interrupted")
	c.Flags().Int64Var(&l.number, "revision", 0, "show this revision with its template; 0 is all")
	_ = c.RegisterFlagCompletionFunc("revision", l.completeRevisions)
	c.Flags().BoolVar(&l.full, "full", false, "show revisions that kubectl no longer knows, too")
	return c
}

func (l *listing) execute(c *cobra.Command) error {
	l.withoutNodes = true
	set, err := l.load(c, l.filenames)
	if err == nil && len(set.Workloads)+len(set.DaemonSets)+len(set.Argo) == 0 {
		err = errors.New("no Deployment or DaemonSet in the input")
	}
	if err != nil {
		return err
	}
	histories := drawing{in: &l.input, c: c}
	for i := range set.Argo {
		h, err := argoHistory(&set.Argo[i], l.number)
		if err != nil {
			return set.Argo[i].Invalid(err)
		}
		if err := histories.add(h, nil); err != nil {
			return err
		}
	}
	for _, w := range set.Opened() {
		h, err := l.history(c, w)
		if err != nil {
			return w.Invalid(err)
		}
		if err := histories.add(h, nil); err != nil {
			return err
		}
	}
	for i := range set.DaemonSets {
		h, err := l.daemonHistory(&set.DaemonSets[i])
		if err != nil {
			return set.DaemonSets[i].Invalid(err)
		}
		if err := histories.add(h, nil); err != nil {
			return err
		}
	}
	return write(c, l.output, histories.documents)
}

func (l *listing) history(c *cobra.Command, w *manifest.Workload) (view.History, error) {
	workload, entries := w.History()
	newest, _ := revision.Split(entries, workload.Template)
	rows, skipped := kubectl.History(entries, workload.Template)
	for _, i := range skipped {
		tell(c, []string{fmt.Sprintf("%s: ReplicaSet %q: left out, because its revision is %q", w.File, entries[i].Name, entries[i].Annotations[revision.AnnotationRevision])})
	}
	h := view.History{Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Records: kubectl.FullHistory(entries), Number: l.number, Full: l.full}
	for i, rs := range w.Controlled() {
		number, _ := revision.Number(rs.Annotations)
		template, err := l.templateText(&rs.Spec.Template)
		if err != nil {
			return h, err
		}
		h.Entries = append(h.Entries, view.Entry{
			Name: rs.Name, Revision: number, Current: i == newest, Images: images(&rs.Spec.Template),
			Cause: kubectl.ChangeCause(entries[i]), Template: template,
		})
	}
	if l.full && l.number > 0 {
		h.Records, rows = only(h.Records, l.number)
	}
	var err error
	h.Rows, err = kubectl.Show(rows, l.number)
	return h, err
}

// daemonHistory returns the revisions of a DaemonSet.
func (l *listing) daemonHistory(d *manifest.DaemonSet) (view.History, error) {
	h := view.History{Daemon: true, Advanced: d.Advanced != nil, Namespace: d.Object.Namespace, Name: d.Object.Name, Number: l.number, Full: l.full}
	snapshot, err := d.Snapshot()
	if err != nil {
		return h, err
	}
	objects, own := d.History()
	for i, r := range objects {
		restored, err := kube.RestoredDaemonSet(d.Object, r)
		if err != nil {
			return h, err
		}
		template, err := l.templateText(&restored.Spec.Template)
		if err != nil {
			return h, err
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
	h.Rows, err = kubectl.Show(rows, l.number)
	return h, err
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

// templateText returns a template as YAML if a single revision is shown, otherwise "".
func (l *listing) templateText(t *corev1.PodTemplateSpec) (string, error) {
	if l.number == 0 {
		return "", nil
	}
	return templateText(t)
}
