// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

// An undoing holds the flags of the command undo.
type undoing struct {
	input
	subject.Settings
	number int64
}

func newUndo(name string) *cobra.Command {
	u := &undoing{}
	c := &cobra.Command{
		Use:   "undo [-f FILE] [TYPE/NAME] [--to-revision N]",
		Short: "Show what kubectl rollout undo would do",
		Long: `Show what kubectl rollout undo would do with each Deployment and DaemonSet in the
files, and kubectl argo rollouts undo with each Rollout of Argo: what it would print, which
template it would restore, and how the rollout of that would go.
Nothing is changed. ` + narrowing + `

Files without pods are taken to have those that their ReplicaSets report, or one of the
present template on each node of a DaemonSet. Pods that are not ready become ready in the
simulation, unless --never-ready is given.

` + listed + ` Previews have
text, undo, replicaSet, images and rollout, which is that of kplan simulate. DaemonSets have
controllerRevision in place of replicaSet.

The exit code is 1 if kubectl would refuse, or if the rollout does not finish.`,
		Example: examples(name, `
# What would kubectl rollout undo do?
kplan undo deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan undo -f -

# Back to revision 2, with pods that are slow, and away from a broken template
kplan undo -f cluster.yaml --to-revision 2 --ready-after 45s --never-ready`),
		Args: u.checkArgs,
		RunE: u.running(u.execute),
	}
	u.input.addFlags(c)
	u.Policies.AddFlags(c)
	u.Pace.AddFlags(c, "pods of the template that is left never become ready")
	c.Flags().Int64Var(&u.number, "to-revision", 0, "the revision to go back to; 0 is the previous one")
	_ = c.RegisterFlagCompletionFunc("to-revision", u.completeRevisions)
	return c
}

func (u *undoing) execute(c *cobra.Command) error {
	set, err := u.loadRestorable(c)
	if err != nil {
		return err
	}
	u.Begin = u.present(c, set.Latest)
	undos := drawing{in: &u.input, c: c}
	var end error // the first error; other workloads still get answers
	for s := range subject.Subjects(set) {
		r, ok := s.(subject.Restorable)
		if !ok {
			continue
		}
		undo, rollout, err := r.Undo(&u.Settings, u.number)
		if err = undos.add(undo, err); err == nil && rollout != nil {
			err = subject.Unfinished(subject.Outcome{Result: rollout, Of: s})
		}
		end = cmp.Or(end, err)
	}
	if len(undos.documents) == 0 {
		return end
	}
	return cmp.Or(write(c, u.output, undos.documents), end)
}
