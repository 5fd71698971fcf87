// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// A Draft chooses victims from pods that are added one after another, for callers that
// iterate over pods anyway. It keeps one byte for each pod, its health class, see [Health], and, if it
// counts neighbours, four more for the number of its node. With these it rules out most pods without reading them again.
// The zero Draft uses the zero [Order] and counts no neighbours.
type Draft struct {
	order     Order
	counts    *neighbourCounts
	classes   []uint8            // classOf of each added pod, plus 1; 0 if it is no candidate or protected
	sizes     [healthClasses]int // the number of unprotected candidates in each class
	protected int                // the number of protected candidates
}

// Draft returns a draft with room for n pods. It returns false for an order that needs all
// pods together: an order with a Priority or Stages, or the chain [Items]. The draft does not
// call Related: the caller tells [Draft.Add] whether a pod is related. If Neighbours is set,
// the draft uses it and counts no neighbours.
func (o Order) Draft(n int) (Draft, bool) { return o.draft(n, o.Neighbours == nil) }

func (o *Order) draft(n int, counting bool) (Draft, bool) {
	d := Draft{order: *o}
	if o.Priority == PriorityFirst || o.resolvedStages() != nil {
		return d, false
	}
	n = min(max(n, 0), maxRoom)
	d.classes = make([]uint8, 0, n)
	if counting && !o.Chain.legacy() {
		d.counts = newNeighbourCounts(n)
	}
	return d, true
}

// maxRoom is the largest number of pods for which room is allocated in advance.
const maxRoom = 1 << 22

// Add adds the next pod. Add reads NodeName, Phase, Ready and DeletionTimestamp, and calls
// [Order.Protected], which may read more. Only a candidate may be deleted. A related pod
// counts as a neighbour if it is active. A nil pod is neither. Pods are numbered from 0 in the order of
// the calls of Add, nil pods included.
func (d *Draft) Add(p *Pod, candidate, related bool) {
	class := uint8(0)
	switch {
	case !candidate || p == nil:
	case d.order.protects(p):
		d.protected++
	default:
		class = classOf(p)
		d.sizes[class]++
		class++
	}
	d.classes = append(d.classes, class)
	if d.counts != nil {
		d.counts.add(p, class > 0, related && p != nil && p.Active())
	}
}

// Front returns the numbers of candidates, in ascending order, among which are the first n + 1 in the
// order of deletion: the n victims and the survivor. Usually they are few. The numbers count the calls
// of [Draft.Add] from 0.
func (d *Draft) Front(n int) []int {
	last, size := d.front(n)
	numbers := make([]int, 0, size)
	for i, class := range d.classes {
		if class > 0 && class <= last {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// front returns the last class whose pods Front returns, as in Draft.classes (0: none), and the number
// of these pods.
func (d *Draft) front(n int) (last uint8, size int) {
	for class, count := range d.sizes {
		if size <= n {
			last, size = uint8(class)+1, size+count
		}
	}
	return last, size
}

// Choose is [Order.Choose] from all added pods. If numbers is nil, the argument pods has all
// added pods. Otherwise numbers is the result of [Draft.Front] for n, and pods has the pods
// with these numbers. The result holds indexes of the argument pods.
func (d *Draft) Choose(pods []Pod, numbers []int, n int) Choice {
	if n <= 0 {
		return Choice{Survivor: -1}
	}
	r := d.order.ranking(pods)
	if numbers == nil {
		return d.choose(r, d.allPlaces(len(pods), n), n)
	}
	return d.choose(r, d.frontPlaces(numbers[:min(len(numbers), len(pods))], n), n)
}

// ChooseFrom is [Draft.Choose] with pointers to all added pods. It ignores nil pointers.
func (d *Draft) ChooseFrom(pods []*Pod, n int) Choice {
	if n <= 0 {
		return Choice{Survivor: -1}
	}
	r := d.order.ranking(nil)
	r.refs = pods
	places := d.allPlaces(len(pods), n)
	return d.choose(r, slices.DeleteFunc(places, func(at place) bool { return pods[at.index] == nil }), n)
}

// choose chooses from the incomplete places (see [place]) of the pods that Front returns.
func (d *Draft) choose(r *ranking, places []place, n int) Choice {
	r.counts = d.counts
	total := 0
	for _, size := range d.sizes {
		total += size
	}
	return r.choice(places, n, total, d.protected)
}

// allPlaces returns the incomplete places of the pods that Front returns for n, limited to the first
// added pods, as many as the argument pods says.
func (d *Draft) allPlaces(pods, n int) []place {
	last, size := d.front(n)
	places := make([]place, 0, size)
	for i, class := range d.classes[:min(len(d.classes), pods)] {
		if class-1 < last { // class 0, not to be deleted, wraps around to the largest number
			places = append(places, d.place(i, i))
		}
	}
	return places
}

// frontPlaces is allPlaces for a list of pods that has only the pods with these numbers.
func (d *Draft) frontPlaces(numbers []int, n int) []place {
	last, size := d.front(n)
	places := make([]place, 0, size)
	for index, i := range numbers {
		if i >= 0 && i < len(d.classes) && d.classes[i]-1 < last {
			places = append(places, d.place(i, index))
		}
	}
	return places
}

// place returns the incomplete place of the pod with number i, which has this index in the list.
func (d *Draft) place(i, index int) place {
	at := place{health: uint64(d.classes[i]-1) << 32, index: int32(index)}
	if d.counts != nil {
		at.row = d.counts.numbers[i]
	}
	return at
}
