// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/selector/claim"
)

// An excerpt finds the nodes that a plan looks at, and their pods. All else of the input is known.
type excerpt struct {
	*input
	spots    []readSpot
	of       []int32 // the spots of pods, or one of the following
	doubtful bool    // pods may be there twice
	kinds    kinds

	empty, old, young, ending []int32 // nodes by what a plan may say of them
	others                    alike   // and all those of which it says nothing
}

const (
	passed int32 = -1 // a pod of no concern
	apart  int32 = -2 // a pod that is looked at whatever its node
)

// A readSpot is a spot whose pods have been read once.
type readSpot struct {
	pods int32
	spot
	adopts bool  // one of them is to be adopted
	looked bool  // the plan looks at it
	node   int32 // its number in the excerpt, if it does
}

// excerpt gives the input, which has no pods, those of the nodes that a plan looks at, and these
// nodes alone, and returns how many others there are of each kind. It reports whether it could:
// not if a plan looks at all of them, or pods may be there twice.
func (in *input) excerpt(h *history, r *source) (others alike, ok bool) {
	if in.opts.kruise() || in.ds.NodeSelector != nil || !in.ds.Partition.IsZero() || in.ds.RollingType == InPlaceIfPossible ||
		in.opts.Repair.Has(InPlaceLeftUnfinished) || len(h.gone) > 0 || in.surplus(h) ||
		slices.ContainsFunc(in.nodes, func(n Node) bool { return n.Rank != 0 }) {
		return others, false
	}
	x := excerpt{input: in, spots: make([]readSpot, len(in.nodes)), of: make([]int32, r.len())}
	x.place()
	if x.count(r, &h.version); x.doubtful {
		return others, false
	}
	x.choose()
	x.read(r)
	return x.others, true
}

// place decides where daemons belong.
func (x *excerpt) place() {
	var p Placement
	var term int
	for i := range x.nodes {
		p, term = x.placer.place(&x.nodes[i], term)
		x.spots[i].run, x.spots[i].cont = p.ShouldRun, p.ShouldContinueRunning
	}
}

// count finds the nodes of the pods.
func (x *excerpt) count(r *source, v *Version) {
	var seen duplicateCheck
	seen.begin(x.input, len(x.of))
	var pods [batch]*Pod
	for from := 0; from < len(x.of); from += batch {
		some := pods[:min(batch, len(x.of)-from)]
		r.look(from, some)
		x.countBatch(from, some, v, &seen)
	}
	x.doubtful = seen.doubtful()
}

// countBatch finds the nodes of some pods. Labels, names of nodes and the slots where these are
// found lie far apart, and the processor fetches several of them at once if it has nothing else to
// do in between.
func (x *excerpt) countBatch(from int, pods []*Pod, v *Version, seen *duplicateCheck) {
	var hashes [batch]string // of revisions
	var names, slots [batch]uint32
	for j, p := range pods {
		if p != nil && (p.ControllerUID == x.ds.UID || p.ControllerUID == "") {
			hashes[j], names[j] = v.hashOf(p), field.Hash(p.target())
		}
	}
	for j, h := range names {
		slots[j] = x.index.first(h)
	}
	for j, p := range pods {
		i := from + j
		x.of[i] = passed
		if p == nil {
			continue
		}
		seen.add(p)
		switch verdict := verdict(&x.owner, p); verdict {
		case claim.Keep, claim.Adopt:
			f := factsOf(p, hashes[j], v, &x.availability, false)
			at, _ := x.index.findFrom(slots[j], names[j], p.target(), func(i int32) string { return x.nodes[i].Name })
			x.enter(i, at, p, f, verdict == claim.Adopt)
		case claim.Release:
			x.of[i] = apart
		}
	}
}

// enter counts a pod on the node that it belongs to, -1 if that is not there.
func (x *excerpt) enter(i int, at int32, p *Pod, f facts, adopt bool) {
	if f.has(isReady) && !f.has(isAvailable) {
		if at, known := x.availability.At(p); known {
			x.others.next = earlier(x.others.next, at)
		}
	}
	if at < 0 || p.place(f, false) == "" { // it is on none that is there
		x.kinds.old += number(f.isOld())
		x.of[i] = apart
		return
	}
	s := &x.spots[at]
	x.of[i] = at
	s.pods, s.facts, s.adopts, s.old = s.pods+1, f, s.adopts || adopt, s.old || f.isOld()
}

// file puts a node among those of its kind.
func (x *excerpt) file(i int32) {
	s := &x.spots[i]
	x.kinds.desired += int32(number(s.run))
	x.kinds.old += number(s.old)
	switch kind := s.kindOf(int(s.pods), x.nodes[i].dead(), s.adopts); {
	case kind == spotIdle: // nothing there, and nothing should be
	case kind == spotOdd:
		s.looked = true
	case kind == spotEmpty:
		x.empty = x.with(x.empty, i)
	case s.facts.has(isTerminating):
		x.ending = x.with(x.ending, i)
	case s.old:
		x.old = x.with(x.old, i)
	case !s.facts.has(isAvailable):
		x.young = x.with(x.young, i)
	default:
		x.others.single.add(s.facts, 1)
	}
}

// with adds a node to a list, which has room for all of those behind it.
func (x *excerpt) with(list []int32, i int32) []int32 {
	if list == nil {
		list = make([]int32, 0, len(x.spots)-int(i))
	}
	return append(list, i)
}

// choose marks the nodes that a plan looks at, and counts the others.
func (x *excerpt) choose() {
	for i := range x.spots {
		x.file(int32(i))
	}
	k := &x.kinds
	k.empty, k.young, k.ending = len(x.empty), len(x.young), len(x.ending)
	say := x.says(k)
	x.look(x.empty, say.empty)
	x.look(x.old, say.old)
	x.look(x.young, say.young)
	x.look(x.ending, say.ending)
}

// look marks the first n by name of a list of nodes, and counts the others.
func (x *excerpt) look(list []int32, n int) {
	if n = min(max(n, 0), len(list)); n < len(list) {
		first(list, n, func(a, b int32) int { return strings.Compare(x.nodes[a].Name, x.nodes[b].Name) })
	}
	for _, i := range list[:n] {
		x.spots[i].looked = true
	}
	for _, i := range list[n:] {
		if s := &x.spots[i]; s.pods == 0 {
			x.others.empty++
		} else {
			x.others.single.add(s.facts, 1)
		}
	}
}

// read leaves the input the nodes that a plan looks at, and reads their pods.
func (x *excerpt) read(r *source) {
	nodes, pods := 0, 0
	for i := range x.spots {
		if x.spots[i].looked {
			nodes, pods = nodes+1, pods+int(x.spots[i].pods)
		}
	}
	all := x.nodes
	x.nodes, x.pods = make([]Node, 0, nodes), make([]Pod, 0, pods)
	x.located = located{make([]nodeKey, 0, nodes+min(4, pods)), make([]int32, 0, pods)}
	for i := range all {
		if s := &x.spots[i]; s.looked {
			s.node = int32(len(x.nodes))
			x.locate(&all[i], s.run, s.cont)
		}
	}
	for i, at := range x.of {
		if at == apart || at >= 0 && x.spots[at].looked {
			node := int32(-1)
			if at >= 0 {
				node = x.spots[at].node
			}
			x.pods, x.located.of = append(x.pods, Pod{}), append(x.located.of, node)
			r.read(i, &x.pods[len(x.pods)-1])
		}
	}
	x.claimAll()
}

func number(of bool) int {
	if of {
		return 1
	}
	return 0
}
