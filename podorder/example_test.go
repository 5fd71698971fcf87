// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

func examplePods(now time.Time) []podorder.Pod {
	return []podorder.Pod{
		{Name: "old", UID: "1", NodeName: "n1", Phase: podorder.Running, Ready: true, ReadySince: now.Add(-24 * time.Hour)},
		{Name: "young", UID: "2", NodeName: "n2", Phase: podorder.Running, Ready: true, ReadySince: now.Add(-time.Minute)},
		{Name: "starting", UID: "3", NodeName: "n3", Phase: podorder.Running},
		{Name: "waiting", UID: "4", Phase: podorder.Pending},
	}
}

func ExampleOrder_Victims() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)
	for _, i := range podorder.New(now, nil).Victims(pods, nil, 3) {
		fmt.Println(pods[i].Name)
	}
	// Output:
	// waiting
	// starting
	// young
}

func ExampleOrder_Sort() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)
	pods[3].NodeName = "n4" // scheduled at last, and still pending
	pods[0].Annotations = map[string]string{podorder.AnnotationDeletionCost: "-1"}
	podorder.New(now, nil).Sort(pods)
	for _, p := range pods {
		fmt.Println(p.Name)
	}
	// Output:
	// waiting
	// starting
	// old
	// young
}

func ExampleOrder_Compare() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)
	first := slices.MinFunc(pods[:2], podorder.New(now, nil).Compare)
	fmt.Println(first.Name)
	// Output: young
}

func ExampleNeighbours() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)[:2]
	neighbours := podorder.Neighbours{}
	for i := range pods {
		neighbours.Add(&pods[i])
	}
	neighbours["n1"]++ // a pod of another ReplicaSet of the same Deployment
	victim := podorder.New(now, neighbours).Victims(pods, nil, 1)[0]
	fmt.Println(pods[victim].Name)
	// Output: old
}

func ExampleDeletionCost() {
	for _, text := range []string{"-10", "+10"} {
		fmt.Println(podorder.DeletionCost(map[string]string{podorder.AnnotationDeletionCost: text}))
	}
	// Output:
	// -10 true
	// 0 false
}

func ExamplePod_Available() {
	ready := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := podorder.Pod{Ready: true, ReadySince: ready}
	fmt.Println(p.Available(10, ready.Add(9*time.Second)))
	fmt.Println(p.Available(10, ready.Add(10*time.Second)))
	// Output:
	// false
	// true
}

// Why these two, and why not the third.
func ExampleOrder_Explain() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods, order := examplePods(now), podorder.New(now, nil)
	for _, e := range order.Explain(pods, nil, order.Choose(pods, nil, 2)) {
		fmt.Println(e)
	}
	// Output:
	// waiting goes before young: Unassigned (no node, n2)
	// starting goes before young: NotReady (not ready, ready)
	// young stays behind starting: NotReady (ready, not ready)
}

// A queue's leader must never be deleted, however young it is.
func ExampleOrder_protected() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods, order := examplePods(now), podorder.New(now, nil)
	order.Protected = func(p *podorder.Pod) bool { return p.Name == "waiting" }
	choice := order.Choose(pods, nil, 4)
	fmt.Println(len(choice.Victims), "victims,", choice.Missing, "missing")
	// Output: 3 victims, 1 missing
}

// Two zones, and three of four pods in one of them: counting anew after each victim
// keeps one pod in each.
func ExampleOrder_zones() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var pods []podorder.Pod
	for i, node := range []string{"n1", "n1", "n2", "n3"} {
		pods = append(pods, podorder.Pod{
			Name: fmt.Sprint("web-", i), UID: fmt.Sprint(i), NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: now.Add(-time.Hour),
		})
	}
	order := podorder.New(now, nil)
	order.Domains = podorder.Domains{"n1": "zone-a", "n2": "zone-a", "n3": "zone-b"}
	order.Stages = order.Chain.Stages()
	order.Stages[4] = podorder.Stage{Rule: podorder.RuleSpread} // in place of the neighbours
	for _, i := range order.Victims(pods, nil, 2) {
		fmt.Println(pods[i].Name, order.Domains[pods[i].NodeName])
	}
	// Output:
	// web-0 zone-a
	// web-1 zone-a
}

// The seed of all this: users say which pods a rollout replaces first.
func ExampleSeed() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)
	for i, text := range []string{"1", "2", "x", "3"} {
		pods[i].Annotations = map[string]string{podorder.AnnotationDeletePriority: text}
	}
	podorder.Seed().Sort(pods)
	for _, p := range pods {
		fmt.Println(p.Name)
	}
	// Output:
	// waiting
	// starting
	// young
	// old
}
