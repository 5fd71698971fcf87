// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

func newPlan(name string) *cobra.Command {
	p := &planning{}
	p.around = cluster.Around{Limits: true}
	c := &cobra.Command{
		Use:   "plan {-f FILE | TYPE/NAME}",
		Short: "Show what will happen next, and why",
		Long: `Show what the controllers will do next with each Deployment, DaemonSet and Rollout
in the files or with those named in a cluster, and why; and what they hold back,
and why.

What belongs to a workload is known by its UID. Objects of other kinds are passed
over. ReplicaSets and ReplicationControllers that nobody owns are planned by
themselves, and others if they are named.

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

With -o json each Deployment is an object with name, actions, holds, status,
budget, recheckAt and replicaSets. All others also have a kind; DaemonSets have
nodes, Rollouts batchRelease and steps, ReplicaSets by themselves wanted. Several
objects are the items of one. An action deletePod with perhaps names a pod of the tie
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
		RunE: p.running(p.execute),
	}
	p.input.addFlags(c)
	p.addWatch(c, untilDone)
	p.addLive(c)
	p.input.addNodes(c)
	p.policies.addFlags(c)
	return c
}

// A planning is the flags of the command.
type planning struct {
	input
	policies
}

func (p *planning) execute(c *cobra.Command) error {
	set, err := p.load(c, p.filenames)
	if err != nil {
		return err
	}
	now := p.present(c, set.Latest)
	plans, err := argoDocuments(c, &p.input, set, now, p.planArgo)
	if err != nil {
		return err
	}
	for i := range set.Rollouts {
		plan, err := p.planRollout(&set.Rollouts[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, plan)
		if err != nil {
			return err
		}
		plans = append(plans, d)
	}
	for _, w := range set.Opened() {
		plan, err := p.planDeployment(w, now)
		if err != nil {
			return err
		}
		tellLimits(c, w, plan)
		d, err := p.drawn(c, plan)
		if err != nil {
			return err
		}
		plans = append(plans, d)
	}
	for i := range set.ReplicaSets {
		plan, err := p.planReplicaSet(c, &set.ReplicaSets[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, plan)
		if err != nil {
			return err
		}
		plans = append(plans, d)
	}
	for i := range set.DaemonSets {
		plan, err := p.planDaemonSet(&set.DaemonSets[i], now)
		if err != nil {
			return err
		}
		d, err := p.drawn(c, plan)
		if err != nil {
			return err
		}
		plans = append(plans, d)
	}
	judge(&p.input, plans)
	return write(c, p.output, plans)
}

// argoPlans are the plans of all Rollouts of Argo.
func argoDocuments[D document](c *cobra.Command, in *input, set *manifest.Set, now time.Time, of func(*manifest.ArgoRollout, time.Time) (D, error)) ([]document, error) {
	var list []document
	for i := range set.Argo {
		d, err := of(&set.Argo[i], now)
		if err != nil {
			return nil, err
		}
		for _, text := range set.Argo[i].Scaled.Notes {
			tell(c, []string{set.Argo[i].Name() + ": " + text})
		}
		document, err := in.drawn(c, d)
		if err != nil {
			return nil, err
		}
		list = append(list, document)
	}
	return list, nil
}
