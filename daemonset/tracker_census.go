// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/paged"
	"github.com/kplan-go/kplan/internal/tracked"
	"github.com/kplan-go/kplan/selector/claim"
)

// A census is what has been counted.
type census struct {
	now     time.Time // when pods were last let become available
	spots   paged.List[spot]
	names   paged.Index       // of the spots
	free    paged.List[int32] // spots that are not in use
	records paged.List[record]
	uids    paged.Index     // of the pods that the DaemonSet controls
	twins   int             // pairs of these with one UID
	hashes  tracked.Counter // of the pods of nodes
	loose   paged.Bag       // pods of concern that are on no node
	odd     paged.Bag       // spots that every plan looks at
	young   paged.Bag       // spots with a new pod that is not available
	empty   paged.Sorted    // spots without a pod, by name
	old     paged.Sorted    // spots with an old pod that is available, by name
	single  [1 << 7]int32   // how many spots have one pod that is settled, by its facts
	oddOld  int             // how many odd ones have an old pod
	desired int32           // nodes that should run a pod
	ranked  int             // nodes with a rank
	queue   paged.Queue     // spots whose pod becomes available
}

func (c *census) clone() census {
	d := *c
	d.spots, d.names, d.free, d.records, d.uids = c.spots.Clone(), c.names.Clone(), c.free.Clone(), c.records.Clone(), c.uids.Clone()
	d.hashes, d.loose, d.odd, d.young = c.hashes.Clone(), c.loose.Clone(), c.odd.Clone(), c.young.Clone()
	d.empty, d.old, d.queue = c.empty.Clone(), c.old.Clone(), c.queue.Clone()
	return d
}

// A spot is a node with the pods that are on it, or only its name.
type spot struct {
	node      *Node // with nothing but a name if there is no such node
	pods      int32 // the first one, from 1
	place     int32 // in the bag of its kind, from 1
	due       int32 // its place in the queue, from 1
	kind      kind
	facts     facts // of a single pod
	missing   bool  // there is no such node
	run, cont bool  // should run, should continue running
	hasOld    bool  // there is an old pod that is not being deleted
}

// A kind is what a plan may have to say of a spot.
type kind uint8

const (
	spotIdle   kind = iota // it should run no pod, and has none
	spotEmpty              // it should run a pod, and has none
	spotSingle             // it should run a pod, and has one that is settled
	spotOdd                // anything else
)

// A record is where a pod is counted.
type record struct {
	spot  int32 // from 1
	next  int32 // pod of the same spot, from 1
	loose int32 // its place among those on no node, from 1
}

func (c *census) name(i int) string { return c.spots.At(i).node.Name }

func (c *census) byName(a, b int32) int { return strings.Compare(c.name(int(a)), c.name(int(b))) }

func (c *census) putPlace(i int, place int32) {
	s := c.spots.At(i)
	s.place = place
	c.spots.Set(i, s)
}

func (c *census) putDue(i int, place int32) {
	s := c.spots.At(i)
	s.due = place
	c.spots.Set(i, s)
}

func (c *census) putLoose(i int, place int32) {
	r := c.records.At(i)
	r.loose = place
	c.records.Set(i, r)
}

// spotOf returns the spot of a name, which it makes if there is none.
func (t *Tracker) spotOf(name string) int {
	c := &t.census
	i := c.names.Find(name, c.name)
	if i >= 0 {
		return i
	}
	if n := c.free.Len(); n > 0 {
		i = int(c.free.At(n - 1))
		c.free.Drop()
		c.spots.Set(i, spot{node: &Node{Name: name}, missing: true})
	} else {
		i = c.spots.Len()
		c.spots.Append(spot{node: &Node{Name: name}, missing: true})
	}
	c.names.Add(i, c.name)
	return i
}

// node returns the node of a name, or nil.
func (c *census) node(name string) *Node {
	if i := c.names.Find(name, c.name); i >= 0 && !c.spots.At(i).missing {
		return c.spots.At(i).node
	}
	return nil
}

// pointers returns the nodes, in any order.
func (c *census) pointers() (list []*Node) {
	for i := range c.spots.Len() {
		if s := c.spots.At(i); s.node != nil && !s.missing {
			list = append(list, s.node)
		}
	}
	return list
}

// nodes returns copies of the nodes, in any order, nil if there are none.
func (c *census) nodes() (list []Node) {
	for _, n := range c.pointers() {
		list = append(list, *n)
	}
	return list
}

// settle puts a node in its spot, or only its name.
func (t *Tracker) settle(i int, n *Node) {
	c := &t.census
	s := c.spots.At(i)
	if s.run {
		c.desired--
	}
	s.run, s.cont, s.missing = false, false, n == nil
	if n == nil {
		n = &Node{Name: s.node.Name}
	} else if t.gauge != nil {
		p := t.gauge.placer.Place(n)
		s.run, s.cont = p.ShouldRun, p.ShouldContinueRunning
	}
	s.node = n
	if s.run {
		c.desired++
	}
	c.spots.Set(i, s)
}

// changeNode counts a node, or none, in place of another one of its name, or none.
func (t *Tracker) changeNode(name string, n *Node) {
	i := t.spotOf(name)
	t.census.ranked += rankOf(n) - rankOf(t.census.spots.At(i).node)
	if t.settle(i, n); t.gauge != nil || n == nil {
		t.refile(i)
	}
}

// uid returns the UID of a pod.
func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// mine reports whether a pod has to be told from others by its UID.
func (t *Tracker) mine(p *Pod) bool { return p.ControllerUID == t.gauge.ds.UID && p.UID != "" }

// enter counts a pod, and returns its spot, or -1.
func (t *Tracker) enter(i int) int {
	c, p := &t.census, t.pods.At(i)
	if t.mine(p) {
		c.twins += c.uids.Count(p.UID, t.uid)
		c.uids.Add(i, t.uid)
	}
	name := ""
	switch v := verdict(&t.gauge.owner, p); v {
	case claim.Ignore:
		return -1
	case claim.Keep, claim.Adopt:
		if p.target() != "" {
			c.hashes.Add(p.Labels[LabelHash], 1)
		}
		name = p.place(t.factsOf(p), false)
	}
	if name == "" {
		c.loose.Add(i, c.putLoose)
		return -1
	}
	k := t.spotOf(name)
	s := c.spots.At(k)
	c.records.Set(i, record{spot: int32(k + 1), next: s.pods})
	s.pods = int32(i + 1)
	c.spots.Set(k, s)
	return k
}

// leave takes a pod out of what is counted, and returns its spot, or -1.
func (t *Tracker) leave(i int) int {
	c, p, r := &t.census, t.pods.At(i), t.census.records.At(i)
	if t.mine(p) {
		c.uids.Remove(i, t.uid)
		c.twins -= c.uids.Count(p.UID, t.uid)
	}
	if v := verdict(&t.gauge.owner, p); (v == claim.Keep || v == claim.Adopt) && p.target() != "" {
		c.hashes.Add(p.Labels[LabelHash], -1)
	}
	if r.loose > 0 {
		c.loose.Cut(r.loose, c.putLoose)
	}
	if r.spot > 0 {
		t.relink(int(r.spot-1), int32(i+1), r.next)
	}
	c.records.Set(i, record{})
	return int(r.spot) - 1
}

// relink puts a pod in place of another one in the list of a spot.
func (t *Tracker) relink(k int, from, to int32) {
	c := &t.census
	s := c.spots.At(k)
	if s.pods == from {
		s.pods = to
		c.spots.Set(k, s)
		return
	}
	for i := s.pods; ; {
		r := c.records.At(int(i - 1))
		if r.next == from {
			r.next = to
			c.records.Set(int(i-1), r)
			return
		}
		i = r.next
	}
}

// moveLast gives the last pod the number of one that is counted no more.
func (t *Tracker) moveLast(i int) {
	c, last := &t.census, t.pods.Len()-1
	if i != last {
		r := c.records.At(last)
		if t.mine(t.pods.At(last)) {
			c.uids.Move(last, i, t.uid)
		}
		if r.loose > 0 {
			c.loose.Renumber(r.loose, i)
		}
		if r.spot > 0 {
			t.relink(int(r.spot-1), int32(last+1), int32(i+1))
		}
		c.records.Set(i, r)
	}
	c.records.Drop()
}

func (t *Tracker) factsOf(p *Pod) facts {
	a := t.availability()
	return factsOf(p, &t.gauge.version, &a, false)
}

func (t *Tracker) availability() Availability {
	return Availability{MinReadySeconds: t.gauge.ds.MinReadySeconds, Now: t.census.now}
}
