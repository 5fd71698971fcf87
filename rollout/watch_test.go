package rollout_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// Who must be looked at again, and who need not be.
func TestWatch(t *testing.T) {
	info := rollout.ControlInfo("driver", "b")
	plain := rollout.Workload{WorkloadRef: deployment, Generation: 1}
	driven := plain
	driven.Annotations = map[string]string{rollout.AnnotationControlInfo: info}
	driven.StrategyType, driven.Paused = "Recreate", true
	changed := func(w rollout.Workload, change func(*rollout.Workload)) *rollout.Workload {
		change(&w)
		return &w
	}
	others := rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "other"}
	rollouts := []rollout.Rollout{
		{Name: "other", WorkloadRef: others}, {Name: "first", WorkloadRef: deployment},
		{Name: "second", WorkloadRef: deployment},
	}
	releases := []rollout.BatchRelease{{Name: "old", WorkloadRef: deployment}, {Name: "new", WorkloadRef: deployment}, {Name: "other", WorkloadRef: others}}
	for _, c := range []struct {
		why  string
		e    rollout.WatchedWorkload
		want string
	}{
		{"nothing happened to nobody", rollout.WatchedWorkload{}, "[]"},
		{"the last release counts, and the first rollout", rollout.WatchedWorkload{New: &plain}, "[{Rollout first} {BatchRelease new}]"},
		{"it is gone", rollout.WatchedWorkload{Old: &driven}, "[{Rollout first} {BatchRelease driver}]"},
		{"a label is no difference to a release", rollout.WatchedWorkload{Old: &plain, New: changed(plain, func(w *rollout.Workload) { w.Labels = map[string]string{"a": "b"} })}, "[{Rollout first}]"},
		{"the status is", rollout.WatchedWorkload{Old: &plain, New: changed(plain, func(w *rollout.Workload) { w.Status.UpdatedReplicas = 1 })}, "[{Rollout first} {BatchRelease new}]"},
		{"the revision is", rollout.WatchedWorkload{Old: &plain, New: changed(plain, func(w *rollout.Workload) { w.UpdateRevision = "v2" })}, "[{Rollout first} {BatchRelease new}]"},
		{"the controller of the Deployment follows its spec", rollout.WatchedWorkload{Old: &driven, New: changed(driven, func(w *rollout.Workload) { w.Generation++ })},
			"[{Rollout first} {BatchRelease driver} {Deployment demo}]"},
		{"and its annotations", rollout.WatchedWorkload{Old: &driven, New: changed(driven, func(w *rollout.Workload) {
			w.Annotations = map[string]string{rollout.AnnotationControlInfo: info, rollout.AnnotationStrategy: "{}"}
		})}, "[{Rollout first} {Deployment demo}]"},
		{"but not its status", rollout.WatchedWorkload{Old: &driven, New: changed(driven, func(w *rollout.Workload) { w.Status.ReadyReplicas = 1 })},
			"[{Rollout first} {BatchRelease driver}]"},
	} {
		c.e.Rollouts, c.e.Releases = rollouts, releases
		require.Equal(t, c.want, fmt.Sprint(c.e.Keys()), c.why)
	}
	only := rollout.WatchedWorkload{New: &plain, Releases: releases[:1]}
	require.Equal(t, "[{BatchRelease old}]", fmt.Sprint(only.Keys()), "the only one")
	none := rollout.WatchedWorkload{New: &rollout.Workload{WorkloadRef: cloneSet}, Rollouts: rollouts, Releases: releases}
	require.Empty(t, none.Keys(), "another kind of the same name")
}

func TestWatchPods(t *testing.T) {
	driven := &rollout.Workload{WorkloadRef: cloneSet, Annotations: map[string]string{
		rollout.AnnotationControlInfo: rollout.ControlInfo("driver", ""),
	}}
	pod := func(ready bool, key, hash string) *rollout.Pod {
		return &rollout.Pod{Ready: ready, Labels: map[string]string{key: hash, "batch": hash + "x"}}
	}
	const hash, revision = rollout.LabelPodTemplateHash, rollout.LabelControllerRevision
	for _, c := range []struct {
		why  string
		e    rollout.WatchedPod
		want string
	}{
		{"created", rollout.WatchedPod{New: pod(false, hash, "a"), Owner: driven}, "[{BatchRelease driver}]"},
		{"ready now", rollout.WatchedPod{Old: pod(false, hash, "a"), New: pod(true, hash, "a"), Owner: driven}, "[{BatchRelease driver}]"},
		{"of another template", rollout.WatchedPod{Old: pod(true, hash, "a"), New: pod(true, hash, "b"), Owner: driven}, "[{BatchRelease driver}]"},
		{"of another revision", rollout.WatchedPod{Old: pod(true, revision, "a"), New: pod(true, revision, "b"), Owner: driven}, "[{BatchRelease driver}]"},
		{"nothing that matters", rollout.WatchedPod{Old: pod(true, hash, "a"), New: &rollout.Pod{Ready: true, Labels: map[string]string{hash: "a"}}, Owner: driven}, "[]"},
		{"deleted", rollout.WatchedPod{Old: pod(true, hash, "a"), Owner: driven}, "[]"},
		{"without an owner", rollout.WatchedPod{New: pod(true, hash, "a")}, "[]"},
		{"not driven", rollout.WatchedPod{New: pod(true, hash, "a"), Owner: &rollout.Workload{WorkloadRef: cloneSet}}, "[]"},
	} {
		require.Equal(t, c.want, fmt.Sprint(c.e.Keys()), c.why)
	}
	require.Equal(t, "[{Rollout web} {BatchRelease web}]", fmt.Sprint(rollout.WatchedRelease(rollout.BatchRelease{Name: "web"})))
	require.Empty(t, rollout.WatchedReplicaSet(nil))
	require.Empty(t, rollout.WatchedReplicaSet(&rollout.Workload{WorkloadRef: deployment}), "the native controller has it")
	held := &rollout.Workload{WorkloadRef: deployment, StrategyType: "Recreate", Paused: true, Annotations: driven.Annotations}
	require.Equal(t, "[{Deployment demo}]", fmt.Sprint(rollout.WatchedReplicaSet(held)))
}
