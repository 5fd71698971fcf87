// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

func TestArgoPasses(t *testing.T) {
	random.Check(t, func(t random.T) {
		s, o := random.Argo(t, random.Kinds(t)), argo.Options{Repair: random.OneOf(t, "all repairs", 0, quirk.All)}
		planner := invariant.ArgoPlanner{Snapshot: s, Now: t0, Options: o, Plan: argo.Reconcile}
		clean(t, &planner)
		if p, err := argo.Reconcile(s, t0, o); err == nil {
			clean(t, &invariant.ArgoPass{Snapshot: s, Now: t0, Options: o, Plan: p})
		}
		if trace, ok := invariant.RunArgo(&planner); ok {
			clean(t, &trace)
		}
	})
}
