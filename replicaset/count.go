// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/podorder"
)

// The counts of a snapshot are what each pod is to the ReplicaSet, and how many pods are
// in which state.
type counts struct {
	roles []role          // of each pod
	draft *podorder.Draft // of those to be deleted, if it was likely that some have to be
	front []int           // what the pods of the input are in the draft, nil if they are all of it
	found bool            // the only pod of the input is the one to be deleted
	totals
}

// The totals are how many pods are in which state, which is all that the size of a change
// and the status are decided by.
type totals struct {
	active, fullyLabeled, ready, available, terminating int32
	adopt, release                                      int32

	nextAvailable time.Time // earliest instant after now at which a ready pod becomes available
}

// count claims and counts the pods (Claims, and What counts, in rules.md). Those of a
// selector that cannot be used are not looked at. It is an error if two pods that the
// plan may touch cannot be told apart.
func (in *input) count() (counts, error) {
	var c counts
	if in.unusable != nil {
		return c, nil
	}
	c.roles = make([]role, len(in.Pods))
	var touched duplicateCheck
	if !in.Distinct {
		touched.begin(len(in.Pods))
	}
	var d *draft
	if len(in.Pods) > fewDrafted {
		d = in.draft(len(in.Pods))
	}
	for from := 0; from < len(in.Pods); from += batch {
		pods := in.Pods[from:min(from+batch, len(in.Pods))]
		roles := c.roles[from : from+len(pods)]
		in.countBatch(&c.totals, pods, roles)
		d.addAll(pods, roles)
		if !in.Distinct {
			touched.add(pods, roles)
		}
	}
	if len(in.Pods) <= fewDrafted && in.numbers(&c).shrinks() {
		d = in.draft(len(in.Pods))
		d.addAll(in.Pods, c.roles)
	}
	c.draft = d.choice()
	return c, touched.check(in.Pods, c.roles)
}

// countBatch counts at most a batch of pods and, unless roles is nil, tells what each of them is.
func (in *input) countBatch(t *totals, pods []podorder.Pod, roles []role) {
	plain := in.allPlain(pods)
	for i := range pods {
		r := roleActive
		if plain>>i&1 != 0 {
			in.countPlain(t, &pods[i])
		} else if in.concerns(&pods[i]) {
			s, at := in.state(&pods[i])
			in.countState(t, s, at)
			r = s.role
		} else {
			continue
		}
		if roles != nil {
			roles[i] = r
		}
	}
}

// countPlain counts a pod that is plain.
func (in *input) countPlain(t *totals, p *podorder.Pod) {
	t.active++
	t.fullyLabeled++
	if !p.Ready {
		return
	}
	t.ready++
	if in.minReady == 0 {
		t.available++
		return
	}
	var s state
	var at time.Time
	if s.availability, at = in.availability(p); s.availability == waiting {
		t.wait(&s, at, in.now)
	}
	if s.availability == available {
		t.available++
	}
}

// countState counts a pod by its state.
func (in *input) countState(t *totals, s state, at time.Time) {
	if s.availability == waiting {
		t.wait(&s, at, in.now)
	}
	t.add(s, 1)
}

// wait is told when a ready pod becomes available.
func (t *totals) wait(s *state, at, now time.Time) {
	switch {
	case !at.After(now):
		s.availability = available
	case t.nextAvailable.IsZero() || at.Before(t.nextAvailable):
		t.nextAvailable = at
	}
}

// add counts n more pods of a state, or less.
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

// A duplicateCheck is what claiming notes of the pods that the plan may touch, while
// each is at hand. The zero value is for many.
type duplicateCheck struct {
	names, uids field.Sieve
	nameless    bool
}

func (s *duplicateCheck) begin(n int) {
	s.names.Begin(n)
	s.uids.Begin(n)
}

func podName(p *podorder.Pod) string { return p.Name }

func podUID(p *podorder.Pod) string { return p.UID }

// touchedText returns a text of those pods that the plan may touch, and "" of others.
func touchedText(pods []podorder.Pod, roles []role, of func(*podorder.Pod) string) func(int) string {
	return func(i int) string {
		if roles[i] == roleNone {
			return ""
		}
		return of(&pods[i])
	}
}

func (s *duplicateCheck) add(pods []podorder.Pod, roles []role) {
	for i := range pods {
		name := ""
		if roles[i] != roleNone {
			name = pods[i].Name
			s.nameless = s.nameless || name == ""
		}
		s.names.Add(name)
	}
	for i := range pods {
		uid := ""
		if roles[i] != roleNone {
			uid = pods[i].UID
		}
		s.uids.Add(uid)
	}
}

// check returns what is wrong with the pods that the plan may touch.
func (s *duplicateCheck) check(pods []podorder.Pod, roles []role) error {
	var errs field.Errors
	if s.nameless {
		errs.Add(field.Element("Pods", "")+".Name", "", "must be set")
	}
	if i, _, found := s.names.Duplicate(len(pods), touchedText(pods, roles, podName)); found {
		errs.Add(field.Element("Pods", pods[i].Name)+".Name", pods[i].Name, "must be unique")
	}
	if i, j, found := s.uids.Duplicate(len(pods), touchedText(pods, roles, podUID)); found {
		errs.Add(field.Element("Pods", min(pods[i].Name, pods[j].Name))+".UID", pods[i].UID, "must be unique")
	}
	return errs.Join()
}
