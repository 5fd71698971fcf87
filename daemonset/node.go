// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"time"
)

// A NodeCase is one node as the input of the manage step.
type NodeCase struct {
	ShouldRun             bool
	ShouldContinueRunning bool
	// Exists is whether any pod belongs to the node, even one that is not among Pods.
	Exists bool
	// Pods are the pods of the node. Of several failed pods the first one is deleted first.
	Pods []*Pod
	// Until is the end of the delay after a failed pod was deleted, zero if no delay holds.
	// Delay is its length.
	Until time.Time
	Delay time.Duration
	// NextDelay is the delay that the deletion of a failed pod starts.
	NextDelay time.Duration
}

// NodeRules are the rules of the manage step that hold for all nodes.
type NodeRules struct {
	Surge        bool // a second pod is allowed, see [SurgeAllowed]
	Version      Version
	Availability Availability
	Options      Options
}

// A NodeDecision is the result of the manage step for a node.
type NodeDecision struct {
	Create bool
	Delete []Deletion
	// Requeue is when upstream wants to look again, 0 for never. RecheckAt is the
	// first instant at which the answer changes.
	Requeue   time.Duration
	RecheckAt time.Time
	// Failed indicates whether the delay of the node starts again, with NextDelay.
	Failed bool
	// Waiting is the pod whose deletion waits for the delay, or nil, and Delay its length.
	Waiting *Pod
	Delay   time.Duration
}

// A Deletion is a pod to delete, with the reason.
type Deletion struct {
	Pod    *Pod
	Reason Reason
}

// Decide returns the result of the manage step for a node (see One node in rules.md). It does
// not change the lists of the case.
func (r *NodeRules) Decide(c *NodeCase) NodeDecision {
	var d NodeDecision
	if c == nil {
		return d
	}
	if slices.Contains(c.Pods, nil) {
		present := *c
		present.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *Pod) bool { return p == nil })
		c = &present
	}
	switch {
	case c.ShouldRun && !c.Exists:
		d.Create = true
	case c.ShouldContinueRunning:
		r.sort(c, &d)
	case c.Exists:
		for _, p := range c.Pods {
			if !p.terminating() {
				d.Delete = append(d.Delete, Deletion{p, ReasonMisplaced})
			}
		}
	}
	return d
}

// sort divides the pods of a node into running pods and pods to delete.
func (r *NodeRules) sort(c *NodeCase, d *NodeDecision) {
	var few [4]*Pod // most nodes have one pod, and then nothing is allocated
	running := few[:0]
	kruise := r.Options.kruise()
	for _, p := range c.Pods {
		switch {
		case p.terminating():
		case p.Phase == "Failed":
			r.failed(c, d, p)
		case p.Phase == "Succeeded" && (!kruise || r.Options.Repair.Has(SucceededPodsStay)):
			d.Delete = append(d.Delete, Deletion{p, ReasonSucceeded})
		case kruise && p.preparing():
			d.Delete = append(d.Delete, Deletion{p, ReasonPrepared})
		default:
			running = append(running, p)
		}
	}
	switch {
	case !r.Surge:
		r.withoutSurge(running, d)
	case len(running) == 0:
		// A failed pod that waits should hold back its replacement as well.
		d.Create = c.ShouldRun && (d.Waiting == nil || !r.Options.Repair.Has(SurgeIgnoresBackoff))
	default:
		r.withSurge(running, d)
	}
}

// failed deletes a failed pod, unless the delay after the last one is not over.
func (r *NodeRules) failed(c *NodeCase, d *NodeDecision, p *Pod) {
	until, delay := c.Until, c.Delay
	if d.Failed {
		until, delay = r.Availability.Now.Add(c.NextDelay), c.NextDelay
	}
	if until.IsZero() {
		d.Delete = append(d.Delete, Deletion{p, ReasonFailed})
		d.Failed = true
		return
	}
	d.requeue(delay)
	d.recheck(until)
	if d.Waiting == nil {
		d.Waiting, d.Delay = p, delay
	}
}

// requeue asks to look again after a delay, unless the decision asks for an earlier time
// already. A delay of 0 asks for nothing.
func (d *NodeDecision) requeue(after time.Duration) {
	if after > 0 && (d.Requeue == 0 || after < d.Requeue) {
		d.Requeue = after
	}
}

// recheck limits the validity of the decision to an instant.
func (d *NodeDecision) recheck(at time.Time) {
	if d.RecheckAt.IsZero() || at.Before(d.RecheckAt) {
		d.RecheckAt = at
	}
}

// withoutSurge deletes all but the oldest of several pods.
func (r *NodeRules) withoutSurge(running []*Pod, d *NodeDecision) {
	if len(running) < 2 {
		return
	}
	r.order(running)
	for _, p := range running[1:] {
		d.Delete = append(d.Delete, Deletion{p, ReasonDuplicate})
	}
}

// withSurge keeps the oldest pod of the current revision and the oldest other pod, and the
// other pod only until the first is available. Only the label with the hash is compared.
func (r *NodeRules) withSurge(running []*Pod, d *NodeDecision) {
	r.order(running)
	var newest, old *Pod
	for _, p := range running {
		isNew := r.Version.hashOf(p) == r.Version.Hash
		switch {
		case isNew && newest == nil:
			newest = p
		case !isNew && old == nil:
			old = p
		default:
			d.Delete = append(d.Delete, Deletion{p, ReasonDuplicate})
		}
	}
	if newest == nil || old == nil {
		return
	}
	switch a := &r.Availability; {
	case !old.Ready:
		d.Delete = append(d.Delete, Deletion{old, ReasonOldUnavailable})
	case a.Available(newest):
		d.Delete = append(d.Delete, Deletion{old, ReasonReplaced})
	case newest.Ready: // it can only be unavailable with minReadySeconds
		at, known := a.At(newest)
		rest := time.Duration(a.MinReadySeconds) * time.Second
		if known {
			d.recheck(at)
			rest = newest.ReadySince.Add(rest).Sub(a.Now)
		}
		if r.Options.kruise() {
			d.requeue(rest)
		}
	}
}

// order sorts pods: pods that stay longest come first.
func (r *NodeRules) order(running []*Pod) {
	slices.SortFunc(running, func(a, b *Pod) int {
		if r.Options.KeepHealthyDuplicate {
			return cmp.Or(compareBool(r.Availability.Available(b), r.Availability.Available(a)),
				compareBool(r.Version.current(b), r.Version.current(a)), compareAge(a, b))
		}
		return compareAge(a, b)
	})
}
