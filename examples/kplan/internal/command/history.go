// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
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
	set, err := l.loadRestorable(c)
	if err != nil {
		return err
	}
	histories := drawing{in: &l.input, c: c}
	for s := range subject.Subjects(set) {
		r, ok := s.(subject.Restorable)
		if !ok {
			continue
		}
		h, notes, err := r.History(l.number, l.full)
		if tell(c, notes); err != nil {
			return s.Invalid(err)
		}
		if err := histories.add(h, nil); err != nil {
			return err
		}
	}
	return write(c, l.output, histories.documents)
}

// loadRestorable reads objects, and returns an error if none has revisions.
func (in *input) loadRestorable(c *cobra.Command) (*manifest.Set, error) {
	in.withoutNodes = true
	set, err := in.load(c, in.filenames)
	if err == nil && len(set.Workloads)+len(set.DaemonSets)+len(set.Argo) == 0 {
		err = errors.New("no Deployment or DaemonSet in the input")
	}
	return set, err
}
