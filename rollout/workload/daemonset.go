// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// daemonSet is a DaemonSet of OpenKruise.
type daemonSet struct{}

func (daemonSet) driver(style Style) Driver { return unless(style, DriverDaemonSet) }

func (daemonSet) inspect(f *State, s *InspectSnapshot) {
	f.CanaryRevision = LastPart(s.Workload.UpdateRevision)
	f.PodTemplateHash = f.CanaryRevision
}

func (daemonSet) holdBack(w *Workload, _ quirk.Set) { w.Partition = rollout.Int(HoldEverything) }

func (daemonSet) traits() Traits { return Traits{SizedByNodes: true, AnyStrategy: true} }

func (daemonSet) body(p *Patch, spec map[string]any) { p.strategy(spec, "updateStrategy") }

func (daemonSet) patch(p *Patch, w *Workload) {
	p.roll(w)
	p.divide(w)
}
