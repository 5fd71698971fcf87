// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

func newExplain(name string) *cobra.Command {
	p := &planning{}
	p.around = cluster.Around{Limits: true, Events: true}
	c := &cobra.Command{
		Use:   "explain [-f FILE] [TYPE/NAME]",
		Short: "Show why a workload moves, or does not",
		Long: `Show why each Deployment, DaemonSet and Rollout in the files, or those named in a
cluster, moves, or does not: whether it is complete, progressing, waiting or stuck;
what it holds back, by which numbers, what that means and what ends it; its
ReplicaSets, nodes or steps; the pods that do not serve; and when time alone will
change something. So it is with ReplicaSets and ReplicationControllers that nobody owns,
or that are named. ` + narrowing + `

Complete: nothing is left to roll out. Progressing: something is due at once.
Waiting: pods or time decide, or that someone resumes it. Stuck: it does not go on
by itself.

--repair, --corrected and the policies ask for what the controllers do not do; see
kplan plan.

` + listed + ` Explanations
have state, why, actions, holds, pods and instants; those of Deployments rolloutStatus,
budget and replicaSets, DaemonSets nodes, Rollouts batchRelease and steps, ReplicaSets by
themselves wanted and status.

The exit code does not depend on the state, but with --watch: then it is 0 when all is
complete, 1 when something is stuck or gone, 3 when the time of --timeout is over before,
and 130 if interrupted.`,
		Example: examples(name, `
# Why does nothing happen?
kplan explain deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan explain -f -

# Watch a rollout
kplan explain deployment/web --watch

# Would it happen without the known defects of the controller?
kplan explain -f cluster.yaml --corrected

# Which Deployments of a cluster are stuck?
kubectl get deployment,replicaset,pod -A -o yaml | kplan explain -f - -o json |
  jq -r '.items[] | select(.state == "stuck") | .namespace + "/" + .name'`),
		Args: p.checkArgs,
		RunE: p.running(func(c *cobra.Command) error { return p.answer(c, subject.Subject.Explain) }),
	}
	p.addFlags(c)
	return c
}
