// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/selector/claim"
)

// counts hold all nodes of a Tracker, and the counts that its plans need. They also hold the pods
// of each node, as a linked list. Nodes and pods are given by their numbers: the index in
// nodeEntries, and the index in podEntries and in the table of the pods. A field "from 1" holds
// such a number plus 1, and 0 for none.
//
// Until the first plan there is no measure: nodes are stored, but nothing is counted.
type counts struct {
	now            time.Time // pods that are available at this time count as available
	nodeEntries    paged.List[nodeEntry]
	names          paged.Index // of the nodes
	podEntries     paged.List[podEntry]
	uids           tracked.Duplicates // the UIDs of the pods that the DaemonSet controls, and which of them are shared
	hashes         tracked.Counter    // of the pods on nodes
	nodeless       paged.Bag          // pods of the DaemonSet that are on no node, or on a missing node
	missing        paged.Index        // the first pod of each missing node, by the name of the node
	special        paged.Bag          // nodes of kindSpecial
	newUnavailable paged.Bag          // nodes of kindSingle with a new pod that is not available
	terminating    paged.Bag          // nodes of kindSingle with a pod that is being deleted
	empty          paged.Sorted       // nodes of kindEmpty, by name
	old            paged.Sorted       // nodes with an old pod, by name: of kindSingle, and some of kindSpecial
	single         groups             // nodes of kindSingle
	specialOld     int                // how many nodes of kindSpecial have an old pod
	desired        int32              // nodes that should run a pod
	ranked         int                // nodes with a rank
	queue          paged.Queue        // nodes by the time at which their only pod becomes available
}

func (c *counts) clone() counts {
	d := *c
	d.nodeEntries, d.names, d.podEntries, d.uids = c.nodeEntries.Clone(), c.names.Clone(), c.podEntries.Clone(), c.uids.Clone()
	d.hashes, d.nodeless, d.missing = c.hashes.Clone(), c.nodeless.Clone(), c.missing.Clone()
	d.special, d.newUnavailable, d.terminating = c.special.Clone(), c.newUnavailable.Clone(), c.terminating.Clone()
	d.empty, d.old, d.queue = c.empty.Clone(), c.old.Clone(), c.queue.Clone()
	return d
}

// A nodeEntry is a node with its pods, and the places at which it is counted.
type nodeEntry struct {
	node  *Node
	pods  int32 // its first pod, from 1
	place int32 // in special, newUnavailable or terminating, from 1
	due   int32 // its place in the queue, from 1
	nodeFacts
	kind  kind
	dead  bool // the node does not answer
	inOld bool // it is in the list old
}

// A podEntry holds the places at which a pod is counted.
type podEntry struct {
	node     int32 // its node, from 1
	next     int32 // the next pod of the same node, from 1
	nodeless int32 // its place in nodeless, from 1
}

func (c *counts) name(i int) string { return c.nodeEntries.At(i).node.Name }

func (c *counts) byName(a, b int32) int { return strings.Compare(c.name(int(a)), c.name(int(b))) }

// setPlace, setDue and setNodeless store a new place of node or pod i: see [paged.Put].

func (c *counts) setPlace(i int, place int32) { c.nodeEntries.Ref(i).place = place }

func (c *counts) setDue(i int, place int32) { c.nodeEntries.Ref(i).due = place }

func (c *counts) setNodeless(i int, place int32) { c.podEntries.Ref(i).nodeless = place }

func (c *counts) nodeAt(i int) *Node { return c.nodeEntries.At(i).node }

// node returns the node with a name, or nil.
func (c *counts) node(name string) *Node {
	if i := c.names.Find(name, c.name); i >= 0 {
		return c.nodeAt(i)
	}
	return nil
}

// pointers returns the nodes, in any order.
func (c *counts) pointers() (list []*Node) {
	for i := range c.nodeEntries.Len() {
		list = append(list, c.nodeEntries.At(i).node)
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

// changeNode adds a node, replaces the node with this name, or removes it if n is nil.
func (t *Tracker) changeNode(name string, n *Node) {
	c := &t.counts
	i := c.names.Find(name, c.name)
	if i >= 0 {
		c.addRanked(c.nodeEntries.At(i).node, -1)
	}
	c.addRanked(n, 1)
	switch {
	case n == nil:
		t.removeNode(i)
		return
	case i < 0:
		i = t.addNode(n)
	}
	t.setNode(i, n)
	t.refile(i)
}

// addNode adds an entry for a node, with the pods of this node that were added before the node. It
// leaves out the placement, for setNode, and the kind, for refile.
func (t *Tracker) addNode(n *Node) int {
	c := &t.counts
	i := c.nodeEntries.Len()
	c.nodeEntries.Append(nodeEntry{node: n})
	c.names.Add(i, c.name)
	first := c.missing.Find(n.Name, t.target)
	if first < 0 {
		return i
	}
	c.missing.Remove(first, t.target)
	c.nodeEntries.Ref(i).pods = int32(first + 1)
	for k := int32(first + 1); k > 0; k = c.podEntries.At(int(k - 1)).next {
		r := c.podEntries.Ref(int(k - 1))
		r.node = int32(i + 1)
		c.nodeless.Cut(r.nodeless, c.setNodeless)
	}
	return i
}

// setNode sets the node of an entry, and decides its placement once there is a measure.
func (t *Tracker) setNode(i int, n *Node) {
	c := &t.counts
	s := c.nodeEntries.Ref(i)
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

// removeNode removes a node, and gives its number to the last node. Its pods stay, on a missing
// node.
func (t *Tracker) removeNode(i int) {
	c, last := &t.counts, t.counts.nodeEntries.Len()-1
	s := c.withdraw(i)
	if s.run {
		c.desired--
	}
	if s.pods > 0 {
		c.missing.Add(int(s.pods-1), t.target)
	}
	for k := s.pods; k > 0; k = c.podEntries.At(int(k - 1)).next {
		c.podEntries.Ref(int(k - 1)).node = 0
		c.nodeless.Add(int(k-1), c.setNodeless)
	}
	if c.names.Remove(i, c.name); i != last {
		s = c.withdraw(last)
		c.names.Move(last, i, c.name)
		c.nodeEntries.Set(i, s)
		for k := s.pods; k > 0; k = c.podEntries.At(int(k - 1)).next {
			c.podEntries.Ref(int(k - 1)).node = int32(i + 1)
		}
		t.file(i)
	}
	c.nodeEntries.Drop()
}

// withdraw removes a node from all lists but the index of names, and returns its entry.
func (c *counts) withdraw(i int) nodeEntry {
	c.unfile(i)
	c.setListed(i, c.nodeEntries.Ref(i), false)
	return c.nodeEntries.At(i)
}

// uid returns the UID of a pod.
func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// controlled reports whether a pod is counted by its UID: keysOf returns one for it.
func (t *Tracker) controlled(i int) bool {
	p := t.pods.At(i)
	return p.UID != "" && p.ControllerUID == t.measure.ds.UID
}

// A podKeys holds the keys by which a pod is counted. The facts of the pod count for its node.
type podKeys struct {
	uid      string // "" if the DaemonSet does not control the pod
	hash     string // keeps its revision; read if hashed is set
	node     string // "" for none
	nodeless bool   // the pod belongs to the DaemonSet or is to be released, and is on no node
	hashed   bool
}

func (t *Tracker) keysOf(p *Pod) (keys podKeys) {
	if p.ControllerUID == t.measure.ds.UID {
		keys.uid = p.UID
	}
	switch verdict(&t.measure.owner, p) {
	case claim.Ignore:
		return keys
	case claim.Keep, claim.Adopt:
		if p.target() != "" {
			keys.hash, keys.hashed = p.Labels[LabelHash], true
		}
		keys.node = p.place(when(p.terminating(), isTerminating)|when(p.Finished(), isFinished), false)
	}
	keys.nodeless = keys.node == ""
	return keys
}

// countPod counts a pod by its keys, and returns its node, or -1.
func (t *Tracker) countPod(i int) int {
	c, keys := &t.counts, t.keysOf(t.pods.At(i))
	if keys.uid != "" {
		c.uids.Enter(i, c.podEntries.Len(), t.controlled, t.uid)
	}
	if keys.hashed {
		c.hashes.Add(keys.hash, 1)
	}
	k := -1
	if keys.node != "" {
		k = c.names.Find(keys.node, c.name)
	}
	switch {
	case k >= 0:
		at := c.nodeEntries.Ref(k)
		c.podEntries.Set(i, podEntry{node: int32(k + 1), next: at.pods})
		at.pods = int32(i + 1)
	case keys.node != "":
		t.addToMissing(i, keys.node)
	case keys.nodeless:
		c.nodeless.Add(i, c.setNodeless)
	}
	return k
}

// uncountPod removes a pod from the counts by its keys, and returns its node, or -1.
func (t *Tracker) uncountPod(i int) int {
	c, keys, entry := &t.counts, t.keysOf(t.pods.At(i)), t.counts.podEntries.At(i)
	if keys.uid != "" {
		c.uids.Leave(i, t.uid)
	}
	if keys.hashed {
		c.hashes.Add(keys.hash, -1)
	}
	t.relink(i, entry.next)
	if entry.nodeless > 0 {
		c.nodeless.Cut(entry.nodeless, c.setNodeless)
	}
	c.podEntries.Set(i, podEntry{})
	return int(entry.node) - 1
}

// target returns the node that a pod belongs to.
func (t *Tracker) target(i int) string { return t.pods.At(i).target() }

// addToMissing adds a pod to the list of a missing node, after the first pod there.
func (t *Tracker) addToMissing(i int, node string) {
	c := &t.counts
	if first := c.missing.Find(node, t.target); first >= 0 {
		c.podEntries.Set(i, podEntry{next: c.podEntries.At(first).next})
		c.podEntries.Ref(first).next = int32(i + 1)
	} else {
		c.missing.Add(i, t.target)
	}
	c.nodeless.Add(i, c.setNodeless)
}

// relink replaces a pod in the list of its node with the pod to, from 1. If that is the pod after
// it, the pod is removed from the list.
func (t *Tracker) relink(i int, to int32) {
	c, r := &t.counts, t.counts.podEntries.At(i)
	var link *int32
	switch {
	case r.node > 0:
		link = &c.nodeEntries.Ref(int(r.node - 1)).pods
	case r.nodeless > 0 && t.keysOf(t.pods.At(i)).node != "":
		if first := c.missing.Find(t.target(i), t.target); first != i {
			link = &c.podEntries.Ref(first).next
		} else if to > 0 {
			c.missing.Move(i, int(to-1), t.target)
		} else {
			c.missing.Remove(i, t.target)
		}
	}
	if link == nil {
		return
	}
	for *link != int32(i+1) {
		link = &c.podEntries.Ref(int(*link - 1)).next
	}
	*link = to
}

// renumberLast gives the last pod the number i of a pod that is no longer counted.
func (t *Tracker) renumberLast(i int) {
	c, last := &t.counts, t.pods.Len()-1
	if i != last {
		r := c.podEntries.At(last)
		if t.controlled(last) {
			c.uids.Move(last, i, t.uid)
		}
		t.relink(last, int32(i+1))
		if r.nodeless > 0 {
			c.nodeless.Renumber(r.nodeless, i)
		}
		c.podEntries.Set(i, r)
	}
	c.podEntries.Drop()
}

func (t *Tracker) factsOf(p *Pod) facts {
	a := t.availability()
	return factsOf(p, t.measure.version.hashOf(p), &t.measure.version, &a, false)
}

func (t *Tracker) availability() Availability {
	return Availability{MinReadySeconds: t.measure.ds.MinReadySeconds, Now: t.counts.now}
}
