// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// Sort sorts pods in place, first victim first. The result does not depend on the previous
// order of pods, and agrees with [Order.Compare] on every pair of any set of pods on which
// Compare has no cycle; with [PriorityFirst] only the legacy chains promise that. Protected
// pods come last.
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

// SortUpstream sorts pods in place as upstream does: by [Order.Compare], which here also
// reads Related, with the algorithm of package sort. Where Compare has ties or cycles, the
// result depends on the previous order of pods. It is for simulators that need upstream's
// exact answer, and ignores Protected.
func (o Order) SortUpstream(pods []Pod) {
	o.Protected = nil
	r := o.ranking(pods)
	places, _ := r.candidatePlaces(nil)
	keys := r.allKeys(places)
	list := make([]*key, len(keys))
	for i := range keys {
		list[i] = &keys[i]
	}
	// slices.SortFunc makes the comparisons and swaps of sort.Sort, one by one.
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

// Victims returns the numbers of the n pods that a scale-down deletes, first victim first.
// Only the candidates, given by their numbers, may be victims, or all pods if candidates is
// nil; numbers out of range are ignored. If n is at least the number of candidates, all are
// returned, and none if n is 0 or less. Protected pods are never victims; [Order.Choose]
// returns the number of victims that are missing because of them.
//
// It mirrors getPodsToDelete of the replicaset package of Kubernetes,
// except that upstream leaves all pods in the order of its cache if all are to be
// deleted.
func (o Order) Victims(pods []Pod, candidates []int, n int) []int {
	return o.Choose(pods, candidates, n).Victims
}

// A Choice holds the victims of a scale-down.
type Choice struct {
	Victims   []int // their numbers, first victim first; nil if there are none
	Survivor  int   // the number of the first pod that may be deleted but stays, or -1
	Protected int   // candidates that must not be deleted
	Missing   int   // victims that were requested but not found, because of protected pods
}

// Choose is [Order.Victims] with the first survivor and the number of protected pods and
// missing victims.
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

// marked marks the numbers in a list, for numbers below n. Others are ignored.
func marked(numbers []int, n int) []bool {
	marks := make([]bool, n)
	for _, i := range numbers {
		if i >= 0 && i < n {
			marks[i] = true
		}
	}
	return marks
}

// choice chooses from places that include the first n+1 of all pods that may be deleted.
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
