// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/stretchr/testify/require"
)

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one. What is there has just asked for the
// first batch, and waits for it.
func TestLeastSnapshot(t *testing.T) {
	asked := func() kruise.Snapshot {
		s := begun(kruise.StateUpgrade, twoSteps())
		s, err := reconcile(t, s, kruise.Options{}).Apply(s, now)
		require.NoError(t, err)
		return s
	}
	purity.Least(t, "snapshot.go", asked, []purity.Row[kruise.Snapshot]{
		{Field: "now", Err: "now: 0001-01-01 00:00:00 +0000 UTC: must be set"},
		{Field: "Rollout.Name", Leave: func(s *kruise.Snapshot) { s.Rollout.Name = "" }, Err: `Rollout.Name: "": must be set`},
		{
			Field: "Rollout.Canary", Leave: func(s *kruise.Snapshot) { s.Rollout.Canary = nil },
			Err: "Rollout.Canary: <nil>: must be set, or BlueGreen must",
		},
		{
			Field: "Rollout.Canary.Steps", Leave: func(s *kruise.Snapshot) { s.Rollout.Canary.Steps = nil },
			Err: "Rollout.Steps: 0: must hold at least one step",
		},
		{
			Field: "Rollout.WorkloadRef", Leave: func(s *kruise.Snapshot) { s.Rollout.WorkloadRef = workload.Ref{} },
			Err: `Rollout.WorkloadRef: "/": ` + workload.KnownKinds,
		},
		{
			Field: "Rollout.Finalizers", Leave: func(s *kruise.Snapshot) { s.Rollout.Finalizers = nil },
			With: "plan: web held back", Less: "plan: Added finalizer",
		},
		{
			Field: "Rollout.Status.Phase", Leave: func(s *kruise.Snapshot) { s.Rollout.Status.Phase = "" },
			With: "Progressing", Less: "Healthy",
		},
		{
			Field: "Rollout.Status.Sub", Leave: func(s *kruise.Snapshot) { s.Rollout.Status.Sub = nil },
			With: "NotObserved", Less: "nothing to do",
		},
		{
			Field: "Rollout.Status.Conditions", Leave: func(s *kruise.Snapshot) { s.Rollout.Status.Conditions = nil },
			With: "NotObserved", Less: "nothing to do",
		},
		{Field: "Workload", Leave: func(s *kruise.Snapshot) { s.Workload = nil }, With: "NotObserved", Less: "WorkloadNotFound"},
		{
			Field: "Workload.Consistent", Leave: func(s *kruise.Snapshot) { s.Workload.Consistent = false },
			With: "NotObserved", Less: "WorkloadInconsistent",
		},
		{
			Field: "Workload.CanaryRevision", Leave: func(s *kruise.Snapshot) { s.Workload.CanaryRevision = "" },
			With: "NotObserved", Less: "Deleted batch release web",
		},
		{
			Field: "BatchRelease", Leave: func(s *kruise.Snapshot) { s.BatchRelease = nil },
			With: "NotObserved", Less: "Created batch release web",
		},
	}, func(s kruise.Snapshot, now time.Time) (string, error) {
		p, err := kruise.Reconcile(s, now, kruise.Options{})
		return fmt.Sprintf("plan: %v; %v", p, p.Status.Phase), err
	}, now)
}
