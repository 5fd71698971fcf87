// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/podorder"
)

// The counts of a snapshot are the role of each pod, and the number of pods in each state.
type counts struct {
	roles []role          // of each pod
	draft *podorder.Draft // of the pods to delete, if deletions were likely
	front []int           // the draft's numbers of the input's pods, nil if the input has all
	found bool            // the only pod of the input is the one to be deleted
	totals
}

// The totals are the number of pods in each state. They decide the size of a change and the
// status.
type totals struct {
	active, fullyLabeled, ready, available, terminating int32
	adopt, release                                      int32

	nextAvailable time.Time // earliest instant after now at which a ready pod becomes available
}

// count claims and counts the pods (see the rules Claims and What counts). If the selector
// cannot be used, it reads no pods. It is an error if two pods of a snapshot that the plan
// may touch have the same name or UID.
func (in *input) count(r PodReader) (c counts, err error) {
	if in.unusable != nil || r == nil {
		return c, nil
	}
	n := r.Len()
	var touched *duplicateCheck
	list, ok := r.(podList)
	if ok {
		touched = newDuplicateCheck(n)
	}
	var d *draft
	if ok || in.opts.Order.Protected == nil { // Protected may read more fields than At returns
		d = in.draft(n)
	}
	c.roles = make([]role, n)
	for i := range n {
		p := r.At(i)
		if p != nil {
			s, at := in.look(p)
			c.roles[i] = s.role
			c.totals.count(s, at, in.now)
		}
		d.add(p, c.roles[i].counts())
		touched.add(p, c.roles[i])
	}
	c.draft = d.choice()
	return c, touched.check(list, c.roles)
}

// look returns the state of a pod and, if it waits to become available, the time at which it
// does.
func (in *input) look(p *podorder.Pod) (s state, at time.Time) {
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

// count counts a pod by its state.
func (t *totals) count(s state, at, now time.Time) {
	if s.availability == waiting {
		t.wait(&s, at, now)
	}
	t.add(s, 1)
}

// wait records when a ready pod becomes available.
func (t *totals) wait(s *state, at, now time.Time) {
	switch {
	case !at.After(now):
		s.availability = available
	case t.nextAvailable.IsZero() || at.Before(t.nextAvailable):
		t.nextAvailable = at
	}
}

// add adds n pods with a state, or removes them if n is negative.
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

// candidates returns the numbers of the pods that count.
func (c *counts) candidates() []int {
	candidates := make([]int, 0, min(int(c.active), len(c.roles)))
	for i, role := range c.roles {
		if role.counts() {
			candidates = append(candidates, i)
		}
	}
	return candidates
}

// A duplicateCheck collects the names and UIDs of the pods that the plan may touch. Nil checks
// nothing.
type duplicateCheck struct {
	names, uids field.Sieve
	nameless    bool
}

func newDuplicateCheck(n int) *duplicateCheck {
	var c duplicateCheck
	c.names.Begin(n)
	c.uids.Begin(n)
	return &c
}

func (c *duplicateCheck) add(p *podorder.Pod, r role) {
	switch {
	case c == nil:
	case r == roleNone:
		c.names.Add("")
		c.uids.Add("")
	default:
		c.names.Add(p.Name)
		c.uids.Add(p.UID)
		c.nameless = c.nameless || p.Name == ""
	}
}

func podName(p *podorder.Pod) string { return p.Name }

func podUID(p *podorder.Pod) string { return p.UID }

// touchedText returns the text of a pod if the plan may touch it, and "" otherwise.
func touchedText(pods []podorder.Pod, roles []role, of func(*podorder.Pod) string) func(int) string {
	return func(i int) string {
		if roles[i] == roleNone {
			return ""
		}
		return of(&pods[i])
	}
}

// check returns the errors of the pods that the plan may touch.
func (c *duplicateCheck) check(pods []podorder.Pod, roles []role) error {
	if c == nil {
		return nil
	}
	var errs kplan.FieldErrors
	if c.nameless {
		errs.Add(kplan.ElementPath("Pods", "")+".Name", "", "must be set")
	}
	if i, _, found := c.names.Duplicate(len(pods), touchedText(pods, roles, podName)); found {
		errs.Add(kplan.ElementPath("Pods", pods[i].Name)+".Name", pods[i].Name, "must be unique")
	}
	if i, j, found := c.uids.Duplicate(len(pods), touchedText(pods, roles, podUID)); found {
		errs.Add(kplan.ElementPath("Pods", min(pods[i].Name, pods[j].Name))+".UID", pods[i].UID, "must be unique")
	}
	return errs.Join()
}
