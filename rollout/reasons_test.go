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

func planBatch(s rollout.BatchSnapshot, now time.Time, o rollout.BatchOptions) (rollout.BatchPlan, error) {
	p, err := rollout.ReconcileBatch(s, now, o)
	produced.Note(p)
	return p, err
}

// batchOptions returns the options that go with those of a Rollout.
func batchOptions(o rollout.Options) rollout.BatchOptions {
	return rollout.BatchOptions{Repair: o.Repair}
}

func planAdmission(s rollout.AdmitSnapshot, o rollout.Options) (rollout.Admission, error) {
	a, err := rollout.Admit(s, o)
	produced.Note(a)
	return a, err
}

func eventOf(s rollout.BatchSnapshot) rollout.WorkloadEvent {
	e := rollout.EventOf(s)
	produced.Note(e)
	return e
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Note(rollout.BatchInitial) // others may have written it, and no plan has it
	produced.Main(m, "Reason", "BatchReason", "PartitionReason", "RolloutPhase", "StepState", "FinalisingStep", "BatchPhase", "BatchState", "FinalizingPolicy", "WorkloadEvent")
}
