package daemonset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/selector/claim"
)

// claim decides whether a pod belongs to the DaemonSet.
func (st *state) claim(i int32) {
	pod := &st.pods[i]
	child := claim.Child{
		Labels: pod.Labels, ControllerKind: pod.ControllerKind, ControllerName: pod.ControllerName,
		ControllerUID: pod.ControllerUID, Deleting: pod.terminating(),
	}
	switch claim.Decide(&st.owner, &child).Verdict {
	case claim.Keep:
		st.owned = append(st.owned, i)
	case claim.Adopt:
		st.owned, st.claimed = append(st.owned, i), append(st.claimed, i)
	case claim.Release:
		st.claimed = append(st.claimed, i)
	}
}

// claims returns what it takes that the DaemonSet controls what belongs to it.
func (st *state) claims() (actions Actions) {
	slices.SortFunc(st.claimed, func(i, j int32) int { return cmp.Compare(st.pods[i].Name, st.pods[j].Name) })
	for _, i := range st.claimed {
		if pod := &st.pods[i]; pod.ControllerUID == st.ds.UID {
			actions = append(actions, ReleasePod{Object: pod.object(), Reason: ReasonNoMatch})
		} else {
			actions = append(actions, AdoptPod{Object: pod.object(), Reason: ReasonOrphan})
		}
	}
	return actions
}

// group finds the pods of each node, in the order of their names, and decides where
// daemons belong.
func (st *state) group() {
	st.keys = make([]nodeKey, len(st.nodes), len(st.nodes)+4)
	nameOf := func(i int32) string { return st.keys[i].name }
	for i := range st.nodes {
		st.ranked = st.ranked || st.nodes[i].Rank != 0
		place := st.placer.Place(&st.nodes[i])
		st.keys[i] = nodeKey{name: st.nodes[i].Name, node: int32(i), run: place.ShouldRun, cont: place.ShouldContinueRunning}
		if place.ShouldRun {
			st.desired++
		}
	}
	keyOf := make([]int32, len(st.owned))
	st.facts = make([]facts, len(st.pods))
	for n, i := range st.owned {
		st.facts[i] = st.factsOf(&st.pods[i])
		keyOf[n] = st.keyOf(&st.pods[i], st.facts[i], nameOf)
		if keyOf[n] >= 0 {
			st.keys[keyOf[n]].count++
		}
	}
	st.fill(keyOf)
}

// keyOf returns the number of the key that a pod belongs to, or -1. A name that is no
// node's becomes a key.
func (st *state) keyOf(p *Pod, f facts, nameOf func(int32) string) int32 {
	target := p.target()
	if target == "" || (!st.opts.kruise() && f.has(isFinished) && f.has(isTerminating)) {
		return -1
	}
	key, slot := st.index.find(target, nameOf)
	if key < 0 {
		key = int32(len(st.keys))
		st.keys = append(st.keys, nodeKey{name: target, node: -1})
		st.index.put(slot, key)
	}
	return key
}

// fill sorts the owned pods by key, and those of a key by name.
func (st *state) fill(keyOf []int32) {
	total := int32(0)
	for i := range st.keys {
		st.keys[i].first = total
		total += st.keys[i].count
		st.keys[i].count = 0
	}
	st.grouped = make([]int32, total)
	for n, i := range st.owned {
		if keyOf[n] >= 0 {
			k := &st.keys[keyOf[n]]
			st.grouped[k.first+k.count] = i
			k.count++
		}
	}
	for i := range st.keys {
		if st.keys[i].count > 1 {
			slices.SortFunc(st.podsOf(&st.keys[i]), func(a, b int32) int { return cmp.Compare(st.pods[a].Name, st.pods[b].Name) })
		}
	}
}

// podsOf returns the numbers of the pods of a key.
func (st *state) podsOf(k *nodeKey) []int32 { return st.grouped[k.first : k.first+k.count] }

// compareKeys orders keys by name.
func (st *state) compareKeys(a, b int32) int {
	return strings.Compare(st.keys[a].name, st.keys[b].name)
}

// order returns in which order keys are updated.
func (st *state) order() func(a, b int32) int {
	if st.ranked {
		return st.compareRanks
	}
	return st.compareKeys
}

// compareRanks orders keys by the caller's rank, and then by name. Missing nodes have
// rank 0.
func (st *state) compareRanks(a, b int32) int {
	return cmp.Or(cmp.Compare(st.rank(a), st.rank(b)), st.compareKeys(a, b))
}

func (st *state) rank(key int32) int32 {
	if node := st.keys[key].node; node >= 0 {
		return st.nodes[node].Rank
	}
	return 0
}
