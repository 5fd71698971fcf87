package rollout_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

func FuzzReconcileBatch(f *testing.F) {
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.BatchSnapshot) (rollout.BatchPlan, error) {
		if _, err := planBatch(s, now, rollout.BatchOptions{}); err != nil {
			return rollout.BatchPlan{}, err
		}
		return planBatch(s, now, batchOptions(corrected))
	}, examples(anyBatch)...)
}
