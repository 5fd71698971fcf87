// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// statefulSet is a StatefulSet of Kubernetes or OpenKruise.
type statefulSet struct{}

func (statefulSet) driver(style Style) Driver { return unless(style, DriverStatefulSet) }

func (statefulSet) inspect(f *State, s *InspectSnapshot) {
	w := &s.Workload
	f.RevisionLabelKey = LabelControllerRevision
	f.StableRevision, f.CanaryRevision = w.StableRevision, w.UpdateRevision
	f.InRollback = w.StableRevision == w.UpdateRevision && w.Status.UpdatedReplicas != f.Replicas
	f.PodTemplateHash = f.CanaryRevision
}

func (statefulSet) holdBack(w *Workload, _ quirk.Set) { w.Partition = rollout.Int(HoldEverything) }

func (statefulSet) traits() Traits { return Traits{RollbackInBatches: true} }

func (statefulSet) body(p *Patch, spec map[string]any) { p.strategy(spec, "updateStrategy") }

func (statefulSet) patch(p *Patch, w *Workload) {
	p.roll(w)
	p.divide(w)
}
