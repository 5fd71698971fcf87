// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/podorder"
)

// counts holds the role of each pod, and the number of pods in each state.
type counts struct {
	roles      []role          // of each pod
	draft      *podorder.Draft // to choose the pods to delete; nil if deletions were unlikely
	front      []int           // numbers in the draft of the input's pods; nil for all pods
	onlyVictim bool            // the input has a single pod, and the plan deletes it
	totals
}

// totals holds the number of pods in each state. From these numbers follow the number of pods to
// create or delete, and the status.
type totals struct {
	active, fullyLabeled, ready, available, terminating int32
	adopt, release                                      int32

	nextAvailable time.Time // earliest instant after now at which a ready pod becomes available
}

// count claims and counts the pods (see the rules Claims and What counts in rules.md). If the
// selector cannot be used, it reads no pods. The error reports pods of a snapshot with the same
// name or UID, unless they are ignored.
func (in *input) count(r PodReader) (c counts, err error) {
	if in.unusable != nil || r == nil {
		return c, nil
	}
	n := r.Len()
	var identities field.Identities // of the pods of a snapshot
	list, ok := r.(podList)
	if ok {
		identities.Begin(n)
	}
	var d *draft
	if ok || in.opts.Order.Protected == nil { // Protected may read fields that At leaves unset
		d = in.draft(n)
	}
	c.roles = make([]role, n)
	for i := range n {
		p := r.At(i)
		if p != nil {
			s, at := in.stateOf(p)
			c.roles[i] = s.role
			c.totals.count(s, at, in.now)
			identities.Add(p.Name, p.UID, s.role != roleNone)
		}
		d.add(p, c.roles[i].counts())
	}
	c.draft = d.choice()
	var errs kplan.FieldErrors
	identities.Check(&errs, "Pods", n, elements(list, c.roles))
	return c, errs.Join()
}

// elements returns the pods for a check of equal names and UIDs. The check skips ignored pods.
func elements(pods []podorder.Pod, roles []role) field.Element {
	return func(i int) (name, uid string, counts bool) { return pods[i].Name, pods[i].UID, roles[i] != roleNone }
}

// stateOf returns the state of a pod and, if it is waiting, the time at which it becomes available.
func (in *input) stateOf(p *podorder.Pod) (s state, at time.Time) {
	if in.plain(p) {
		s = state{role: roleActive, fullyLabeled: true, ready: p.Ready}
		if p.Ready {
			s.availability, at = in.availability(p)
		}
		return s, at
	}
	if in.concerns(p) {
		return in.state(p)
	}
	return s, at
}

// count counts a pod by its state. If the pod is waiting, at is the time at which it becomes
// available.
func (t *totals) count(s state, at, now time.Time) {
	if s.availability == waiting {
		t.recordWaiting(&s, at, now)
	}
	t.add(s, 1)
}

// recordWaiting makes a waiting pod available if at is not after now. Otherwise it keeps the
// earlier of at and nextAvailable.
func (t *totals) recordWaiting(s *state, at, now time.Time) {
	switch {
	case !at.After(now):
		s.availability = available
	case t.nextAvailable.IsZero() || at.Before(t.nextAvailable):
		t.nextAvailable = at
	}
}

// add adds n pods with a state to the totals. A negative n removes pods.
func (t *totals) add(s state, n int32) {
	switch s.role {
	case roleTerminating:
		t.terminating += n
		return
	case roleRelease:
		t.release += n
		return
	case roleAdopt:
		t.adopt += n
	case roleActive:
	default:
		return
	}
	t.active += n
	if s.fullyLabeled {
		t.fullyLabeled += n
	}
	if s.ready {
		t.ready += n
	}
	if s.availability == available {
		t.available += n
	}
}

// candidates returns the numbers of the pods that count as replicas: they may be deleted.
func (c *counts) candidates() []int {
	candidates := make([]int, 0, min(int(c.active), len(c.roles)))
	for i, role := range c.roles {
		if role.counts() {
			candidates = append(candidates, i)
		}
	}
	return candidates
}
