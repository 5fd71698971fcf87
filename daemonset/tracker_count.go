// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/paged"
	"github.com/kplan-go/kplan/internal/tracked"
	"github.com/kplan-go/kplan/selector/claim"
)

// counts is what has been counted.
type counts struct {
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
	ending  paged.Bag       // spots with a pod that is being deleted
	empty   paged.Sorted    // spots without a pod, by name
	old     paged.Sorted    // spots with an old pod, by name: all where it is available, and odd ones
	single  groups          // how many spots have one pod that may stay
	oddOld  int             // how many odd ones have an old pod
	desired int32           // nodes that should run a pod
	ranked  int             // nodes with a rank
	queue   paged.Queue     // spots whose pod becomes available
}

func (c *counts) clone() counts {
	d := *c
	d.spots, d.names, d.free, d.records, d.uids = c.spots.Clone(), c.names.Clone(), c.free.Clone(), c.records.Clone(), c.uids.Clone()
	d.hashes, d.loose, d.odd, d.young = c.hashes.Clone(), c.loose.Clone(), c.odd.Clone(), c.young.Clone()
	d.ending = c.ending.Clone()
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
	dead      bool  // it does not answer
	run, cont bool  // should run, should continue running
	hasOld    bool  // there is an old pod that is not being deleted
	listed    bool  // it is in the list of those with an old pod
}

// A kind is what a plan may have to say of a spot.
type kind uint8

const (
	spotIdle   kind = iota // it should run no pod, and has none
	spotEmpty              // it should run a pod, and has none
	spotSingle             // it should run a pod, and has one that may stay
	spotOdd                // anything else
)

// A record is where a pod is counted.
type record struct {
	spot  int32 // from 1
	next  int32 // pod of the same spot, from 1
	loose int32 // its place among those on no node, from 1
}

func (c *counts) name(i int) string { return c.spots.At(i).node.Name }

func (c *counts) byName(a, b int32) int { return strings.Compare(c.name(int(a)), c.name(int(b))) }

func (c *counts) putPlace(i int, place int32) { c.spots.Ref(i).place = place }

func (c *counts) putDue(i int, place int32) { c.spots.Ref(i).due = place }

func (c *counts) putLoose(i int, place int32) { c.records.Ref(i).loose = place }

// spotOf returns the spot of a name, which it makes if there is none.
func (t *Tracker) spotOf(name string) int {
	c := &t.counts
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
func (c *counts) node(name string) *Node {
	if i := c.names.Find(name, c.name); i >= 0 && !c.spots.At(i).missing {
		return c.spots.At(i).node
	}
	return nil
}

// pointers returns the nodes, in any order.
func (c *counts) pointers() (list []*Node) {
	for i := range c.spots.Len() {
		if s := c.spots.At(i); s.node != nil && !s.missing {
			list = append(list, s.node)
		}
	}
	return list
}

// nodes returns copies of the nodes, in any order, nil if there are none.
func (c *counts) nodes() (list []Node) {
	for _, n := range c.pointers() {
		list = append(list, *n)
	}
	return list
}

// settle puts a node in its spot, or only its name.
func (t *Tracker) settle(i int, n *Node) {
	c := &t.counts
	s := c.spots.Ref(i)
	if s.run {
		c.desired--
	}
	s.run, s.cont, s.missing = false, false, n == nil
	if n == nil {
		n = &Node{Name: s.node.Name}
	} else if t.measure != nil {
		p := t.measure.placer.Place(n)
		s.run, s.cont = p.ShouldRun, p.ShouldContinueRunning
	}
	s.node, s.dead = n, n.dead()
	if s.run {
		c.desired++
	}
}

// changeNode counts a node, or none, in place of another one of its name, or none.
func (t *Tracker) changeNode(name string, n *Node) {
	i := t.spotOf(name)
	t.counts.ranked += rankOf(n) - rankOf(t.counts.spots.At(i).node)
	if t.settle(i, n); t.measure != nil || n == nil {
		t.refile(i)
	}
}

// uid returns the UID of a pod.
func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// A standing is what a pod is counted for, beside the facts of it.
type standing struct {
	uid    string // "" if it has not to be told from others by it
	hash   string // of those of revisions that are in use, if it is hashed
	node   string
	loose  bool // it is of concern, and on no node
	hashed bool
}

func (t *Tracker) standing(p *Pod) (s standing) {
	if p.ControllerUID == t.measure.ds.UID {
		s.uid = p.UID
	}
	switch verdict(&t.measure.owner, p) {
	case claim.Ignore:
		return s
	case claim.Keep, claim.Adopt:
		if p.target() != "" {
			s.hash, s.hashed = p.Labels[LabelHash], true
		}
		s.node = p.place(when(p.terminating(), isTerminating)|when(p.Finished(), isFinished), false)
	}
	s.loose = s.node == ""
	return s
}

// enter counts a pod, and returns its spot, or -1.
func (t *Tracker) enter(i int) int {
	c, s := &t.counts, t.standing(t.pods.At(i))
	if s.uid != "" {
		c.twins += c.uids.Count(s.uid, t.uid)
		c.uids.Add(i, t.uid)
	}
	if s.hashed {
		c.hashes.Add(s.hash, 1)
	}
	if s.loose {
		c.loose.Add(i, c.putLoose)
	}
	if s.node == "" {
		return -1
	}
	k := t.spotOf(s.node)
	at := c.spots.Ref(k)
	c.records.Set(i, record{spot: int32(k + 1), next: at.pods})
	at.pods = int32(i + 1)
	return k
}

// leave takes a pod out of what is counted, and returns its spot, or -1.
func (t *Tracker) leave(i int) int {
	c, s, r := &t.counts, t.standing(t.pods.At(i)), t.counts.records.At(i)
	if s.uid != "" {
		c.uids.Remove(i, t.uid)
		c.twins -= c.uids.Count(s.uid, t.uid)
	}
	if s.hashed {
		c.hashes.Add(s.hash, -1)
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
	c := &t.counts
	link := &c.spots.Ref(k).pods
	for *link != from {
		link = &c.records.Ref(int(*link - 1)).next
	}
	*link = to
}

// moveLast gives the last pod the number of one that is counted no more.
func (t *Tracker) moveLast(i int) {
	c, last := &t.counts, t.pods.Len()-1
	if i != last {
		r := c.records.At(last)
		if p := t.pods.At(last); p.UID != "" && p.ControllerUID == t.measure.ds.UID {
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
	return factsOf(p, t.measure.version.hashOf(p), &t.measure.version, &a, false)
}

func (t *Tracker) availability() Availability {
	return Availability{MinReadySeconds: t.measure.ds.MinReadySeconds, Now: t.counts.now}
}
