// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// deployment is a Deployment of Kubernetes.
type deployment struct{}

func (deployment) driver(style Style) Driver {
	switch style {
	case BlueGreen:
		return DriverBlueGreenDeployment
	case Canary:
		return DriverCanary
	}
	return DriverDeployment
}

// holdBack changes nothing: a Deployment is paused.
func (deployment) holdBack(*Workload, quirk.Set) {}

func (deployment) inspect(f *State, s *InspectSnapshot) {
	w, sets := &s.Workload, byAge(s.Sets)
	f.CanaryRevision = w.Template.Hash
	if s.Style == Canary {
		if len(sets) == 0 {
			*f = State{Ref: f.Ref, UID: f.UID}
			return
		}
		f.StableRevision = sets[0].Template.Hash
		if !f.InProgress {
			return
		}
		f.InRollback = sets[0].Template.Same(w.Template)
		if canary := byAge(s.CanarySets); len(canary) > 0 {
			f.PodTemplateHash = canary[0].Template.Hash
		}
		return
	}
	f.StableRevision = w.Labels[LabelStableRevision]
	if !f.InProgress {
		return
	}
	for _, set := range sets {
		if set.Template.Same(w.Template) {
			f.PodTemplateHash = set.Template.Hash
			break
		}
	}
	f.InRollback = f.StableRevision != "" && f.StableRevision == f.PodTemplateHash
}

func (deployment) traits() Traits { return Traits{Paused: true, ExtraCanary: true} }

func (deployment) body(p *Patch, spec map[string]any) {
	put(spec, "paused", p.Paused, p.Paused != nil)
	p.strategy(spec, "strategy")
}

// patch: the API server rejects limits together with the type Recreate.
func (deployment) patch(p *Patch, w *Workload) {
	set(&w.Paused, p.Paused)
	if p.roll(w); w.StrategyType == "Recreate" {
		w.RollingUpdate = nil
	}
	w.StableRevision = w.Labels[LabelStableRevision]
}

// byAge returns the ReplicaSets that have pods, the oldest first.
func byAge(sets []Set) []*Set {
	var list []*Set
	for i := range sets {
		if sets[i].MayHavePods() {
			list = append(list, &sets[i])
		}
	}
	slices.SortFunc(list, func(a, b *Set) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
	})
	return list
}
