package podorder

import "math/bits"

// Neighbours is the number of related pods on each node, by node name. Pods with
// more neighbours are deleted first, so that what stays is spread out. Pods that
// are not scheduled yet share the node named "".
type Neighbours map[string]int32

// Add counts the pod on its node if it is active.
func (n Neighbours) Add(p *Pod) {
	if p.Active() {
		n[p.NodeName]++
	}
}

// A census is Neighbours in two slices: a Go map would allocate with the number of
// nodes. It is a hash table with open addressing from node names to counts; a node
// is named by one of its pods.
type census struct {
	pods   []Pod
	slots  []int32 // number of a pod of the node, plus 1
	counts []int32 // by that number
	nodes  []int32 // that number plus 1 of each pod, 0 if it was not counted
}

// countNodes counts the active pods that are related.
func countNodes(pods []Pod, related func(p *Pod) bool) *census {
	c := &census{pods: pods, slots: make([]int32, 1<<bits.Len(uint(2*len(pods)))), counts: make([]int32, len(pods)), nodes: make([]int32, len(pods))}
	for i := range pods {
		p := &pods[i]
		if !p.Active() || !related(p) {
			continue
		}
		slot := c.slot(p.NodeName)
		if *slot == 0 {
			*slot = int32(i + 1)
		}
		c.counts[*slot-1]++
		c.nodes[i] = *slot
	}
	return c
}

func (c *census) slot(node string) *int32 {
	mask := uint32(len(c.slots) - 1)
	h := uint32(2166136261) // FNV-1a
	for i := range len(node) {
		h = (h ^ uint32(node[i])) * 16777619
	}
	for h ^= h >> 15; ; h++ {
		if s := &c.slots[h&mask]; *s == 0 || c.pods[*s-1].NodeName == node {
			return s
		}
	}
}

func (c *census) of(node string) int32 {
	if s := *c.slot(node); s != 0 {
		return c.counts[s-1]
	}
	return 0
}
