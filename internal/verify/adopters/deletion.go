// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"fmt"
	"math"

	"github.com/kplan-go/kplan/podorder"
)

// chosen returns the indexes of the n items that are deleted first: smaller keys first, then
// by name and index.
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

// A DeletableMachine is a machine of Cluster API that a MachineSet may delete.
type DeletableMachine struct {
	Name                                         string
	Deleting, DeleteRequested, Updating, HasNode bool
	NodeHealthy, HealthCheckSucceeded            string
	AgeSeconds                                   *int64
}

// aboutAYear is the age at which Cluster API ranks a machine like an unhealthy machine, if the
// oldest go first.
const aboutAYear = 32_000_000

// Healthy reports whether a machine has a node, and no condition says that it is unhealthy.
func (m DeletableMachine) Healthy() bool {
	return m.HasNode && m.NodeHealthy != "False" && m.HealthCheckSucceeded != "False"
}

// Delete returns the indexes of the machines that go first; order is Random, Newest or Oldest.
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
			return 1 // after all machines of known age
		case order == "Oldest":
			return -*age
		}
		return *age
	})
}

// A RankedMachine is a machine of machine-controller-manager.
type RankedMachine struct {
	Name, Phase, Preserve, Priority                                         string
	PreserveExpiresInSeconds, MarkedForDeletionInSeconds, CreatedSecondsAgo *int64
}

// phases orders the phases by deletion, the lowest first; a machine without a phase goes
// first.
var phases = map[string]int64{"Failed": 1, "CrashLoopBackOff": 2, "Unknown": 3, "Pending": 4, "Available": 5, "Running": 6}

// DeleteRanked returns the indexes of the machines that go first; if all go, in list order.
func DeleteRanked(machines []RankedMachine, count int) []int {
	if count >= len(machines) {
		return chosen(len(machines), make([]string, len(machines)))
	}
	return Rank(machines)[:max(0, count)]
}

// Rank returns the indexes of all machines in the order in which they go.
func Rank(machines []RankedMachine) []int {
	names := make([]string, len(machines))
	for i, m := range machines {
		names[i] = m.Name
	}
	return chosen(len(machines), names,
		func(i int) int64 { // machines preserved by a user go last, auto-preserved machines before them
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
