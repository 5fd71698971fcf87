// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/selector/claim"
)

// counts are the counts of a Tracker.
type counts struct {
	now     time.Time // when pods were last let become available
	spots   paged.List[trackedSpot]
	names   paged.Index // of the spots
	records paged.List[record]
	twins   tracked.Duplicates // by UID, of the pods that the DaemonSet controls
	hashes  tracked.Counter    // of the pods of nodes
	loose   paged.Bag          // relevant pods without an existing node
	strays  paged.Index        // the first of these for each missing node, by its name
	odd     paged.Bag          // spots that every plan looks at
	young   paged.Bag          // spots with a new pod that is not available
	ending  paged.Bag          // spots with a pod that is being deleted
	empty   paged.Sorted       // spots without a pod, by name
	old     paged.Sorted       // spots with an old pod, by name: all where it is available, and odd ones
	single  groups             // how many spots have one pod that may stay
	oddOld  int                // how many odd ones have an old pod
	desired int32              // nodes that should run a pod
	ranked  int                // nodes with a rank
	queue   paged.Queue        // spots whose pod becomes available
}

func (c *counts) clone() counts {
	d := *c
	d.spots, d.names, d.records, d.twins = c.spots.Clone(), c.names.Clone(), c.records.Clone(), c.twins.Clone()
	d.hashes, d.loose, d.strays, d.odd, d.young = c.hashes.Clone(), c.loose.Clone(), c.strays.Clone(), c.odd.Clone(), c.young.Clone()
	d.ending = c.ending.Clone()
	d.empty, d.old, d.queue = c.empty.Clone(), c.old.Clone(), c.queue.Clone()
	return d
}

// A trackedSpot is a spot with its pods, and where it is counted.
type trackedSpot struct {
	node  *Node
	pods  int32 // the first one, from 1
	place int32 // in the bag of its kind, from 1
	due   int32 // its place in the queue, from 1
	spot
	kind   kind
	dead   bool // the node does not answer
	listed bool // it is in the list of spots with an old pod
}

// A record is where a pod is counted.
type record struct {
	spot  int32 // from 1, 0 for none
	next  int32 // pod of the same node, from 1
	loose int32 // its place among the loose pods, from 1
}

func (c *counts) name(i int) string { return c.spots.At(i).node.Name }

func (c *counts) byName(a, b int32) int { return strings.Compare(c.name(int(a)), c.name(int(b))) }

func (c *counts) putPlace(i int, place int32) { c.spots.Ref(i).place = place }

func (c *counts) putDue(i int, place int32) { c.spots.Ref(i).due = place }

func (c *counts) putLoose(i int, place int32) { c.records.Ref(i).loose = place }

// node returns the node of a name, or nil.
func (c *counts) node(name string) *Node {
	if i := c.names.Find(name, c.name); i >= 0 {
		return c.spots.At(i).node
	}
	return nil
}

// pointers returns the nodes, in any order.
func (c *counts) pointers() (list []*Node) {
	for i := range c.spots.Len() {
		list = append(list, c.spots.At(i).node)
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

// changeNode replaces a node with another node of the same name in the counts; either may be
// nil.
func (t *Tracker) changeNode(name string, n *Node) {
	c := &t.counts
	i := c.names.Find(name, c.name)
	if i >= 0 {
		c.ranked -= rankOf(c.spots.At(i).node)
	}
	c.ranked += rankOf(n)
	switch {
	case n == nil:
		t.removeNode(i)
		return
	case i < 0:
		i = t.addNode(n)
	}
	t.settle(i, n)
	t.refile(i)
}

// addNode makes a spot for a node, with the pods that came before it.
func (t *Tracker) addNode(n *Node) int {
	c := &t.counts
	i := c.spots.Len()
	c.spots.Append(trackedSpot{node: n})
	c.names.Add(i, c.name)
	first := c.strays.Find(n.Name, t.target)
	if first < 0 {
		return i
	}
	c.strays.Remove(first, t.target)
	c.spots.Ref(i).pods = int32(first + 1)
	for k := int32(first + 1); k > 0; k = c.records.At(int(k - 1)).next {
		r := c.records.Ref(int(k - 1))
		r.spot = int32(i + 1)
		c.loose.Cut(r.loose, c.putLoose)
	}
	return i
}

// settle puts a node in its spot.
func (t *Tracker) settle(i int, n *Node) {
	c := &t.counts
	s := c.spots.Ref(i)
	if s.node, s.dead = n, n.dead(); t.measure == nil {
		return
	}
	if s.run {
		c.desired--
	}
	p := t.measure.placer.Place(n)
	if s.run, s.cont = p.ShouldRun, p.ShouldContinueRunning; s.run {
		c.desired++
	}
}

// removeNode removes a spot, and gives its number to the last one. Its pods stay, and belong
// to a missing node.
func (t *Tracker) removeNode(i int) {
	c, last := &t.counts, t.counts.spots.Len()-1
	s := c.withdraw(i)
	if s.run {
		c.desired--
	}
	if s.pods > 0 {
		c.strays.Add(int(s.pods-1), t.target)
	}
	for k := s.pods; k > 0; k = c.records.At(int(k - 1)).next {
		c.records.Ref(int(k - 1)).spot = 0
		c.loose.Add(int(k-1), c.putLoose)
	}
	if c.names.Remove(i, c.name); i != last {
		s = c.withdraw(last)
		c.names.Move(last, i, c.name)
		c.spots.Set(i, s)
		for k := s.pods; k > 0; k = c.records.At(int(k - 1)).next {
			c.records.Ref(int(k - 1)).spot = int32(i + 1)
		}
		t.assess(i)
	}
	c.spots.Drop()
}

// withdraw takes a spot out of all lists, and returns it.
func (c *counts) withdraw(i int) trackedSpot {
	c.unfile(i)
	c.list(i, c.spots.Ref(i), false)
	return c.spots.At(i)
}

// uid returns the UID of a pod.
func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// controlled reports whether a pod is known by its UID, because the DaemonSet controls it.
func (t *Tracker) controlled(i int) bool {
	p := t.pods.At(i)
	return p.UID != "" && p.ControllerUID == t.measure.ds.UID
}

// A standing is the way a pod is counted, in addition to its facts.
type standing struct {
	uid    string // "" if the UID need not tell it from others
	hash   string // of a revision in use; read if hashed is set
	node   string
	loose  bool // it is relevant, and belongs to no node
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
		c.twins.Enter(i, c.records.Len(), t.controlled, t.uid)
	}
	if s.hashed {
		c.hashes.Add(s.hash, 1)
	}
	k := -1
	if s.node != "" {
		k = c.names.Find(s.node, c.name)
	}
	switch {
	case k >= 0:
		at := c.spots.Ref(k)
		c.records.Set(i, record{spot: int32(k + 1), next: at.pods})
		at.pods = int32(i + 1)
	case s.node != "":
		t.stray(i, s.node)
	case s.loose:
		c.loose.Add(i, c.putLoose)
	}
	return k
}

// leave removes a pod from the counts, and returns its spot, or -1.
func (t *Tracker) leave(i int) int {
	c, s, r := &t.counts, t.standing(t.pods.At(i)), t.counts.records.At(i)
	if s.uid != "" {
		c.twins.Leave(i, t.uid)
	}
	if s.hashed {
		c.hashes.Add(s.hash, -1)
	}
	t.relink(i, r.next)
	if r.loose > 0 {
		c.loose.Cut(r.loose, c.putLoose)
	}
	c.records.Set(i, record{})
	return int(r.spot) - 1
}

// target returns the node that a pod belongs to.
func (t *Tracker) target(i int) string { return t.pods.At(i).target() }

// stray counts a pod of a missing node, after the first pod of this node.
func (t *Tracker) stray(i int, node string) {
	c := &t.counts
	if first := c.strays.Find(node, t.target); first >= 0 {
		c.records.Set(i, record{next: c.records.At(first).next})
		c.records.Ref(first).next = int32(i + 1)
	} else {
		c.strays.Add(i, t.target)
	}
	c.loose.Add(i, c.putLoose)
}

// relink replaces a pod in the list of its node with another pod, or with none.
func (t *Tracker) relink(i int, to int32) {
	c, r := &t.counts, t.counts.records.At(i)
	var link *int32
	switch {
	case r.spot > 0:
		link = &c.spots.Ref(int(r.spot - 1)).pods
	case r.loose > 0 && t.standing(t.pods.At(i)).node != "":
		if first := c.strays.Find(t.target(i), t.target); first != i {
			link = &c.records.Ref(first).next
		} else if to > 0 {
			c.strays.Move(i, int(to-1), t.target)
		} else {
			c.strays.Remove(i, t.target)
		}
	}
	if link == nil {
		return
	}
	for *link != int32(i+1) {
		link = &c.records.Ref(int(*link - 1)).next
	}
	*link = to
}

// moveLast gives the last pod the number of a pod that is no longer counted.
func (t *Tracker) moveLast(i int) {
	c, last := &t.counts, t.pods.Len()-1
	if i != last {
		r := c.records.At(last)
		if t.controlled(last) {
			c.twins.Move(last, i, t.uid)
		}
		t.relink(last, int32(i+1))
		if r.loose > 0 {
			c.loose.Renumber(r.loose, i)
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
