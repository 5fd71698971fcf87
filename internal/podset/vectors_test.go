// SPDX-License-Identifier: Apache-2.0

package podset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

type recordedDiff struct {
	MaxSurge, MaxUnavailable, Partition, ScaleMaxUnavailable rollout.IntOrPercent
	PartitionRollback, RevisionsEqual, Paused                bool
	Replicas                                                 int32
	Pods                                                     []struct {
		Available, SpecifiedDelete, Updated bool
		State                               string
	}
}

// tally counts the pods. It is false if one is held back by a hook of its life cycle, which
// no set here has.
func (r *recordedDiff) tally() (t tally, ok bool) {
	for _, p := range r.Pods {
		if p.State == "PreparingDelete" {
			return t, false
		}
		serves := p.Available && (p.State == "" || p.State == "Normal")
		t.total++
		t.old += number(!p.Updated)
		t.fresh += number(p.Updated)
		t.markedOld += number(p.SpecifiedDelete && !p.Updated)
		t.markedFresh += number(p.SpecifiedDelete && p.Updated)
		t.unavailable += number(!p.SpecifiedDelete && !serves)
	}
	return t, true
}

// TestRecordedDiffs: a pass of a CloneSet creates, deletes and updates as many pods as that
// of OpenKruise was seen to do.
func TestRecordedDiffs(t *testing.T) {
	compared := 0
	for _, r := range recorded.All(t, "adopters/kruise_cloneset_diffs") {
		if text := string(r.Input); strings.Contains(text, `.3%"`) || strings.Contains(text, `"noRollingUpdate":true`) {
			continue // a fraction of a percent, and a block that v1alpha1 has not: neither can be written here
		}
		var in recordedDiff
		r.Read(t, &in)
		numbers, ok := in.tally()
		if !ok {
			continue
		}
		s := Set{ScaleUnavailable: in.ScaleMaxUnavailable, Workload: workload.Workload{
			Replicas: &in.Replicas, Partition: in.Partition, Paused: in.Paused,
			RollingUpdate: &partition.RollingUpdate{MaxSurge: in.MaxSurge, MaxUnavailable: in.MaxUnavailable},
		}}
		d := s.diff(&numbers, in.PartitionRollback && !in.RevisionsEqual)
		var want struct {
			ScaleUp, ScaleUpOld, ScaleUpLimit, ScaleDown, ScaleDownOld, DeleteReadyLimit int
			Surge, SurgeOld, Update, UpdateMaxUnavailable                                int
		}
		recorded.Recording{ID: r.ID, Input: r.Output}.Read(t, &want)
		require.Equal(t, want, struct {
			ScaleUp, ScaleUpOld, ScaleUpLimit, ScaleDown, ScaleDownOld, DeleteReadyLimit int
			Surge, SurgeOld, Update, UpdateMaxUnavailable                                int
		}{d.up, d.upOld, d.upLimit, d.down, d.downOld, d.deleteReady, d.surge, d.surgeOld, d.update, d.updateUnavailable}, r.ID)
		compared++
	}
	t.Logf("%d recordings", compared)
	require.Greater(t, compared, 550)
}
