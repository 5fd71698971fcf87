// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/zero"
	"github.com/kplan-go/kplan/selector"
)

// A Trigger tells which events must start a new plan for a DaemonSet. It is immutable
// and may be kept until the DaemonSet changes.
type Trigger struct {
	uid          string
	kruise       bool
	placer       Placer
	selector     selector.Selector
	nodes        selector.Selector // of the update; nothing if it does not matter
	misscheduled bool
}

// NewTrigger compiles the DaemonSet. The error, if any, wraps [ErrInvalid]: a selector
// cannot be used.
func NewTrigger(d *DaemonSet, opts Options) (Trigger, error) {
	d = zero.Or(d)
	t := Trigger{
		uid: d.UID, kruise: opts.kruise(), placer: NewPlacer(&d.Template, opts),
		misscheduled: d.Status.NumberMisscheduled > 0, nodes: selector.Nothing(),
	}
	var errs field.Errors
	var err error
	if t.selector, err = selector.FromLabelSelector(d.Selector); err != nil {
		errs = append(errs, &field.Error{Path: "DaemonSet.Selector", Value: "", Detail: err.Error(), Err: err})
	}
	if s := d.NodeSelector; d.Strategy != OnDelete && s != nil {
		if t.nodes, err = selector.FromLabelSelector(s); err != nil {
			errs = append(errs, &field.Error{Path: "DaemonSet.NodeSelector", Value: "", Detail: err.Error(), Err: err})
		}
	}
	return t, errs.Join()
}

// Node reports whether a node that was added (old is nil) or has changed must start a
// plan. Bound is whether a pod of the DaemonSet is bound to it. A node that is gone
// (changed is nil) starts none: its pods will go.
func (t *Trigger) Node(old, changed *Node, bound bool) bool {
	if changed == nil {
		return false
	}
	now := t.placer.Place(changed)
	if old == nil {
		return t.added(now, bound)
	}
	if slices.Equal(old.Taints, changed.Taints) && maps.Equal(old.Labels, changed.Labels) {
		return false
	}
	if !t.kruise {
		return t.added(now, bound) || t.selected(old) != t.selected(changed)
	}
	was := t.placer.Place(old)
	return was.ShouldRun != now.ShouldRun || was.ShouldContinueRunning != now.ShouldContinueRunning || t.selected(old) != t.selected(changed)
}

func (t *Trigger) added(now Placement, bound bool) bool {
	if t.kruise {
		return now.ShouldRun
	}
	return (now.ShouldRun && !bound) || (bound && (!now.ShouldContinueRunning || t.misscheduled))
}

// selected reports whether the update's selector selects a node. An empty one selects
// every node, whatever changes, and so tells of no change.
func (t *Trigger) selected(n *Node) bool { return t.nodes.Matches(n.Labels) }

// Pod reports whether a pod that was added (old is nil), has changed, or is gone
// (changed is nil) must start a plan: it belongs to the DaemonSet, or is an orphan that
// may be adopted.
func (t *Trigger) Pod(old, changed *Pod) bool {
	for _, p := range []*Pod{old, changed} {
		if p != nil && p.ControllerUID == t.uid && t.uid != "" {
			return true
		}
	}
	if changed == nil || changed.ControllerUID != "" || !t.selector.Matches(changed.Labels) {
		return false
	}
	return old == nil || old.ControllerUID != "" || !maps.Equal(old.Labels, changed.Labels)
}
