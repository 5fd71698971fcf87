// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The same for admission: what the single repairs may change, and when.
var showsInAdmission = map[quirk.Set]func(s kruise.AdmitSnapshot, a kruise.Admission) bool{
	quirk.ReleaseOfWhatIsThere: func(s kruise.AdmitSnapshot, a kruise.Admission) bool {
		// all pods have the template that comes, and none is stable
		return a.Reason == reason.ReleaseBegins && a.Object.Labels[workload.LabelStableRevision] == s.New.Labels[workload.LabelStableRevision] &&
			len(running(s)) > 0 && !slices.ContainsFunc(running(s), func(set workload.Set) bool { return !set.Template.Same(s.New.Template) })
	},
	quirk.RolloutIDReadDifferently: func(s kruise.AdmitSnapshot, _ kruise.Admission) bool {
		id := func(w workload.Workload) bool {
			return w.Labels[workload.LabelRolloutID] != "" && w.Annotations[workload.LabelRolloutID] == ""
		}
		return id(s.Old) || id(s.New)
	},
	quirk.UnsetLimitDefaultsBoth: func(_ kruise.AdmitSnapshot, a kruise.Admission) bool {
		return lacksSurge(a.Object.Annotations[partition.AnnotationStrategy])
	},
	quirk.DeletingPodsListed: func(s kruise.AdmitSnapshot, a kruise.Admission) bool {
		return s.New.Annotations[workload.AnnotationDaemonSetStrategy] != "" && a.Object.Annotations[workload.AnnotationDaemonSetStrategy] != s.New.Annotations[workload.AnnotationDaemonSetStrategy]
	},
	quirk.StableServicePinnedForEver: func(s kruise.AdmitSnapshot, a kruise.Admission) bool {
		// another release begins, and the stable revision has no pods
		stable := a.Object.Labels[workload.LabelStableRevision]
		return s.New.Annotations[workload.AnnotationInProgress] != "" && len(running(s)) > 0 &&
			!slices.ContainsFunc(running(s), func(set workload.Set) bool { return set.Template.Hash == stable })
	},
	quirk.NextReleaseUnmarked: func(s kruise.AdmitSnapshot, _ kruise.Admission) bool {
		// the release before is still driven, but its mark is gone
		strategy, _ := partition.ParseStrategy(s.New.Annotations[partition.AnnotationStrategy])
		return s.New.Annotations[workload.AnnotationInProgress] == "" && strategy.RollingStyle == partition.Style
	},
}

// running returns the ReplicaSets that may have pods.
func running(s kruise.AdmitSnapshot) (sets []workload.Set) {
	for _, set := range s.Sets {
		if set.DeletionTimestamp.IsZero() && set.Replicas != 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

func TestSingleRepairsChangeNoOtherAdmission(t *testing.T) {
	changed := quirk.Set(0)
	random.Check(t, func(t random.T) {
		s := random.Admission(t)
		plain, err := planAdmission(s, kruise.Options{})
		require.NoError(t, err)
		for q := quirk.Set(1); q <= quirk.All; q <<= 1 {
			repaired, err := planAdmission(s, kruise.Options{Repair: q})
			require.NoError(t, err)
			if !reflect.DeepEqual(plain, repaired) {
				changed |= q
				if shows := showsInAdmission[q]; shows == nil || !shows(s, plain) {
					t.Fatalf("%v changes an admission without the quirk:\n%s", q, cmp.Diff(plain, repaired))
				}
			}
		}
	})
	reportUnchanged(t, changed, showsInAdmission)
}

// The same for Preview, and for the warnings: each that names a quirk goes with its
// repair, and no other does.
var showsInPreview = map[quirk.Set]func(in preview.Input) bool{
	quirk.MiddleTemplatesOutOfOrder: func(in preview.Input) bool {
		return len(slices.DeleteFunc(slices.Clone(in.Generations), func(n int32) bool { return n <= 0 })) > 2
	},
	quirk.CloneSetKeepsExtraPods: func(in preview.Input) bool {
		return in.Rollout.WorkloadRef.Kind == "CloneSet" && in.Replicas > 100
	},
	quirk.NewPodAtPartitionZero: func(in preview.Input) bool {
		return in.Limits != nil && in.Rollout.WorkloadRef.Kind == "Deployment" && partition.Budget(in.Replicas, in.Limits, false).Surge <= 0
	},
	quirk.LastPauseSkipped: func(in preview.Input) bool {
		last := in.Rollout.Strategy().Steps[len(in.Rollout.Strategy().Steps)-1]
		return last.Replicas == rollout.Percent(100) && in.Rollout.BlueGreen == nil
	},
	quirk.MixedPartitionsNeverEnd: func(in preview.Input) bool {
		percent := func(s kruise.Step) bool { return strings.HasSuffix(s.Replicas.String(), "%") }
		steps := in.Rollout.Strategy().Steps
		return in.Rollout.WorkloadRef.Kind == "Deployment" && slices.ContainsFunc(steps, percent) && slices.ContainsFunc(steps, func(s kruise.Step) bool { return !percent(s) })
	},
	quirk.LimitsWrapAround: func(in preview.Input) bool {
		return in.Limits != nil && (int64(in.Limits.MaxSurge.OfUp(100)) > 1e6 || int64(in.Limits.MaxUnavailable.OfUp(100)) > 1e6)
	},
}

func TestSingleRepairsChangeNoOtherPreview(t *testing.T) {
	changed := quirk.Set(0)
	random.Check(t, func(t random.T) {
		in := random.Preview(t)
		plain, err := preview.Of(in, kruise.Options{})
		require.NoError(t, err)
		for q := quirk.Set(1); q <= quirk.All; q <<= 1 {
			repaired, err := preview.Of(in, kruise.Options{Repair: q})
			require.NoError(t, err)
			if left := slices.ContainsFunc(repaired.Warnings, func(w preview.Warning) bool { return w.Quirk != 0 && q.Has(w.Quirk) }); left {
				t.Fatalf("%v is repaired, and warned of: %v", q, repaired.Warnings)
			}
			before, after := plain, repaired
			before.Warnings, after.Warnings = nil, nil
			if reflect.DeepEqual(before, after) {
				others := slices.DeleteFunc(slices.Clone(plain.Warnings), func(w preview.Warning) bool { return w.Quirk == q })
				require.ElementsMatch(t, others, repaired.Warnings, "%v", q)
				continue
			}
			changed |= q
			if shows := showsInPreview[q]; shows == nil || !shows(in) {
				t.Fatalf("%v changes a preview without the quirk:\n%s", q, cmp.Diff(before, after))
			}
		}
	})
	reportUnchanged(t, changed, showsInPreview)
}
