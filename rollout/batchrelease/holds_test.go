// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// What holds a batch back, and the finalizer that keeps its BatchRelease.
func TestHolds(t *testing.T) {
	other := func(style workload.Style, ref workload.Ref) batchrelease.Snapshot {
		s := progressing(ref)
		s.Release.ReleasePlan.RollingStyle, s.Release.ReleasePlan.RolloutID = style, "v2"
		s.Release.Status.ObservedReleasePlanHash, s.Release.Status.ObservedRolloutID = s.Release.ReleasePlan.Hash(), "v2"
		s.Release.Status.Current.BatchState = batchrelease.StateUpgrading
		s.Workload.UpdateRevision, s.Release.Status.UpdateRevision = "v3", "v3"
		s.Workload.Annotations = map[string]string{workload.AnnotationInProgress: "{}"}
		return s
	}
	unlabelled := progressing(cloneSet)
	unlabelled.Release.ReleasePlan.RolloutID = "id"
	unlabelled.Release.Status.ObservedReleasePlanHash, unlabelled.Release.Status.ObservedRolloutID = unlabelled.Release.ReleasePlan.Hash(), "id"
	unlabelled.Release.Status.Current.BatchState = batchrelease.StateVerifying
	unlabelled.Pods = []workload.Pod{{Name: "p", Ready: true, Labels: map[string]string{workload.LabelControllerRevision: "v2"}}}
	for _, c := range []struct {
		why    string
		s      batchrelease.Snapshot
		repair quirk.Set
		want   kplan.Hold
	}{
		{"another template than the one that is released", other(workload.Partition, cloneSet), quirk.OtherTemplateReleased, kplan.Hold{Name: "demo", Reason: reason.ReleaseOutdated}},
		{"the same, blue-green", other(workload.BlueGreen, cloneSet), quirk.OtherTemplateReleased, kplan.Hold{Name: "demo", Reason: reason.RollbackFirst}},
		{"2 of 10 are to carry the label", unlabelled, 0, kplan.Hold{Reason: reason.TooFewLabelled, Limit: 2}},
	} {
		p, err := planBatch(c.s, now, batchrelease.Options{Repair: c.repair})
		require.NoError(t, err)
		require.Equal(t, []kplan.Hold{c.want}, p.Holds, c.why)
	}
	s := progressing(cloneSet)
	s.Release.Finalizers = nil
	p, err := planBatch(s, now, batchrelease.Options{})
	require.NoError(t, err)
	require.Equal(t, "Added finalizer rollouts.kruise.io/batch-release-finalizer of BatchRelease web (Finalizer)", p.Actions[0].String())
}
