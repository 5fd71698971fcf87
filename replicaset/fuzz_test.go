// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
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
		return replicaset.Reconcile(s, t0, replicaset.Options{Repair: replicaset.RepairAll, Spread: true})
	}, examples()...)
}

func FuzzExplain(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s replicaset.Snapshot) ([]podorder.Explanation, error) {
		return replicaset.Explain(s, t0, replicaset.Options{})
	}, examples()...)
}

// FuzzParseQuirks reads lists of names: what is accepted prints as a set of them.
func FuzzParseQuirks(f *testing.F) {
	f.Add(replicaset.RepairAll.String())
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Split(text, ",")
		q, err := replicaset.ParseQuirks(names...)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		for _, name := range strings.Split(q.String(), ",") {
			require.Contains(t, names, name)
		}
	})
}

// FuzzTracker runs the machine of [TestPropertyTracker] on bytes.
func FuzzTracker(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { newMachine(t, random.Bytes(data)).Run(min(len(data)/8, 100)) })
}
