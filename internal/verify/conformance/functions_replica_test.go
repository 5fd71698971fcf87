// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// The functions of a ReplicaSet's pass that are not listed with the others: the older chain by its
// name, upstream's own sort, and neighbours counted during the choice.
var replicaFunctions = []function{
	{"ActivePods.Less, Legacy", compareLegacy},
	{"sort.Sort of ActivePodsWithRanks", compareSortUpstream},
	{"sort.Sort of ActivePods", compareSortLegacy},
	{"getPodsToDelete, counted neighbours", compareRelated},
}

func TestReplicaFunctions(t *testing.T) {
	for _, f := range replicaFunctions {
		t.Run(f.name, func(t *testing.T) {
			counts := newCaseCounts(f.name)
			defer counts.clock()()
			inBubble(t, func(t bubble, now time.Time) {
				counts.check(t, functionCases, func(t random.T) { f.compare(t, counts, now) })
			})
		})
	}
}

// TestExpectations compares expectations while time passes. Each run of cases has its own clock,
// because a test must not last a day, even on the clock of a synctest bubble.
func TestExpectations(t *testing.T) {
	const run = 250
	counts := newCaseCounts("UIDTrackingControllerExpectations")
	defer counts.clock()()
	var seen seenExpectations
	for range max(1, functionCases/run) {
		inBubble(t, func(t bubble, _ time.Time) {
			counts.check(t, min(run, functionCases), func(t random.T) { compareExpectations(t, counts, &seen) })
		})
	}
	if seen.fulfilled == 0 || seen.expired == 0 {
		t.Errorf("some corner did not occur: %+v", seen)
	}
	t.Logf("%+v", seen)
}

type seenExpectations struct{ fulfilled, expired int }

// compareLegacy leaves the costs in place, which the older chain does not read.
func compareLegacy(t random.T, c *caseCounts, now time.Time) {
	r := ranked{Pods: drawPair(t, now), Now: at(now)}
	pods := snapshots(r.Pods)
	order := podorder.Order{Now: now, Chain: podorder.Legacy}
	judge(t, c, pairCorners, pairDifferences, r.decided(unrankedPair, order.Compare(pods[0], pods[1])))
}

// compareSortUpstream requires upstream's own answer, whatever cycles and ties there are.
func compareSortUpstream(t random.T, c *caseCounts, now time.Time) {
	r := drawRanked(t, now)
	ours := snapshots(r.Pods)
	r.order().SortUpstream(ours)
	answer := func(r ranked) any {
		list := r.upstream()
		sort.Sort(list)
		return names(list.Pods)
	}
	r.ambiguous = !slices.Equal(answer(r).([]string), names(r.planned()))
	judge(t, c, []corner[decision[ranked]]{
		in("several pods", func(r ranked) bool { return len(r.Pods) > 3 }),
		in("not the canonical order", func(r ranked) bool { return r.ambiguous }),
	}, pairDifferences, r.decided(answer, podNames(ours)))
}

func compareSortLegacy(t random.T, c *caseCounts, now time.Time) {
	r := drawRanked(t, now)
	ours := snapshots(r.Pods)
	podorder.Order{Chain: podorder.Legacy}.SortUpstream(ours)
	judge(t, c, []corner[decision[ranked]]{
		in("several pods", func(r ranked) bool { return len(r.Pods) > 3 }),
	}, pairDifferences, r.decided(func(r ranked) any {
		list := controller.ActivePods(slices.Clone(r.Pods))
		sort.Sort(list)
		return names(list)
	}, podNames(ours)))
}

func podNames(pods []podorder.Pod) []string {
	list := make([]string, len(pods))
	for i := range pods {
		list[i] = pods[i].Name
	}
	return list
}

// compareRelated lets the order count the neighbours itself, among pods of which some
// are candidates.
func compareRelated(t random.T, c *caseCounts, now time.Time) {
	all := gen.Pods(t, now, 14)
	centuriesAway(t, all)
	owned := func(p *corev1.Pod) bool { return len(p.Name)%2 == 0 || p.Spec.NodeName != "n2" }
	r := ranked{Now: at(now), Ranks: map[string]int{}}
	candidates := []int{}
	for i, p := range all {
		if owned(p) {
			r.Pods, candidates = append(r.Pods, p), append(candidates, i)
		}
	}
	if youngestIsNew(now, r.Pods) {
		return // upstream panics
	}
	r.N = random.Below(t, "n", len(r.Pods)+1)
	for i, rank := range upstream.RankPods(r.Pods, all).Rank {
		r.Ranks[r.Pods[i].Spec.NodeName] = rank
	}
	r.victims = true
	order := podorder.New(now, nil)
	order.Related = func(*podorder.Pod) bool { return true }
	victims := []string{}
	for _, i := range order.Victims(snapshots(all), candidates, r.N) {
		victims = append(victims, all[i].Name)
	}
	judge(t, c, []corner[decision[ranked]]{
		in("some are deleted", func(r ranked) bool { return r.N > 1 && r.N < len(r.Pods)-1 }),
		in("ranks differ", func(r ranked) bool { return r.N > 0 && len(slices.Compact(slices.Sorted(maps.Values(r.Ranks)))) > 1 }),
	}, sortDifferences, r.decided(func(r ranked) any {
		return sorted(names(upstream.PodsToDelete(slices.Clone(r.planned()), within292Years(all), r.N)))
	}, sorted(victims)))
}

// compareExpectations performs the same operations on both sides, and compares after each whether
// the expectations are satisfied and the remaining numbers.
func compareExpectations(t random.T, c *caseCounts, seen *seenExpectations) {
	theirs := controller.NewUIDTrackingControllerExpectations(controller.NewControllerExpectations())
	ours := expect.Expectations{}
	log, key := logr.Discard(), "shop/web"
	var steps, upstreamSays, oursSay []string
	deletions := false // upstream keeps the names of deletions that were forgotten
	for range random.Below(t, "steps", 12) {
		name := "p" + fmt.Sprint(random.Below(t, "pod", 3))
		step := random.OneOf[string](t, "step", "creations", "deletions", "created", "created", "deleted", "deleted", "deleted", "lower", "raise", "forget", "wait", "wait")
		switch step {
		case "creations":
			n := random.Below(t, "count", 3)
			must(0, theirs.ExpectCreations(log, key, n))
			ours, deletions = expect.Creations(int64(n), time.Now()), false
		case "deletions":
			list := []string{"p0", "p1", name}[random.Below(t, "from", 2):]
			must(0, theirs.ExpectDeletions(log, key, list))
			ours, deletions = expect.Deletions(list, time.Now()), true
		case "created":
			theirs.CreationObserved(log, key)
			ours = ours.CreationObserved()
		case "deleted":
			if deletions {
				theirs.DeletionObserved(log, key, name)
				ours = ours.DeletionObserved(name)
			}
		case "lower":
			theirs.LowerExpectations(log, key, 1, 1)
			ours = ours.Lower(1, 1)
		case "raise":
			theirs.RaiseExpectations(log, key, 1, 2)
			ours = ours.Raise(1, 2)
		case "forget":
			theirs.DeleteExpectations(log, key)
			ours, deletions = expect.Expectations{}, false
		case "wait":
			time.Sleep(random.OneOf[time.Duration](t, "wait", 1, time.Minute, 4*time.Minute, 5*time.Minute-1, 5*time.Minute))
		}
		steps = append(steps, step)
		adds, dels := int64(0), int64(0)
		if e, exists, err := theirs.GetExpectations(key); err == nil && exists {
			adds, dels = e.GetExpectations()
		}
		upstreamSays = append(upstreamSays, fmt.Sprint(step, theirs.SatisfiedExpectations(log, key), adds, dels))
		oursSay = append(oursSay, fmt.Sprint(step, ours.Satisfied(time.Now()), ours.Creations, ours.Deletions))
		seen.fulfilled += count(!ours.At.IsZero() && ours.Fulfilled())
		seen.expired += count(!ours.Fulfilled() && ours.Satisfied(time.Now()))
	}
	judge(t, c, nil, nil, decision[[]string]{steps, upstreamSays, oursSay})
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
