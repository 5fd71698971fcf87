// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"fmt"
	"math"

	"github.com/kplan-go/kplan/podorder"
)

// chosen returns the places of the n items that are deleted first: by keys, the smaller one
// first, and then by name and place.
func chosen(n int, names []string, keys ...func(i int) int64) []int {
	order, items := podorder.Order{Chain: podorder.Items}, make([]podorder.Pod, len(names))
	for i, name := range names {
		items[i].UID = fmt.Sprintf("%s/%09d", name, i)
	}
	for _, key := range keys {
		order.Stages = append(order.Stages, podorder.Stage{Rule: "Item", Item: func(i int, _ *podorder.Pod) int64 { return key(i) }})
	}
	return order.Victims(items, nil, n)
}

// A DeletableMachine is one of Cluster API that a MachineSet may delete.
type DeletableMachine struct {
	Name                                         string
	Deleting, DeleteRequested, Updating, HasNode bool
	NodeHealthy, HealthCheckSucceeded            string
	AgeSeconds                                   *int64
}

// aboutAYear is the age from which Cluster API tells no machine from an unhealthy one.
const aboutAYear = 32_000_000

// Healthy reports whether a machine has a node, and no condition says that it is not well.
func (m DeletableMachine) Healthy() bool {
	return m.HasNode && m.NodeHealthy != "False" && m.HealthCheckSucceeded != "False"
}

// Delete returns the places of the machines that go first; order is Random, Newest or Oldest.
func Delete(machines []DeletableMachine, order string, count int) []int {
	names := make([]string, len(machines))
	for i, m := range machines {
		names[i] = m.Name
	}
	tier := func(i int) int64 {
		switch m := machines[i]; {
		case m.Deleting:
			return 0
		case m.DeleteRequested:
			return 1
		case m.Updating:
			return 2
		case !m.Healthy(), order == "Newest" && m.AgeSeconds == nil, order == "Oldest" && m.AgeSeconds != nil && *m.AgeSeconds >= aboutAYear:
			return 3
		}
		return 4
	}
	return chosen(count, names, tier, func(i int) int64 {
		age := machines[i].AgeSeconds
		switch {
		case tier(i) < 4 || order == "Random":
			return 0
		case age == nil:
			return 1 // behind all whose age is known
		case order == "Oldest":
			return -*age
		}
		return *age
	})
}

// A RankedMachine is one of machine-controller-manager.
type RankedMachine struct {
	Name, Phase, Preserve, Priority                                         string
	PreserveExpiresInSeconds, MarkedForDeletionInSeconds, CreatedSecondsAgo *int64
}

// phases of which the first go first; one without a phase goes with the first.
var phases = map[string]int64{"Failed": 1, "CrashLoopBackOff": 2, "Unknown": 3, "Pending": 4, "Available": 5, "Running": 6}

// DeleteRanked returns the places of the machines that go first; if all go, in their order.
func DeleteRanked(machines []RankedMachine, count int) []int {
	if count >= len(machines) {
		return chosen(len(machines), make([]string, len(machines)))
	}
	return Rank(machines)[:max(0, count)]
}

// Rank returns the places of all machines in the order in which they go.
func Rank(machines []RankedMachine) []int {
	names := make([]string, len(machines))
	for i, m := range machines {
		names[i] = m.Name
	}
	return chosen(len(machines), names,
		func(i int) int64 { // preserved by a person last, by itself before that
			switch m := machines[i]; {
			case or(m.PreserveExpiresInSeconds, 0) <= 0:
				return 0
			case m.Preserve == "auto-preserved":
				return 1
			}
			return 2
		},
		func(i int) int64 { return max(0, or(machines[i].PreserveExpiresInSeconds, 0)) },
		func(i int) int64 { return int64(number(machines[i].Priority, 3)) },
		func(i int) int64 { return or(machines[i].MarkedForDeletionInSeconds, math.MaxInt64) },
		func(i int) int64 { return phases[machines[i].Phase] },
		func(i int) int64 { return -or(machines[i].CreatedSecondsAgo, math.MaxInt64) },
	)
}

func or(n *int64, otherwise int64) int64 {
	if n == nil {
		return otherwise
	}
	return *n
}
