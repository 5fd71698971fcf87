package sim

import (
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A podIndex finds the pods of a [Cluster]. Each has a number, which stays when its
// place in the list changes: events name pods by it, and hold no pointers.
type podIndex struct {
	byUID   map[string]int32 // numbers, also of those that are gone
	places  []int32          // by number: the index in the list, or gone
	numbers []int32          // by index in the list
	ended   int              // pods that are gone and still in the list
}

func newPodIndex(pods []podorder.Pod) podIndex {
	x := podIndex{byUID: make(map[string]int32, len(pods))}
	for i := range pods {
		x.add(pods[i].UID)
	}
	return x
}

// add numbers the pod that comes next in the list.
func (x *podIndex) add(uid string) int32 {
	number := int32(len(x.places))
	x.byUID[uid] = number
	x.places = append(x.places, int32(len(x.numbers)))
	x.numbers = append(x.numbers, number)
	return number
}

// number returns the number of the pod with the UID, or gone.
func (x *podIndex) number(uid string) int32 {
	if number, ok := x.byUID[uid]; ok {
		return number
	}
	return gone
}

// newPod adds a pod of rs and returns its number.
func (c *Cluster) newPod(rs *replicaset.ReplicaSet) int32 {
	uid := c.newUID()
	serial := uid[len(uidPrefix):]
	text := uid + rs.Name + "-" + revision.SafeEncode("00000"[min(len(serial), 5):]+serial) // side by side in memory
	p := podorder.Pod{
		Name:              text[len(uid):],
		UID:               text[:len(uid)],
		Labels:            rs.TemplateLabels,
		ControllerKind:    replicaset.Kind,
		ControllerName:    rs.Name,
		ControllerUID:     rs.UID,
		CreationTimestamp: c.Now,
		Phase:             podorder.Pending,
	}
	c.Pods = append(c.Pods, p)
	return c.index.add(p.UID)
}

// pod returns the pod with the number, or nil. The next change of the list of pods
// invalidates it.
func (c *Cluster) pod(number int32) *podorder.Pod {
	if number == gone || c.index.places[number] == gone {
		return nil
	}
	return &c.Pods[c.index.places[number]]
}

// endPod marks a pod as gone. It stays in the list until [Cluster.sweep].
func (c *Cluster) endPod(number int32) {
	c.index.places[number] = gone
	c.index.ended++
}

// removeGone removes the pods that are gone. The others stay in their order: planners
// compare the names and UIDs of pods with those of their neighbours, as long as they
// ascend.
func (c *Cluster) removeGone() {
	x := &c.index
	if x.ended == 0 {
		return
	}
	kept := 0
	for i, number := range x.numbers {
		if x.places[number] == gone {
			continue
		}
		if kept < i {
			c.Pods[kept], x.numbers[kept], x.places[number] = c.Pods[i], number, int32(kept)
		}
		kept++
	}
	clear(c.Pods[kept:])
	c.Pods, x.numbers, x.ended = c.Pods[:kept], x.numbers[:kept], 0
}
