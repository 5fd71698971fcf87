// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
)

// A NodeCase is the input of the manage step for one node.
type NodeCase struct {
	ShouldRun             bool
	ShouldContinueRunning bool
	// Exists is whether any pod belongs to the node, including pods left out of Pods. A pod is
	// created by placement alone only if it is false.
	Exists bool
	// Pods are the pods of the node to decide about. Of several failed pods the first one is
	// deleted first.
	Pods []*Pod
	// Until is the end of the running backoff of the node, which keeps failed pods from
	// deletion; zero if none runs. Delay is the length of this backoff.
	Until time.Time
	Delay time.Duration
	// NextDelay is the length of the backoff that the next deletion of a failed pod starts.
	NextDelay time.Duration
}

// NodeRules are the rules of the manage step that hold for all nodes.
type NodeRules struct {
	Surge        bool // a node may have a second pod, see [SurgeAllowed]
	Version      Version
	Availability Availability
	Options      Options
}

// A NodeDecision is the result of the manage step for a node.
type NodeDecision struct {
	Create bool
	Delete []Deletion
	// RecheckAt is the first instant at which the decision may change without an event, zero
	// for never: decide again then. Requeue is the delay after which upstream would decide
	// again, 0 for never. It only serves comparisons with upstream.
	RecheckAt time.Time
	Requeue   time.Duration
	// Failed means that a failed pod is deleted, which starts a backoff of length NextDelay.
	Failed bool
	// Waiting is the first failed pod that stays because of a backoff, nil if there is none.
	// Delay is the length of this backoff.
	Waiting *Pod
	Delay   time.Duration
}

// A Deletion is a pod to delete, with the reason.
type Deletion struct {
	Pod    *Pod
	Reason kplan.Reason
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
		r.decidePods(c, &d)
	case c.Exists:
		for _, p := range c.Pods {
			if !p.terminating() {
				d.Delete = append(d.Delete, Deletion{p, reason.Misplaced})
			}
		}
	}
	return d
}

// decidePods decides about a node that may keep its pods: it deletes pods that have ended,
// pods that OpenKruise has prepared for deletion, and surplus running pods. With surge it creates a
// pod if none is running.
func (r *NodeRules) decidePods(c *NodeCase, d *NodeDecision) {
	var array [4]*Pod // so that a node with few pods costs no allocation
	running := array[:0]
	kruise := r.Options.kruise()
	for _, p := range c.Pods {
		switch {
		case p.terminating():
		case p.Phase == "Failed":
			r.deleteFailed(c, d, p)
		case p.Phase == "Succeeded" && (!kruise || r.Options.Repair.Has(quirk.SucceededPodsStay)):
			d.Delete = append(d.Delete, Deletion{p, reason.Succeeded})
		case kruise && p.preparing():
			d.Delete = append(d.Delete, Deletion{p, reason.Prepared})
		default:
			running = append(running, p)
		}
	}
	switch {
	case !r.Surge:
		r.keepOne(running, d)
	case len(running) == 0:
		// Upstream creates a pod even while a failed pod waits for the end of the backoff.
		d.Create = c.ShouldRun && (d.Waiting == nil || !r.Options.Repair.Has(quirk.SurgeIgnoresBackoff))
	default:
		r.keepOneOfEach(running, d)
	}
}

// deleteFailed deletes a failed pod, unless a backoff runs: of an earlier pass, or of the first
// failed pod that this decision deletes.
func (r *NodeRules) deleteFailed(c *NodeCase, d *NodeDecision, p *Pod) {
	until, delay := c.Until, c.Delay
	if d.Failed {
		until, delay = r.Availability.Now.Add(c.NextDelay), c.NextDelay
	}
	if until.IsZero() {
		d.Delete = append(d.Delete, Deletion{p, reason.Failed})
		d.Failed = true
		return
	}
	d.requeue(delay)
	d.recheck(until)
	if d.Waiting == nil {
		d.Waiting, d.Delay = p, delay
	}
}

// requeue sets Requeue to a delay, unless it is shorter already. A delay of 0 changes nothing.
func (d *NodeDecision) requeue(after time.Duration) {
	if after > 0 && (d.Requeue == 0 || after < d.Requeue) {
		d.Requeue = after
	}
}

// recheck sets RecheckAt to an instant, unless it is earlier already.
func (d *NodeDecision) recheck(at time.Time) {
	if d.RecheckAt.IsZero() || at.Before(d.RecheckAt) {
		d.RecheckAt = at
	}
}

// keepOne deletes all running pods but the first to keep.
func (r *NodeRules) keepOne(running []*Pod, d *NodeDecision) {
	if len(running) < 2 {
		return
	}
	r.sort(running)
	for _, p := range running[1:] {
		d.Delete = append(d.Delete, Deletion{p, reason.Duplicate})
	}
}

// keepOneOfEach keeps the first running pod of the current revision and the first old pod. If
// there are both, it deletes the old pod once that is not ready or the current pod is available.
// Here only the hash makes a pod current, and not the template generation.
func (r *NodeRules) keepOneOfEach(running []*Pod, d *NodeDecision) {
	r.sort(running)
	var current, old *Pod
	for _, p := range running {
		hasHash := r.Version.hashOf(p) == r.Version.Hash
		switch {
		case hasHash && current == nil:
			current = p
		case !hasHash && old == nil:
			old = p
		default:
			d.Delete = append(d.Delete, Deletion{p, reason.Duplicate})
		}
	}
	if current == nil || old == nil {
		return
	}
	switch a := &r.Availability; {
	case !old.Ready:
		d.Delete = append(d.Delete, Deletion{old, reason.OldUnavailable})
	case a.Available(current):
		d.Delete = append(d.Delete, Deletion{old, reason.Replaced})
	case current.Ready: // it has not been ready for minReadySeconds
		at, known := a.At(current)
		wait := time.Duration(a.MinReadySeconds) * time.Second
		if known {
			d.recheck(at)
			wait = current.ReadySince.Add(wait).Sub(a.Now)
		}
		if r.Options.kruise() {
			d.requeue(wait)
		}
	}
}

// sort puts the pods to keep first: the oldest pod, or with KeepHealthyDuplicate an available pod,
// then a pod of the current revision, then the oldest.
func (r *NodeRules) sort(running []*Pod) {
	slices.SortFunc(running, func(a, b *Pod) int {
		if r.Options.KeepHealthyDuplicate {
			return cmp.Or(compareBool(r.Availability.Available(b), r.Availability.Available(a)),
				compareBool(r.Version.current(b), r.Version.current(a)), compareAge(a, b))
		}
		return compareAge(a, b)
	})
}
