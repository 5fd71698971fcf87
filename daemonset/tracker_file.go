// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
)

// refile files a node again after a change. With -1 it does nothing.
func (t *Tracker) refile(i int) {
	t.counts.unfile(i)
	t.file(i)
}

// file classifies a node, and adds it to the list of its kind and to the queue. The node must not
// be filed already. With -1 it does nothing.
func (t *Tracker) file(i int) {
	if i < 0 {
		return
	}
	c := &t.counts
	s := c.nodeEntries.Ref(i)
	pod := t.classify(s)
	c.insert(i, s)
	if pod == nil || s.facts.has(isAvailable) {
		return
	}
	if at, waits := t.due(pod); waits {
		c.queue.Push(paged.Due{At: at, Item: int32(i)}, c.setDue)
	}
}

// classify sets the kind of a node and the facts that decide it. It returns the pod of the node if
// that is its only pod, and the node is not dead.
func (t *Tracker) classify(s *nodeEntry) (only *Pod) {
	n, f := 0, facts(0)
	s.old = false
	for i := s.pods; i > 0; i = t.counts.podEntries.At(int(i - 1)).next {
		n, only = n+1, t.pods.At(int(i-1))
		f = t.factsOf(only)
		s.old = s.old || f.isOld()
	}
	s.facts = f
	if s.kind = s.kindOf(n, s.dead, n == 1 && t.isSpecial(only, f)); n != 1 || s.dead {
		return nil
	}
	return only
}

// isSpecial reports whether a plan needs more than the facts of a pod that is alone on its node.
func (t *Tracker) isSpecial(p *Pod, f facts) bool {
	if _, known := tracked.Clock(p.ReadySince); !known && f.has(isReady) && t.measure.ds.MinReadySeconds != 0 && !p.ReadySince.IsZero() {
		return true // it becomes available at a time that the queue cannot hold
	}
	return p.ControllerUID != t.measure.ds.UID || f.has(isTouched) // it is to be adopted, or may have an update in place under way
}

// due returns when a pod becomes available, and whether the queue can hold that time.
func (t *Tracker) due(p *Pod) (int64, bool) {
	a := t.availability()
	at, known := a.At(p)
	instant, near := tracked.Clock(at)
	return instant, known && near && a.MinReadySeconds != 0
}

// insert adds a node to the list of its kind. A node stays in the list old while its old pod is
// not available, since most such pods become available again; appendOld skips the node meanwhile.
func (c *counts) insert(i int, s *nodeEntry) {
	isOld := s.kind == kindSingle && s.facts.isOld() && !s.facts.has(isTerminating)
	c.setListed(i, s, isOld || s.inOld && s.kind == kindSpecial && s.old)
	switch s.kind {
	case kindEmpty:
		c.empty.Add(int32(i), c.byName)
	case kindSingle:
		c.single.add(s.facts, 1)
		switch {
		case s.facts.has(isTerminating):
			c.terminating.Add(i, c.setPlace)
		case !isOld && !s.facts.has(isAvailable):
			c.newUnavailable.Add(i, c.setPlace)
		}
	case kindSpecial:
		c.special.Add(i, c.setPlace)
		if s.old {
			c.specialOld++
		}
	}
}

// setListed adds a node to the list old, or removes it.
func (c *counts) setListed(i int, s *nodeEntry, listed bool) {
	switch {
	case listed && !s.inOld:
		c.old.Add(int32(i), c.byName)
	case !listed && s.inOld:
		c.old.Remove(int32(i), c.byName)
	}
	s.inOld = listed
}

// unfile removes a node from the list of its kind, and from the queue. With -1 it does nothing.
func (c *counts) unfile(i int) {
	if i < 0 {
		return
	}
	s := c.nodeEntries.Ref(i)
	switch s.kind {
	case kindEmpty:
		c.empty.Remove(int32(i), c.byName)
	case kindSingle:
		c.single.add(s.facts, -1)
		switch {
		case s.facts.has(isTerminating):
			c.terminating.Cut(s.place, c.setPlace)
		case !s.facts.isOld() && !s.facts.has(isAvailable):
			c.newUnavailable.Cut(s.place, c.setPlace)
		}
	case kindSpecial:
		c.special.Cut(s.place, c.setPlace)
		if s.old {
			c.specialOld--
		}
	}
	if s.due > 0 {
		c.queue.Cut(s.due, c.setDue)
	}
	s.kind = kindIdle
}

// podRefs is the PodReader of an excerpt.
type podRefs []*Pod

func (l podRefs) Len() int { return len(l) }

func (l podRefs) At(i int) *Pod { return l[i] }

func (l podRefs) Read(i int) *Pod { return l[i] }

// addExcerpt adds the nodes that a plan may mention, and their pods, to the input. It returns the
// counts of the omitted nodes.
func (t *Tracker) addExcerpt(in *input, h *history) omittedNodes {
	c := &t.counts
	omitted := omittedNodes{empty: c.empty.Len(), single: c.single, next: t.nextDue(), hashes: &c.hashes}
	var array [32]int32
	numbers := t.appendMentioned(array[:0], in)
	in.nodes = make([]Node, 0, len(numbers))
	pods := make(podRefs, 0, len(numbers)+c.nodeless.Len())
	for _, i := range numbers {
		s := c.nodeEntries.At(int(i))
		in.nodes = append(in.nodes, *s.node)
		for k := s.pods; k > 0; k = c.podEntries.At(int(k - 1)).next {
			pods = append(pods, t.pods.At(int(k-1)))
		}
		switch s.kind {
		case kindEmpty:
			omitted.empty--
		case kindSingle:
			omitted.single.add(s.facts, -1)
		}
	}
	for k := range c.nodeless.Len() {
		pods = append(pods, t.pods.At(c.nodeless.At(k)))
	}
	var errs kplan.FieldErrors // stays empty: Apply keeps names unique, and Plan has checked UIDs
	in.indexNodes(&errs)
	in.readPods(pods, &h.version, &errs)
	return omitted
}

// appendMentioned appends the nodes that a plan may mention: special nodes, and some others. Each
// nodeless pod counts as an old pod here, so that the list may be longer than necessary.
func (t *Tracker) appendMentioned(list []int32, in *input) []int32 {
	c := &t.counts
	few := in.mentioned(&kindCounts{
		desired: c.desired, empty: c.empty.Len(), old: c.old.Len() + c.specialOld + c.nodeless.Len(),
		newUnavailable: c.newUnavailable.Len(), terminating: c.terminating.Len(),
	})
	list = c.special.AppendTo(list)
	list = c.empty.AppendFirst(list, few.empty)
	list = c.appendOld(list, few.old)
	if few.newUnavailable > 0 {
		list = c.newUnavailable.AppendTo(list)
	}
	if few.terminating > 0 {
		list = c.terminating.AppendTo(list)
	}
	return list
}

// appendOld appends the first n nodes of kindSingle with an old pod. It skips special nodes, which
// are appended already.
func (c *counts) appendOld(list []int32, n int) []int32 {
	for i := range c.old.All {
		if n <= 0 {
			break
		}
		if c.nodeEntries.At(int(i)).kind == kindSingle {
			list, n = append(list, i), n-1
		}
	}
	return list
}

// nextDue returns when the next pod that is alone on its node becomes available.
func (t *Tracker) nextDue() (next time.Time) {
	c := &t.counts
	if c.queue.Len() == 0 {
		return next
	}
	a := t.availability()
	next, _ = a.At(t.pods.At(int(c.nodeEntries.At(int(c.queue.First().Item)).pods - 1)))
	return next
}

// kindCounts counts nodes, some of them by kind.
type kindCounts struct {
	desired        int32 // nodes that should run a pod
	empty          int   // nodes of kindEmpty
	old            int   // at least the nodes with an old pod
	newUnavailable int   // nodes of kindSingle with a new pod that is not available
	terminating    int   // nodes of kindSingle with a pod that is being deleted
}

// mentioned returns how many nodes a plan may mention, special nodes aside: the first ones by name
// of the empty nodes and of the nodes with an available old pod, and all or none of the others.
func (in *input) mentioned(all *kindCounts) (few kindCounts) {
	if in.opts.Freeze || in.unseen {
		return few
	}
	// With SumHolds and without surge, blockers are only counted.
	countOnly := in.opts.SumHolds && !SurgeAllowed(in.strategy, in.surge)
	if !countOnly {
		few.terminating = all.terminating
	}
	st := in.withTotal(all.desired)
	burst := st.burst()
	if burst > 0 && all.empty > 0 { // the plan creates pods, and updates none
		few.empty = min(burst, all.empty)
		return few
	}
	few.empty = all.empty
	if all.old == 0 || in.strategy != RollingUpdate || in.ds.Paused {
		return few
	}
	budget := Resolve(in.strategy, in.surge, in.maxUnavailable, all.desired)
	if budget.Surge > 0 {
		few.old = min(int(budget.Surge), burst)
		return few
	}
	// A node with an unavailable new pod, or with a pod being deleted, uses up one.
	few.old = min(int(budget.Unavailable)-all.newUnavailable-all.terminating, st.inOrder())
	if !countOnly {
		few.newUnavailable = all.newUnavailable
	}
	return few
}

// withTotal returns a state that contains only the number of desired nodes.
func (in *input) withTotal(desired int32) *state { return &state{input: in, desired: desired} }
