// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
)

var orderFunctions = []function{
	{"ActivePodsWithRanks.Less", compareRanked},
	{"ActivePodsWithRanks.Less without a time", compareRankedWithoutTime},
	{"ActivePods.Less", compareUnranked},
	{"sort of ActivePodsWithRanks", compareSort},
	{"getPodsToDelete", compareVictims},
	{"getPodsRankedByRelatedPodsOnSameNode", compareNeighbours},
}

// ranked is pods, the number of related pods on each node, and the number of pods to delete.
// Without a time, exact times are compared.
type ranked struct {
	Pods  []*corev1.Pod
	Ranks map[string]int
	Now   metav1.Time
	N     int

	ambiguous bool
	victims   bool             // the decision is N victims
	answer    func(ranked) any // upstream's decision
}

// decided is the decision of upstream on r, and ours.
func (r ranked) decided(answer func(ranked) any, ours any) decision[ranked] {
	r.answer = answer
	return decision[ranked]{r, answer(r), ours}
}

func (r ranked) upstream() controller.ActivePodsWithRanks {
	list := controller.ActivePodsWithRanks{Pods: slices.Clone(r.Pods), Now: r.Now}
	for _, pod := range r.Pods {
		list.Rank = append(list.Rank, r.Ranks[pod.Spec.NodeName])
	}
	return list
}

func (r ranked) order() podorder.Order {
	n := podorder.Neighbours{}
	for node, rank := range r.Ranks {
		n[node] = int32(rank)
	}
	return podorder.New(r.Now.Time, n)
}

// planned lists the pods in the order of the planner.
func (r ranked) planned() []*corev1.Pod {
	byName := map[string]*corev1.Pod{}
	for _, pod := range r.Pods {
		byName[pod.Name] = pod
	}
	list := snapshots(r.Pods)
	r.order().Sort(list)
	pods := make([]*corev1.Pod, len(list))
	for i := range list {
		pods[i] = byName[list[i].Name]
	}
	return pods
}

func drawRanks(t random.T) map[string]int {
	ranks := map[string]int{}
	for _, node := range []string{"n1", "n2", "n3", ""} {
		ranks[node] = random.Below(t, "rank", 3)
	}
	return ranks
}

func sign(before, after bool) int {
	switch {
	case before:
		return -1
	case after:
		return 1
	}
	return 0
}

// drawPair draws two pods of which the second is often almost a copy of the first, so
// that late rules decide.
func drawPair(t random.T, now time.Time) []*corev1.Pod {
	a := gen.Pod(t, now, 0)
	b := gen.Pod(t, now, 1)
	if !random.OneIn(t, "unlike", 4) {
		b = gen.Twin(t, now, a, 1)
	}
	pods := []*corev1.Pod{a, b}
	centuriesAway(t, pods)
	return pods
}

// centuriesAway changes one list in 100 to pods with times in another century.
func centuriesAway(t random.T, pods []*corev1.Pod) bool {
	if !random.OneIn(t, "centuries away", 100) {
		return false
	}
	for _, pod := range pods {
		pod.CreationTimestamp = at(time.Date(1500+100*random.Below(t, "century", 3), 1, 1, 0, 0, 0, 0, time.UTC))
		for i := range pod.Status.Conditions {
			pod.Status.Conditions[i].LastTransitionTime = pod.CreationTimestamp
		}
	}
	return true
}

var pairCorners = []corner[decision[ranked]]{
	outcomeIs[ranked]("first", -1), outcomeIs[ranked]("second", 1), outcomeIs[ranked]("tie", 0),
	pair("node decides", func(a, b *corev1.Pod) bool { return (a.Spec.NodeName == "") != (b.Spec.NodeName == "") }),
	pair("phase differs", func(a, b *corev1.Pod) bool { return a.Status.Phase != b.Status.Phase }),
	pair("readiness differs", func(a, b *corev1.Pod) bool { return podutil.IsPodReady(a) != podutil.IsPodReady(b) }),
	pair("both ready at once", func(a, b *corev1.Pod) bool { return bothReady(a, b) && readyTime(a).Equal(readyTime(b)) }),
	pair("both ready, one without time", func(a, b *corev1.Pod) bool { return bothReady(a, b) && readyTime(a).IsZero() != readyTime(b).IsZero() }),
	pair("both ready, one in the future", func(a, b *corev1.Pod) bool { return bothReady(a, b) && readyTime(a).After(time.Now()) }),
	pair("ready at once, restarts differ", func(a, b *corev1.Pod) bool {
		return bothReady(a, b) && readyTime(a).Equal(readyTime(b)) && kube.Pod(a).Restarts != kube.Pod(b).Restarts
	}),
	pair("ready at once, sidecar restarts differ", func(a, b *corev1.Pod) bool {
		return bothReady(a, b) && readyTime(a).Equal(readyTime(b)) && kube.Pod(a).SidecarRestarts != kube.Pod(b).SidecarRestarts
	}),
	pair("ready at once, only sidecar restarts differ", func(a, b *corev1.Pod) bool {
		x, y := kube.Pod(a), kube.Pod(b)
		return bothReady(a, b) && readyTime(a).Equal(readyTime(b)) && x.Restarts == y.Restarts && x.SidecarRestarts != y.SidecarRestarts
	}),
	pair("created at once", func(a, b *corev1.Pod) bool { return a.CreationTimestamp.Equal(&b.CreationTimestamp) }),
	pair("not ready, created at different times", func(a, b *corev1.Pod) bool {
		return !podutil.IsPodReady(a) && !podutil.IsPodReady(b) && !a.CreationTimestamp.Equal(&b.CreationTimestamp)
	}),
	pair("an age just below a power of two", func(a, b *corev1.Pod) bool { return oddAge(time.Now(), a) || oddAge(time.Now(), b) }),
	pair("an age beyond 292 years", func(a, b *corev1.Pod) bool { return farAway(a) && farAway(b) }),
}

func pair(name string, is func(a, b *corev1.Pod) bool) corner[decision[ranked]] {
	return in(name, func(r ranked) bool { return is(r.Pods[0], r.Pods[1]) })
}

func bothReady(a, b *corev1.Pod) bool { return podutil.IsPodReady(a) && podutil.IsPodReady(b) }

func readyTime(p *corev1.Pod) time.Time {
	return podutil.GetPodReadyCondition(p.Status).LastTransitionTime.Time
}

func comparePair(t random.T, c *caseCounts, now time.Time, reference metav1.Time) {
	judge(t, c, pairCorners, pairDifferences, decidePair(ranked{Pods: drawPair(t, now), Ranks: drawRanks(t), Now: reference}))
}

func decidePair(r ranked) decision[ranked] {
	pods := snapshots(r.Pods)
	return r.decided(func(r ranked) any {
		list := r.upstream()
		return sign(list.Less(0, 1), list.Less(1, 0))
	}, r.order().Compare(pods[0], pods[1]))
}

func compareRanked(t random.T, c *caseCounts, now time.Time) { comparePair(t, c, now, at(now)) }

func compareRankedWithoutTime(t random.T, c *caseCounts, now time.Time) {
	comparePair(t, c, now, metav1.Time{})
}

// compareUnranked compares the older order, without costs and ranks. Ours is an Order without time
// and neighbours for pods without costs.
func compareUnranked(t random.T, c *caseCounts, now time.Time) {
	r := ranked{Pods: drawPair(t, now)}
	for _, pod := range r.Pods {
		pod.Annotations = nil
	}
	pods := snapshots(r.Pods)
	judge(t, c, pairCorners, pairDifferences, r.decided(unrankedPair, podorder.Order{}.Compare(pods[0], pods[1])))
}

// unrankedPair compares two pods in the older order.
func unrankedPair(r ranked) any {
	list := controller.ActivePods(r.Pods)
	return sign(list.Less(0, 1), list.Less(1, 0))
}

// drawRanked draws up to 13 pods; half of the lists are of pods that are each almost a
// copy of the one before.
func drawRanked(t random.T, now time.Time) ranked {
	r := ranked{Pods: gen.Pods(t, now, 14), Ranks: drawRanks(t), Now: at(now)}
	if len(r.Pods) > 1 && random.OneIn(t, "twins", 2) {
		for i := 1; i < len(r.Pods); i++ {
			r.Pods[i] = gen.Twin(t, now, r.Pods[i-1], i)
		}
	}
	centuriesAway(t, r.Pods)
	return r
}

var listCorners = []corner[decision[ranked]]{
	in("no pod", func(r ranked) bool { return len(r.Pods) == 0 }),
	in("13 pods", func(r ranked) bool { return len(r.Pods) == 13 }),
	in("upstream is a true order", func(r ranked) bool { return len(r.Pods) > 2 && !r.ambiguous }),
	in("upstream has several answers", func(r ranked) bool { return r.ambiguous }),
	in("upstream has a cycle", func(r ranked) bool { return r.ambiguous && cyclic(r.upstream()) }),
	in("neighbours differ", func(r ranked) bool { return len(r.Pods) > 1 && r.Ranks["n1"] != r.Ranks["n2"] }),
}

// compareSort asks that the planner's order is one of upstream's. Where upstream's
// answer does not depend on the order of its input, that is equality.
func compareSort(t random.T, c *caseCounts, now time.Time) {
	judge(t, c, listCorners, sortDifferences, decideSort(drawRanked(t, now)))
}

func decideSort(r ranked) decision[ranked] {
	answer := func(pods []*corev1.Pod) []string {
		list := ranked{Pods: pods, Ranks: r.Ranks, Now: r.Now}.upstream()
		sort.Sort(list)
		return names(list.Pods)
	}
	planned := r.planned()
	r.ambiguous = !slices.Equal(answer(r.Pods), answer(planned))
	return r.decided(func(r ranked) any { return answer(r.planned()) }, names(planned))
}

// compareVictims does the same for the pods that a scale-down deletes. The order of
// the victims is left out, since they are deleted all at once.
func compareVictims(t random.T, c *caseCounts, now time.Time) {
	r := drawRanked(t, now)
	r.N = random.Below(t, "n", len(r.Pods)+1)
	if youngestIsNew(now, r.Pods) {
		return // upstream panics
	}
	related := gen.Pods(t, now, 8)
	r.Ranks = map[string]int{}
	for i, rank := range upstream.RankPods(r.Pods, related).Rank {
		r.Ranks[r.Pods[i].Spec.NodeName] = rank
	}
	answer := func(pods []*corev1.Pod) []string {
		return sorted(names(upstream.PodsToDelete(slices.Clone(pods), related, r.N)))
	}
	r.ambiguous, r.victims = !slices.Equal(answer(r.Pods), answer(r.planned())), true
	victims := []string{}
	for _, i := range r.order().Victims(snapshots(r.Pods), nil, r.N) {
		victims = append(victims, r.Pods[i].Name)
	}
	judge(t, c, append([]corner[decision[ranked]]{
		in("none is deleted", func(r ranked) bool { return r.N == 0 && len(r.Pods) > 0 }),
		in("some are deleted", func(r ranked) bool { return r.N > 1 && r.N < len(r.Pods)-1 }),
		in("all are deleted", func(r ranked) bool { return r.N == len(r.Pods) && r.N > 1 }),
	}, listCorners...), sortDifferences, r.decided(func(r ranked) any { return answer(r.planned()) }, sorted(victims)))
}

func compareNeighbours(t random.T, c *caseCounts, now time.Time) {
	pods, related := gen.Pods(t, now, 6), gen.Pods(t, now, 12)
	n := podorder.Neighbours{}
	for i := range related {
		p := kube.Pod(related[i])
		n.Add(&p)
	}
	ours := []int{}
	for _, pod := range pods {
		ours = append(ours, int(n[pod.Spec.NodeName]))
	}
	judge(t, c, []corner[decision[[]*corev1.Pod]]{
		in("no related pod", func(pods []*corev1.Pod) bool { return len(pods) == 0 }),
		in("unscheduled pod", func(pods []*corev1.Pod) bool {
			return slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
		}),
		in("finished pod", func(pods []*corev1.Pod) bool {
			return slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodFailed })
		}),
	}, nil, decision[[]*corev1.Pod]{related, upstream.RankPods(pods, related).Rank, ours})
}
