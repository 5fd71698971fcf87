// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/rollout"
)

// A Machines is a MachineSet of machine-controller-manager.
type Machines struct {
	MachineSet
	DesiredReplicasAnnotation, MaxReplicasAnnotation string
}

// A MachineRollout is a MachineDeployment of machine-controller-manager, with its sets; NewSet
// may be nil.
type MachineRollout struct {
	Replicas, DeploymentStatusReplicas int32
	MaxSurge, MaxUnavailable           rollout.IntOrPercent
	NewSet                             *Machines
	OldSets                            []Machines
}

// Roll makes one step, and reports which half of it acted.
func (d MachineRollout) Roll() (sizes map[string]int32, grown, shrunk bool) {
	names, sets := d.sets(d.OldSets)
	for i := range sets {
		if sets[i].Wanted == 0 { // it exists, but is not counted on
			sets[i].Available = 0
		}
	}
	r := rollout.Roll(rollout.Resolve(d.Replicas, d.MaxSurge, d.MaxUnavailable), d.NewSet.set(false), sets, 0, rollout.MachineController())
	sizes = map[string]int32{d.NewSet.Name: r.Size}
	for i, size := range r.Shrinking.Sizes(sets) {
		sizes[names[i]] = size
	}
	return sizes, r.Size != d.NewSet.Wanted, r.Shrinking.Removed > 0 && r.Shrinking.Ahead < 0
}

// Scale returns the sizes after replicas have changed. If only one set wants machines, it gets
// all; if no set does, the newest set gets all. If the new set has all desired machines
// available, the other sets go to 0; otherwise all sets that want machines share the replicas.
func (d MachineRollout) Scale() map[string]int32 {
	sizes, all, active := map[string]int32{}, d.all(), []Machines(nil)
	for _, s := range all {
		sizes[s.Name] = s.Wanted
		if s.Wanted > 0 {
			active = append(active, s)
		}
	}
	if len(active) == 0 {
		active = all[len(all)-1:]
	}
	names, sets := d.sets(active)
	switch {
	case len(active) == 1:
		sizes[names[0]] = d.Replicas
	case d.NewSet != nil && rollout.Saturated(d.NewSet.set(false), number(d.NewSet.DesiredReplicasAnnotation, 0), d.Replicas):
		for _, name := range names {
			sizes[name] = 0
		}
		sizes[d.NewSet.Name] = d.Replicas
	default:
		newest := -1
		if d.NewSet != nil {
			newest = slices.Index(names, d.NewSet.Name)
		}
		for i, size := range rollout.Scale(rollout.Resolve(d.Replicas, d.MaxSurge, d.MaxUnavailable), sets, newest, rollout.MachineController()) {
			sizes[names[i]] = size
		}
	}
	return sizes
}

// all returns the sets, oldest first, and the new one last.
func (d MachineRollout) all() []Machines {
	all := oldestFirst(d.OldSets)
	if d.NewSet != nil {
		all = append(all, *d.NewSet)
	}
	return all
}

func oldestFirst(list []Machines) []Machines {
	return slices.SortedFunc(slices.Values(list), func(a, b Machines) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
}

// sets returns sets as counts, oldest first, and their names.
func (d MachineRollout) sets(list []Machines) (names []string, sets []rollout.Set) {
	for i, s := range oldestFirst(list) {
		set := s.set(false)
		set.Age, set.Before = i, number(s.MaxReplicasAnnotation, d.DeploymentStatusReplicas)
		names, sets = append(names, s.Name), append(sets, set)
	}
	return names, sets
}

// number parses an annotation, and returns otherwise if it is no number.
func number(text string, otherwise int32) int32 {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return int32(n)
	}
	return otherwise
}
