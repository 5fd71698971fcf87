// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	batchreleasereason "github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	kruisereason "github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A single repair changes a plan only if the quirk shows in the snapshot and in the plan that
// upstream would make, which these say in words of their own. A quirk without a line
// changes no plan at all.
var showsInPass = map[quirk.Set]func(s kruise.Snapshot, p kruise.Plan) bool{
	quirk.RollbackLeavesPaused: interrupted,
	quirk.ReleaseOfWhatIsThere: func(s kruise.Snapshot, p kruise.Plan) bool {
		w, why := s.Workload, conditionOf(s.Rollout.Status, workload.ConditionProgressing).Reason
		if w == nil || s.Rollout.Status.Phase != kruise.PhaseProgressing {
			return false
		}
		if why == kruise.ProgressInitializing { // with nothing to release
			return !w.InProgress || w.InRollback && w.PodTemplateHash == w.StableRevision
		}
		return why == kruise.ProgressInRolling && w.InRollback && s.Rollout.WorkloadRef.Kind == "Deployment" &&
			conditionOf(p.Status, workload.ConditionProgressing).Reason != kruise.ProgressCancelling
	},
	quirk.NextReleaseUnmarked: func(s kruise.Snapshot, p kruise.Plan) bool {
		sub := s.Rollout.Status.Sub
		return sub != nil && unmarks(p) && (sub.Revision != s.Workload.CanaryRevision || sub.FinalisingStep != "")
	},
	quirk.RolloutIDReadDifferently: func(s kruise.Snapshot, _ kruise.Plan) bool {
		w := s.Workload
		return w != nil && w.Annotations[workload.LabelRolloutID] != "" && w.Annotations[workload.LabelRolloutID] != w.Labels[workload.LabelRolloutID]
	},
	quirk.CanaryServiceAssumed: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return s.Rollout.BlueGreen != nil && leadsTraffic(s.Rollout)
	},
	quirk.EndingReleaseCounts: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return s.BatchRelease == nil || !s.BatchRelease.DeletionTimestamp.IsZero()
	},
	quirk.TrafficLeftBehind: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return s.Workload == nil && s.Rollout.Status.Phase == kruise.PhaseProgressing
	},
	quirk.DeletionFinishesRelease: func(s kruise.Snapshot, p kruise.Plan) bool {
		// the rollback does not wait for the pods
		br := s.BatchRelease
		return br != nil && conditionOf(s.Rollout.Status, workload.ConditionProgressing).Reason == kruise.ProgressCancelling &&
			(hastens(p) || br.ReleasePlan.BatchPartition == nil && slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == kruisereason.ReleaseFinalizing }))
	},
	quirk.HTTPRouteRulesLost: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return s.Traffic.Route != nil && leadsTraffic(s.Rollout)
	},
	quirk.LastPauseSkipped: func(s kruise.Snapshot, _ kruise.Plan) bool {
		sub, steps := s.Rollout.Status.Sub, s.Rollout.Strategy().Steps
		return sub != nil && s.Rollout.BlueGreen == nil && int(sub.CurrentStepIndex) == len(steps) && steps[len(steps)-1].Replicas.String() == "100%"
	},
	quirk.StepMessagesLost: func(s kruise.Snapshot, p kruise.Plan) bool {
		sub := s.Rollout.Status.Sub
		return sub != nil && (conditionOf(p.Status, workload.ConditionProgressing).Message != p.Status.Message || int(sub.NextStepIndex) > len(s.Rollout.Strategy().Steps) || sub.NextStepIndex < 1)
	},
	quirk.ZeroGraceIgnored: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return leadsTraffic(s.Rollout) && s.Rollout.Strategy().TrafficRoutings[0].GracePeriodSeconds == 0
	},
	quirk.DeadlineNotReported: func(s kruise.Snapshot, p kruise.Plan) bool {
		sub := s.Rollout.Status.Sub
		if sub == nil || p.Status.Sub == nil || s.Workload == nil {
			return conditionOf(s.Rollout.Status, workload.ConditionStalled).Type != ""
		}
		limit := s.Workload.ProgressDeadlineSeconds
		waits := p.Status.Sub.CurrentStepState == kruise.StateUpgrade && len(p.Holds) > 0 && (limit == nil || *limit != workload.InfiniteDeadline)
		analysed := sub.CurrentStepState == kruise.StateMetricsAnalysis && s.Analysis != "" && s.Analysis != kruise.AnalysisSuccessful
		return waits || analysed || conditionOf(s.Rollout.Status, workload.ConditionStalled).Type != ""
	},
	quirk.StableServicePinnedForEver: func(s kruise.Snapshot, _ kruise.Plan) bool {
		return leadsTraffic(s.Rollout) && s.Rollout.BlueGreen == nil
	},
}

func leadsTraffic(r kruise.Rollout) bool { return len(r.Strategy().TrafficRoutings) > 0 }

// interrupted reports whether something is left of a release that another template, a
// deletion or its own end has interrupted, and the plan may not see to it.
func interrupted(s kruise.Snapshot, p kruise.Plan) bool {
	w, sub, phase, next := s.Workload, s.Rollout.Status.Sub, s.Rollout.Status.Phase, p.Status.Phase
	why := ""
	if phase == kruise.PhaseProgressing {
		why = conditionOf(s.Rollout.Status, workload.ConditionProgressing).Reason
	}
	written := sub != nil && sub.FinalisingStep != "" || p.Status.Sub != nil && p.Status.Sub.FinalisingStep != ""
	if next != phase && (next == kruise.PhaseTerminating || next == kruise.PhaseDisabling) && written {
		return true // a closing begins where another one stood
	}
	if w == nil {
		return false
	}
	stable := w.Labels[workload.LabelStableRevision] != ""
	switch {
	case why == kruise.ProgressInRolling && sub != nil: // it goes on
		strategy, _ := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy])
		return sub.FinalisingStep != "" || sub.StableRevision == "" || strategy.Paused
	case phase != kruise.PhaseTerminating && phase != kruise.PhaseDisabling && why != kruise.ProgressFinalising && why != kruise.ProgressCancelling:
		return false // nothing is closed
	case !w.Consistent:
		return true
	case sub == nil:
		return w.InProgress || stable || s.Traffic.Stable != nil && len(s.Traffic.Stable.Selector) > 0 || s.BatchRelease != nil
	}
	return s.BatchRelease == nil && stable && why != kruise.ProgressFinalising
}

// unmarks reports whether a plan takes the mark of a release from the workload.
func unmarks(p kruise.Plan) bool {
	return slices.ContainsFunc(p.Actions, func(a kruise.Action) bool {
		patch, ok := a.(kruise.PatchWorkload)
		if !ok {
			return false
		}
		value, set := patch.Patch.Annotations[workload.AnnotationInProgress]
		return set && value == nil
	})
}

// hastens reports whether a plan gives the workload back at once.
func hastens(p kruise.Plan) bool {
	return slices.ContainsFunc(p.Actions, func(a kruise.Action) bool {
		patch, ok := a.(kruise.PatchBatchRelease)
		return ok && patch.Finalize == batchrelease.Immediate
	})
}

var showsInBatch = map[quirk.Set]func(s batchrelease.Snapshot, p batchrelease.Plan) bool{
	quirk.UnsetLimitDefaultsBoth: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		return slices.ContainsFunc(written(p.Actions, batchreleasereason.Initialize), func(w workload.Patch) bool {
			return w.Annotations[partition.AnnotationStrategy] != nil && lacksSurge(*w.Annotations[partition.AnnotationStrategy])
		})
	},
	quirk.MixedPartitionsNeverEnd: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		return is(s, "Deployment") && s.Workload.Annotations[partition.AnnotationStrategy] != ""
	},
	quirk.RollbackLeavesPaused: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		return is(s, "") && s.Workload.Paused && s.Release.ReleasePlan.BatchPartition == nil
	},
	quirk.CloneSetKeepsExtraPods: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		return is(s, "CloneSet") && shared(s)
	},
	quirk.FailureThresholdMisread: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		t := s.Release.ReleasePlan.FailureThreshold
		return is(s, "") && (t.IsZero() && s.Release.ReleasePlan.RollingStyle != workload.BlueGreen && !unavailable(s.Workload).IsZero() || strings.HasSuffix(t.String(), "%"))
	},
	quirk.RecreateNotRestored: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		return is(s, "Deployment") && s.Workload.StrategyType == "Recreate"
	},
	quirk.DeletionFinishesRelease: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		// the rest is released, or nobody lets a DaemonSet go on
		plan := s.Release.ReleasePlan
		return plan.BatchPartition == nil && plan.FinalizingPolicy != batchrelease.WaitResume && s.Workload != nil &&
			s.Workload.UpdateRevision != s.Release.Status.StableRevision && len(written(p.Actions, batchreleasereason.GiveBack)) > 0
	},
	quirk.CanaryLabelsNotAwaited: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		large := p.Context != nil && s.Canary != nil && s.Canary.Replicas != nil && *s.Canary.Replicas > p.Context.Desired
		return is(s, "Deployment") && p.Context != nil && (p.Context.Planned == 0 && p.Context.Desired > 0 || large) // no label is waited for
	},
	quirk.HashSuffixMatches: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		within := func(revision, hash string) bool {
			before, ends := strings.CutSuffix(revision, hash)
			return ends && hash != "" && before != "" && !strings.HasSuffix(before, "-")
		}
		return is(s, "") && slices.ContainsFunc(s.Pods, func(pod workload.Pod) bool {
			hash := pod.Labels[workload.LabelPodTemplateHash]
			return within(s.Workload.UpdateRevision, hash) || within(p.Status.UpdateRevision, hash)
		})
	},
	quirk.OrdinalsLabelledByList: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		return is(s, "StatefulSet") && !s.Workload.Unordered
	},
	quirk.OtherTemplateReleased: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		w, plan := s.Workload, s.Release.ReleasePlan
		if w == nil {
			return false
		}
		named := w.Labels[workload.LabelRolloutID]
		other := plan.RolloutID != "" && (named != "" && named != plan.RolloutID || named == "" && !strings.HasSuffix(plan.RolloutID, w.UpdateRevision))
		stopped := plan.RollingStyle == workload.BlueGreen && (w.Paused || !w.Partition.IsZero())
		return other || stopped || w.Kind == "DaemonSet" && !strings.Contains(w.Annotations[workload.AnnotationDaemonSetControl], `"`+w.UpdateRevision+`"`)
	},
	quirk.TakenBackTemplateUnlabelled: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		status := s.Workload.Status
		return is(s, "") && (status.Replicas == status.UpdatedReplicas || batchrelease.EventOf(s) == batchrelease.EventRollbackInBatch)
	},
	quirk.NextReleaseUnmarked: func(s batchrelease.Snapshot, p batchrelease.Plan) bool {
		// what is marked for the next release is let go or waited for, or the stable revision stays known
		plan, gives := s.Release.ReleasePlan, len(written(p.Actions, batchreleasereason.GiveBack)) > 0 || p.Failure != ""
		if s.Workload == nil || !gives {
			return false
		}
		marked := s.Workload.Annotations[workload.AnnotationInProgress] != "" && plan.FinalizingPolicy == batchrelease.WaitResume
		return marked || plan.EnableExtraWorkloadForCanary && plan.BatchPartition == nil || plan.RollingStyle == workload.Canary && plan.BatchPartition == nil
	},
	quirk.CanaryCreatedTwice: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool { return is(s, "Deployment") && s.Canary == nil },
	quirk.LastStepNotAwaited: func(s batchrelease.Snapshot, _ batchrelease.Plan) bool {
		w := s.Workload
		return is(s, "Deployment") && (w.Status.UpdatedReplicas < max(w.Status.Replicas, *w.Replicas) || w.Status.ObservedGeneration < w.Generation)
	},
}

// written returns the patches of the workload for a reason.
func written(actions batchrelease.Actions, why kplan.Reason) (patches []workload.Patch) {
	for _, a := range actions {
		if p, ok := a.(batchrelease.PatchWorkload); ok && p.Reason == why {
			patches = append(patches, p.Patch)
		}
	}
	return patches
}

// lacksSurge reports whether limits are written down without a surge.
func lacksSurge(strategy string) bool {
	s, err := partition.ParseStrategy(strategy)
	return err == nil && s.RollingUpdate != nil && s.RollingUpdate.MaxSurge.IsZero()
}

// unavailable returns how many pods a workload may have unavailable, if it says so.
func unavailable(w *workload.Workload) rollout.IntOrPercent {
	if w.RollingUpdate != nil {
		return w.RollingUpdate.MaxUnavailable
	}
	if s, err := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy]); err == nil && s.RollingUpdate != nil {
		return s.RollingUpdate.MaxUnavailable
	}
	return rollout.Percent(25)
}

func is(s batchrelease.Snapshot, kind string) bool {
	return s.Workload != nil && (kind == "" || s.Workload.Kind == kind)
}

// shared reports whether a batch of a release is a percentage.
func shared(s batchrelease.Snapshot) bool {
	return slices.ContainsFunc(s.Release.ReleasePlan.Batches, func(b batchrelease.Batch) bool { return strings.HasSuffix(b.CanaryReplicas.String(), "%") })
}

// Where a quirk does not show, its repair alone changes nothing.
func TestSingleRepairsChangeNothingElse(t *testing.T) {
	changed := quirk.Set(0)
	random.Check(t, func(t random.T) {
		s := anyRollout(t)
		plain := mustReconcile(t, s, kruise.Options{})
		for q := quirk.Set(1); q <= quirk.All; q <<= 1 {
			if repaired := mustReconcile(t, s, kruise.Options{Repair: q}); !reflect.DeepEqual(plain, repaired) {
				changed |= q
				if shows := showsInPass[q]; shows == nil || !shows(s, plain) {
					t.Fatalf("%v changes a plan without the quirk:\n%s", q, cmp.Diff(plain, repaired))
				}
			}
		}
	})
	reportUnchanged(t, changed, showsInPass)
}

func TestSingleRepairsChangeNoOtherBatch(t *testing.T) {
	changed := quirk.Set(0)
	random.Check(t, func(t random.T) {
		s := anyBatch(t)
		plain, err := planBatch(s, now, batchrelease.Options{})
		require.NoError(t, err)
		for q := quirk.Set(1); q <= quirk.All; q <<= 1 {
			repaired, err := planBatch(s, now, batchrelease.Options{Repair: q})
			require.NoError(t, err)
			if !reflect.DeepEqual(plain, repaired) {
				changed |= q
				if shows := showsInBatch[q]; shows == nil || !shows(s, plain) {
					t.Fatalf("%v changes a batch without the quirk:\n%s\nof %+v", q, cmp.Diff(plain, repaired), s.Workload)
				}
			}
		}
	})
	reportUnchanged(t, changed, showsInBatch)
}

// reportUnchanged logs which quirks no plan of a run has shown.
func reportUnchanged[F any](t *testing.T, changed quirk.Set, shows map[quirk.Set]F) {
	t.Helper()
	require.NotZero(t, changed)
	for q := range shows {
		if !changed.Has(q) {
			t.Logf("no plan was changed by %v", q)
		}
	}
}
