// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// examples are a few snapshots, always the same.
func examples() (list []daemonset.Snapshot) {
	for seed := range uint64(5) {
		list = append(list, random.DaemonSet(random.Seeded(seed), random.Anything))
	}
	return list
}

// FuzzSnapshot plans snapshots that were written by anybody.
func FuzzSnapshot(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s daemonset.Snapshot) (daemonset.Plan, error) {
		if _, err := daemonset.Reconcile(s, t0, daemonset.Options{}); err != nil {
			return daemonset.Plan{}, err
		}
		if _, err := daemonset.ReconcileFrom(s, &reader{pods: s.Pods}, t0, daemonset.Options{}); err != nil {
			return daemonset.Plan{}, err
		}
		return daemonset.Reconcile(s, t0, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All})
	}, examples()...)
}

// FuzzExplain: a node is explained if and only if the planner accepts the snapshot.
func FuzzExplain(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s daemonset.Snapshot) ([]daemonset.NodeReport, error) {
		reports, err := daemonset.Explain(s, t0, daemonset.Options{})
		_, other := daemonset.Reconcile(s, t0, daemonset.Options{})
		purity.Must((err == nil) == (other == nil), "explained: %v, planned: %v", err, other)
		return reports, err
	}, examples()...)
}
