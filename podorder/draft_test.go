// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

// Property: a draft chooses as an order does that compares the stages of its chain one after
// the other and counts by its own, even if it has nothing but its front at hand in the end.
func TestDraft(t *testing.T) {
	fronts := 0
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "pods", 0, 40))
		o.Chain = random.OneOf(t, "chain", podorder.Current, podorder.Legacy, podorder.Legacy15)
		if random.Often(t, "counted", 3) {
			o.Neighbours = nil
		}
		if random.Bool(t, "protect") {
			o.Protected = func(p *podorder.Pod) bool { return p.Restarts == 2 }
		}
		d, ok := o.Draft(random.Between(t, "room", -1, 40))
		require.True(t, ok)
		related, candidates := map[string]bool{}, []int{}
		where := make([]*podorder.Pod, len(pods))
		for i := range pods {
			p := &pods[i]
			if p.NodeName != "" {
				p.NodeName = random.OneOf(t, "node", "n1", "n2", "n3")
			}
			if random.OneIn(t, "deleting", 4) {
				p.DeletionTimestamp = t0
			}
			candidate := random.Often(t, "candidate", 3)
			if candidate {
				candidates = append(candidates, i)
			}
			if related[p.Name] = random.Bool(t, "related"); !candidate && random.OneIn(t, "nothing", 4) {
				related[p.Name], p = false, nil
			}
			where[i] = p
			d.Add(p, candidate, p != nil && related[p.Name])
		}
		if o.Stages = o.Chain.Stages(); o.Neighbours == nil {
			o.Related = func(p *podorder.Pod) bool { return related[p.Name] }
		}
		n := random.Between(t, "n", -1, len(pods)+1)
		want := o.Choose(pods, candidates, n)
		require.Empty(t, cmp.Diff(want, d.Choose(pods, nil, n)), "all are at hand")
		require.Empty(t, cmp.Diff(want, d.ChooseFrom(where, n)), "where they are")

		numbers := d.Front(n)
		front := make([]podorder.Pod, len(numbers))
		for at, i := range numbers {
			front[at] = pods[i]
		}
		fronts += len(candidates) - len(front)
		got := d.Choose(front, numbers, n)
		for at, v := range got.Victims {
			got.Victims[at] = numbers[v]
		}
		if got.Survivor >= 0 {
			got.Survivor = numbers[got.Survivor]
		}
		require.Empty(t, cmp.Diff(want, got), "the front is")
	})
	require.NotZero(t, fronts, "a front that is not all")
}

// Orders that compare whole pods have no drafts.
func TestNoDraft(t *testing.T) {
	for _, o := range []podorder.Order{
		podorder.Seed(), {Chain: podorder.Items}, {Stages: podorder.Current.Stages()}, {Priority: podorder.PriorityAfterHealth},
	} {
		_, ok := o.Draft(1)
		require.False(t, ok, "%+v", o)
	}
}

// What does not fit a draft is left out.
func TestDraftOfOthers(t *testing.T) {
	var d podorder.Draft
	for _, name := range []string{"a", "b", "c"} {
		d.Add(&podorder.Pod{Name: name}, true, false)
	}
	pods := []podorder.Pod{{Name: "c"}, {Name: "b"}}
	require.Equal(t, []int{1, 0}, d.Choose(pods, nil, 3).Victims, "there are no more")
	require.Equal(t, []int{1}, d.Choose(pods, []int{7, 1, 2}, 3).Victims, "there is no pod of this number")
	require.Equal(t, []int{1}, d.ChooseFrom([]*podorder.Pod{nil, &pods[0]}, 3).Victims, "nor of the first one")
}

// seen returns a draft of four pods on two nodes, of which two start and one is nobody's.
func seen() podorder.Draft {
	d, _ := podorder.New(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), nil).Draft(4)
	for _, p := range []podorder.Pod{{NodeName: "n1", Ready: true}, {NodeName: "n1"}, {NodeName: "n2"}, {NodeName: "n2", Ready: true}} {
		p.Phase = podorder.Running
		d.Add(&p, p.NodeName == "n1" || !p.Ready, true)
	}
	return d
}

// Of orders that compare whole pods there are none.
func ExampleOrder_Draft() {
	_, ok := podorder.New(time.Time{}, nil).Draft(100)
	_, items := podorder.Order{Chain: podorder.Items}.Draft(100)
	fmt.Println(ok, items)
	// Output: true false
}

// A third pod makes its node the one that loses a pod first.
func ExampleDraft_Add() {
	d := seen()
	d.Add(&podorder.Pod{NodeName: "n2", Phase: podorder.Running}, false, true)
	pods := []podorder.Pod{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	fmt.Println(pods[d.Choose(pods, nil, 1).Victims[0]].Name)
	// Output: c
}

// Only the pods that start come into question, and one of them stays.
func ExampleDraft_Front() {
	d := seen()
	fmt.Println(d.Front(1))
	// Output: [1 2]
}

// The two pods of the front are read now: b has restarted more often.
func ExampleDraft_Choose() {
	d := seen()
	front := []podorder.Pod{{Name: "a", Restarts: 1}, {Name: "b", Restarts: 2}}
	choice := d.Choose(front, d.Front(1), 1)
	fmt.Println(front[choice.Victims[0]].Name, "goes, and", front[choice.Survivor].Name, "stays")
	// Output: b goes, and a stays
}

// All pods are where they are, and two of them start: b has restarted more often.
func ExampleDraft_ChooseFrom() {
	d := seen()
	a, b, c := podorder.Pod{Name: "a", Restarts: 1}, podorder.Pod{Name: "b", Restarts: 2}, podorder.Pod{Name: "c"}
	choice := d.ChooseFrom([]*podorder.Pod{&c, &a, &b, &c}, 1)
	fmt.Println(choice.Victims, "goes, and", choice.Survivor, "stays")
	// Output: [2] goes, and 1 stays
}
