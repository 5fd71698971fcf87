// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/kplan-go/kplan"
	daemonsetreason "github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/deploy/quirk"
	deployreason "github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	replicasetreason "github.com/kplan-go/kplan/replicaset/reason"
	batchreleasereason "github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	kruisereason "github.com/kplan-go/kplan/rollout/kruise/reason"
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

func (v *deploymentView) explains(h kplan.Hold) []string {
	l := list(nil)
	after := v.sizes(v.p.Plan.Actions)
	limit := func(want int64) { l.addIf(h.Limit != want, "%v: the limit is %d", h, want) }
	switch h.Reason {
	case deployreason.SurgeExhausted:
		limit(v.most())
		l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
	case deployreason.MinAvailable:
		limit(v.least())
		l.addIf(h.Have > h.Limit && v.d.Partitioned == nil, "%v is no reason to wait", h)
		l.addIf(h.Have > v.counted(), "%v: %d are available", h, v.counted())
	case deployreason.Terminating, deployreason.Partition:
		l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
	case deployreason.StatusAhead, deployreason.Kept:
		l.addIf(h.Reason == deployreason.StatusAhead && h.Have <= h.Limit || h.Reason == deployreason.Kept && h.Have > h.Limit, "%v is no reason to wait", h)
	case deployreason.StatusBehind:
		l.addIf(h.Have == h.Limit, "%v: they are there", h)
	case deployreason.DeadlineExceeded:
		l.addIf(h.Limit <= 0 || h.Have < 0, "%v tells no time", h)
	case deployreason.NothingToScale:
		limit(v.replicas)
		l.addIf(h.Have == v.replicas, "%v: nothing has changed", h)
	case deployreason.NotObserved, deployreason.HistoryNotSynced:
		l.addIf(h.Have >= h.Limit, "%v: it is observed", h)
	case deployreason.OldPodsRemain:
		negative := slices.ContainsFunc(v.old, func(rs *replicaset.ReplicaSet) bool { // no cluster reports it, but the planner waits for it
			return rs.Name == h.Name && rs.Status.Replicas < 0 && int64(rs.Status.Replicas) == h.Have
		})
		l.addIf(h.Have <= 0 && !negative, "%v: none remains", h)
	case deployreason.NotReady, deployreason.NotAvailable:
		l.addIf(h.Have >= h.Limit, "%v: enough are", h)
		l.addIf(h.Limit != after[h.Name], "%v: %d are wanted", h, after[h.Name])
	case deployreason.PausedNew, deployreason.PausedTemplate, deployreason.ScalingFirst:
		limit(v.replicas)
	}
	return l
}

// counted returns the available pods that the rollout counts: no old set has more than it wants,
// and the new set only by default (quirk.ExcessAvailableCounts).
func (v *deploymentView) counted() int64 {
	n := v.available(v.sizes(nil))
	if v.newest != nil && !v.p.Options.Repair.Has(quirk.ExcessAvailableCounts) {
		n += max(0, int64(v.newest.Status.AvailableReplicas)-max(0, sizeOf(v.newest)))
	}
	return n
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
		case replicasetreason.Burst:
			l.addIf(h.Have <= h.Limit || h.Limit != burstOf(p.Options), "%v: the burst is %d", h, burstOf(p.Options))
		case replicasetreason.Terminating:
			numbers(c.terminating, wanted-c.active)
			l.addIf(h.Have <= 0 || h.Limit <= 0, "%v is no reason to wait", h)
		case replicasetreason.Deleting:
			numbers(c.active, wanted)
		case replicasetreason.NotReady:
			numbers(c.ready, c.active)
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case replicasetreason.NotAvailable:
			numbers(c.available, c.ready)
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case replicasetreason.Expectations, replicasetreason.Expired:
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
		case daemonsetreason.Burst:
			l.addIf(h.Have <= h.Limit || h.Limit != v.burst, "%v: the burst is %d", h, v.burst)
		case daemonsetreason.MaxUnavailable:
			l.addIf(h.Limit != v.unavailable || h.Have < h.Limit, "%v is no reason to wait: %d may be unavailable", h, v.unavailable)
		case daemonsetreason.MaxSurge:
			l.addIf(h.Limit != v.surge || h.Have < h.Limit, "%v is no reason to wait: %d may surge", h, v.surge)
		case daemonsetreason.Partition, daemonsetreason.Progressive:
			l.addIf(h.Limit != v.partition || h.Have <= 0, "%v: the partition is %d", h, v.partition)
		case daemonsetreason.Paused, daemonsetreason.OnDelete, daemonsetreason.ManageFirst, daemonsetreason.NotSelected:
			l.addIf(h.Have <= 0, "%v: nothing waits", h)
		case daemonsetreason.MinAvailable:
			l.addIf(h.Limit != v.desired || h.Have > h.Limit, "%v is no reason to wait: %d nodes are desired", h, v.desired)
		case daemonsetreason.Strict:
			l.addIf(h.Limit > v.unavailable || h.Have <= h.Limit, "%v is no reason to wait: %d may be unavailable", h, v.unavailable)
		case daemonsetreason.StalePods, daemonsetreason.StaleOwner:
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
		case kruisereason.Pause, kruisereason.Initializing, kruisereason.Grace:
			l.addIf(h.Have > h.Limit, "%v: it is over", h)
		case kruisereason.NotObserved, kruisereason.BatchNotReady, kruisereason.EarlierBatch:
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case kruisereason.DeadlineExceeded:
			l.addIf(h.Have < h.Limit, "%v is no reason to wait", h)
		case kruisereason.Approval:
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
		case batchreleasereason.TooFewUpdated:
			l.addIf(c != nil && (h.Have != int64(c.Updated) || h.Limit != int64(c.Desired)) || h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchreleasereason.TooFewReady:
			l.addIf(c != nil && h.Limit != int64(c.Desired) || h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchreleasereason.NotObserved, batchreleasereason.NotAvailable:
			l.addIf(h.Have >= h.Limit, "%v is no reason to wait", h)
		case batchreleasereason.NotPromoted:
			l.addIf(h.Have == h.Limit, "%v is no reason to wait", h)
		case batchreleasereason.TooFewLabelled:
			l.addIf(c != nil && (h.Have != int64(c.Labelled) || h.Limit != int64(c.Planned)) || h.Have >= h.Limit, "%v is no reason to wait", h)
		}
	}
	return l
}
