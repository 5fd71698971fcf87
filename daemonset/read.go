// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/selector/claim"
)

// A PodReader reads pods in place, such as objects of the API in a cache. No two pods have the same
// name or UID. See [ReconcileFrom].
type PodReader interface {
	// Len returns the number of pods.
	Len() int
	// At returns the fields of a pod that a plan needs of all pods: Name, UID, Labels, Annotations,
	// ControllerKind, ControllerName, ControllerUID, DeletionTimestamp, NodeName, PinnedNode,
	// Phase, Ready, ReadySince, ReadinessGates and InPlace. Other fields are not read. It returns
	// nil if there is no such pod. The result is valid until the next call, so the reader may use
	// the same memory again.
	At(i int) *Pod
	// Read returns all fields of a pod, and the result stays valid. It is called only for pods that
	// At has returned: pods that the plan acts on, and pods of nodes that need a decision.
	Read(i int) *Pod
}

// podList reads the pods of a snapshot, in which a name or a UID may occur twice.
type podList []Pod

func (l podList) Len() int { return len(l) }

func (l podList) At(i int) *Pod { return &l[i] }

func (l podList) Read(i int) *Pod { return &l[i] }

// A podSet holds the results of one pass over the pods. Pods are given by their indexes in the
// reader.
type podSet struct {
	reader     PodReader
	facts      []facts  // of each pod
	owned      []int32  // pods that belong to the DaemonSet
	keyOf      []int32  // the key of each owned pod: the index of its node, or of a missing node; -1 for none
	missing    []string // names of missing nodes with owned pods; their keys follow the keys of the nodes
	missingKey map[string]int32
	claimed    []int32   // pods to adopt or to release, by name
	relabelled []int32   // pods that get the hash of the revision that stays, by name
	next       time.Time // when the next pod becomes available if it stays ready, or zero
}

// pod returns a pod with all its fields.
func (ps *podSet) pod(i int32) *Pod { return ps.reader.Read(int(i)) }

// name returns the name of a pod.
func (ps *podSet) name(i int32) string { return ps.reader.At(int(i)).Name }

// comparePods orders pods by name.
func (ps *podSet) comparePods(i, j int32) int { return cmp.Compare(ps.name(i), ps.name(j)) }

// readPods looks at each pod once. The version tells new pods from old pods. If r is a podList, the
// names of the pods that the DaemonSet controls or adopts must be set and unique, and the UIDs of the
// pods that it controls must be unique.
func (in *input) readPods(r PodReader, v *Version, errs *kplan.FieldErrors) {
	n := r.Len()
	in.podSet = podSet{reader: r, facts: make([]facts, n), owned: make([]int32, 0, n), keyOf: make([]int32, 0, n)}
	var identities field.Identities // of the pods of a snapshot
	list, ok := r.(podList)
	if ok {
		identities.Begin(n)
	}
	for i := range n {
		p := r.At(i)
		if p == nil {
			continue
		}
		in.readPod(int32(i), p, v)
		identities.Add(in.identity(p))
	}
	slices.SortFunc(in.claimed, in.comparePods)
	slices.SortFunc(in.relabelled, in.comparePods)
	identities.Check(errs, "Pods", n, func(i int) (name, uid string, counts bool) { return in.identity(&list[i]) })
}

// identity returns the texts of a pod that no other pod may have, and whether a plan reads the pod.
// The UID of an orphan may be any, and an orphan needs no name if the pass ends because the
// selector selects all pods.
func (in *input) identity(p *Pod) (name, uid string, counts bool) {
	if p.ControllerUID == in.ds.UID {
		return p.Name, p.UID, true
	}
	adoptable := verdict(&in.owner, p) != claim.Ignore
	return p.Name, "", adoptable && (p.Name != "" || !in.selectsAll())
}

// readPod decides whether a pod belongs to the DaemonSet, and finds its node and its facts.
func (in *input) readPod(i int32, p *Pod, v *Version) {
	switch verdict(&in.owner, p) {
	case claim.Ignore:
		return
	case claim.Release:
		in.claimed = append(in.claimed, i)
		return
	case claim.Adopt:
		in.claimed = append(in.claimed, i)
	}
	hash := p.Labels[LabelHash]
	if v.relabels(hash) {
		in.relabelled, hash = append(in.relabelled, i), v.Hash
	}
	f := factsOf(p, hash, v, &in.availability, in.opts.kruise())
	node := p.place(f, in.opts.kruise())
	key, known := in.keyOfNode(node)
	if !known {
		in.addMissing(node)
	}
	in.owned, in.keyOf, in.facts[i] = append(in.owned, i), append(in.keyOf, key), f
	if f.has(isReady) && !f.has(isAvailable) {
		if at, ok := in.availability.At(p); ok {
			in.next = earlier(in.next, at)
		}
	}
}

// keyOfNode returns the key of the node with a name, -1 for no name, and whether it has been used.
// For a missing node without a key it returns the next key.
func (in *input) keyOfNode(node string) (key int32, known bool) {
	if node == "" {
		return -1, true
	}
	if key, _ = in.index.find(node, func(i int32) string { return in.nodes[i].Name }); key >= 0 {
		return key, true
	}
	if key, known = in.missingKey[node]; known {
		return key, true
	}
	return in.nextKey(), false
}

// nextKey returns the key of the next missing node.
func (in *input) nextKey() int32 { return int32(len(in.nodes) + len(in.missing)) }

// addMissing gives the next key to a missing node.
func (in *input) addMissing(node string) {
	if in.missingKey == nil {
		in.missingKey = map[string]int32{}
	}
	in.missingKey[node] = in.nextKey()
	in.missing = append(in.missing, node)
}

// verdict returns the decision whether a pod belongs to its owner.
func verdict(owner *claim.Owner, pod *Pod) claim.Verdict {
	child := claim.Child{
		Labels: pod.Labels, ControllerKind: pod.ControllerKind, ControllerName: pod.ControllerName,
		ControllerUID: pod.ControllerUID, Deleting: pod.terminating(),
	}
	return claim.Decide(owner, &child).Verdict
}

// earlier returns the earlier one of two instants. The zero Time is ignored.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || !a.IsZero() && !b.Before(a) {
		return a
	}
	return b.Round(0).UTC()
}

// A nameIndex finds numbers by name. It is a hash table with open addressing over one slice,
// because a map would allocate in proportion to its size.
//
// A slot holds a number, from 1, in the low bits and the rest of the hash of its name in the
// high bits, so that a lookup seldom reads a wrong name: names are elsewhere in memory.
type nameIndex struct {
	slots    []uint32 // 0 is empty
	mask     uint32   // of a hash: the bits that are the index of a slot
	number   uint32   // mask of the bits of a slot that hold the number
	repeated bool     // a name was added twice
}

// newNameIndex returns an index for n names, with at least room slots for each name.
func newNameIndex(n, room int) nameIndex {
	slots := make([]uint32, 1<<bits.Len(uint(n*room*2)))
	return nameIndex{slots: slots, mask: uint32(len(slots) - 1), number: 1<<bits.Len(uint(n)) - 1}
}

// find returns the number of the name, or -1 and the slot where it belongs.
func (x *nameIndex) find(name string, nameOf func(i int32) string) (number int32, slot uint32) {
	return x.findHash(field.Hash(name), name, nameOf)
}

// findHash is find for a name with a known hash.
func (x *nameIndex) findHash(h uint32, name string, nameOf func(i int32) string) (number int32, slot uint32) {
	slot = h & x.mask
	for is := x.slots[slot]; is != 0; is = x.slots[slot] {
		if (is^h)&^x.number == 0 {
			if i := int32(is&x.number) - 1; nameOf(i) == name {
				return i, slot
			}
		}
		slot = (slot + 1) & x.mask
	}
	return -1, slot
}

// add adds a number, less than the number of names, under a name, unless the name has a
// number.
func (x *nameIndex) add(name string, number int32, nameOf func(i int32) string) {
	h := field.Hash(name)
	other, slot := x.findHash(h, name, nameOf)
	if other >= 0 {
		x.repeated = true
		return
	}
	x.slots[slot] = h&^x.number | uint32(number+1)
}
