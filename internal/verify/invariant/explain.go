// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// reasons checks that every action has a reason.
func reasons[A fmt.Stringer](actions []A) (lines []string) {
	for _, a := range actions {
		if r := reflect.ValueOf(a).FieldByName("Reason"); r.IsValid() && r.String() == "" {
			lines = append(lines, fmt.Sprintf("%v has no reason", a))
		}
	}
	return lines
}

// deploymentExplained checks that a waiting Deployment has a hold, and that the numbers in holds
// are right.
func deploymentExplained(p *DeploymentPass) []string {
	v := viewOf(p)
	l := list(reasons(p.Plan.Actions))
	s := p.Plan.Status
	done := v.newest != nil && int64(s.UpdatedReplicas) == v.replicas && int64(s.Replicas) == v.replicas &&
		int64(s.AvailableReplicas) == v.replicas && s.ObservedGeneration >= v.d.Generation
	l.addIf(len(p.Plan.Actions) == 0 && len(p.Plan.Holds) == 0 && !done, "nothing is done or waited for, and the rollout is not complete: %v", s)
	for _, h := range p.Plan.Holds {
		l.addIf(h.Reason == "", "a hold has no reason")
		if !v.excused(v.wraps || v.odd) {
			l = append(l, v.explains(h)...)
		}
	}
	return l
}

func (v *deploymentView) explains(h kplan.Hold[deploy.Reason]) []string {
	l := list(nil)
	after := v.sizes(v.p.Plan.Actions)
	limit := func(want int64) { l.addIf(h.Limit != want, "%v: the limit is %d", h, want) }
	switch h.Reason {
	case deploy.ReasonSurgeExhausted:
		limit(v.most())
		l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
	case deploy.ReasonMinAvailable:
		limit(v.least())
		l.addIf(h.Have > h.Limit && v.d.Partitioned == nil, "%v is no reason to wait", h)
	case deploy.ReasonTerminating, deploy.ReasonPartition:
		l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
	case deploy.ReasonStatusAhead, deploy.ReasonKept:
		l.addIf(h.Reason == deploy.ReasonStatusAhead && h.Have <= h.Limit || h.Reason == deploy.ReasonKept && h.Have > h.Limit, "%v is no reason to wait", h)
	case deploy.ReasonStatusBehind:
		l.addIf(h.Have == h.Limit, "%v: they are there", h)
	case deploy.ReasonDeadlineExceeded:
		l.addIf(h.Limit <= 0 || h.Have < 0, "%v tells no time", h)
	case deploy.ReasonNothingToScale:
		limit(v.replicas)
		l.addIf(h.Have == v.replicas, "%v: nothing has changed", h)
	case deploy.ReasonNotObserved, deploy.ReasonHistoryNotSynced:
		l.addIf(h.Have >= h.Limit, "%v: it is observed", h)
	case deploy.ReasonOldPodsRemain:
		negative := slices.ContainsFunc(v.old, func(rs *replicaset.ReplicaSet) bool { // no cluster reports it, but the planner waits for it
			return rs.Name == h.Name && rs.Status.Replicas < 0 && int64(rs.Status.Replicas) == h.Have
		})
		l.addIf(h.Have <= 0 && !negative, "%v: none remains", h)
	case deploy.ReasonNotReady, deploy.ReasonNotAvailable:
		l.addIf(h.Have >= h.Limit, "%v: enough are", h)
		l.addIf(h.Limit != after[h.Name], "%v: %d are wanted", h, after[h.Name])
	case deploy.ReasonPausedNew, deploy.ReasonPausedTemplate, deploy.ReasonScalingFirst:
		limit(v.replicas)
	}
	return l
}

func replicaSetExplained(p *ReplicaSetPass) []string {
	c := podsOfSet(&p.Snapshot, p.Options, p.Now)
	l := list(reasons(p.Plan.Actions))
	wanted := sizeOf(&p.Snapshot.ReplicaSet)
	waits := !c.unselectable && (c.active != wanted || c.available < wanted)
	l.addIf(waits && len(p.Plan.Actions) == 0 && len(p.Plan.Holds) == 0, "nothing is done or waited for: %d active, %d available of %d", c.active, c.available, wanted)
	for _, h := range p.Plan.Holds {
		numbers := func(have, limit int64) {
			l.addIf(h.Have != have || h.Limit != limit, "%v: it is %d of %d", h, have, limit)
		}
		switch h.Reason {
		case "":
			l.add("a hold has no reason")
		case replicaset.ReasonBurst:
			l.addIf(h.Have <= h.Limit || h.Limit != burstOf(p.Options), "%v: the burst is %d", h, burstOf(p.Options))
		case replicaset.ReasonTerminating:
			numbers(c.terminating, wanted-c.active)
			l.addIf(h.Have <= 0 || h.Limit <= 0, "%v is no reason to wait", h)
		case replicaset.ReasonDeleting:
			numbers(c.active, wanted)
		case replicaset.ReasonNotReady:
			numbers(c.ready, c.active)
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case replicaset.ReasonNotAvailable:
			numbers(c.available, c.ready)
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case replicaset.ReasonExpectations, replicaset.ReasonExpired:
			e := p.Snapshot.Expectations
			numbers(max(e.Creations, 0)+max(e.Deletions, 0), 0)
		}
	}
	return l
}

// daemonSetExplained checks the numbers in holds, and that nodes without a new pod are explained.
func daemonSetExplained(p *DaemonSetPass) []string {
	v := daemonsOf(p)
	l := list(reasons(p.Plan.Actions))
	behind := 0
	for i := range v.nodes {
		if n := &v.nodes[i]; n.run && !n.hasNew {
			behind++
		}
	}
	l.addIf(behind > 0 && len(p.Plan.Actions) == 0 && len(p.Plan.Holds) == 0 && !v.stopped, "%d nodes have no new pod, and nothing is done or waited for", behind)
	for _, h := range p.Plan.Holds {
		switch h.Reason {
		case "":
			l.add("a hold has no reason")
		case daemonset.ReasonBurst:
			l.addIf(h.Have <= h.Limit || h.Limit != v.burst, "%v: the burst is %d", h, v.burst)
		case daemonset.ReasonMaxUnavailable:
			l.addIf(h.Limit != v.unavailable || h.Have < h.Limit, "%v is no reason to wait: %d may be unavailable", h, v.unavailable)
		case daemonset.ReasonMaxSurge:
			l.addIf(h.Limit != v.surge || h.Have < h.Limit, "%v is no reason to wait: %d may surge", h, v.surge)
		case daemonset.ReasonPartition, daemonset.ReasonProgressive:
			l.addIf(h.Limit != v.partition || h.Have <= 0, "%v: the partition is %d", h, v.partition)
		case daemonset.ReasonPaused, daemonset.ReasonOnDelete, daemonset.ReasonManageFirst, daemonset.ReasonNotSelected:
			l.addIf(h.Have <= 0, "%v: nothing waits", h)
		case daemonset.ReasonMinAvailable:
			l.addIf(h.Limit != v.desired || h.Have > h.Limit, "%v is no reason to wait: %d nodes are desired", h, v.desired)
		case daemonset.ReasonStrict:
			l.addIf(h.Limit > v.unavailable || h.Have <= h.Limit, "%v is no reason to wait: %d may be unavailable", h, v.unavailable)
		case daemonset.ReasonStalePods, daemonset.ReasonStaleOwner:
			l.addIf(h.Have >= h.Limit, "%v: it is seen", h)
		}
	}
	return l
}

func rolloutExplained(p *RolloutPass) []string {
	l := list(reasons(p.Plan.Actions))
	for _, h := range p.Plan.Holds {
		switch h.Reason {
		case "":
			l.add("a hold has no reason")
		case kruise.ReasonPause, kruise.ReasonInitializing, kruise.ReasonGrace:
			l.addIf(h.Have > h.Limit, "%v: it is over", h)
		case kruise.ReasonNotObserved, kruise.ReasonBatchNotReady, kruise.ReasonEarlierBatch:
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case kruise.ReasonDeadlineExceeded:
			l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
		case kruise.ReasonApproval:
			if sub, steps := p.Snapshot.Rollout.Status.Sub, stepsOf(&p.Snapshot.Rollout); sub != nil {
				l.addIf(h.Have != int64(sub.CurrentStepIndex) || h.Limit != int64(len(steps)), "%v: it is step %d of %d", h, sub.CurrentStepIndex, len(steps))
			}
		}
	}
	same := encode(p.Plan.Status) == encode(p.Snapshot.Rollout.Status)
	progressing := p.Plan.Status.Phase == kruise.PhaseProgressing
	l.addIf(progressing && same && len(p.Plan.Actions) == 0 && len(p.Plan.Holds) == 0 && p.Plan.Failure == "", "nothing changes in the middle of a release, and nothing is waited for")
	return l
}

func stepsOf(r *kruise.Rollout) []kruise.Step {
	switch {
	case r.Canary != nil:
		return r.Canary.Steps
	case r.BlueGreen != nil:
		return r.BlueGreen.Steps
	}
	return nil
}

func batchExplained(p *BatchPass) []string {
	l := list(reasons(p.Plan.Actions))
	c := p.Plan.Context
	for _, h := range p.Plan.Holds {
		switch h.Reason {
		case "":
			l.add("a hold has no reason")
		case batchrelease.ReasonTooFewUpdated:
			l.addIf(c != nil && (h.Have != int64(c.Updated) || h.Limit != int64(c.Desired)) || h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchrelease.ReasonTooFewReady:
			l.addIf(c != nil && h.Limit != int64(c.Desired) || h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchrelease.ReasonNotObserved, batchrelease.ReasonNotAvailable:
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchrelease.ReasonNotPromoted:
			l.addIf(h.Have == h.Limit, "%v is no reason to wait", h)
		case batchrelease.ReasonTooFewLabelled:
			l.addIf(c != nil && (h.Have != int64(c.Labelled) || h.Limit != int64(c.Planned)) || h.Have >= h.Limit, "%v is no reason to wait", h)
		}
	}
	return l
}
