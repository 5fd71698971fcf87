// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The first Rollout that names the workload, is not being deleted and not disabled.
func TestAdmitMatches(t *testing.T) {
	named := func(name string, change func(r *kruise.Rollout)) kruise.Rollout {
		r := partitioned(deployment, step(rollout.Percent(100), 0))
		r.Name = name
		change(&r)
		return r
	}
	deleting := named("deleting", func(r *kruise.Rollout) { r.DeletionTimestamp = now })
	disabled := named("disabled", func(r *kruise.Rollout) { r.Status.Phase = kruise.PhaseDisabled })
	disabling := named("disabling", func(r *kruise.Rollout) { r.Status.Phase = kruise.PhaseDisabling })
	another := named("another", func(r *kruise.Rollout) { r.WorkloadRef.Name = "x" })
	kind := named("kind", func(r *kruise.Rollout) { r.WorkloadRef.Kind = "StatefulSet" })
	group := named("group", func(r *kruise.Rollout) { r.WorkloadRef.APIVersion = "x/v1" })
	version := named("version", func(r *kruise.Rollout) { r.WorkloadRef.APIVersion = "apps/v1beta2" })
	empty := named("empty", func(r *kruise.Rollout) { r.Canary = nil })
	for _, c := range []struct {
		why      string
		rollouts []kruise.Rollout
		want     string
		reason   kplan.Reason
	}{
		{"none", nil, "", reason.NoRollout},
		{"deleting or disabled", []kruise.Rollout{deleting, disabled}, "", reason.NoRollout},
		{"another workload", []kruise.Rollout{another, kind, group}, "", reason.NoRollout},
		{"still finalising", []kruise.Rollout{deleting, disabling}, "disabling", reason.ReleaseBegins},
		{"whatever the version", []kruise.Rollout{another, version}, "version", reason.ReleaseBegins},
		{"the first", []kruise.Rollout{version, disabling}, "version", reason.ReleaseBegins},
		{"an empty strategy", []kruise.Rollout{empty, version}, "", reason.NoStrategy},
	} {
		a := admit(t, deployment, c.rollouts, nil)
		require.Equal(t, c.reason, a.Reason, c.why)
		require.Equal(t, c.want != "", a.Changed, c.why)
		if c.want != "" {
			require.Equal(t, `{"rolloutName":"`+c.want+`"}`, a.Object.Annotations[workload.AnnotationInProgress], c.why)
		}
	}
}

// admit admits an update from v1 to v2 of a workload of 6 pods, which may be changed
// before.
func admit(t *testing.T, ref workload.Ref, rollouts []kruise.Rollout, change func(s *kruise.AdmitSnapshot)) kruise.Admission {
	t.Helper()
	old := workload.Workload{
		Ref: ref, UID: "u", Replicas: ptr.To(int32(6)), Template: template("v1"), StrategyType: "RollingUpdate",
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(1)}, Status: workload.Status{Replicas: 6, UpdatedReplicas: 6},
	}
	s := kruise.AdmitSnapshot{Old: old, New: old, Rollouts: rollouts, Sets: []workload.Set{{Name: "a", Template: template("v1"), Replicas: 6, Revision: "1"}}}
	s.New.Template, s.New.UID = template("v2"), ""
	if change != nil {
		change(&s)
	}
	a, err := planAdmission(s, kruise.Options{})
	require.NoError(t, err)
	return a
}

// What is a release.
func TestEffectiveChange(t *testing.T) {
	id := func(text string) map[string]string { return map[string]string{workload.LabelRolloutID: text} }
	for _, c := range []struct {
		why       string
		old, new  map[string]string
		templates [2]string
		want      bool
		reason    kplan.Reason
	}{
		{"the same id, another template", id("1"), id("1"), [2]string{"v1", "v2"}, false, reason.SameRolloutID},
		{"another id, the same template", id("1"), id("2"), [2]string{"v1", "v1"}, true, ""},
		{"a new id, the same template", nil, id("2"), [2]string{"v1", "v1"}, true, ""},
		{"no id, the same template", nil, nil, [2]string{"v1", "v1"}, false, reason.TemplateUnchanged},
		{"the id is gone, the same template", id("1"), nil, [2]string{"v1", "v1"}, false, reason.TemplateUnchanged},
		{"no id, another template", nil, nil, [2]string{"v1", "v2"}, true, ""},
		{"the id is gone, another template", id("1"), nil, [2]string{"v1", "v2"}, true, ""},
	} {
		old := workload.Workload{Annotations: c.old, Template: template(c.templates[0]), Replicas: ptr.To(int32(1))}
		updated := workload.Workload{Annotations: c.new, Template: template(c.templates[1]), Replicas: ptr.To(int32(9))}
		got, why := kruise.EffectiveChange(old, updated, 0)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.reason, why, c.why)
	}
}

// A Deployment, before and in a rollout.
func TestAdmitDeployment(t *testing.T) {
	r := []kruise.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	led := []kruise.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	led[0].Canary.TrafficRoutings = routings(1)
	begins := admit(t, deployment, r, nil)
	require.Equal(t, []any{true, "v1", "u"}, []any{begins.Object.Paused, begins.Object.Labels[workload.LabelStableRevision], begins.Object.UID}, "the uid is taken over")
	two := func(s *kruise.AdmitSnapshot) {
		s.Sets = append(s.Sets, workload.Set{Name: "b", Template: template("v0"), Replicas: 1, Revision: "9"}, workload.Set{Name: "c", Template: template("v3"), Replicas: 1, DeletionTimestamp: now})
	}
	for _, c := range []struct {
		why      string
		rollouts []kruise.Rollout
		change   func(s *kruise.AdmitSnapshot)
		want     kplan.Reason
	}{
		{"no pods are wanted", r, func(s *kruise.AdmitSnapshot) { s.New.Replicas = ptr.To(int32(0)) }, reason.NoReplicas},
		{"unset replicas are 1", r, func(s *kruise.AdmitSnapshot) { s.New.Replicas = nil }, reason.ReleaseBegins},
		{"only the replicas change", r, func(s *kruise.AdmitSnapshot) { s.New.Template, s.New.Replicas = s.Old.Template, ptr.To(int32(9)) }, reason.TemplateUnchanged},
		{"no usable set", r, func(s *kruise.AdmitSnapshot) { s.Sets[0].Replicas = 0 }, reason.NoPods},
		{"a set on its way out", r, func(s *kruise.AdmitSnapshot) { s.Sets[0].DeletionTimestamp = now }, reason.NoPods},
		{"two versions", r, two, reason.ReleaseBegins}, {"two versions, with traffic", led, two, reason.TwoVersions}, {"one version, with traffic", led, nil, reason.ReleaseBegins},
	} {
		require.Equal(t, c.want, admit(t, deployment, c.rollouts, c.change).Reason, c.why)
	}
	for _, c := range []struct{ why, first, second, want string }{
		{"by revision", "3", "2", "v0"}, {"by age if one cannot be read", "x", "2", "v1"}, {"by age if they are equal", "2", "2", "v1"},
	} {
		a := admit(t, deployment, r, func(s *kruise.AdmitSnapshot) {
			two(s)
			s.Sets[0].Revision, s.Sets[1].Revision, s.Sets[1].CreationTimestamp = c.first, c.second, now
			s.Sets[0].CreationTimestamp = now.Add(-time.Hour)
		})
		require.Equal(t, c.want, a.Object.Labels[workload.LabelStableRevision], c.why)
	}
	names := map[string]bool{}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		a := admit(t, deployment, r, func(s *kruise.AdmitSnapshot) {
			sets := []workload.Set{{Name: "a", Revision: "3"}, {Name: "b", Revision: "x"}, {Name: "c", Revision: "1"}}
			s.Sets = nil
			for _, i := range order {
				sets[i].Template, sets[i].Replicas, sets[i].CreationTimestamp = template("v"+sets[i].Name), 1, now.Add(time.Duration(i)*time.Hour)
				s.Sets = append(s.Sets, sets[i])
			}
		})
		names[a.Object.Labels[workload.LabelStableRevision]] = true
	}
	require.Len(t, names, 1, "a is before b by age, b before c by age, and c before a by revision: the order of the list decides nothing")
	same := admit(t, deployment, r, func(s *kruise.AdmitSnapshot) {
		s.New.Annotations = map[string]string{workload.LabelRolloutID: "2"}
		s.New.Template = s.Old.Template
	})
	require.NotContains(t, same.Object.Labels, workload.LabelStableRevision, "no set has another template")
}

// A Deployment that is in a rollout, by its strategy.
func TestAdmitInProgress(t *testing.T) {
	r := []kruise.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	const ofPartition = `{"rollingStyle":"partition","rollingUpdate":{"maxUnavailable":1,"maxSurge":1},"partition":"20%"}`
	for _, c := range []struct {
		why              string
		key, value       string
		change           func(w *workload.Workload)
		paused           bool
		strategy         string
		limits, reported bool
		annotation       string
	}{
		{"partition: as it has to be", partition.AnnotationStrategy, ofPartition, func(w *workload.Workload) { w.Paused, w.StrategyType, w.RollingUpdate = true, "Recreate", nil }, true, "Recreate", false, false, ofPartition},
		{"partition: resumed", partition.AnnotationStrategy, ofPartition, func(w *workload.Workload) { w.StrategyType, w.RollingUpdate = "Recreate", nil }, true, "Recreate", false, true, ofPartition},
		{"partition: the type is RollingUpdate again, limits move to the annotation", partition.AnnotationStrategy, ofPartition, func(w *workload.Workload) { w.Paused = true }, true, "Recreate", false, true,
			`{"rollingStyle":"partition","rollingUpdate":{"maxSurge":1},"partition":"20%"}`},
		{"partition: another template holds the partition", partition.AnnotationStrategy, ofPartition, func(w *workload.Workload) {
			w.Paused, w.StrategyType, w.RollingUpdate, w.Template = true, "Recreate", nil, template("v3")
		}, true, "Recreate", false, true, `{"rollingStyle":"partition","rollingUpdate":{"maxUnavailable":1,"maxSurge":1},"paused":true,"partition":"20%"}`},
		{"blue-green: as it has to be", workload.AnnotationOriginalStrategy, "{}", func(w *workload.Workload) {}, false, "RollingUpdate", true, false, "{}"},
		{"blue-green: another template", workload.AnnotationOriginalStrategy, "{}", func(w *workload.Workload) { w.Template = template("v3") }, true, "RollingUpdate", true, true, "{}"},
		{"blue-green: the old type", workload.AnnotationOriginalStrategy, "{}", func(w *workload.Workload) { w.StrategyType = "Recreate" }, false, "RollingUpdate", true, true, "{}"},
		{"neither: paused", "x", "y", func(w *workload.Workload) {}, true, "RollingUpdate", true, true, "y"},
		{"neither: as it has to be", "x", "y", func(w *workload.Workload) { w.Paused = true }, true, "RollingUpdate", true, false, "y"},
		{"neither: the old strategy", "x", "y", func(w *workload.Workload) { w.Paused, w.StrategyType, w.RollingUpdate = true, "Recreate", nil }, true, "RollingUpdate", true, true, "y"},
	} {
		a := admit(t, deployment, r, func(s *kruise.AdmitSnapshot) {
			s.New.Template = s.Old.Template
			s.New.Annotations = map[string]string{workload.AnnotationInProgress: "x", c.key: c.value}
			c.change(&s.New)
		})
		require.Equal(t, c.reported, a.Changed, c.why)
		w := a.Object
		require.Equal(t, []any{c.paused, c.strategy, c.limits, c.annotation}, []any{w.Paused, w.StrategyType, w.RollingUpdate != nil, w.Annotations[c.key]}, c.why)
	}
}

// The other kinds.
func TestAdmitOthers(t *testing.T) {
	advanced := workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}
	none := func(s *kruise.AdmitSnapshot) { s.New.Replicas = ptr.To(int32(0)) }
	behind := func(s *kruise.AdmitSnapshot) { s.New.Status.UpdatedReplicas = 5 }
	hold := rollout.Int(workload.HoldEverything)
	for _, c := range []struct {
		why       string
		ref       workload.Ref
		led       bool
		change    func(s *kruise.AdmitSnapshot)
		want      kplan.Reason
		partition rollout.IntOrPercent
		strategy  string
	}{
		{"CloneSet", cloneSet, false, nil, reason.ReleaseBegins, rollout.Percent(100), "RollingUpdate"},
		{"CloneSet, two versions", cloneSet, false, behind, reason.ReleaseBegins, rollout.Percent(100), "RollingUpdate"},
		{"CloneSet, two versions, with traffic", cloneSet, true, behind, reason.TwoVersions, unset, "RollingUpdate"},
		{"CloneSet without pods", cloneSet, false, none, reason.NoReplicas, unset, "RollingUpdate"},
		{"DaemonSet of OpenKruise", kruiseSet, false, nil, reason.ReleaseBegins, hold, "RollingUpdate"},
		{"without limits", kruiseSet, false, func(s *kruise.AdmitSnapshot) { s.New.RollingUpdate = nil }, reason.ReleaseBegins, hold, "RollingUpdate"},
		{"native DaemonSet", daemonSet, false, nil, reason.ReleaseBegins, unset, "OnDelete"},
		{"a DaemonSet without pods is released too", daemonSet, false, none, reason.ReleaseBegins, unset, "OnDelete"},
		{"StatefulSet", statefulSet, false, nil, reason.ReleaseBegins, hold, "RollingUpdate"},
		{"StatefulSet, default type", statefulSet, false, func(s *kruise.AdmitSnapshot) { s.New.StrategyType = "" }, reason.ReleaseBegins, hold, ""},
		{"StatefulSet, OnDelete", statefulSet, false, func(s *kruise.AdmitSnapshot) { s.New.StrategyType = "OnDelete" }, reason.OtherStrategy, unset, "OnDelete"},
		{"StatefulSet without pods", statefulSet, false, none, reason.NoReplicas, unset, "RollingUpdate"},
		{"StatefulSet of OpenKruise", advanced, false, nil, reason.ReleaseBegins, hold, "RollingUpdate"},
		{"there is no branch for what is in progress: every change resets", cloneSet, false, func(s *kruise.AdmitSnapshot) {
			s.New.Annotations = map[string]string{workload.AnnotationInProgress: "x"}
			s.New.Partition = rollout.Percent(20)
		}, reason.ReleaseBegins, rollout.Percent(100), "RollingUpdate"},
	} {
		r := partitioned(c.ref, step(rollout.Percent(100), 0))
		if c.led {
			r.Canary.TrafficRoutings = routings(1)
		}
		a := admit(t, c.ref, []kruise.Rollout{r}, c.change)
		require.Equal(t, c.want, a.Reason, c.why)
		require.Equal(t, []any{c.partition, c.strategy}, []any{a.Object.Partition, a.Object.StrategyType}, c.why)
		if c.ref == daemonSet {
			require.Equal(t, "RollingUpdate", a.Object.Annotations[workload.AnnotationDaemonSetStrategy], c.why)
		}
		if a.Changed {
			require.Equal(t, "u", a.Object.UID)
		}
	}
}

// StableServicePinnedForEver where no pods are left at all: there is no stable ReplicaSet to name.
func TestAdmitInProgressWithoutPods(t *testing.T) {
	s := kruise.AdmitSnapshot{Rollouts: []kruise.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}}
	s.Old = workload.Workload{Ref: deployment, UID: "u", Replicas: ptr.To(int32(6)), Template: template("v2"), Paused: true, StrategyType: "Recreate"}
	s.Old.Annotations = map[string]string{workload.AnnotationInProgress: "x", partition.AnnotationStrategy: `{"rollingStyle":"partition"}`}
	s.Old.Labels = map[string]string{workload.LabelStableRevision: "v1"}
	s.New = s.Old
	s.New.Template = template("v3")
	a, err := planAdmission(s, kruise.Options{Repair: quirk.All})
	require.NoError(t, err)
	require.Equal(t, reason.ReleaseContinues, a.Reason)
	require.Equal(t, "v1", a.Object.Labels[workload.LabelStableRevision])
}
