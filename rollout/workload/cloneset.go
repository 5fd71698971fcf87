// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// cloneSet is a CloneSet of OpenKruise.
type cloneSet struct{}

func (cloneSet) driver(style Style) Driver {
	if style == BlueGreen {
		return DriverBlueGreenCloneSet
	}
	return DriverCloneSet
}

func (cloneSet) inspect(f *State, s *InspectSnapshot) {
	w := &s.Workload
	f.StableRevision, f.CanaryRevision = LastPart(w.StableRevision), LastPart(w.UpdateRevision)
	f.InRollback = w.StableRevision == w.UpdateRevision && w.Status.UpdatedReplicas != f.Replicas
	f.PodTemplateHash = f.CanaryRevision
}

func (cloneSet) holdBack(w *Workload, _ quirk.Set) { w.Partition = rollout.Percent(100) }

func (cloneSet) traits() Traits {
	return Traits{RollbackInBatches: true, AnyStrategy: true, OneVersion: true}
}

// body: the strategy of a CloneSet has no separate block for a rolling update, and holds the
// pause.
func (cloneSet) body(p *Patch, spec map[string]any) {
	strategy := map[string]any{}
	put(strategy, "paused", p.Paused, p.Paused != nil)
	put(strategy, "type", p.StrategyType, p.StrategyType != nil)
	p.limits(strategy)
	put(strategy, "rollingUpdate", nil, p.ReplaceStrategy)
	put(spec, "updateStrategy", strategy, len(strategy) > 0)
}

func (cloneSet) patch(p *Patch, w *Workload) {
	set(&w.Paused, p.Paused)
	set(&w.StrategyType, p.StrategyType)
	if !p.MaxSurge.IsZero() || !p.MaxUnavailable.IsZero() {
		w.RollingUpdate = p.limit(w)
	}
	withoutBlock := *p
	withoutBlock.ReplaceStrategy = false
	withoutBlock.divide(w)
}
