package rollout_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// The same for admission: what the single repairs may change, and when.
var showsInAdmission = map[rollout.Quirks]func(s rollout.AdmitSnapshot, a rollout.Admission) bool{
	rollout.ReleaseOfWhatIsThere: func(s rollout.AdmitSnapshot, a rollout.Admission) bool {
		// all pods have the template that comes, and none is stable
		return a.Reason == rollout.ReasonReleaseBegins && a.Object.Labels[rollout.LabelStableRevision] == s.New.Labels[rollout.LabelStableRevision] &&
			len(running(s)) > 0 && !slices.ContainsFunc(running(s), func(set rollout.WorkloadSet) bool { return !set.Template.Same(s.New.Template) })
	},
	rollout.RolloutIDReadDifferently: func(s rollout.AdmitSnapshot, _ rollout.Admission) bool {
		id := func(w rollout.Workload) bool {
			return w.Labels[rollout.LabelRolloutID] != "" && w.Annotations[rollout.LabelRolloutID] == ""
		}
		return id(s.Old) || id(s.New)
	},
	rollout.UnsetLimitDefaultsBoth: func(_ rollout.AdmitSnapshot, a rollout.Admission) bool {
		return lacksSurge(a.Object.Annotations[rollout.AnnotationStrategy])
	},
	rollout.DeletingPodsListed: func(s rollout.AdmitSnapshot, a rollout.Admission) bool {
		return s.New.Annotations[rollout.AnnotationDaemonSetStrategy] != "" && a.Object.Annotations[rollout.AnnotationDaemonSetStrategy] != s.New.Annotations[rollout.AnnotationDaemonSetStrategy]
	},
	rollout.StableServicePinnedForEver: func(s rollout.AdmitSnapshot, a rollout.Admission) bool {
		// another release begins, and the stable revision has no pods
		stable := a.Object.Labels[rollout.LabelStableRevision]
		return s.New.Annotations[rollout.AnnotationInProgress] != "" && len(running(s)) > 0 &&
			!slices.ContainsFunc(running(s), func(set rollout.WorkloadSet) bool { return set.Template.Hash == stable })
	},
	rollout.NextReleaseUnmarked: func(s rollout.AdmitSnapshot, _ rollout.Admission) bool {
		// the release before is still driven, but its mark is gone
		strategy, _ := rollout.ParseStrategy(s.New.Annotations[rollout.AnnotationStrategy])
		return s.New.Annotations[rollout.AnnotationInProgress] == "" && strategy.RollingStyle == rollout.StylePartition
	},
}

// running returns the ReplicaSets that may have pods.
func running(s rollout.AdmitSnapshot) (sets []rollout.WorkloadSet) {
	for _, set := range s.Sets {
		if set.DeletionTimestamp.IsZero() && set.Replicas != 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

func likelyAdmission(t *rapid.T) rollout.AdmitSnapshot {
	ref := rapid.SampledFrom([]rollout.WorkloadRef{deployment, deployment, deployment, cloneSet, daemonSet, kruiseSet}).Draw(t, "kind")
	r := partitioned(ref, likelySteps(t, true)...)
	if rapid.Bool().Draw(t, "led") {
		r.Canary.TrafficRoutings = routings(1)
	}
	version := rapid.SampledFrom([]string{"v1", "v2", "v3"})
	as := func(name string) revision.Template { return revision.Template{ID: name, Hash: name} }
	s := rollout.AdmitSnapshot{Rollouts: []rollout.Rollout{r}}
	s.Old = rollout.Workload{
		WorkloadRef: ref, UID: "w", Replicas: new(rapid.Int32Range(0, 6).Draw(t, "replicas")), Template: as(version.Draw(t, "old")),
		StrategyType: "RollingUpdate", Labels: map[string]string{}, Annotations: map[string]string{},
	}
	if rarely(t, 3, "limits") {
		s.Old.RollingUpdate = &rollout.RollingUpdate{MaxUnavailable: rollout.Int(1), MaxSurge: rapid.SampledFrom([]rollout.IntOrPercent{{}, rollout.Int(1)}).Draw(t, "surge")}
	}
	if rapid.Bool().Draw(t, "labelled") {
		s.Old.Labels[rollout.LabelStableRevision] = "v1"
	}
	if rarely(t, 3, "in progress") {
		s.Old.Annotations[rollout.AnnotationInProgress] = "x"
	}
	if rarely(t, 3, "driven") {
		s.Old.StrategyType, s.Old.Paused = "Recreate", true
		s.Old.Annotations[rollout.AnnotationStrategy] = `{"rollingStyle":"Partition","partition":"20%","rollingUpdate":{"maxUnavailable":1}}`
	}
	if rarely(t, 2, "saved") && ref == daemonSet {
		s.Old.StrategyType, s.Old.Annotations[rollout.AnnotationDaemonSetStrategy] = "OnDelete", "RollingUpdate"
	}
	s.New = s.Old
	s.New.Labels, s.New.Annotations = copied(s.Old.Labels), copied(s.Old.Annotations)
	s.New.Template = as(version.Draw(t, "new"))
	id := rapid.SampledFrom([]string{"", "", "a", "b"})
	for _, w := range []*rollout.Workload{&s.Old, &s.New} {
		if rarely(t, 3, "named") {
			w.Labels[rollout.LabelRolloutID], w.Annotations[rollout.LabelRolloutID] = id.Draw(t, "label"), id.Draw(t, "annotation")
		}
	}
	for _, name := range rapid.SampledFrom([][]string{{"v1"}, {"v2"}, {"v1", "v2"}, {"v2", "v3"}, nil}).Draw(t, "sets") {
		s.Sets = append(s.Sets, rollout.WorkloadSet{Name: "web-" + name, Template: as(name), Replicas: rapid.Int32Range(0, 3).Draw(t, "size"), Revision: name[1:]})
	}
	return s
}

func copied(m map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

func TestSingleRepairsChangeNoOtherAdmission(t *testing.T) {
	changed := rollout.Quirks(0)
	rapid.Check(t, func(t *rapid.T) {
		s := likelyAdmission(t)
		plain, err := planAdmission(s, rollout.Options{})
		require.NoError(t, err)
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			repaired, err := planAdmission(s, rollout.Options{Repair: q})
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
var showsInPreview = map[rollout.Quirks]func(in rollout.PreviewInput) bool{
	rollout.MiddleTemplatesOutOfOrder: func(in rollout.PreviewInput) bool {
		return len(slices.DeleteFunc(slices.Clone(in.Generations), func(n int32) bool { return n <= 0 })) > 2
	},
	rollout.CloneSetKeepsExtraPods: func(in rollout.PreviewInput) bool {
		return in.Rollout.WorkloadRef.Kind == "CloneSet" && in.Replicas > 100
	},
	rollout.NewPodAtPartitionZero: func(in rollout.PreviewInput) bool {
		return in.Limits != nil && in.Rollout.WorkloadRef.Kind == "Deployment" && rollout.PartitionBudget(in.Replicas, in.Limits, 0).Surge <= 0
	},
	rollout.LastPauseSkipped: func(in rollout.PreviewInput) bool {
		last := in.Rollout.Strategy().Steps[len(in.Rollout.Strategy().Steps)-1]
		return last.Replicas == rollout.Percent(100) && in.Rollout.BlueGreen == nil
	},
	rollout.MixedPartitionsNeverEnd: func(in rollout.PreviewInput) bool {
		percent := func(s rollout.Step) bool { return strings.HasSuffix(s.Replicas.String(), "%") }
		steps := in.Rollout.Strategy().Steps
		return in.Rollout.WorkloadRef.Kind == "Deployment" && slices.ContainsFunc(steps, percent) && slices.ContainsFunc(steps, func(s rollout.Step) bool { return !percent(s) })
	},
	rollout.LimitsWrapAround: func(in rollout.PreviewInput) bool {
		return in.Limits != nil && (int64(in.Limits.MaxSurge.OfUp(100)) > 1e6 || int64(in.Limits.MaxUnavailable.OfUp(100)) > 1e6)
	},
}

func TestSingleRepairsChangeNoOtherPreview(t *testing.T) {
	changed := rollout.Quirks(0)
	rapid.Check(t, func(t *rapid.T) {
		in := likelyPreview(t)
		plain, err := rollout.Preview(in, rollout.Options{})
		require.NoError(t, err)
		for q := rollout.Quirks(1); q <= rollout.RepairAll; q <<= 1 {
			repaired, err := rollout.Preview(in, rollout.Options{Repair: q})
			require.NoError(t, err)
			if left := slices.ContainsFunc(repaired.Warnings, func(w rollout.Warning) bool { return w.Quirk != 0 && q.Has(w.Quirk) }); left {
				t.Fatalf("%v is repaired, and warned of: %v", q, repaired.Warnings)
			}
			before, after := plain, repaired
			before.Warnings, after.Warnings = nil, nil
			if reflect.DeepEqual(before, after) {
				others := slices.DeleteFunc(slices.Clone(plain.Warnings), func(w rollout.Warning) bool { return w.Quirk == q })
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

func likelyPreview(t *rapid.T) rollout.PreviewInput {
	ref := rapid.SampledFrom([]rollout.WorkloadRef{deployment, deployment, cloneSet, statefulSet}).Draw(t, "kind")
	in := rollout.PreviewInput{Rollout: partitioned(ref, likelySteps(t, true)...), Replicas: rapid.SampledFrom([]int32{1, 4, 6, 10, 101, 150}).Draw(t, "replicas")}
	if rapid.Bool().Draw(t, "limits") {
		limit := rapid.SampledFrom([]rollout.IntOrPercent{rollout.Int(0), rollout.Int(1), rollout.Percent(25), rollout.Percent(2147483647)})
		in.Limits = &rollout.RollingUpdate{MaxSurge: limit.Draw(t, "surge"), MaxUnavailable: limit.Draw(t, "unavailable")}
	}
	if rarely(t, 3, "generations") {
		in.Generations = rapid.SliceOfN(rapid.Int32Range(0, 4), 1, 5).Draw(t, "generations")
	}
	return in
}
