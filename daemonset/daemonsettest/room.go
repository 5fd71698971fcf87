// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// room describes planners of DaemonSets to the checks.
var room = properties.Room[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{
	Package: "daemonsettest", Prefix: "DaemonSet",
	Draw:      draw,
	Options:   options,
	Reference: daemonset.Reconcile,
	Fair:      invariant.RunDaemonSet,
	Actions:   func(p *daemonset.Plan) int { return len(p.Actions) },
	Apply: func(p *daemonset.Plan, from, to int, s daemonset.Snapshot, now time.Time) (daemonset.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish:  func(s *daemonset.Snapshot, p *daemonset.Plan) { s.DaemonSet.Status, s.Backoff = p.Status, p.Backoff },
	Derive:  derive,
	Derived: []string{"one pod per node", "unavailable nodes bound", "surging nodes bound", "selected nodes only", "pre-delete hook holds", "burst bound"},
	Begin:   func(s *daemonset.Snapshot) { s.Unseen = false }, // the truth is seen
	World:   world,
	Drift:   drift,
	Blind:   func(s *daemonset.Snapshot, _ *daemonset.Plan, _ time.Time) { s.Unseen = true },
}

// draw draws a DaemonSet. In a real cluster a kubelet reports no pod with a closed readiness
// gate as ready, so such pods are not ready in snapshots of kind Midway.
func draw(s random.Source, kind random.Kind) daemonset.Snapshot {
	snapshot := random.DaemonSet(s, kind)
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		if closed := p.InPlace != nil && !p.InPlace.True; closed && kind == random.Midway {
			p.Ready, p.ReadySince = false, time.Time{}
		}
	}
	return snapshot
}

// options draws policies, and no repair or all: the invariants know which quirks of upstream
// explain their findings by default, and that no quirk does with all repairs.
func options(s random.Source) daemonset.Options {
	o := random.DaemonSetOptions(s)
	o.Repair = random.OneOf(s, "all repairs", 0, quirk.All)
	return o
}
