// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// A MachineSet is a MachineSet of Cluster API.
type MachineSet struct {
	Name                     string
	Created                  int64
	Wanted, There, Available int32
	UpToDate                 int32
	EligibleInPlace          bool
}

// A MachineDeployment is a MachineDeployment of Cluster API, with its sets.
type MachineDeployment struct {
	Replicas                 int32
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Strategy                 string
	NewSet                   MachineSet
	OldSets                  []MachineSet
	CanUpdateInPlace         map[string]bool // the answers of extensions for a set
	AcknowledgedBefore       []string
	Machines                 []Machine
}

// A Machine is a machine that has moved, or is being updated.
type Machine struct {
	Name, Set                    string
	PendingAcknowledge, Updating bool
}

// strategies are the policies of the strategies RollingUpdate and OnDelete.
var strategies = map[bool]rollout.Policy{false: rollout.ClusterAPI(), true: {OnDelete: true}}

// Scale returns the sizes that change in one step, by name, the sets with machines to move,
// and the size of the new set before the step, including machines that have moved.
func (d MachineDeployment) Scale() (changed map[string]int32, move []string, wanted int32) {
	p, newSet, names, old := strategies[d.Strategy == "OnDelete"], d.newSet(), []string{}, []rollout.Set{}
	for _, s := range d.oldestFirst() {
		names, old = append(names, s.Name), append(old, s.set(d.CanUpdateInPlace[s.Name]))
	}
	r := rollout.Step(rollout.Resolve(d.Replicas, d.MaxSurge, d.MaxUnavailable), newSet, old, 0, p)
	changed = map[string]int32{}
	for i, size := range r.Shrinking.Sizes(old) {
		if size != old[i].Wanted {
			changed[names[i]] = size
		}
	}
	for _, i := range r.Moves {
		move = append(move, names[i])
	}
	if r.Size != newSet.Wanted {
		changed[d.NewSet.Name] = r.Size
	}
	return changed, move, newSet.Wanted
}

func (s MachineSet) set(canMove bool) rollout.Set {
	return rollout.Set{Wanted: s.Wanted, There: s.There, Available: s.Available, Moves: canMove && s.EligibleInPlace}
}

// newSet returns the new set, and counts machines that have moved to it.
func (d MachineDeployment) newSet() rollout.Set {
	set := d.NewSet.set(false)
	set.Busy = d.NewSet.UpToDate != d.NewSet.There
	for _, m := range d.Machines {
		set.Busy = set.Busy || m.Updating
		if m.PendingAcknowledge && m.Set == d.NewSet.Name && !slices.Contains(d.AcknowledgedBefore, m.Name) {
			set.Wanted++
		}
	}
	return set
}

func (d MachineDeployment) oldestFirst() []MachineSet {
	return slices.SortedFunc(slices.Values(d.OldSets), func(a, b MachineSet) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
}
