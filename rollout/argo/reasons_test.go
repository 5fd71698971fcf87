// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// produced are the constants that the plans of all tests have had.
var produced purity.Produced

func reconcile(s argo.Snapshot, at time.Time) (argo.Plan, error) { return repaired(s, at, 0) }

func repaired(s argo.Snapshot, at time.Time, repair argo.Quirks) (argo.Plan, error) {
	p, err := argo.Reconcile(s, at, argo.Options{Repair: repair})
	produced.Note(p)
	return p, err
}

func anyLimit(t *rapid.T, label string) rollout.IntOrPercent {
	n := rapid.OneOf(rapid.Int32Range(-3, 300), rapid.Int32()).Draw(t, label)
	return []rollout.IntOrPercent{{}, rollout.Int(n), rollout.Percent(n)}[rapid.IntRange(0, 2).Draw(t, label+" kind")]
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Main(m, "Reason", "Phase")
}
