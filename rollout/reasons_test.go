package rollout_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// produced are the constants that the plans of all tests have had.
var produced purity.Produced

func planRollout(s rollout.Snapshot, now time.Time, o rollout.Options) (rollout.Plan, error) {
	p, err := rollout.Reconcile(s, now, o)
	produced.Note(p)
	return p, err
}

func planAdmission(s rollout.AdmitSnapshot, o rollout.Options) (rollout.Admission, error) {
	a, err := rollout.Admit(s, o)
	produced.Note(a)
	return a, err
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Note(rollout.BatchInitial) // others may have written it, and no plan has it
	produced.Main(m, "Reason", "BatchReason", "PartitionReason", "RolloutPhase", "StepState", "FinalisingStep", "BatchPhase", "BatchState", "FinalizingPolicy", "WorkloadEvent")
}
