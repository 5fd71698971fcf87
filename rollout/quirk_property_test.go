package rollout_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// A single repair changes a plan only if the quirk shows in the snapshot and in the plan that
// upstream would make, which these say in words of their own. A quirk without a line
// changes no plan at all.
var showsInPass = map[rollout.Quirks]func(s rollout.Snapshot, p rollout.Plan) bool{
	rollout.RollbackLeavesPaused: interrupted,
	rollout.ReleaseOfWhatIsThere: func(s rollout.Snapshot, p rollout.Plan) bool {
		w, reason := s.Workload, conditionOf(s.Rollout.Status, rollout.ConditionProgressing).Reason
		if w == nil || s.Rollout.Status.Phase != rollout.PhaseProgressing {
			return false
		}
		if reason == rollout.ProgressInitializing { // with nothing to release
			return !w.InProgress || w.InRollback && w.PodTemplateHash == w.StableRevision
		}
		return reason == rollout.ProgressInRolling && w.InRollback && s.Rollout.WorkloadRef.Kind == "Deployment" &&
			conditionOf(p.Status, rollout.ConditionProgressing).Reason != rollout.ProgressCancelling
	},
	rollout.NextReleaseUnmarked: func(s rollout.Snapshot, p rollout.Plan) bool {
		sub := s.Rollout.Status.Sub
		return sub != nil && unmarks(p) && (sub.Revision != s.Workload.CanaryRevision || sub.FinalisingStep != "")
	},
	rollout.RolloutIDReadDifferently: func(s rollout.Snapshot, _ rollout.Plan) bool {
		w := s.Workload
		return w != nil && w.Annotations[rollout.LabelRolloutID] != "" && w.Annotations[rollout.LabelRolloutID] != w.Labels[rollout.LabelRolloutID]
	},
	rollout.CanaryServiceAssumed: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return s.Rollout.BlueGreen != nil && leadsTraffic(s.Rollout)
	},
	rollout.TrafficLeftBehind: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return s.Workload == nil && s.Rollout.Status.Phase == rollout.PhaseProgressing
	},
	rollout.DeletionFinishesRelease: func(s rollout.Snapshot, p rollout.Plan) bool {
		// the rollback does not wait for the pods
		br := s.BatchRelease
		return br != nil && conditionOf(s.Rollout.Status, rollout.ConditionProgressing).Reason == rollout.ProgressCancelling &&
			(hastens(p) || br.ReleasePlan.BatchPartition == nil && slices.ContainsFunc(p.Holds, func(h rollout.Hold) bool { return h.Reason == rollout.ReasonReleaseFinalizing }))
	},
	rollout.HTTPRouteRulesLost: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return s.Traffic.Route != nil && leadsTraffic(s.Rollout)
	},
	rollout.LastPauseSkipped: func(s rollout.Snapshot, _ rollout.Plan) bool {
		sub, steps := s.Rollout.Status.Sub, s.Rollout.Strategy().Steps
		return sub != nil && s.Rollout.BlueGreen == nil && int(sub.CurrentStepIndex) == len(steps) && steps[len(steps)-1].Replicas.String() == "100%"
	},
	rollout.StepMessagesLost: func(s rollout.Snapshot, p rollout.Plan) bool {
		sub := s.Rollout.Status.Sub
		return sub != nil && (conditionOf(p.Status, rollout.ConditionProgressing).Message != p.Status.Message || int(sub.NextStepIndex) > len(s.Rollout.Strategy().Steps) || sub.NextStepIndex < 1)
	},
	rollout.ZeroGraceIgnored: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return leadsTraffic(s.Rollout) && s.Rollout.Strategy().TrafficRoutings[0].GracePeriodSeconds == 0
	},
	rollout.DeadlineNotReported: func(s rollout.Snapshot, p rollout.Plan) bool {
		sub := s.Rollout.Status.Sub
		if sub == nil || p.Status.Sub == nil || s.Workload == nil {
			return conditionOf(s.Rollout.Status, rollout.ConditionStalled).Type != ""
		}
		limit := s.Workload.ProgressDeadlineSeconds
		waits := p.Status.Sub.CurrentStepState == rollout.StateUpgrade && len(p.Holds) > 0 && (limit == nil || *limit != rollout.InfiniteDeadline)
		analysed := sub.CurrentStepState == rollout.StateMetricsAnalysis && s.Analysis != "" && s.Analysis != rollout.AnalysisSuccessful
		return waits || analysed || conditionOf(s.Rollout.Status, rollout.ConditionStalled).Type != ""
	},
	rollout.StableServicePinnedForEver: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return leadsTraffic(s.Rollout) && s.Rollout.BlueGreen == nil
	},
}

func leadsTraffic(r rollout.Rollout) bool { return len(r.Strategy().TrafficRoutings) > 0 }

// interrupted reports whether something is left of a release that another template, a
// deletion or its own end has interrupted, and the plan may not see to it.
func interrupted(s rollout.Snapshot, p rollout.Plan) bool {
	w, sub, phase, next := s.Workload, s.Rollout.Status.Sub, s.Rollout.Status.Phase, p.Status.Phase
	reason := ""
	if phase == rollout.PhaseProgressing {
		reason = conditionOf(s.Rollout.Status, rollout.ConditionProgressing).Reason
	}
	written := sub != nil && sub.FinalisingStep != "" || p.Status.Sub != nil && p.Status.Sub.FinalisingStep != ""
	if next != phase && (next == rollout.PhaseTerminating || next == rollout.PhaseDisabling) && written {
		return true // a closing begins where another one stood
	}
	if w == nil {
		return false
	}
	stable := w.Labels[rollout.LabelStableRevision] != ""
	switch {
	case reason == rollout.ProgressInRolling && sub != nil: // it goes on
		strategy, _ := rollout.ParseStrategy(w.Annotations[rollout.AnnotationStrategy])
		return sub.FinalisingStep != "" || sub.StableRevision == "" || strategy.Paused
	case phase != rollout.PhaseTerminating && phase != rollout.PhaseDisabling && reason != rollout.ProgressFinalising && reason != rollout.ProgressCancelling:
		return false // nothing is closed
	case !w.Consistent:
		return true
	case sub == nil:
		return w.InProgress || stable || s.Traffic.Stable != nil && len(s.Traffic.Stable.Selector) > 0
	}
	return s.BatchRelease == nil && stable && reason != rollout.ProgressFinalising
}

// unmarks reports whether a plan takes the mark of a release from the workload.
func unmarks(p rollout.Plan) bool {
	return slices.ContainsFunc(p.Actions, func(a rollout.Action) bool {
		patch, ok := a.(rollout.PatchWorkload)
		if !ok {
			return false
		}
		value, set := patch.Patch.Annotations[rollout.AnnotationInProgress]
		return set && value == nil
	})
}

// hastens reports whether a plan gives the workload back at once.
func hastens(p rollout.Plan) bool {
	return slices.ContainsFunc(p.Actions, func(a rollout.Action) bool {
		patch, ok := a.(rollout.PatchBatchRelease)
		return ok && patch.Finalize == rollout.Immediate
	})
}

var showsInBatch = map[rollout.Quirks]func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool{
	rollout.UnsetLimitDefaultsBoth: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		return slices.ContainsFunc(written(p.Actions, rollout.ReasonInitialize), func(w rollout.WorkloadPatch) bool {
			return w.Annotations[rollout.AnnotationStrategy] != nil && lacksSurge(*w.Annotations[rollout.AnnotationStrategy])
		})
	},
	rollout.MixedPartitionsNeverEnd: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "Deployment") && s.Workload.Annotations[rollout.AnnotationStrategy] != ""
	},
	rollout.RollbackLeavesPaused: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "") && s.Workload.Paused && s.Release.ReleasePlan.BatchPartition == nil
	},
	rollout.CloneSetKeepsExtraPods: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "CloneSet") && shared(s)
	},
	rollout.FailureThresholdMisread: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		t := s.Release.ReleasePlan.FailureThreshold
		return is(s, "") && (t.IsZero() && s.Release.ReleasePlan.RollingStyle != rollout.BlueGreen && !unavailable(s.Workload).IsZero() || strings.HasSuffix(t.String(), "%"))
	},
	rollout.RecreateNotRestored: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "Deployment") && s.Workload.StrategyType == "Recreate"
	},
	rollout.DeletionFinishesRelease: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		// the rest is released, or nobody lets a DaemonSet go on
		plan := s.Release.ReleasePlan
		return plan.BatchPartition == nil && plan.FinalizingPolicy != rollout.WaitResume && s.Workload != nil &&
			s.Workload.UpdateRevision != s.Release.Status.StableRevision && len(written(p.Actions, rollout.BatchReasonGiveBack)) > 0
	},
	rollout.CanaryLabelsNotAwaited: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		large := p.Context != nil && s.Canary != nil && s.Canary.Replicas != nil && *s.Canary.Replicas > p.Context.Desired
		return is(s, "Deployment") && p.Context != nil && (p.Context.Planned == 0 && p.Context.Desired > 0 || large) // no label is waited for
	},
	rollout.HashSuffixMatches: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		within := func(revision, hash string) bool {
			before, ends := strings.CutSuffix(revision, hash)
			return ends && hash != "" && before != "" && !strings.HasSuffix(before, "-")
		}
		return is(s, "") && slices.ContainsFunc(s.Pods, func(pod rollout.Pod) bool {
			hash := pod.Labels[rollout.LabelPodTemplateHash]
			return within(s.Workload.UpdateRevision, hash) || within(p.Status.UpdateRevision, hash)
		})
	},
	rollout.OrdinalsLabelledByList: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "StatefulSet") && !s.Workload.Unordered
	},
	rollout.OtherTemplateReleased: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		w, plan := s.Workload, s.Release.ReleasePlan
		if w == nil {
			return false
		}
		named := w.Labels[rollout.LabelRolloutID]
		other := plan.RolloutID != "" && (named != "" && named != plan.RolloutID || named == "" && !strings.HasSuffix(plan.RolloutID, w.UpdateRevision))
		stopped := plan.RollingStyle == rollout.BlueGreen && (w.Paused || !w.Partition.IsZero())
		return other || stopped || w.Kind == "DaemonSet" && !strings.Contains(w.Annotations[rollout.AnnotationDaemonSetControl], `"`+w.UpdateRevision+`"`)
	},
	rollout.TakenBackTemplateUnlabelled: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		return is(s, "") && s.Workload.Status.Replicas == s.Workload.Status.UpdatedReplicas
	},
	rollout.NextReleaseUnmarked: func(s rollout.BatchSnapshot, p rollout.BatchPlan) bool {
		// what is marked for the next release is let go or waited for, or the stable revision stays known
		plan, gives := s.Release.ReleasePlan, len(written(p.Actions, rollout.BatchReasonGiveBack)) > 0 || p.Failure != ""
		if s.Workload == nil || !gives {
			return false
		}
		marked := s.Workload.Annotations[rollout.AnnotationInProgress] != "" && plan.FinalizingPolicy == rollout.WaitResume
		return marked || plan.EnableExtraWorkloadForCanary && plan.BatchPartition == nil || plan.RollingStyle == rollout.Canary && plan.BatchPartition == nil
	},
	rollout.CanaryCreatedTwice: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool { return is(s, "Deployment") && s.Canary == nil },
	rollout.LastStepNotAwaited: func(s rollout.BatchSnapshot, _ rollout.BatchPlan) bool {
		w := s.Workload
		return is(s, "Deployment") && (w.Status.UpdatedReplicas < max(w.Status.Replicas, *w.Replicas) || w.Status.ObservedGeneration < w.Generation)
	},
}

// written returns the patches of the workload for a reason.
func written(actions rollout.BatchActions, reason rollout.BatchReason) (patches []rollout.WorkloadPatch) {
	for _, a := range actions {
		if p, ok := a.(rollout.BatchPatchWorkload); ok && p.Reason == reason {
			patches = append(patches, p.Patch)
		}
	}
	return patches
}

// lacksSurge reports whether limits are written down without a surge.
func lacksSurge(strategy string) bool {
	s, err := rollout.ParseStrategy(strategy)
	return err == nil && s.RollingUpdate != nil && s.RollingUpdate.MaxSurge.IsZero()
}

// unavailable returns how many pods a workload may have unavailable, if it says so.
func unavailable(w *rollout.Workload) rollout.IntOrPercent {
	if w.RollingUpdate != nil {
		return w.RollingUpdate.MaxUnavailable
	}
	if s, err := rollout.ParseStrategy(w.Annotations[rollout.AnnotationStrategy]); err == nil && s.RollingUpdate != nil {
		return s.RollingUpdate.MaxUnavailable
	}
	return rollout.Percent(25)
}

func is(s rollout.BatchSnapshot, kind string) bool {
	return s.Workload != nil && (kind == "" || s.Workload.Kind == kind)
}

// shared reports whether a batch of a release is a percentage.
func shared(s rollout.BatchSnapshot) bool {
	return slices.ContainsFunc(s.Release.ReleasePlan.Batches, func(b rollout.Batch) bool { return strings.HasSuffix(b.CanaryReplicas.String(), "%") })
}

// Where a quirk does not show, its repair alone changes nothing.
func TestSingleRepairsChangeNothingElse(t *testing.T) {
	changed := rollout.Quirks(0)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(anyRollout), rapid.Custom(likelyRollout), rapid.Custom(likelyRollout)).Draw(t, "snapshot")
		plain := mustReconcile(t, s, rollout.Options{})
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			if repaired := mustReconcile(t, s, rollout.Options{Repair: q}); !reflect.DeepEqual(plain, repaired) {
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
	changed := rollout.Quirks(0)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(anyInterruptedBatch), rapid.Custom(likelyBatch), rapid.Custom(likelyBatch)).Draw(t, "snapshot")
		plain, err := planBatch(s, now, rollout.BatchOptions{})
		require.NoError(t, err)
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			repaired, err := planBatch(s, now, rollout.BatchOptions{Repair: q})
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

// anyInterruptedBatch generates batches, in which another template may have come.
func anyInterruptedBatch(t *rapid.T) rollout.BatchSnapshot {
	s := rollout.BatchSnapshot{Release: anyRelease(t), StableSet: "web-1"}
	plan := &s.Release.ReleasePlan
	plan.FinalizingPolicy = rapid.SampledFrom([]rollout.FinalizingPolicy{"", rollout.Immediate, rollout.WaitResume}).Draw(t, "policy")
	plan.FailureThreshold = rapid.SampledFrom([]rollout.IntOrPercent{{}, {}, rollout.Int(1), rollout.Percent(30)}).Draw(t, "threshold")
	if rapid.IntRange(0, 5).Draw(t, "gone") > 0 {
		w := anyWorkload(t, s.Release)
		if rapid.IntRange(0, 3).Draw(t, "marked") == 0 {
			w.Annotations[rollout.AnnotationInProgress] = "x"
		}
		if rapid.Bool().Draw(t, "labelled") {
			w.Labels = map[string]string{rollout.LabelStableRevision: "v1", rollout.LabelRolloutID: rapid.SampledFrom([]string{"", "id", "other"}).Draw(t, "id")}
		}
		w.Status.UpdatedReplicas = rapid.Int32Range(0, 6).Draw(t, "updated")
		w.Status.UpdatedReadyReplicas = rapid.Int32Range(0, w.Status.UpdatedReplicas).Draw(t, "updated and ready")
		s.Workload = w
	}
	if rapid.Bool().Draw(t, "canary") {
		s.Canary = &rollout.Workload{WorkloadRef: deployment}
	}
	for _, name := range []string{"demo-0", "demo-1", "demo-2"} {
		hash := rapid.SampledFrom([]string{"", "v1", "v2"}).Draw(t, "pod")
		s.Pods = append(s.Pods, rollout.Pod{Name: name, Labels: map[string]string{rollout.LabelPodTemplateHash: hash}})
	}
	return s
}

// reportUnchanged logs which quirks no plan of a run has shown.
func reportUnchanged[F any](t *testing.T, changed rollout.Quirks, shows map[rollout.Quirks]F) {
	t.Helper()
	require.NotZero(t, changed)
	for q := range shows {
		if !changed.Has(q) {
			t.Logf("no plan was changed by %v", q)
		}
	}
}
