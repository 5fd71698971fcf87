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
}

// machines are the policies of Cluster API.
var machines = rollout.Policy{ExactSums: true, Together: true, CountLarger: true, WorstCase: true, BreakDeadlock: true}

// Scale returns the sizes that change in one step, by name.
func (d MachineDeployment) Scale() map[string]int32 {
	old := d.oldestFirst()
	sets := make([]rollout.Set, len(old))
	for i, s := range old {
		sets[i] = s.set()
	}
	var size int32
	var sizes []int32
	if d.Strategy == "OnDelete" {
		size, sizes = rollout.OnDelete(d.Replicas, d.NewSet.set(), sets)
	} else {
		r := rollout.Roll(rollout.Resolve(d.Replicas, d.MaxSurge, d.MaxUnavailable), d.NewSet.set(), sets, 0, machines)
		size, sizes = r.Size, r.Shrinking.Sizes(sets)
	}
	changed := map[string]int32{}
	for i, s := range append(old, d.NewSet) {
		if next := append(sizes, size)[i]; next != s.Wanted {
			changed[s.Name] = next
		}
	}
	return changed
}

func (d MachineDeployment) oldestFirst() []MachineSet {
	return slices.SortedFunc(slices.Values(d.OldSets), func(a, b MachineSet) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
}
