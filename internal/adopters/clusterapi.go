// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// A MachineSet is one of Cluster API.
type MachineSet struct {
	Name                     string
	Created                  int64
	Wanted, There, Available int32
	UpToDate                 int32
	EligibleInPlace          bool
}

func (s MachineSet) set() rollout.Set {
	return rollout.Set{Wanted: s.Wanted, There: s.There, Available: s.Available}
}

// A MachineDeployment is one of Cluster API, with its sets.
type MachineDeployment struct {
	Replicas                 int32
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Strategy                 string
	NewSet                   MachineSet
	OldSets                  []MachineSet
	CanUpdateInPlace         map[string]bool // what extensions answer for a set
	AcknowledgedBefore       []string
	Machines                 []Machine
}

// A Machine is one that has moved, or is being updated.
type Machine struct {
	Name, Set                    string
	PendingAcknowledge, Updating bool
}

// machines are the policies of Cluster API; deadlocks are broken when all else is decided.
var machines = rollout.Policy{ExactSums: true, Together: true, CountLarger: true, WorstCase: true}

// Scale returns the sizes that change in one step, by name, the sets whose machines are to
// move, and what the new set wants before it, with those that have moved.
func (d MachineDeployment) Scale() (changed map[string]int32, move []string, wanted int32) {
	old, newSet := d.oldestFirst(), d.NewSet.set()
	busy := d.acknowledge(&newSet)
	sets := make([]rollout.Set, len(old))
	for i, s := range old {
		sets[i] = s.set()
	}
	move = d.moving(newSet.Wanted)
	var size int32
	var sizes []int32
	if d.Strategy == "OnDelete" {
		size, sizes = rollout.OnDelete(d.Replicas, newSet, sets)
	} else {
		r := rollout.Roll(rollout.Resolve(d.Replicas, d.MaxSurge, d.MaxUnavailable), newSet, sets, 0, machines)
		if len(move) > 0 {
			r.Size = rollout.InPlace(d.Replicas, newSet, r.Size, sets, r.Shrinking.Sizes(sets), busy)
		}
		r = r.BreakDeadlock(newSet, sets)
		size, sizes = r.Size, r.Shrinking.Sizes(sets)
	}
	changed = map[string]int32{}
	for i, s := range old {
		if sizes[i] != s.Wanted {
			changed[s.Name] = sizes[i]
		}
	}
	if size != newSet.Wanted {
		changed[d.NewSet.Name] = size
	}
	return changed, move, newSet.Wanted
}

// moving returns the sets whose machines are to move while the new set wants more.
func (d MachineDeployment) moving(wanted int32) (move []string) {
	for _, s := range d.oldestFirst() {
		if s.There > 0 && s.EligibleInPlace && d.CanUpdateInPlace[s.Name] && wanted < d.Replicas {
			move = append(move, s.Name)
		}
	}
	return move
}

// acknowledge counts machines that have moved to the new set, and reports whether any is
// being updated.
func (d MachineDeployment) acknowledge(newSet *rollout.Set) (busy bool) {
	for _, m := range d.Machines {
		if m.PendingAcknowledge && m.Set == d.NewSet.Name && !slices.Contains(d.AcknowledgedBefore, m.Name) {
			newSet.Wanted++
		}
		busy = busy || m.Updating
	}
	return busy || d.NewSet.UpToDate != d.NewSet.There
}

func (d MachineDeployment) oldestFirst() []MachineSet {
	return slices.SortedFunc(slices.Values(d.OldSets), func(a, b MachineSet) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
}
