// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
)

// plants are planners with a bug each, by the name of the bug.
func plants() map[string]Planners {
	return map[string]Planners{
		"adoptions are forgotten":           forgetting("(Orphan)"),
		"releases are forgotten":            forgetting("(NoMatch)"),
		"missing pods are not created":      forgetting("(TooFew)"),
		"surplus pods are not deleted":      forgetting("Deleted pod: ", "(TooMany)"),
		"scaling is forgotten":              forgetting("(Scaling)"),
		"unhealthy pods are kept":           forgetting("(Unhealthy"),
		"history is kept":                   forgetting("(HistoryLimit"),
		"daemons on no node of theirs stay": forgetting("(Misplaced)"),
		"failed daemons stay":               forgetting("(Failed)"),
		"a node gets no daemon":             forgetting("(Missing)"),
		"duplicate revisions stay":          forgetting("(Duplicate)"),
		"a rollout takes one more than the surge": deployments(func(_ deploy.Snapshot, p *deploy.Plan) {
			rescale(p, reason.RolloutUp, 1)
		}),
		"a rollout leaves one fewer available": deployments(func(_ deploy.Snapshot, p *deploy.Plan) {
			rescale(p, reason.RolloutDown, -1)
		}),
		"scaling in proportion is off by one": deployments(func(_ deploy.Snapshot, p *deploy.Plan) {
			rescale(p, reason.Scaling, 1)
		}),
		"Recreate does not wait": deployments(func(s deploy.Snapshot, p *deploy.Plan) {
			if s.Deployment.Strategy == deploy.Recreate && len(p.Actions) == 0 {
				s.Pods = nil
				*p, _ = deploy.Reconcile(s, epoch, deploy.Options{})
			}
		}),
		"a pause is not seen": deployments(func(s deploy.Snapshot, p *deploy.Plan) {
			if s.Deployment.Paused {
				s.Deployment.Paused = false
				*p, _ = deploy.Reconcile(s, epoch, deploy.Options{})
			}
		}),
		"the deadline is not waited for": deployments(func(_ deploy.Snapshot, p *deploy.Plan) { p.RecheckAt = time.Time{} }),
		"conditions of others are lost": {
			Deployment: func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
				s.Deployment.Status.Conditions = slices.DeleteFunc(slices.Clone(s.Deployment.Status.Conditions),
					func(c kplan.Condition) bool { return c.Type == "StatusUpdate" })
				return deploy.Reconcile(s, now, o)
			},
			ReplicaSet: func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := replicaset.Reconcile(s, now, o)
				p.Status.Conditions = replicaset.RemoveCondition(p.Status.Conditions, "StatusUpdate")
				return p, err
			},
			DaemonSet: daemonset.Reconcile,
		},
		"ready pods count as available": {
			Deployment: deploy.Reconcile, DaemonSet: daemonset.Reconcile,
			ReplicaSet: func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := replicaset.Reconcile(s, now, o)
				p.Status.AvailableReplicas = p.Status.ReadyReplicas
				return p, err
			},
		},
		"a deleted owner goes on": {
			Deployment: deploy.Reconcile,
			ReplicaSet: func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				s.ReplicaSet.DeletionTimestamp = time.Time{}
				return replicaset.Reconcile(s, now, o)
			},
			DaemonSet: func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				s.DaemonSet.DeletionTimestamp = time.Time{}
				return daemonset.Reconcile(s, now, o)
			},
		},
		"all pods count as labelled": {
			Deployment: deploy.Reconcile, DaemonSet: daemonset.Reconcile,
			ReplicaSet: func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := replicaset.Reconcile(s, now, o)
				p.Status.FullyLabeledReplicas = p.Status.Replicas
				return p, err
			},
		},
		"OnDelete updates": {
			Deployment: deploy.Reconcile, ReplicaSet: replicaset.Reconcile,
			DaemonSet: func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				s.DaemonSet.Strategy = daemonset.RollingUpdate
				return daemonset.Reconcile(s, now, o)
			},
		},
		"taints are not seen": {
			Deployment: deploy.Reconcile, ReplicaSet: replicaset.Reconcile,
			DaemonSet: func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				s.Nodes = slices.Clone(s.Nodes)
				for i := range s.Nodes {
					s.Nodes[i].Taints = nil
				}
				return daemonset.Reconcile(s, now, o)
			},
		},
	}
}

// forgetting returns planners that drop the actions whose text has all these parts.
func forgetting(parts ...string) Planners {
	drops := func(text string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
	}
	return Planners{
		Deployment: func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
			p, err := deploy.Reconcile(s, now, o)
			p.Actions = slices.DeleteFunc(p.Actions, func(a deploy.Action) bool { return drops(a.String()) })
			return p, err
		},
		ReplicaSet: func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
			p, err := replicaset.Reconcile(s, now, o)
			p.Actions = slices.DeleteFunc(p.Actions, func(a replicaset.Action) bool { return drops(a.String()) })
			return p, err
		},
		DaemonSet: func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
			p, err := daemonset.Reconcile(s, now, o)
			p.Actions = slices.DeleteFunc(p.Actions, func(a daemonset.Action) bool { return drops(a.String()) })
			return p, err
		},
	}
}

// deployments returns planners that change each plan of a Deployment.
func deployments(change func(deploy.Snapshot, *deploy.Plan)) Planners {
	planners := Ours()
	planners.Deployment = func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
		p, err := deploy.Reconcile(s, now, o)
		change(s, &p)
		return p, err
	}
	return planners
}

// rescale changes the sizes that a plan gives for a reason.
func rescale(p *deploy.Plan, reason kplan.Reason, by int32) {
	for i, a := range p.Actions {
		if a, ok := a.(deploy.ScaleReplicaSet); ok && a.Reason == reason {
			a.To = max(0, a.To+by)
			p.Actions[i] = a
		}
	}
}
