// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// A PodEvent is a change of one pod: an addition if Old is nil, a deletion if New is nil, and
// an update otherwise.
type PodEvent struct {
	Old, New *podorder.Pod
}

// An Effect is the effect of an event on a ReplicaSet: by which creation or deletion to lower
// its expectations, and whether to plan again. Packages deploy and daemonset return Effects
// as well.
type Effect struct {
	Name      string        // of the ReplicaSet, DaemonSet or Deployment
	Created   bool          // call Expectations.CreationObserved
	Deleted   string        // call Expectations.DeletionObserved with this name; "" for no
	Reconcile bool          // plan now
	Later     time.Duration // plan once more after this time; 0 for no
}

// Effects returns the effects of an event on the ReplicaSets of its namespace, sorted by name.
// A pod concerns the ReplicaSet with the UID of the pod's controller. An added orphan, and an
// orphan with changed labels or a removed controller, concerns all ReplicaSets that select
// it, since each may adopt it. A pod with a deletion timestamp counts as deleted. An update
// with an unchanged resource version has no effect.
//
// It mirrors addPod, updatePod and deletePod of the replicaset package of Kubernetes.
func Effects(event PodEvent, replicaSets []ReplicaSet) []Effect {
	r := routing{replicaSets: replicaSets}
	return r.effectsOf(event)
}

// Effects15 is [Effects] for Kubernetes 1.5, with or without the garbage collector: a pod
// concerns the oldest ReplicaSet that selects it, and among equally old ones the first by
// name. The controller of the pod does not matter.
//
// It mirrors addPod, updatePod and deletePod of the replication package of Kubernetes 1.5.
func Effects15(event PodEvent, replicaSets []ReplicaSet) []Effect {
	r := routing{replicaSets: replicaSets, oldest: true}
	return r.effectsOf(event)
}

// effectsOf returns the effects of an event.
func (r *routing) effectsOf(event PodEvent) []Effect {
	switch before, after := event.Old, event.New; {
	case before == nil && after == nil:
	case after == nil:
		r.podDeleted(before)
	case before == nil:
		r.podAdded(after)
	default:
		r.podUpdated(before, after)
	}
	slices.SortFunc(r.effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Deleted, b.Deleted))
	})
	return slices.Compact(r.effects)
}

// NeedsForget reports whether to drop the expectations of a ReplicaSet, because it was
// deleted, or deleted and created again with the same name. A nil before means that the
// ReplicaSet is new, and a nil after that it was deleted.
func NeedsForget(before, after *ReplicaSet) bool {
	return before != nil && (after == nil || before.UID != after.UID)
}

// A routing collects the effects of one event.
type routing struct {
	replicaSets []ReplicaSet
	oldest      bool // a pod concerns the oldest ReplicaSet that selects it, as in 1.5
	effects     []Effect
}

// podAdded adds the effects of an added pod. After a restart of the controller the cache also adds
// pods that are already being deleted.
func (r *routing) podAdded(p *podorder.Pod) {
	switch rs := r.controller(p); {
	case !p.DeletionTimestamp.IsZero():
		r.podDeleted(p)
	case rs != nil:
		r.effects = append(r.effects, Effect{Name: rs.Name, Created: true, Reconcile: true})
	case p.ControllerUID == "":
		r.orphanChanged(p)
	}
}

func (r *routing) podDeleted(p *podorder.Pod) {
	if rs := r.controller(p); rs != nil {
		r.effects = append(r.effects, Effect{Name: rs.Name, Deleted: p.Name, Reconcile: true})
	}
}

func (r *routing) podUpdated(before, after *podorder.Pod) {
	labelChanged := !maps.Equal(before.Labels, after.Labels)
	controllerChanged := before.ControllerUID != after.ControllerUID || before.ControllerKind != after.ControllerKind ||
		before.ControllerName != after.ControllerName
	if r.oldest { // the labels decide which ReplicaSet controls the pod
		controllerChanged = labelChanged
	}
	switch {
	case before.ResourceVersion == after.ResourceVersion && before.ResourceVersion != "":
		return
	case !after.DeletionTimestamp.IsZero():
		r.podDeleted(after)
		if labelChanged {
			r.podDeleted(before)
		}
		return
	}
	if old := r.controller(before); controllerChanged && old != nil {
		r.effects = append(r.effects, Effect{Name: old.Name, Reconcile: true})
	}
	switch rs := r.controller(after); {
	case rs != nil:
		e := Effect{Name: rs.Name, Reconcile: true}
		if !before.Ready && after.Ready {
			e.Later = time.Duration(max(0, rs.MinReadySeconds)) * time.Second
		}
		r.effects = append(r.effects, e)
	case after.ControllerUID == "" && (labelChanged || controllerChanged):
		r.orphanChanged(after)
	}
}

// controller returns the ReplicaSet that controls the pod, or nil.
func (r *routing) controller(p *podorder.Pod) (first *ReplicaSet) {
	if r.oldest {
		r.forEachSelecting(p, func(rs *ReplicaSet) {
			if first == nil || cmp.Or(rs.CreationTimestamp.Compare(first.CreationTimestamp), cmp.Compare(rs.Name, first.Name)) < 0 {
				first = rs
			}
		})
		return first
	}
	for i := range r.replicaSets {
		rs := &r.replicaSets[i]
		if isControlledBy(p, rs.UID) {
			return rs
		}
	}
	return nil
}

// orphanChanged adds an effect on each ReplicaSet that selects the pod, since each may adopt it.
func (r *routing) orphanChanged(p *podorder.Pod) {
	if !r.oldest {
		r.forEachSelecting(p, func(rs *ReplicaSet) {
			r.effects = append(r.effects, Effect{Name: rs.Name, Reconcile: true})
		})
	}
}

// forEachSelecting calls f for the ReplicaSets that select the pod.
func (r *routing) forEachSelecting(p *podorder.Pod, f func(*ReplicaSet)) {
	for i := range r.replicaSets {
		s, err := selector.FromLabelSelector(r.replicaSets[i].Selector)
		if err == nil && s.Selects(p.Labels) {
			f(&r.replicaSets[i])
		}
	}
}
