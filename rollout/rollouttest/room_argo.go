// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// argoRoom repairs no quirk or all of them, as the other rooms do.
var argoRoom = properties.Room[argo.Snapshot, argo.Options, argo.Plan]{
	Package: "rollouttest", Prefix: "Argo",
	Draw: random.Argo,
	Options: func(s random.Source) argo.Options {
		return argo.Options{Repair: random.OneOf(s, "all repairs", 0, quirk.All)}
	},
	Reference: argo.Reconcile,
	Fair:      invariant.RunArgo,
	Actions:   func(p *argo.Plan) int { return len(p.Actions) },
	Apply: func(p *argo.Plan, from, to int, s argo.Snapshot, now time.Time) (argo.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish:  func(s *argo.Snapshot, p *argo.Plan) { s.Rollout.Status = p.Status },
	Derive:  derive,
	Derived: []string{"surge bound", "timed pause", "steps in order", "new template restarts", "traffic follows ready pods", "manual pause", "end of a release"},
	Begin:   func(*argo.Snapshot) {},
	World:   map[string]func(random.Source, *argo.Snapshot, time.Time){"pods live": live, "pods die": die, "it is told": toldArgo},
	Drift:   drift,
	Moved:   moved,
}
