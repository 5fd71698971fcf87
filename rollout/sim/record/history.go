// SPDX-License-Identifier: Apache-2.0

package record

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
)

// A History is the history of pods, and of the objects that own them.
type History struct {
	Start       time.Time
	Pods        []Pod // in the order of creation
	Deployments []Moment[deploy.Deployment]
	ReplicaSets []Moment[replicaset.ReplicaSet]
	DaemonSets  []Moment[daemonset.DaemonSet]

	places map[string]int // of pods, by UID
	last   map[string]int // the last moment of an object, by its UID
}

// A Moment is the state of an object from an instant on. Of several states at one instant only the
// last is kept.
type Moment[T any] struct {
	Time   time.Time
	Object T
	Gone   bool // the object was removed; Object is its last state
}

// A Pod is the history of a pod.
type Pod struct {
	Pod    podorder.Pod // its last state
	Stages []Stage      // at least one, in the order of time, each at a different time
}

// A Stage is a part of the life of a pod. It lasts until the next stage begins.
type Stage struct {
	Time time.Time
	Is   Life
}

// A Life is the state of a pod in its life.
type Life string

// The states in the life of a pod. A failed pod has ended by itself.
const (
	Unscheduled Life = "unscheduled"
	Scheduled   Life = "scheduled" // on a node, and not ready
	Ready       Life = "ready"
	Terminating Life = "terminating"
	Failed      Life = "failed"
	Gone        Life = "gone"
)

// At returns the state of the pod at an instant, "" before it is created.
func (p *Pod) At(t time.Time) (is Life) {
	for _, s := range p.Stages {
		if s.Time.After(t) {
			break
		}
		is = s.Is
	}
	return is
}

// NewHistory returns the history of the world that will be made of a configuration, from a time on.
// Earlier changes are noted as if they happened at that time.
func NewHistory(c *sim.Config, start time.Time) *History {
	h := &History{Start: start}
	c.Observe = beside(h.observe, c.Observe)
	return h
}

func (h *History) observe(e sim.Change) {
	at := e.Time
	if at.Before(h.Start) {
		at = h.Start
	}
	gone := e.Verb == sim.Remove
	switch o := e.Object.(type) {
	case *podorder.Pod:
		h.Saw(at, o, lifeOf(o, gone))
	case *daemonset.Pod:
		h.Saw(at, &o.Pod, lifeOf(&o.Pod, gone))
	case *deploy.Deployment:
		note(h, &h.Deployments, Moment[deploy.Deployment]{at, *o, gone}, o.UID)
	case *replicaset.ReplicaSet:
		note(h, &h.ReplicaSets, Moment[replicaset.ReplicaSet]{at, *o, gone}, o.UID)
	case *daemonset.DaemonSet:
		note(h, &h.DaemonSets, Moment[daemonset.DaemonSet]{at, *o, gone}, o.UID)
	}
}

func lifeOf(p *podorder.Pod, gone bool) Life {
	switch {
	case gone:
		return Gone
	case !p.DeletionTimestamp.IsZero():
		return Terminating
	case p.Finished():
		return Failed
	case p.NodeName == "":
		return Unscheduled
	case p.Ready:
		return Ready
	}
	return Scheduled
}

// Saw notes the state of a pod at an instant, which is not before the last one.
func (h *History) Saw(now time.Time, p *podorder.Pod, is Life) {
	if h.places == nil {
		h.places = map[string]int{}
	}
	i, known := h.places[p.UID]
	if !known {
		i = len(h.Pods)
		h.places[p.UID] = i
		h.Pods = append(h.Pods, Pod{})
	}
	of := &h.Pods[i]
	of.Pod = *p
	switch n := len(of.Stages); {
	case n > 0 && of.Stages[n-1].Is == is:
	case n > 0 && of.Stages[n-1].Time.Equal(now):
		of.Stages[n-1].Is = is
		if n > 1 && of.Stages[n-2].Is == is { // there and back at one instant
			of.Stages = of.Stages[:n-1]
		}
	default:
		of.Stages = append(of.Stages, Stage{now, is})
	}
}

// note adds a moment. It replaces the moment of the same object at the same instant.
func note[T any](h *History, list *[]Moment[T], m Moment[T], uid string) {
	if h.last == nil {
		h.last = map[string]int{}
	}
	if i, known := h.last[uid]; known && (*list)[i].Time.Equal(m.Time) {
		(*list)[i] = m
		return
	}
	h.last[uid] = len(*list)
	*list = append(*list, m)
}

// Owned returns the part of a history about some owners of pods, by UID, such as [Steps.Owns]:
// these owners, and the pods that they control. It lacks later changes.
func (h *History) Owned(owns func(uid string) bool) *History {
	return &History{
		Start: h.Start, Pods: kept(h.Pods, func(p *Pod) bool { return owns(p.Pod.ControllerUID) }),
		Deployments: kept(h.Deployments, func(m *Moment[deploy.Deployment]) bool { return owns(m.Object.UID) }),
		ReplicaSets: kept(h.ReplicaSets, func(m *Moment[replicaset.ReplicaSet]) bool { return owns(m.Object.UID) }),
		DaemonSets:  kept(h.DaemonSets, func(m *Moment[daemonset.DaemonSet]) bool { return owns(m.Object.UID) }),
	}
}

// kept returns the elements of a list for which a function holds.
func kept[T any](list []T, holds func(*T) bool) (some []T) {
	for i := range list {
		if holds(&list[i]) {
			some = append(some, list[i])
		}
	}
	return some
}
