// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
)

// refile files a spot again. With -1 it does nothing.
func (t *Tracker) refile(i int) {
	t.counts.unfile(i)
	t.assess(i)
}

// assess classifies a spot that is not filed, and files it. With -1 it does nothing.
func (t *Tracker) assess(i int) {
	if i < 0 {
		return
	}
	c := &t.counts
	s := c.spots.Ref(i)
	pod := t.look(s)
	c.file(i, s)
	if pod == nil || s.facts.has(isAvailable) {
		return
	}
	if at, waits := t.due(pod); waits {
		c.queue.Push(paged.Due{At: at, Item: int32(i)}, c.putDue)
	}
}

// look classifies a spot, and returns its pod if it has only one and the node answers.
func (t *Tracker) look(s *trackedSpot) (only *Pod) {
	n, f := 0, facts(0)
	s.old = false
	for i := s.pods; i > 0; i = t.counts.records.At(int(i - 1)).next {
		n, only = n+1, t.pods.At(int(i-1))
		f = t.factsOf(only)
		s.old = s.old || f.isOld()
	}
	s.facts = f
	if s.kind = s.kindOf(n, s.dead, n == 1 && t.isOdd(only, f)); n != 1 || s.dead {
		return nil
	}
	return only
}

// isOdd reports whether a plan needs more than the facts of a pod that is alone on its node.
func (t *Tracker) isOdd(p *Pod, f facts) bool {
	if _, known := tracked.Clock(p.ReadySince); !known && f.has(isReady) && t.measure.ds.MinReadySeconds != 0 && !p.ReadySince.IsZero() {
		return true // it becomes available beyond all clocks
	}
	return p.ControllerUID != t.measure.ds.UID || p.touched() // it is to be adopted, or refreshed
}

// due returns when a pod becomes available, if it ever will.
func (t *Tracker) due(p *Pod) (int64, bool) {
	a := t.availability()
	at, known := a.At(p)
	instant, near := tracked.Clock(at)
	return instant, known && near && a.MinReadySeconds != 0
}

// file adds a spot to the list of its kind. A spot stays in the list of available old pods
// when its pod is no longer available: every plan looks at the odd spots anyway, and most come
// back.
func (c *counts) file(i int, s *trackedSpot) {
	isOld := s.kind == spotSingle && s.facts.isOld() && !s.facts.has(isTerminating)
	c.list(i, s, isOld || s.listed && s.kind == spotOdd && s.old)
	switch s.kind {
	case spotEmpty:
		c.empty.Add(int32(i), c.byName)
	case spotSingle:
		c.single.add(s.facts, 1)
		switch {
		case s.facts.has(isTerminating):
			c.ending.Add(i, c.putPlace)
		case !isOld && !s.facts.has(isAvailable):
			c.young.Add(i, c.putPlace)
		}
	case spotOdd:
		c.odd.Add(i, c.putPlace)
		if s.old {
			c.oddOld++
		}
	}
}

// list adds a spot to the list of spots with an old pod, or removes it.
func (c *counts) list(i int, s *trackedSpot, listed bool) {
	switch {
	case listed && !s.listed:
		c.old.Add(int32(i), c.byName)
	case !listed && s.listed:
		c.old.Remove(int32(i), c.byName)
	}
	s.listed = listed
}

// unfile removes a spot from the list of its kind, and from the queue. With -1 it does
// nothing.
func (c *counts) unfile(i int) {
	if i < 0 {
		return
	}
	s := c.spots.Ref(i)
	switch s.kind {
	case spotEmpty:
		c.empty.Remove(int32(i), c.byName)
	case spotSingle:
		c.single.add(s.facts, -1)
		switch {
		case s.facts.has(isTerminating):
			c.ending.Cut(s.place, c.putPlace)
		case !s.facts.isOld() && !s.facts.has(isAvailable):
			c.young.Cut(s.place, c.putPlace)
		}
	case spotOdd:
		c.odd.Cut(s.place, c.putPlace)
		if s.old {
			c.oddOld--
		}
	}
	if s.due > 0 {
		c.queue.Cut(s.due, c.putDue)
	}
	s.kind = spotIdle
}

// podRefs reads the pods of an excerpt.
type podRefs []*Pod

func (l podRefs) Len() int { return len(l) }

func (l podRefs) At(i int) *Pod { return l[i] }

func (l podRefs) Read(i int) *Pod { return l[i] }

// excerpt gives the input the nodes that a plan looks at, with their pods, and returns the
// counts of the other nodes by kind.
func (t *Tracker) excerpt(in *input, h *history) (others alike) {
	c := &t.counts
	others = alike{empty: c.empty.Len(), single: c.single, next: t.nextDue(), hashes: &c.hashes}
	var few [32]int32
	spots := t.chosen(in, few[:0])
	in.nodes = make([]Node, 0, len(spots))
	pods := make(podRefs, 0, len(spots)+c.loose.Len())
	for _, i := range spots {
		s := c.spots.At(int(i))
		in.nodes = append(in.nodes, *s.node)
		for k := s.pods; k > 0; k = c.records.At(int(k - 1)).next {
			pods = append(pods, t.pods.At(int(k-1)))
		}
		switch s.kind {
		case spotEmpty:
			others.empty--
		case spotSingle:
			others.single.add(s.facts, -1)
		}
	}
	for k := range c.loose.Len() {
		pods = append(pods, t.pods.At(c.loose.At(k)))
	}
	var errs kplan.FieldErrors // the pods are unique: a Tracker sees to that
	in.indexNodes(&errs)
	in.readPods(pods, &h.version, &errs)
	return others
}

// chosen appends the spots that a plan may mention: the odd spots, and some of the others.
// Each pod on no node may be an old pod: then a plan looks at more spots than necessary.
func (t *Tracker) chosen(in *input, spots []int32) []int32 {
	c := &t.counts
	say := in.says(&kinds{
		desired: c.desired, empty: c.empty.Len(), old: c.old.Len() + c.oddOld + c.loose.Len(), young: c.young.Len(), ending: c.ending.Len(),
	})
	spots = c.odd.AppendTo(spots)
	spots = c.empty.AppendFirst(spots, say.empty)
	spots = c.appendOld(spots, say.old)
	if say.young > 0 {
		spots = c.young.AppendTo(spots)
	}
	if say.ending > 0 {
		spots = c.ending.AppendTo(spots)
	}
	return spots
}

// appendOld appends the first n spots with an available old pod. The other spots in the list
// are odd.
func (c *counts) appendOld(spots []int32, n int) []int32 {
	for i := range c.old.All {
		if n <= 0 {
			break
		}
		if c.spots.At(int(i)).kind == spotSingle {
			spots, n = append(spots, i), n-1
		}
	}
	return spots
}

// nextDue returns when the next pod that is alone on its node becomes available.
func (t *Tracker) nextDue() (next time.Time) {
	c := &t.counts
	if c.queue.Len() == 0 {
		return next
	}
	a := t.availability()
	next, _ = a.At(t.pods.At(int(c.spots.At(int(c.queue.First().Item)).pods - 1)))
	return next
}

// kinds counts nodes by kind. A plan mentions only a few nodes of some kinds.
type kinds struct {
	desired int32 // nodes that should run a pod
	empty   int   // of these, without a pod
	old     int   // with an old pod, all of them
	young   int   // with one pod, a new one that is not available
	ending  int   // with one pod, which is being deleted
}

// says returns how many nodes of each kind the plan may mention: the first ones by name, if
// not all. Nodes with an old pod that is not available are not counted here, since the plan
// mentions all of them.
func (in *input) says(k *kinds) (say kinds) {
	if in.opts.Freeze || in.unseen {
		return say
	}
	// Without surge a node with a pod that is being deleted is only counted.
	sum := in.opts.SumHolds && !SurgeAllowed(in.strategy, in.surge)
	if !sum {
		say.ending = k.ending
	}
	st := in.total(k.desired)
	burst := st.burst()
	if burst > 0 && k.empty > 0 { // the plan creates pods, and updates none
		say.empty = min(burst, k.empty)
		return say
	}
	say.empty = k.empty
	if k.old == 0 || in.strategy != RollingUpdate || in.ds.Paused {
		return say
	}
	budget := Resolve(in.strategy, in.surge, in.maxUnavailable, k.desired)
	if budget.Surge > 0 {
		say.old = min(int(budget.Surge), burst)
		return say
	}
	// Each new pod that is not available uses up one, and so does each pod being deleted.
	say.old = min(int(budget.Unavailable)-k.young-k.ending, st.inOrder())
	if !sum {
		say.young = k.young
	}
	return say
}

// total returns a state that contains only the number of nodes.
func (in *input) total(desired int32) *state { return &state{input: in, desired: desired} }
