// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

// examples are a few snapshots, always the same.
func examples() (list []replicaset.Snapshot) {
	for seed := range uint64(5) {
		list = append(list, random.ReplicaSet(random.Seeded(seed), random.Anything))
	}
	return list
}

// FuzzSnapshot plans snapshots that were written by anybody.
func FuzzSnapshot(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s replicaset.Snapshot) (replicaset.Plan, error) {
		if _, err := replicaset.Reconcile(s, t0, replicaset.Options{}); err != nil {
			return replicaset.Plan{}, err
		}
		if _, err := replicaset.ReconcileFrom(s, reader{pods: s.Pods}, t0, replicaset.Options{}); err != nil {
			return replicaset.Plan{}, err
		}
		return replicaset.Reconcile(s, t0, replicaset.Options{Repair: quirk.All, Spread: true})
	}, examples()...)
}

func FuzzExplain(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s replicaset.Snapshot) ([]podorder.Explanation, error) {
		return replicaset.Explain(s, t0, replicaset.Options{})
	}, examples()...)
}

// FuzzTracker runs the machine of [TestPropertyTracker] on bytes.
func FuzzTracker(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { newMachine(t, random.Bytes(data)).Run(min(len(data)/8, 100)) })
}
