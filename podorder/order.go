// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// Sort sorts pods in place, the first pod to delete first. The result does not depend on the
// previous order of pods. If [Order.Compare] has no cycle among the pods, the result agrees
// with Compare on every pair; with [PriorityFirst] this holds only for [Legacy] and
// [Legacy15]. Protected pods come last.
func (o Order) Sort(pods []Pod) {
	sorted := o.appendSorted(make([]Pod, 0, len(pods)), pods)
	if o.Protected != nil {
		protected := o.Protected
		o.Protected = func(p *Pod) bool { return !protected(p) }
		sorted = o.appendSorted(sorted, pods)
	}
	copy(pods, sorted)
}

// appendSorted appends the pods that are not protected.
func (o Order) appendSorted(sorted, pods []Pod) []Pod {
	r := o.ranking(pods)
	places, _ := r.candidatePlaces(nil)
	for _, k := range r.first(places, len(places)) {
		sorted = append(sorted, *r.pod(&k.place))
	}
	return sorted
}

// SortUpstream sorts pods in place as Kubernetes does: with the algorithm of package sort, by
// the relation of [Order.Compare], with the neighbours of Related if it is set. If Compare has
// ties or cycles, the result depends on the previous order of pods. SortUpstream is for
// simulators that need the exact result of Kubernetes. It ignores Protected.
func (o Order) SortUpstream(pods []Pod) {
	o.Protected = nil
	r := o.ranking(pods)
	places, _ := r.candidatePlaces(nil)
	keys := r.allKeys(places)
	list := make([]*key, len(keys))
	for i := range keys {
		list[i] = &keys[i]
	}
	// slices.SortFunc makes the same comparisons and swaps as sort.Sort, in the same order.
	slices.SortFunc(list, func(a, b *key) int {
		_, c := r.decide(a, b, r.pod(&a.place), r.pod(&b.place))
		return c
	})
	sorted := make([]Pod, 0, len(pods))
	for _, k := range list {
		sorted = append(sorted, *r.pod(&k.place))
	}
	copy(pods, sorted)
}

// Victims returns the n pods that a scale-down deletes, the first to delete first. It gives
// pods by their numbers, the indexes in pods. Only candidates, also given by number, may be
// victims; if candidates is nil, all pods are candidates. Numbers out of range are ignored. If
// there are at most n candidates, all are victims; if n is 0 or less, none is. Protected pods
// are never victims; [Order.Choose] also returns how many victims are missing because of them.
//
// It mirrors getPodsToDelete of the replicaset package of Kubernetes, except that upstream
// does not sort the pods if it deletes all of them.
func (o Order) Victims(pods []Pod, candidates []int, n int) []int {
	return o.Choose(pods, candidates, n).Victims
}

// A Choice holds the victims of a scale-down.
type Choice struct {
	Victims   []int // the numbers of the victims, the first to delete first; nil if there are none
	Survivor  int   // the number of the pod that would be deleted next, or -1
	Protected int   // the number of protected candidates; 0 if n was 0 or less
	Missing   int   // how many victims are missing because of protected pods
}

// Choose is [Order.Victims], and also returns the survivor, the number of protected pods and the
// number of missing victims.
func (o Order) Choose(pods []Pod, candidates []int, n int) Choice {
	if n <= 0 {
		return Choice{Survivor: -1}
	}
	d, ok := o.draft(len(pods), o.Related != nil)
	if !ok {
		r := d.order.ranking(pods)
		places, protected := r.candidatePlaces(candidates)
		return r.choice(places, n, len(places), protected)
	}
	var candidate []bool
	if candidates != nil {
		candidate = marked(candidates, len(pods))
	}
	for i := range pods {
		p := &pods[i]
		d.Add(p, candidates == nil || candidate[i], o.Related != nil && p.Active() && o.Related(p))
	}
	return d.Choose(pods, nil, n)
}

// marked returns for each number from 0 to n-1 whether it is in numbers.
func marked(numbers []int, n int) []bool {
	marks := make([]bool, n)
	for _, i := range numbers {
		if i >= 0 && i < n {
			marks[i] = true
		}
	}
	return marks
}

// choice chooses n victims. The places must include the first n+1 of the pods that may be deleted;
// total is the number of these pods, and protected the number of other candidates.
func (r *ranking) choice(places []place, n, total, protected int) Choice {
	c := Choice{Survivor: -1, Protected: protected}
	want := min(n, total+protected)
	n = min(n, total)
	c.Missing = want - n
	if n = min(n, len(places)); n == 0 {
		return c
	}
	list := r.first(places, n+1)
	if n < len(list) {
		c.Survivor = int(list[n].index)
	}
	c.Victims = make([]int, n)
	for i := range c.Victims {
		c.Victims[i] = int(list[i].index)
	}
	return c
}
