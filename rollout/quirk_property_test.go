package rollout_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// A single repair changes the plan of a snapshot only if the quirk can show there, which
// these say in words of their own. A quirk without a line changes no plan at all.
//
// None can be stated in a line for RollbackLeavesPaused, ReleaseOfWhatIsThere and
// NextReleaseUnmarked of the rollout pass and OtherTemplateReleased of the batch pass,
// which depend on what was there before: these only say that it is closed, or released.
var showsInPass = map[rollout.Quirks]func(s rollout.Snapshot, p rollout.Plan) bool{
	rollout.RollbackLeavesPaused: func(rollout.Snapshot, rollout.Plan) bool { return true },
	rollout.ReleaseOfWhatIsThere: func(s rollout.Snapshot, _ rollout.Plan) bool { return s.Workload != nil },
	rollout.NextReleaseUnmarked:  func(s rollout.Snapshot, _ rollout.Plan) bool { return s.Workload != nil && s.Workload.InProgress },
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
	rollout.DeletionFinishesRelease: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return s.Workload != nil && (!s.Rollout.DeletionTimestamp.IsZero() || s.Rollout.Disabled || s.Workload.InRollback ||
			conditionOf(s.Rollout.Status, rollout.ConditionProgressing).Reason != rollout.ProgressInRolling)
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
	rollout.DeadlineNotReported: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return s.Rollout.Status.Sub != nil && (s.Analysis != "" || s.Workload != nil)
	},
	rollout.StableServicePinnedForEver: func(s rollout.Snapshot, _ rollout.Plan) bool {
		return leadsTraffic(s.Rollout) && s.Rollout.BlueGreen == nil
	},
}

func leadsTraffic(r rollout.Rollout) bool { return len(r.Strategy().TrafficRoutings) > 0 }

var showsInBatch = map[rollout.Quirks]func(s rollout.BatchSnapshot) bool{
	rollout.UnsetLimitDefaultsBoth: func(s rollout.BatchSnapshot) bool { return is(s, "Deployment") },
	rollout.MixedPartitionsNeverEnd: func(s rollout.BatchSnapshot) bool {
		return is(s, "Deployment") && s.Workload.Annotations[rollout.AnnotationStrategy] != ""
	},
	rollout.RollbackLeavesPaused: func(s rollout.BatchSnapshot) bool {
		return is(s, "") && s.Workload.Paused && s.Release.ReleasePlan.BatchPartition == nil
	},
	rollout.CloneSetKeepsExtraPods: func(s rollout.BatchSnapshot) bool {
		return is(s, "CloneSet") && shared(s)
	},
	rollout.FailureThresholdMisread: func(s rollout.BatchSnapshot) bool {
		return is(s, "") && s.Release.ReleasePlan.RollingStyle != rollout.BlueGreen
	},
	rollout.RecreateNotRestored: func(s rollout.BatchSnapshot) bool { return is(s, "Deployment") },
	rollout.DeletionFinishesRelease: func(s rollout.BatchSnapshot) bool {
		return is(s, "") && s.Release.ReleasePlan.RollingStyle != rollout.BlueGreen
	},
	rollout.CanaryLabelsNotAwaited: func(s rollout.BatchSnapshot) bool { return is(s, "Deployment") && s.Canary != nil },
	rollout.OrdinalsLabelledByList: func(s rollout.BatchSnapshot) bool { return is(s, "StatefulSet") && !s.Workload.Unordered },
	rollout.OtherTemplateReleased:  func(s rollout.BatchSnapshot) bool { return is(s, "") },
	rollout.TakenBackTemplateUnlabelled: func(s rollout.BatchSnapshot) bool {
		return is(s, "") && s.Workload.Status.Replicas == s.Workload.Status.UpdatedReplicas
	},
	rollout.NextReleaseUnmarked: func(s rollout.BatchSnapshot) bool {
		return is(s, "") && s.Workload.Annotations[rollout.AnnotationInProgress] != ""
	},
	rollout.CanaryCreatedTwice: func(s rollout.BatchSnapshot) bool { return is(s, "Deployment") && s.Canary == nil },
	rollout.LastStepNotAwaited: func(s rollout.BatchSnapshot) bool {
		w := s.Workload
		return is(s, "Deployment") && (w.Status.UpdatedReplicas < max(w.Status.Replicas, *w.Replicas) || w.Status.ObservedGeneration < w.Generation)
	},
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
	rapid.Check(t, func(t *rapid.T) {
		s := anyRollout(t)
		s.Analysis = rapid.SampledFrom([]rollout.AnalysisPhase{"", rollout.AnalysisRunning}).Draw(t, "analysis")
		plain := mustReconcile(t, s, rollout.Options{})
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			if repaired := mustReconcile(t, s, rollout.Options{Repair: q}); !reflect.DeepEqual(plain, repaired) {
				if shows := showsInPass[q]; shows == nil || !shows(s, plain) {
					t.Fatalf("%v changes a plan without the quirk:\n%v\n%v", q, plain, repaired)
				}
			}
		}
	})
}

func TestSingleRepairsChangeNoOtherBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rollout.BatchSnapshot{Release: anyRelease(t), StableSet: "web-1"}
		if rapid.IntRange(0, 5).Draw(t, "gone") > 0 {
			s.Workload = anyWorkload(t, s.Release)
		}
		if rapid.Bool().Draw(t, "canary") {
			s.Canary = &rollout.Workload{WorkloadRef: deployment}
		}
		for _, name := range []string{"demo-0", "demo-1", "demo-2"} {
			hash := rapid.SampledFrom([]string{"", "v1", "v2"}).Draw(t, "pod")
			s.Pods = append(s.Pods, rollout.Pod{Name: name, Labels: map[string]string{rollout.LabelPodTemplateHash: hash}})
		}
		plain, err := planBatch(s, now, rollout.Options{})
		require.NoError(t, err)
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			repaired, err := planBatch(s, now, rollout.Options{Repair: q})
			require.NoError(t, err)
			if shows := showsInBatch[q]; !reflect.DeepEqual(plain, repaired) && (shows == nil || !shows(s)) {
				t.Fatalf("%v changes a batch without the quirk:\n%v\n%v", q, plain, repaired)
			}
		}
	})
}
