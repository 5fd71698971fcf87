// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// What cases are made of.
var now, weight, pause, betaUsers, copied = random.Now, random.SetWeight, random.Pause, random.Beta, random.Copy

// anyRollout draws a Rollout in any state.
func anyRollout(s random.Source) argo.Snapshot { return random.Argo(s, random.Kinds(s)) }

// produced are the constants that the plans of all tests have had.
var produced purity.Produced

func reconcile(s argo.Snapshot, at time.Time) (argo.Plan, error) { return repaired(s, at, 0) }

func repaired(s argo.Snapshot, at time.Time, repair quirk.Set) (argo.Plan, error) {
	p, err := argo.Reconcile(s, at, argo.Options{Repair: repair})
	produced.Note(p)
	return p, err
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Main(m, "Reason", "Phase")
}
