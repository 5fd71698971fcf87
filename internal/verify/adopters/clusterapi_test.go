// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
)

// A step is the recorded and compared part of a step; the machines that acknowledge and receive
// follow from it, and are written as annotations.
type step struct {
	Intents      map[string]int32
	MoveToNew    []string
	NewSetWanted int32
}

func stepOf(d MachineDeployment) step {
	intents, move, wanted := d.Scale()
	slices.Sort(move)
	return step{intents, slices.Clip(move), wanted}
}

var clusterAPIFiles = []file{
	{"cluster-api", "capi_plan_rolling", machinePlan},
	{"cluster-api", "capi_plan_ondelete", machineOnDelete},
	{"cluster-api", "capi_old_sets_ondelete", machineOnDelete},
	{"cluster-api", "capi_new_set", partOf(growPart)},
	{"cluster-api", "capi_old_sets_rolling", partOf(shrinkPart)},
	{"cluster-api", "capi_deadlock_breaker", partOf(deadlockPart)},
	{"cluster-api", "capi_in_place_intent", machineInPlace},
	{"cluster-api", "capi_move_acknowledgement", machineInPlace},
	{"cluster-api", "capi_rolling_loops", machineRun},
	{"cluster-api", "capi_ondelete_loops", machineRun},
	{"cluster-api", "capi_numbers", machineNumbers},
	{"cluster-api", "capi_machine_healthy", machineHealthy},
	{"cluster-api", "capi_deletion_order", machineDeletion},
}

func machinePlan(t *testing.T, r recorded.Recording) answer {
	return answer{want: stepRecorded(t, r), got: stepOf(read[MachineDeployment](t, r))}
}

func stepRecorded(t *testing.T, r recorded.Recording) step {
	out := result[step](t, r)
	slices.Sort(out.MoveToNew)
	if len(out.MoveToNew) == 0 {
		out.MoveToNew = nil
	}
	return out
}

func machineOnDelete(t *testing.T, r recorded.Recording) answer {
	intents, _, _ := read[MachineDeployment](t, r).Scale()
	return same(r, map[string]any{"intents": intents})
}

// A partial is one part of a step, with the decisions of the parts before it.
type partial struct {
	MachineDeployment
	Intents map[string]int32
}

func (p partial) size(s MachineSet) int32 {
	if size, ok := p.Intents[s.Name]; ok {
		return size
	}
	return s.Wanted
}

func (p partial) old() (sets []rollout.Set, sizes []int32) {
	for _, s := range p.oldestFirst() {
		sets, sizes = append(sets, s.set(p.CanUpdateInPlace[s.Name])), append(sizes, p.size(s))
	}
	return sets, sizes
}

// decide adds the decision of a part.
func (p partial) decide(s MachineSet, size int32) {
	if size != p.size(s) {
		p.Intents[s.Name] = size
	}
}

func growPart(p partial, b rollout.Budget) {
	sets, _ := p.old()
	p.decide(p.NewSet, rollout.Roll(b, p.NewSet.set(false), sets, 0, rollout.ClusterAPI()).Size)
}

func shrinkPart(p partial, b rollout.Budget) {
	sets, sizes := p.old()
	lost := rollout.ShrinkWorstCase(b, p.NewSet.set(false), p.size(p.NewSet), sets, sizes)
	for i, s := range p.oldestFirst() {
		if !lost.Idle && lost.Unavailable != nil {
			p.decide(s, sizes[i]-lost.Unavailable[i]-lost.Available[i])
		}
	}
}

func deadlockPart(p partial, _ rollout.Budget) {
	sets, sizes := p.old()
	if i := rollout.Deadlock(p.NewSet.set(false), sets); i >= 0 && len(p.Intents) == 0 {
		p.decide(p.oldestFirst()[i], sizes[i]-1)
	}
}

// partOf decides one part of a step alone.
func partOf(part func(p partial, b rollout.Budget)) func(t *testing.T, r recorded.Recording) answer {
	return func(t *testing.T, r recorded.Recording) answer {
		in := partial{Intents: map[string]int32{}}
		r.Read(t, &in)
		part(in, rollout.Resolve(in.Replicas, in.MaxSurge, in.MaxUnavailable))
		return same(r, map[string]any{"intents": in.Intents})
	}
}

func machineInPlace(t *testing.T, r recorded.Recording) answer {
	in := partial{Intents: map[string]int32{}}
	r.Read(t, &in)
	newSet, move := in.newSet(), []string(nil)
	sets, sizes := in.old()
	for i, s := range in.oldestFirst() {
		if sets[i].Moves && s.There > 0 && newSet.Wanted < in.Replicas {
			move = append(move, s.Name)
		}
	}
	if size, ok := in.Intents[in.NewSet.Name]; ok && len(move) > 0 {
		delete(in.Intents, in.NewSet.Name)
		in.decide(in.NewSet, rollout.InPlace(in.Replicas, newSet, size, sets, sizes, newSet.Busy))
	}
	return answer{want: stepRecorded(t, r), got: step{in.Intents, move, newSet.Wanted}}
}

// A run is a whole rollout: the changes of the planner and of others.
type run struct {
	MachineDeployment
	Template         string
	CanUpdateInPlace bool
	Sets             []runSet
}

type runSet struct {
	MachineSet
	Template               string
	Machines, Acknowledged []string
}

type runEvent struct {
	Actor   string
	Changed []runSet
}

// change applies the changes of an event, and returns the changed sizes.
func (r *run) change(e runEvent) map[string]int32 {
	sizes := map[string]int32{}
next:
	for _, c := range e.Changed {
		for i, s := range r.Sets {
			if s.Name == c.Name {
				if s.Wanted != c.Wanted {
					sizes[s.Name] = c.Wanted
				}
				r.Sets[i] = c
				continue next
			}
		}
		if c.Wanted != 0 {
			sizes[c.Name] = c.Wanted
		}
		r.Sets = append(r.Sets, c)
	}
	return sizes
}

// plan returns the sizes that a step from the state as it is changes.
func (r *run) plan() map[string]int32 {
	d := r.MachineDeployment
	d.NewSet = MachineSet{Name: fmt.Sprintf("ms%d", len(r.Sets)+1)}
	d.CanUpdateInPlace = map[string]bool{}
	for i, s := range r.Sets {
		s.Created = int64(i)
		s.EligibleInPlace, d.CanUpdateInPlace[s.Name] = true, r.CanUpdateInPlace
		for _, m := range s.Machines { // name, and p or u for one that has moved or is updated
			name, state, _ := strings.Cut(m, ":")
			d.Machines = append(d.Machines, Machine{
				Name: name, Set: s.Name, PendingAcknowledge: strings.Contains(state, "p"), Updating: strings.Contains(state, "u"),
			})
		}
		if s.Template == r.Template {
			d.NewSet, d.AcknowledgedBefore = s.MachineSet, s.Acknowledged
		} else {
			d.OldSets = append(d.OldSets, s.MachineSet)
		}
	}
	changed, _, wanted := d.Scale()
	if size, ok := changed[d.NewSet.Name]; ok {
		wanted = size
	}
	delete(changed, d.NewSet.Name)
	if wanted != d.NewSet.Wanted {
		changed[d.NewSet.Name] = wanted
	}
	return changed
}

func machineRun(t *testing.T, r recorded.Recording) answer {
	in := read[run](t, r)
	for k, e := range result[struct{ Events []runEvent }](t, r).Events {
		if e.Actor != "md" {
			in.change(e)
			continue
		}
		got := in.plan()
		if want := in.change(e); fmt.Sprint(want) != fmt.Sprint(got) {
			return answer{want: fmt.Sprintf("event %d: %v", k, want), got: fmt.Sprintf("event %d: %v", k, got)}
		}
	}
	return same(r, r.Output)
}
