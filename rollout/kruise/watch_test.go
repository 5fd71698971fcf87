// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Who must be looked at again, and who need not be.
func TestWatch(t *testing.T) {
	info := workload.ControlInfo("driver", "b")
	plain := workload.Workload{Ref: deployment, Generation: 1}
	driven := plain
	driven.Annotations = map[string]string{partition.AnnotationControlInfo: info}
	driven.StrategyType, driven.Paused = "Recreate", true
	changed := func(w workload.Workload, change func(*workload.Workload)) *workload.Workload {
		change(&w)
		return &w
	}
	others := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "other"}
	rollouts := []kruise.Rollout{
		{Name: "other", WorkloadRef: others}, {Name: "first", WorkloadRef: deployment},
		{Name: "second", WorkloadRef: deployment},
	}
	releases := []batchrelease.Release{{Name: "old", WorkloadRef: deployment}, {Name: "new", WorkloadRef: deployment}, {Name: "other", WorkloadRef: others}}
	for _, c := range []struct {
		why  string
		e    kruise.WatchedWorkload
		want string
	}{
		{"nothing happened to nobody", kruise.WatchedWorkload{}, "[]"},
		{"the last release counts, and the first rollout", kruise.WatchedWorkload{New: &plain}, "[{Rollout first} {BatchRelease new}]"},
		{"it is gone", kruise.WatchedWorkload{Old: &driven}, "[{Rollout first} {BatchRelease driver}]"},
		{"a label is no difference to a release", kruise.WatchedWorkload{Old: &plain, New: changed(plain, func(w *workload.Workload) { w.Labels = map[string]string{"a": "b"} })}, "[{Rollout first}]"},
		{"the status is", kruise.WatchedWorkload{Old: &plain, New: changed(plain, func(w *workload.Workload) { w.Status.UpdatedReplicas = 1 })}, "[{Rollout first} {BatchRelease new}]"},
		{"the revision is", kruise.WatchedWorkload{Old: &plain, New: changed(plain, func(w *workload.Workload) { w.UpdateRevision = "v2" })}, "[{Rollout first} {BatchRelease new}]"},
		{"the controller of the Deployment follows its spec", kruise.WatchedWorkload{Old: &driven, New: changed(driven, func(w *workload.Workload) { w.Generation++ })},
			"[{Rollout first} {BatchRelease driver} {Deployment demo}]"},
		{"and its annotations", kruise.WatchedWorkload{Old: &driven, New: changed(driven, func(w *workload.Workload) {
			w.Annotations = map[string]string{partition.AnnotationControlInfo: info, partition.AnnotationStrategy: "{}"}
		})}, "[{Rollout first} {Deployment demo}]"},
		{"but not its status", kruise.WatchedWorkload{Old: &driven, New: changed(driven, func(w *workload.Workload) { w.Status.ReadyReplicas = 1 })},
			"[{Rollout first} {BatchRelease driver}]"},
	} {
		c.e.Rollouts, c.e.Releases = rollouts, releases
		require.Equal(t, c.want, fmt.Sprint(c.e.Keys()), c.why)
	}
	only := kruise.WatchedWorkload{New: &plain, Releases: releases[:1]}
	require.Equal(t, "[{BatchRelease old}]", fmt.Sprint(only.Keys()), "the only one")
	none := kruise.WatchedWorkload{New: &workload.Workload{Ref: cloneSet}, Rollouts: rollouts, Releases: releases}
	require.Empty(t, none.Keys(), "another kind of the same name")
}

func TestWatchPods(t *testing.T) {
	driven := &workload.Workload{Ref: cloneSet, Annotations: map[string]string{
		partition.AnnotationControlInfo: workload.ControlInfo("driver", ""),
	}}
	pod := func(ready bool, key, hash string) *workload.Pod {
		return &workload.Pod{Ready: ready, Labels: map[string]string{key: hash, "batch": hash + "x"}}
	}
	const hash, revision = workload.LabelPodTemplateHash, workload.LabelControllerRevision
	for _, c := range []struct {
		why  string
		e    kruise.WatchedPod
		want string
	}{
		{"created", kruise.WatchedPod{New: pod(false, hash, "a"), Owner: driven}, "[{BatchRelease driver}]"},
		{"ready now", kruise.WatchedPod{Old: pod(false, hash, "a"), New: pod(true, hash, "a"), Owner: driven}, "[{BatchRelease driver}]"},
		{"of another template", kruise.WatchedPod{Old: pod(true, hash, "a"), New: pod(true, hash, "b"), Owner: driven}, "[{BatchRelease driver}]"},
		{"of another revision", kruise.WatchedPod{Old: pod(true, revision, "a"), New: pod(true, revision, "b"), Owner: driven}, "[{BatchRelease driver}]"},
		{"nothing that matters", kruise.WatchedPod{Old: pod(true, hash, "a"), New: &workload.Pod{Ready: true, Labels: map[string]string{hash: "a"}}, Owner: driven}, "[]"},
		{"deleted", kruise.WatchedPod{Old: pod(true, hash, "a"), Owner: driven}, "[]"},
		{"without an owner", kruise.WatchedPod{New: pod(true, hash, "a")}, "[]"},
		{"not driven", kruise.WatchedPod{New: pod(true, hash, "a"), Owner: &workload.Workload{Ref: cloneSet}}, "[]"},
	} {
		require.Equal(t, c.want, fmt.Sprint(c.e.Keys()), c.why)
	}
	require.Equal(t, "[{Rollout web} {BatchRelease web}]", fmt.Sprint(kruise.WatchedRelease(batchrelease.Release{Name: "web"})))
	require.Empty(t, kruise.WatchedReplicaSet(nil))
	require.Empty(t, kruise.WatchedReplicaSet(&workload.Workload{Ref: deployment}), "the native controller has it")
	held := &workload.Workload{Ref: deployment, StrategyType: "Recreate", Paused: true, Annotations: driven.Annotations}
	require.Equal(t, "[{Deployment demo}]", fmt.Sprint(kruise.WatchedReplicaSet(held)))
}
