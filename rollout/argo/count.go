// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan"
)

// A kind is the purpose of a pass.
type kind int

const (
	notes   kind = iota // it records that a pause has begun or ended
	resizes             // it follows another size of the Rollout
	begins              // a canary begins its steps again
	goes                // the update goes on
)

// counts are the input of a pass, counted. Nothing writes to them.
type counts struct {
	*input
	kind  kind
	noted []kplan.Condition // the conditions that a pass for notes writes
	sets  []*ReplicaSet
	// fresh has the current template of the Rollout, stable the one promoted last; either
	// may be nil, and they may be the same.
	fresh, stable *ReplicaSet
	creates       bool // fresh is yet to be created
	available     int32
	inWindow      bool   // the rollback takes no step
	numbers       Canary // without weights
}

// count identifies the ReplicaSets, and counts their pods. If the pass creates the new
// one, it counts as created.
func (in *input) count() counts {
	c := counts{input: in, noted: in.pauseNotes(), sets: make([]*ReplicaSet, 0, len(in.s.Sets)+1)}
	for i := range in.s.Sets {
		set := &in.s.Sets[i]
		c.sets = append(c.sets, set)
		c.available += set.AvailableReplicas
		if set.Hash == in.r.TemplateHash {
			c.fresh = set
		}
		if set.Hash == in.read.StableRS {
			c.stable = set
		}
	}
	slices.SortFunc(c.sets, byAge)
	c.kind = c.what()
	c.numbers = c.canary()
	if c.creates = c.fresh == nil && c.kind == goes; c.creates {
		c.fresh = c.created()
		c.sets = append(c.sets, c.fresh)
		c.numbers.Canary = &c.fresh.Size
	}
	c.inWindow = !c.creates && c.withinWindow() // a ReplicaSet created now is younger than all others
	return c
}

func byAge(a, b *ReplicaSet) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Hash, b.Hash))
}

// what returns the purpose of the pass.
func (c *counts) what() kind {
	switch {
	case len(c.noted) > 0:
		return notes
	case c.resized():
		return resizes
	case c.r.BlueGreen == nil && (c.stepsChanged() || c.changed()):
		return begins
	}
	return goes
}

// resized reports whether the size of the Rollout has changed since the new ReplicaSet or
// the stable one was scaled. The annotations of the others are not kept up to date.
func (c *counts) resized() bool {
	for _, set := range []*ReplicaSet{c.fresh, c.stable} {
		if set != nil && set.Replicas > 0 && set.DesiredReplicas != nil && *set.DesiredReplicas != c.replicas() {
			return true
		}
	}
	return false
}

// canary returns the numbers from which the sizes of the canary follow, without the weights
// of requests.
func (c *counts) canary() Canary {
	r := Canary{
		Replicas: c.r.Replicas, MaxSurge: c.r.MaxSurge, MaxUnavailable: c.r.MaxUnavailable, Steps: c.r.Steps, ProgressThreshold: c.r.ProgressThreshold,
		CurrentStepIndex: c.index(), CurrentPodHash: c.read.CurrentPodHash, StableRS: c.read.StableRS, Abort: c.read.Abort, PromoteFull: c.read.PromoteFull,
		StableIsCanary: c.fresh != nil && c.fresh == c.stable, Repair: c.repair,
	}
	if t := c.r.Routing; t != nil {
		r.TrafficRouting, r.MaxTrafficWeight, r.DynamicStableScale = true, t.MaxTrafficWeight, t.DynamicStableScale
		r.MinPodsPerReplicaSet, r.AbortScaleDownDelaySeconds = t.MinPodsPerReplicaSet, t.AbortScaleDownDelaySeconds
	}
	if c.fresh != nil {
		r.Canary = &c.fresh.Size
	}
	if c.stable != nil {
		r.Stable = &c.stable.Size
	}
	r.Others = make([]Size, 0, len(c.sets))
	for _, set := range c.sets {
		if set != c.fresh && set != c.stable {
			r.Others = append(r.Others, set.Size)
		}
	}
	return r
}

// with returns the numbers from which the sizes of the canary follow, with the weights of
// requests.
func (c *counts) with(weights *TrafficWeights) Canary {
	r := c.numbers
	r.Weights = weights.weights()
	return r
}

// created returns the new ReplicaSet as it is created, with the size that it gets while it
// has no pods.
func (c *counts) created() *ReplicaSet {
	desired := c.replicas()
	set := &ReplicaSet{Hash: c.r.TemplateHash, Name: c.r.Name + "-" + c.r.TemplateHash, DesiredReplicas: &desired}
	set.Revision = c.follows(set)
	if c.r.BlueGreen != nil {
		set.Replicas = c.previewSize(set.Hash)
		return set
	}
	r := c.with(c.read.Weights)
	r.Canary = &Size{}
	set.Replicas = r.Counts().Canary
	return set
}

// revision returns the number of the update.
func (c *counts) revision() int64 {
	if c.fresh == nil {
		return c.r.Revision
	}
	return c.follows(c.fresh)
}

// follows returns the revision of a ReplicaSet as the last one: its own if it is the
// highest, else one more than all others have.
func (c *counts) follows(fresh *ReplicaSet) int64 {
	last := int64(0)
	for _, set := range c.sets {
		if set != fresh {
			last = max(last, set.Revision)
		}
	}
	return max(fresh.Revision, last+1)
}

// freshSize returns the next size of the new ReplicaSet.
func (c *counts) freshSize(weights *TrafficWeights) int32 {
	if c.r.BlueGreen != nil {
		return c.previewSize(c.fresh.Hash)
	}
	r := c.with(weights)
	return r.Counts().Canary
}

// previewSize returns the size of the new ReplicaSet of a blue-green update.
func (c *counts) previewSize(hash string) int32 {
	if c.empty() {
		return 0
	}
	return Preview{
		Replicas: c.replicas(), PreviewReplicaCount: c.r.BlueGreen.PreviewReplicaCount, HasPauseConditions: len(c.read.PauseConditions) > 0,
		PromoteFull: c.read.PromoteFull, ScaleUpPreviewCheckPoint: c.read.ScaleUpPreviewCheckPoint, ActiveSelector: c.read.ActiveSelector,
		CurrentPodHash: c.read.CurrentPodHash, NewHash: hash, ActiveExists: c.named(c.read.ActiveSelector) != nil,
	}.PreviewSize()
}

// named returns the ReplicaSet of a hash, nil if no ReplicaSet has it.
func (c *counts) named(hash string) *ReplicaSet {
	for _, set := range c.sets {
		if hash != "" && set.Hash == hash {
			return set
		}
	}
	return nil
}

// between returns the ReplicaSets that are neither new nor stable and want pods, the oldest
// first.
func (c *counts) between() []*ReplicaSet {
	return slices.DeleteFunc(c.others(), func(set *ReplicaSet) bool { return set.Replicas <= 0 })
}

// others returns the ReplicaSets that are neither new nor stable, the oldest first.
func (c *counts) others() (list []*ReplicaSet) {
	for _, set := range c.sets {
		if set != c.fresh && set != c.stable {
			list = append(list, set)
		}
	}
	return list
}

// newest compares so that the newest revision is the first.
func newest(a, b *ReplicaSet) int { return cmp.Compare(b.Revision, a.Revision) }

// withinWindow reports whether the update is a rollback that takes no step: fewer
// ReplicaSets than the window were created between the two templates.
func (c *counts) withinWindow() bool {
	if c.fresh == nil || c.stable == nil || !c.fresh.CreationTimestamp.Before(c.stable.CreationTimestamp) {
		return false
	}
	between := int32(0)
	for _, set := range c.sets {
		if set.CreationTimestamp.After(c.fresh.CreationTimestamp) && set.CreationTimestamp.Before(c.stable.CreationTimestamp) {
			between++
		}
	}
	return between < c.r.RollbackWindow
}

// passes reports whether an update of 0 replicas takes no step and waits for no person. An
// update that is aborted, or that a user has paused, stays.
func (c *counts) passes() bool {
	t := c.turn()
	return c.empty() && !c.r.Paused && !c.aborted(&t)
}

// skipsSteps reports whether no step is taken, and nothing is paused.
func (c *counts) skipsSteps() bool { return c.read.PromoteFull || c.inWindow || c.passes() }

// goesBack reports whether the update is a rollback without pause and analysis: to the
// stable template, within the window, or in a blue-green update while the pods of the
// template wait to be removed.
func (c *counts) goesBack() bool {
	switch {
	case c.fresh == nil || c.stable == nil:
		return false
	case c.fresh == c.stable || c.inWindow:
		return true
	}
	older := c.fresh.CreationTimestamp.Before(c.stable.CreationTimestamp)
	return older && c.r.BlueGreen != nil && c.fresh.ScaleDownAt.After(c.now)
}

// saturated reports whether a ReplicaSet has all pods, and they are available.
func (c *counts) saturated(set *ReplicaSet) bool {
	n := c.replicas()
	return set != nil && set.DesiredReplicas != nil && *set.DesiredReplicas == n && set.Replicas == n && set.AvailableReplicas == n
}
