// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
)

// A machine is an item of a list of the caller's; no field of it is one of a pod.
type machine struct {
	name                     string
	deleting, marked, unwell bool
	age                      time.Duration
}

// Controllers of machines know three orders of deletion. All put those that are going
// anyway in front, then those that somebody has marked, and then the unhealthy ones.
func ExampleTiers() {
	machines := []machine{
		{name: "a", age: 3 * time.Hour},
		{name: "b", age: 9 * time.Hour},
		{name: "c", age: time.Hour, unwell: true},
		{name: "d", age: 5 * time.Hour, marked: true},
		{name: "e", age: time.Minute},
	}
	items := make([]podorder.Pod, len(machines))
	for i, m := range machines {
		items[i].Name = m.name
	}
	tiers := podorder.Tiers("Health",
		func(i int, _ *podorder.Pod) bool { return machines[i].deleting },
		func(i int, _ *podorder.Pod) bool { return machines[i].marked },
		func(i int, _ *podorder.Pod) bool { return machines[i].unwell },
	)
	newest := podorder.Stage{Rule: "Age", Item: func(i int, _ *podorder.Pod) int64 { return int64(machines[i].age) }}
	oldest := podorder.Stage{Rule: "Age", Item: func(i int, _ *podorder.Pod) int64 { return -int64(machines[i].age) }}
	for _, stages := range [][]podorder.Stage{{tiers}, {tiers, newest}, {tiers, oldest}} {
		order := podorder.Order{Chain: podorder.Items, Stages: stages}
		var names []string
		for _, i := range order.Victims(items, nil, 4) {
			names = append(names, machines[i].name)
		}
		fmt.Println(names)
	}
	// Output:
	// [d c a b]
	// [d c e a]
	// [d c b a]
}

// Packed game servers go from the nodes with the fewest of them, so that nodes become empty;
// distributed ones go by age alone. None with players goes.
func ExampleOrder_Choose_gameServers() {
	nodes, players := []string{"n1", "n1", "n1", "n2", "n2"}, map[string]int{"1": 7}
	items, onNode := make([]podorder.Pod, len(nodes)), podorder.Neighbours{}
	for i, node := range nodes {
		items[i] = podorder.Pod{Name: fmt.Sprint("gs", i), UID: fmt.Sprint(i), NodeName: node}
		onNode[node]++
	}
	order := podorder.Order{Chain: podorder.Items, Protected: func(p *podorder.Pod) bool { return players[p.UID] > 0 }}
	age := podorder.Stage{Rule: "Age", Item: func(i int, _ *podorder.Pod) int64 { return int64(i) }} // the list is youngest first
	for _, stages := range [][]podorder.Stage{{podorder.Compact(onNode), age}, {age}} {
		order.Stages = stages
		c := order.Choose(items, nil, 3)
		fmt.Println(c.Victims, "protected", c.Protected)
	}
	// Output:
	// [3 4 0] protected 1
	// [0 2 3] protected 1
}

// Zones are kept even, whatever is in them.
func ExampleDomains_items() {
	zones := podorder.Domains{"host-1": "east", "host-2": "east", "host-3": "west"}
	hosts := []string{"host-1", "host-2", "host-1", "host-3", "host-3"}
	items := make([]podorder.Pod, len(hosts))
	for i, host := range hosts {
		items[i] = podorder.Pod{Name: fmt.Sprint("vm", i), NodeName: host}
	}
	order := podorder.Order{Chain: podorder.Items, Domains: zones, Stages: []podorder.Stage{{Rule: podorder.RuleSpread}}}
	for _, i := range order.Victims(items, nil, 3) {
		fmt.Print(items[i].Name, " in ", zones[items[i].NodeName], ", ")
	}
	// Output: vm0 in east, vm1 in east, vm3 in west,
}

// With the chain Items nothing but stages, UIDs and names decides, and a choice is the
// beginning of that order.
func TestPropertyItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "items")
		keys, items, want := make([]int64, n), make([]podorder.Pod, n), make([]int, n)
		now := time.Unix(1_800_000_000, 0)
		for i := range items {
			keys[i], want[i] = rapid.Int64Range(0, 3).Draw(t, "key"), i
			items[i] = podorder.Pod{
				Name: rapid.StringMatching("[ab]").Draw(t, "name"), UID: rapid.StringMatching("[ab]?").Draw(t, "uid") + fmt.Sprint(i%7),
				Ready: rapid.Bool().Draw(t, "ready"), Restarts: rapid.Int32Range(0, 3).Draw(t, "restarts"), SidecarRestarts: rapid.Int32Range(0, 3).Draw(t, "sidecars"),
				ReadySince:        now.Add(-time.Duration(rapid.IntRange(0, 99).Draw(t, "since")) * time.Minute),
				CreationTimestamp: now.Add(-time.Duration(rapid.IntRange(0, 99).Draw(t, "created")) * time.Minute),
				NodeName:          rapid.StringMatching("[ab]?").Draw(t, "node"), Phase: rapid.SampledFrom([]podorder.Phase{podorder.Running, podorder.Pending}).Draw(t, "phase"),
			}
		}
		order := podorder.Order{Now: now, Chain: podorder.Items, Stages: []podorder.Stage{{Rule: "Key", Item: func(i int, _ *podorder.Pod) int64 { return keys[i] }}}}
		slices.SortStableFunc(want, func(i, j int) int {
			a, b := &items[i], &items[j]
			switch {
			case keys[i] != keys[j]:
				return int(keys[i] - keys[j])
			case a.UID != b.UID:
				if a.UID < b.UID {
					return -1
				}
				return 1
			case a.Name < b.Name:
				return -1
			case a.Name > b.Name:
				return 1
			}
			return 0
		})
		text := func(places []int) (texts []string) {
			for _, i := range places {
				texts = append(texts, fmt.Sprint(keys[i], items[i].UID, items[i].Name))
			}
			return texts
		}
		count := rapid.IntRange(0, n).Draw(t, "count")
		if diff := cmp.Diff(text(want[:count]), text(order.Victims(items, nil, count))); diff != "" {
			t.Fatal(diff)
		}
	})
}
