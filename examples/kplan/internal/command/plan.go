// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

func newPlan(name string) *cobra.Command {
	p := &planning{}
	p.around = cluster.Around{Limits: true}
	c := &cobra.Command{
		Use:   "plan [-f FILE] [TYPE/NAME]",
		Short: "Show what will happen next, and why",
		Long: `Show what the controllers will do next with each Deployment, DaemonSet and Rollout
in the files or with those named in a cluster, and why; and what they hold back,
and why.

What belongs to a workload is known by its UID. Objects of other kinds are passed
over. ReplicaSets and ReplicationControllers that nobody owns are planned by
themselves, and others if they are named. ` + narrowing + `

Deployments: if the files hold pods, what happens to these at the present sizes of
their ReplicaSets is shown as well.
DaemonSets, also those of OpenKruise, need nodes in the files, or --nodes.
Rollouts of Argo show the next pass, and where each step leads. Services that are not in
the input are taken to select what the status says.
Rollouts of OpenKruise need their workload in the files, and show the passes of the
Rollout and of its BatchRelease, and where all steps lead.

--repair and --corrected ask for what the controllers do not do. So do, for
Deployments, the policies --adoption, --leftover, --pause-points, --paused,
--rollout-first, --strict-available, --terminating and --weigh-by-available. Of the
values of a policy the first is what Kubernetes does.

` + listed + ` Plans have
actions, holds, status and recheckAt; those of Deployments budget and replicaSets,
DaemonSets nodes, Rollouts batchRelease and steps, ReplicaSets by themselves wanted. An action deletePod with perhaps names a pod of the tie
beside it: so many of these go, and nobody can tell which.

With --watch the exit code is 0 when all is complete, 1 when something is stuck or gone, 3
when the time of --timeout is over before, and 130 if interrupted.

Of the flags of kubectl for clusters all work, and the most common ones are shown.`,
		Example: examples(name, `
# What will happen next, as of now
kplan plan deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan plan -f -

# The same from files, as of when they were written, for a program to read
kplan plan -f cluster/ --now 2026-01-02T15:04:05Z -o json

# What will a manifest create?
kplan plan -f deployment.yaml
kplan plan -f daemonset.yaml --nodes 20`),
		Args: p.checkArgs,
		RunE: p.running(func(c *cobra.Command) error { return p.answer(c, subject.Subject.Plan) }),
	}
	p.addFlags(c)
	return c
}

// A planning holds the flags of the commands plan and explain.
type planning struct {
	input
	subject.Policies
}

func (p *planning) addFlags(c *cobra.Command) {
	p.input.addFlags(c)
	p.addWatch(c, untilDone)
	p.addLive(c)
	p.input.addNodes(c)
	p.Policies.AddFlags(c)
}

// answer writes the answers to a question about each subject.
func (p *planning) answer(c *cobra.Command, ask func(subject.Subject, *subject.Policies, time.Time) (subject.Document, []string, error)) error {
	set, err := p.load(c, p.filenames)
	if err != nil {
		return err
	}
	now := p.present(c, set.Latest)
	answers := drawing{in: &p.input, c: c}
	for s := range subject.Subjects(set) {
		answer, notes, err := ask(s, &p.Policies, now)
		if err == nil {
			tell(c, notes)
		}
		if err := answers.add(answer, err); err != nil {
			return err
		}
	}
	judge(&p.input, answers.documents)
	return write(c, p.output, answers.documents)
}
