// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// three are pods on three nodes that have been ready for the same time.
func three(now time.Time) []podorder.Pod {
	pods := make([]podorder.Pod, 3)
	for i, name := range []string{"a", "b", "c"} {
		pods[i] = podorder.Pod{Name: name, UID: name, NodeName: "n" + name, Phase: podorder.Running, Ready: true, ReadySince: now.Add(-time.Hour)}
	}
	return pods
}

// first prints the pods in the order in which the stages delete them.
func first(pods []podorder.Pod, now time.Time, stages ...podorder.Stage) {
	order := podorder.New(now, nil)
	order.Stages = stages
	for _, i := range order.Victims(pods, nil, len(pods)) {
		fmt.Print(pods[i].Name, " ")
	}
	fmt.Println()
}

// The stages of Kubernetes 1.36, in front of which a caller may put its own.
func ExampleChain_Stages() {
	for _, s := range podorder.Current.Stages() {
		fmt.Println(s.Rule)
	}
	// Output:
	// Unassigned
	// Phase
	// NotReady
	// DeletionCost
	// Neighbours
}

// A person has named the pod that is to go.
func ExampleSpecified() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first(three(now), now, podorder.Specified("b"))
	// Output: b a c
}

// A node is being drained: its pods go first.
func ExampleOnNodes() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first(three(now), now, podorder.OnNodes(func(node string) bool { return node == "nc" }))
	// Output: c a b
}

// The costs that the caller knows count before that of an annotation.
func ExampleCosts() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := three(now)
	for i := range pods {
		pods[i].Annotations = map[string]string{podorder.AnnotationDeletionCost: "10"}
	}
	first(pods, now, podorder.Costs(map[string]int64{"a": 30, "b": 20}))
	// Output: c b a
}

// Nodes with few pods become empty.
func ExampleCompact() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first(three(now), now, podorder.Compact(podorder.Neighbours{"na": 3, "nb": 1, "nc": 2}))
	// Output: b c a
}

// A pod that is ready for 5 of 10 seconds goes before those that are available.
func ExampleOrder_Unavailable() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := three(now)
	pods[2].ReadySince = now.Add(-5 * time.Second)
	first(pods, now, podorder.New(now, nil).Unavailable(10))
	// Output: c a b
}

func ExampleNew() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := three(now)
	order := podorder.New(now, podorder.Neighbours{"na": 1, "nb": 2, "nc": 1})
	fmt.Println(pods[order.Victims(pods, nil, 1)[0]].Name, "has the most neighbours")
	// Output: b has the most neighbours
}

func ExampleOrder_Decide() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods, order := three(now), podorder.New(now, nil)
	pods[1].Restarts = 4
	rule, sign := order.Decide(&pods[1], &pods[0])
	fmt.Println(rule, sign < 0)
	rule, sign = order.Decide(&pods[0], &pods[2])
	fmt.Printf("%q %d\n", rule, sign)
	// Output:
	// Restarts true
	// "" 0
}

// Upstream's algorithm leaves pods that tie in the order of its cache.
func ExampleOrder_SortUpstream() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := three(now)
	pods[0].Annotations = map[string]string{podorder.AnnotationDeletionCost: "1"}
	podorder.New(now, nil).SortUpstream(pods)
	fmt.Println(pods[2].Name, "is the last to go")
	// Output: a is the last to go
}

// Ages count by powers of two: 1 hour and 70 minutes are alike, 2 hours are not.
func ExampleAgeBucket() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, age := range []time.Duration{time.Second, time.Hour, 70 * time.Minute, 2 * time.Hour, 0} {
		fmt.Println(age, podorder.AgeBucket(now.Add(-age), now))
	}
	// Output:
	// 1s 29
	// 1h0m0s 41
	// 1h10m0s 41
	// 2h0m0s 42
	// 0s -1
}

// The node with two active pods has two, and the pod that has failed is none.
func ExampleNeighbours_Add() {
	neighbours := podorder.Neighbours{}
	for _, p := range []podorder.Pod{{NodeName: "n1"}, {NodeName: "n1"}, {NodeName: "n2"}, {NodeName: "n2", Phase: podorder.Failed}} {
		neighbours.Add(&p)
	}
	fmt.Println(neighbours)
	// Output: map[n1:2 n2:1]
}

func ExamplePod_AvailableAt() {
	ready := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := podorder.Pod{Ready: true, ReadySince: ready}
	at, ok := p.AvailableAt(30)
	fmt.Println(at.Format(time.TimeOnly), ok)
	p.Ready = false
	_, ok = p.AvailableAt(30)
	fmt.Println(ok)
	// Output:
	// 12:00:30 true
	// false
}

// A pod that is being deleted counts as a replica no more, though it still runs.
func ExamplePod_Active() {
	deleted := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, p := range []podorder.Pod{{Phase: podorder.Pending}, {Phase: podorder.Running, DeletionTimestamp: deleted}, {Phase: podorder.Failed}} {
		fmt.Println(p.Phase, p.Active())
	}
	// Output:
	// Pending true
	// Running false
	// Failed false
}

func ExamplePod_Terminating() {
	deleted := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	running := podorder.Pod{Phase: podorder.Running, DeletionTimestamp: deleted}
	ended := podorder.Pod{Phase: podorder.Succeeded, DeletionTimestamp: deleted}
	fmt.Println(running.Terminating(), ended.Terminating())
	// Output: true false
}

func ExamplePod_Finished() {
	for _, phase := range []podorder.Phase{podorder.Running, podorder.Succeeded, podorder.Failed} {
		p := podorder.Pod{Phase: phase}
		fmt.Println(phase, p.Finished())
	}
	// Output:
	// Running false
	// Succeeded true
	// Failed true
}

// A priority that is no number counts as 0, and is told from one that is missing.
func ExampleParseDeletePriority() {
	for _, text := range []string{"+007", "high"} {
		fmt.Println(podorder.ParseDeletePriority(map[string]string{podorder.AnnotationDeletePriority: text}))
	}
	fmt.Println(podorder.ParseDeletePriority(nil))
	// Output:
	// 7 true true
	// 0 false true
	// 0 true false
}

// Of two pods that run and are ready, the logs of the one that restarts tell more.
func ExampleCompareForLogs() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := three(now)
	pods[1].Restarts = 4
	fmt.Println(podorder.CompareForLogs(pods[1], pods[0]) < 0, podorder.CompareForLogs(pods[0], pods[2]))
	// Output: true 0
}

// Ready pods first, and what has no node last.
func ExampleSortForLogs() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pods := examplePods(now)
	podorder.SortForLogs(pods)
	for _, p := range pods {
		fmt.Print(p.Name, " ")
	}
	// Output: old young starting waiting
}

// Stone, paper and scissors cannot be sorted.
func ExampleWitness() {
	beats := map[string]string{"stone": "scissors", "scissors": "paper", "paper": "stone"}
	pods := []podorder.Pod{{Name: "stone"}, {Name: "paper"}, {Name: "scissors"}}
	_, _, _, found := podorder.Witness(pods, func(a, b podorder.Pod) int {
		switch {
		case beats[a.Name] == b.Name:
			return -1
		case beats[b.Name] == a.Name:
			return 1
		}
		return 0
	})
	fmt.Println(found)
	// Output: true
}

// A pod that is not ready goes before one that is, whatever its cost.
func ExampleHealth() {
	unready := podorder.Pod{NodeName: "a", Phase: podorder.Running}
	ready := podorder.Pod{NodeName: "a", Phase: podorder.Running, Ready: true, Annotations: map[string]string{podorder.AnnotationDeletionCost: "-5"}}
	fmt.Println(podorder.Health(&unready) < podorder.Health(&ready))
	// Output: true
}
