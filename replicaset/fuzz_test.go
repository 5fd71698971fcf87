package replicaset_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// examples are a few snapshots, always the same.
func examples() (list []replicaset.Snapshot) {
	for seed := range 5 {
		list = append(list, rapid.Custom(anything).Example(seed))
	}
	return list
}

// FuzzSnapshot plans snapshots that were written by anybody.
func FuzzSnapshot(f *testing.F) {
	purity.Fuzz(f, replicaset.ErrInvalid, func(s replicaset.Snapshot) (replicaset.Plan, error) {
		if _, err := replicaset.Reconcile(s, t0, replicaset.Options{}); err != nil {
			return replicaset.Plan{}, err
		}
		return replicaset.Reconcile(s, t0, replicaset.Options{Corrected: true, Spread: true})
	}, examples()...)
}

func FuzzExplain(f *testing.F) {
	purity.Fuzz(f, replicaset.ErrInvalid, func(s replicaset.Snapshot) ([]podorder.Explanation, error) {
		return replicaset.Explain(s, t0, replicaset.Options{})
	}, examples()...)
}
