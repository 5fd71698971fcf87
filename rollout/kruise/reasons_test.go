// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// produced are the constants that the plans of all tests have had.
var produced purity.Produced

func planRollout(s kruise.Snapshot, now time.Time, o kruise.Options) (kruise.Plan, error) {
	p, err := kruise.Reconcile(s, now, o)
	produced.Note(p)
	return p, err
}

func planAdmission(s kruise.AdmitSnapshot, o kruise.Options) (kruise.Admission, error) {
	a, err := kruise.Admit(s, o)
	produced.Note(a)
	return a, err
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Main(m, "Reason", "Phase", "StepState", "FinalisingStep")
}
