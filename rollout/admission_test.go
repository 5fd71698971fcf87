package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// The first Rollout that names the workload, is not being deleted and not disabled.
func TestAdmitMatches(t *testing.T) {
	named := func(name string, change func(r *rollout.Rollout)) rollout.Rollout {
		r := partitioned(deployment, step(rollout.Percent(100), 0))
		r.Name = name
		change(&r)
		return r
	}
	deleting := named("deleting", func(r *rollout.Rollout) { r.DeletionTimestamp = now })
	disabled := named("disabled", func(r *rollout.Rollout) { r.Status.Phase = rollout.PhaseDisabled })
	disabling := named("disabling", func(r *rollout.Rollout) { r.Status.Phase = rollout.PhaseDisabling })
	another := named("another", func(r *rollout.Rollout) { r.WorkloadRef.Name = "x" })
	kind := named("kind", func(r *rollout.Rollout) { r.WorkloadRef.Kind = "StatefulSet" })
	group := named("group", func(r *rollout.Rollout) { r.WorkloadRef.APIVersion = "x/v1" })
	version := named("version", func(r *rollout.Rollout) { r.WorkloadRef.APIVersion = "apps/v1beta2" })
	empty := named("empty", func(r *rollout.Rollout) { r.Canary = nil })
	for _, c := range []struct {
		why      string
		rollouts []rollout.Rollout
		want     string
		reason   rollout.Reason
	}{
		{"none", nil, "", rollout.ReasonNoRollout},
		{"deleting or disabled", []rollout.Rollout{deleting, disabled}, "", rollout.ReasonNoRollout},
		{"another workload", []rollout.Rollout{another, kind, group}, "", rollout.ReasonNoRollout},
		{"still finalising", []rollout.Rollout{deleting, disabling}, "disabling", rollout.ReasonReleaseBegins},
		{"whatever the version", []rollout.Rollout{another, version}, "version", rollout.ReasonReleaseBegins},
		{"the first", []rollout.Rollout{version, disabling}, "version", rollout.ReasonReleaseBegins},
		{"an empty strategy", []rollout.Rollout{empty, version}, "", rollout.ReasonNoStrategy},
	} {
		a := admit(t, deployment, c.rollouts, nil)
		require.Equal(t, c.reason, a.Reason, c.why)
		require.Equal(t, c.want != "", a.Changed, c.why)
		if c.want != "" {
			require.Equal(t, `{"rolloutName":"`+c.want+`"}`, a.Object.Annotations[rollout.AnnotationInProgress], c.why)
		}
	}
}

// admit admits an update from v1 to v2 of a workload of 6 pods, which may be changed
// before.
func admit(t *testing.T, ref rollout.WorkloadRef, rollouts []rollout.Rollout, change func(s *rollout.AdmitSnapshot)) rollout.Admission {
	t.Helper()
	old := rollout.Workload{
		WorkloadRef: ref, UID: "u", Replicas: new(int32(6)), Template: template("v1"), StrategyType: "RollingUpdate",
		RollingUpdate: &rollout.RollingUpdate{MaxSurge: rollout.Int(1)}, Status: rollout.WorkloadStatus{Replicas: 6, UpdatedReplicas: 6},
	}
	s := rollout.AdmitSnapshot{Old: old, New: old, Rollouts: rollouts, Sets: []rollout.WorkloadSet{{Name: "a", Template: template("v1"), Replicas: 6, Revision: "1"}}}
	s.New.Template, s.New.UID = template("v2"), ""
	if change != nil {
		change(&s)
	}
	a, err := planAdmission(s, rollout.Options{})
	require.NoError(t, err)
	return a
}

// What is a release.
func TestEffectiveChange(t *testing.T) {
	id := func(text string) map[string]string { return map[string]string{rollout.LabelRolloutID: text} }
	for _, c := range []struct {
		why       string
		old, new  map[string]string
		templates [2]string
		want      bool
		reason    rollout.Reason
	}{
		{"the same id, another template", id("1"), id("1"), [2]string{"v1", "v2"}, false, rollout.ReasonSameRolloutID},
		{"another id, the same template", id("1"), id("2"), [2]string{"v1", "v1"}, true, ""},
		{"a new id, the same template", nil, id("2"), [2]string{"v1", "v1"}, true, ""},
		{"no id, the same template", nil, nil, [2]string{"v1", "v1"}, false, rollout.ReasonTemplateUnchanged},
		{"the id is gone, the same template", id("1"), nil, [2]string{"v1", "v1"}, false, rollout.ReasonTemplateUnchanged},
		{"no id, another template", nil, nil, [2]string{"v1", "v2"}, true, ""},
		{"the id is gone, another template", id("1"), nil, [2]string{"v1", "v2"}, true, ""},
	} {
		old := rollout.Workload{Annotations: c.old, Template: template(c.templates[0]), Replicas: new(int32(1))}
		updated := rollout.Workload{Annotations: c.new, Template: template(c.templates[1]), Replicas: new(int32(9))}
		got, reason := rollout.EffectiveChange(old, updated, 0)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.reason, reason, c.why)
	}
}

// A Deployment, before and in a rollout.
func TestAdmitDeployment(t *testing.T) {
	r := []rollout.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	led := []rollout.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	led[0].Canary.TrafficRoutings = routings(1)
	begins := admit(t, deployment, r, nil)
	require.Equal(t, []any{true, "v1", "u"}, []any{begins.Object.Paused, begins.Object.Labels[rollout.LabelStableRevision], begins.Object.UID}, "the uid is taken over")
	two := func(s *rollout.AdmitSnapshot) {
		s.Sets = append(s.Sets, rollout.WorkloadSet{Name: "b", Template: template("v0"), Replicas: 1, Revision: "9"}, rollout.WorkloadSet{Name: "c", Template: template("v3"), Replicas: 1, DeletionTimestamp: now})
	}
	for _, c := range []struct {
		why      string
		rollouts []rollout.Rollout
		change   func(s *rollout.AdmitSnapshot)
		want     rollout.Reason
	}{
		{"no pods are wanted", r, func(s *rollout.AdmitSnapshot) { s.New.Replicas = new(int32(0)) }, rollout.ReasonNoReplicas},
		{"unset replicas are 1", r, func(s *rollout.AdmitSnapshot) { s.New.Replicas = nil }, rollout.ReasonReleaseBegins},
		{"only the replicas change", r, func(s *rollout.AdmitSnapshot) { s.New.Template, s.New.Replicas = s.Old.Template, new(int32(9)) }, rollout.ReasonTemplateUnchanged},
		{"no usable set", r, func(s *rollout.AdmitSnapshot) { s.Sets[0].Replicas = 0 }, rollout.ReasonNoPods},
		{"a set on its way out", r, func(s *rollout.AdmitSnapshot) { s.Sets[0].DeletionTimestamp = now }, rollout.ReasonNoPods},
		{"two versions", r, two, rollout.ReasonReleaseBegins}, {"two versions, with traffic", led, two, rollout.ReasonTwoVersions}, {"one version, with traffic", led, nil, rollout.ReasonReleaseBegins},
	} {
		require.Equal(t, c.want, admit(t, deployment, c.rollouts, c.change).Reason, c.why)
	}
	for _, c := range []struct{ why, first, second, want string }{
		{"by revision", "3", "2", "v0"}, {"by age if one cannot be read", "x", "2", "v1"}, {"by age if they are equal", "2", "2", "v1"},
	} {
		a := admit(t, deployment, r, func(s *rollout.AdmitSnapshot) {
			two(s)
			s.Sets[0].Revision, s.Sets[1].Revision, s.Sets[1].CreationTimestamp = c.first, c.second, now
			s.Sets[0].CreationTimestamp = now.Add(-time.Hour)
		})
		require.Equal(t, c.want, a.Object.Labels[rollout.LabelStableRevision], c.why)
	}
	same := admit(t, deployment, r, func(s *rollout.AdmitSnapshot) {
		s.New.Annotations = map[string]string{rollout.LabelRolloutID: "2"}
		s.New.Template = s.Old.Template
	})
	require.NotContains(t, same.Object.Labels, rollout.LabelStableRevision, "no set has another template")
}

// A Deployment that is in a rollout, by its strategy.
func TestAdmitInProgress(t *testing.T) {
	r := []rollout.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}
	const partition = `{"rollingStyle":"partition","rollingUpdate":{"maxUnavailable":1,"maxSurge":1},"partition":"20%"}`
	for _, c := range []struct {
		why              string
		key, value       string
		change           func(w *rollout.Workload)
		paused           bool
		strategy         string
		limits, reported bool
		annotation       string
	}{
		{"partition: as it has to be", rollout.AnnotationStrategy, partition, func(w *rollout.Workload) { w.Paused, w.StrategyType, w.RollingUpdate = true, "Recreate", nil }, true, "Recreate", false, false, partition},
		{"partition: resumed", rollout.AnnotationStrategy, partition, func(w *rollout.Workload) { w.StrategyType, w.RollingUpdate = "Recreate", nil }, true, "Recreate", false, true, partition},
		{"partition: the type is RollingUpdate again, limits move to the annotation", rollout.AnnotationStrategy, partition, func(w *rollout.Workload) { w.Paused = true }, true, "Recreate", false, true,
			`{"rollingStyle":"partition","rollingUpdate":{"maxSurge":1},"partition":"20%"}`},
		{"partition: another template holds the partition", rollout.AnnotationStrategy, partition, func(w *rollout.Workload) {
			w.Paused, w.StrategyType, w.RollingUpdate, w.Template = true, "Recreate", nil, template("v3")
		}, true, "Recreate", false, true, `{"rollingStyle":"partition","rollingUpdate":{"maxUnavailable":1,"maxSurge":1},"paused":true,"partition":"20%"}`},
		{"blue-green: as it has to be", rollout.AnnotationOriginalStrategy, "{}", func(w *rollout.Workload) {}, false, "RollingUpdate", true, false, "{}"},
		{"blue-green: another template", rollout.AnnotationOriginalStrategy, "{}", func(w *rollout.Workload) { w.Template = template("v3") }, true, "RollingUpdate", true, true, "{}"},
		{"blue-green: the old type", rollout.AnnotationOriginalStrategy, "{}", func(w *rollout.Workload) { w.StrategyType = "Recreate" }, false, "RollingUpdate", true, true, "{}"},
		{"neither: paused", "x", "y", func(w *rollout.Workload) {}, true, "RollingUpdate", true, true, "y"},
		{"neither: as it has to be", "x", "y", func(w *rollout.Workload) { w.Paused = true }, true, "RollingUpdate", true, false, "y"},
		{"neither: the old strategy", "x", "y", func(w *rollout.Workload) { w.Paused, w.StrategyType, w.RollingUpdate = true, "Recreate", nil }, true, "RollingUpdate", true, true, "y"},
	} {
		a := admit(t, deployment, r, func(s *rollout.AdmitSnapshot) {
			s.New.Template = s.Old.Template
			s.New.Annotations = map[string]string{rollout.AnnotationInProgress: "x", c.key: c.value}
			c.change(&s.New)
		})
		require.Equal(t, c.reported, a.Changed, c.why)
		w := a.Object
		require.Equal(t, []any{c.paused, c.strategy, c.limits, c.annotation}, []any{w.Paused, w.StrategyType, w.RollingUpdate != nil, w.Annotations[c.key]}, c.why)
	}
}

// The other kinds.
func TestAdmitOthers(t *testing.T) {
	advanced := rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}
	none := func(s *rollout.AdmitSnapshot) { s.New.Replicas = new(int32(0)) }
	behind := func(s *rollout.AdmitSnapshot) { s.New.Status.UpdatedReplicas = 5 }
	hold := rollout.Int(rollout.HoldEverything)
	for _, c := range []struct {
		why       string
		ref       rollout.WorkloadRef
		led       bool
		change    func(s *rollout.AdmitSnapshot)
		want      rollout.Reason
		partition rollout.IntOrPercent
		strategy  string
	}{
		{"CloneSet", cloneSet, false, nil, rollout.ReasonReleaseBegins, rollout.Percent(100), "RollingUpdate"},
		{"CloneSet, two versions", cloneSet, false, behind, rollout.ReasonReleaseBegins, rollout.Percent(100), "RollingUpdate"},
		{"CloneSet, two versions, with traffic", cloneSet, true, behind, rollout.ReasonTwoVersions, unset, "RollingUpdate"},
		{"CloneSet without pods", cloneSet, false, none, rollout.ReasonNoReplicas, unset, "RollingUpdate"},
		{"DaemonSet of OpenKruise", kruiseSet, false, nil, rollout.ReasonReleaseBegins, hold, "RollingUpdate"},
		{"without limits", kruiseSet, false, func(s *rollout.AdmitSnapshot) { s.New.RollingUpdate = nil }, rollout.ReasonReleaseBegins, hold, "RollingUpdate"},
		{"native DaemonSet", daemonSet, false, nil, rollout.ReasonReleaseBegins, unset, "OnDelete"},
		{"a DaemonSet without pods is released too", daemonSet, false, none, rollout.ReasonReleaseBegins, unset, "OnDelete"},
		{"StatefulSet", statefulSet, false, nil, rollout.ReasonReleaseBegins, hold, "RollingUpdate"},
		{"StatefulSet, default type", statefulSet, false, func(s *rollout.AdmitSnapshot) { s.New.StrategyType = "" }, rollout.ReasonReleaseBegins, hold, ""},
		{"StatefulSet, OnDelete", statefulSet, false, func(s *rollout.AdmitSnapshot) { s.New.StrategyType = "OnDelete" }, rollout.ReasonOtherStrategy, unset, "OnDelete"},
		{"StatefulSet without pods", statefulSet, false, none, rollout.ReasonNoReplicas, unset, "RollingUpdate"},
		{"StatefulSet of OpenKruise", advanced, false, nil, rollout.ReasonReleaseBegins, hold, "RollingUpdate"},
		{"there is no branch for what is in progress: every change resets", cloneSet, false, func(s *rollout.AdmitSnapshot) {
			s.New.Annotations = map[string]string{rollout.AnnotationInProgress: "x"}
			s.New.Partition = rollout.Percent(20)
		}, rollout.ReasonReleaseBegins, rollout.Percent(100), "RollingUpdate"},
	} {
		r := partitioned(c.ref, step(rollout.Percent(100), 0))
		if c.led {
			r.Canary.TrafficRoutings = routings(1)
		}
		a := admit(t, c.ref, []rollout.Rollout{r}, c.change)
		require.Equal(t, c.want, a.Reason, c.why)
		require.Equal(t, []any{c.partition, c.strategy}, []any{a.Object.Partition, a.Object.StrategyType}, c.why)
		if c.ref == daemonSet {
			require.Equal(t, "RollingUpdate", a.Object.Annotations[rollout.AnnotationDaemonSetStrategy], c.why)
		}
		if a.Changed {
			require.Equal(t, "u", a.Object.UID)
		}
	}
}

// StableServicePinnedForEver where no pods are left at all: there is no stable ReplicaSet to name.
func TestAdmitInProgressWithoutPods(t *testing.T) {
	s := rollout.AdmitSnapshot{Rollouts: []rollout.Rollout{partitioned(deployment, step(rollout.Percent(100), 0))}}
	s.Old = rollout.Workload{WorkloadRef: deployment, UID: "u", Replicas: new(int32(6)), Template: template("v2"), Paused: true, StrategyType: "Recreate"}
	s.Old.Annotations = map[string]string{rollout.AnnotationInProgress: "x", rollout.AnnotationStrategy: `{"rollingStyle":"partition"}`}
	s.Old.Labels = map[string]string{rollout.LabelStableRevision: "v1"}
	s.New = s.Old
	s.New.Template = template("v3")
	a, err := planAdmission(s, rollout.Options{Repair: rollout.RepairAll})
	require.NoError(t, err)
	require.Equal(t, rollout.ReasonReleaseContinues, a.Reason)
	require.Equal(t, "v1", a.Object.Labels[rollout.LabelStableRevision])
}
