// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// A liveCase is a file as kubectl prints it, and what has to follow from it. In
// the expectations v2 is the ReplicaSet for version 2 of the template.
type liveCase struct {
	file string
	rule string // why the expectations are so

	replicas, surge, unavailable int32 // the limits; both 0 is Recreate
	version                      int   // of the template
	revision                     string
	progressing                  string // reason of the condition, "" for none
	change                       func(*appsv1.Deployment)
	sets                         []liveSet
	edit                         func(*liveObjects)

	actions []string
	holds   []string
}

// LiveObjects are the objects of a file.
type liveObjects struct {
	deployment *appsv1.Deployment // nil leaves it out
	sets       []*appsv1.ReplicaSet
	pods       []*corev1.Pod
}

const (
	hour = time.Hour
	half = 30 * time.Second
)

// The sizes in the expectations follow from the rules by hand; none of them has
// been copied from a run.
var liveCases = []liveCase{
	{
		file: "creation", rule: "13 - 10 = 3 new; then 13 - 8 - 3 = 2 old may go",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "1", progressing: "NewReplicaSetAvailable",
		change: unobserved,
		sets:   []liveSet{{version: 1, revision: "1", size: 10, desired: 10, max: 13, age: 48 * hour, available: 10}},
		actions: []string{
			"create v2 3 revision 2 NewTemplate", "annotate deployment revision=2 Revision", "scale v1 10->8 RolloutDown",
		},
	},
	{
		file: "growth", rule: "8 + 3 are wanted, 13 may be",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: 8, desired: 10, max: 13, age: 48 * hour, available: 8},
			{version: 2, revision: "2", size: 3, desired: 10, max: 13, age: half, starting: 3},
		},
		actions: []string{"scale v2 3->5 RolloutUp"},
	},
	{
		file: "shrink", rule: "13 are available, 8 must be",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: 8, desired: 10, max: 13, age: 48 * hour, available: 8},
			{version: 2, revision: "2", size: 5, desired: 10, max: 13, age: half, available: 5},
		},
		actions: []string{"scale v1 8->3 RolloutDown"},
	},
	{
		file: "unhealthy", rule: "a broken version is rolled back; 13 - 8 - (8 - 7) = 4 of its 5 pods may go",
		replicas: 10, surge: 3, unavailable: 2, version: 1, revision: "3", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "3", history: "1", size: 8, desired: 10, max: 13, age: 48 * hour, available: 7, starting: 1},
			{version: 2, revision: "2", size: 5, desired: 10, max: 13, age: 5 * time.Minute, failing: 5},
		},
		actions: []string{"scale v2 5->1 Unhealthy, 4 unhealthy"},
	},
	{
		file: "saturated", rule: "13 of 13 are wanted, and 13 - 8 - 5 = 0 may go",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: 8, desired: 10, max: 13, age: 48 * hour, available: 8},
			{version: 2, revision: "2", size: 5, desired: 10, max: 13, age: half, starting: 5},
		},
		holds: []string{"v2 SurgeExhausted 13 13", "v1 MinAvailable 8 8"},
	},
	{
		file: "paused-edit", rule: "paused, no ReplicaSet is created for the edited template",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "1", progressing: "DeploymentPaused",
		change: paused,
		sets:   []liveSet{{version: 1, revision: "1", size: 10, desired: 10, max: 13, age: 48 * hour, available: 10}},
		holds:  []string{"deployment PausedTemplate 0 10"},
	},
	{
		file: "paused-idle", rule: "paused, and nothing else to do",
		replicas: 5, surge: 2, unavailable: 1, version: 1, revision: "1", progressing: "DeploymentPaused",
		change: paused,
		sets:   []liveSet{{version: 1, revision: "1", size: 5, desired: 5, max: 7, age: 48 * hour, available: 5}},
		holds:  []string{"deployment Paused 0 0"},
	},
	{
		file: "scaled-in-between", rule: "8*18/13 is 11.08 and 5*18/13 is 6.92",
		replicas: 15, surge: 3, unavailable: 2, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		change: unobserved,
		sets: []liveSet{
			{version: 1, revision: "1", size: 8, desired: 10, max: 13, age: 48 * hour, available: 8},
			{version: 2, revision: "2", size: 5, desired: 10, max: 13, age: half, available: 2, starting: 3},
		},
		actions: []string{"scale v1 8->11 Scaling", "scale v2 5->7 Scaling"},
	},
	{
		file: "scaled-down", rule: "one active ReplicaSet takes all",
		replicas: 4, surge: 1, unavailable: 1, version: 1, revision: "1", progressing: "NewReplicaSetAvailable",
		change:  unobserved,
		sets:    []liveSet{{version: 1, revision: "1", size: 10, desired: 10, max: 13, age: 48 * hour, available: 10}},
		actions: []string{"scale v1 10->4 Scaling"},
	},
	{
		file: "stuck-annotation", rule: "the annotation says 5, the size is 4 already",
		replicas: 4, surge: 0, unavailable: 1, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: 4, desired: 5, max: 5, age: 48 * hour, available: 4},
			{version: 2, revision: "2", size: 0, desired: 5, max: 5, age: half},
		},
		holds: []string{"deployment ScalingFirst 0 4", "v1 NothingToScale 5 4"},
	},
	{
		file: "finished", rule: "all pods are new and available",
		replicas: 10, surge: 3, unavailable: 2, version: 2, revision: "2", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{
			{version: 1, revision: "1", size: 0, desired: 10, max: 13, age: 48 * hour},
			{version: 2, revision: "2", size: 10, desired: 10, max: 13, age: hour, available: 10},
		},
	},
	{
		file: "history", rule: "4 old ReplicaSets, 2 may stay, the lowest revisions go",
		replicas: 3, surge: 1, unavailable: 0, version: 5, revision: "5", progressing: "NewReplicaSetAvailable",
		change: func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = new(int32(2)) },
		sets: []liveSet{
			{version: 1, revision: "1", size: 0, desired: 3, max: 4, age: 96 * hour},
			{version: 2, revision: "2", size: 0, desired: 3, max: 4, age: 72 * hour},
			{version: 3, revision: "3", size: 0, desired: 3, max: 4, age: 48 * hour},
			{version: 4, revision: "4", size: 0, desired: 3, max: 4, age: 24 * hour},
			{version: 5, revision: "5", size: 3, desired: 3, max: 4, age: hour, available: 3},
		},
		actions: []string{"delete v1 HistoryLimit", "delete v2 HistoryLimit"},
	},
	{
		file: "min-available", rule: "the new ReplicaSet has its size, and 6 - 4 - (4 - 2) = 0 old pods may go",
		replicas: 4, surge: 4, unavailable: 0, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: 2, desired: 4, max: 8, age: 48 * hour, available: 2},
			{version: 2, revision: "2", size: 4, desired: 4, max: 8, age: half, available: 2, starting: 2},
		},
		holds: []string{"v1 MinAvailable 4 4"},
	},
	{
		file: "waiting", rule: "ready, but not for minReadySeconds yet",
		replicas: 3, surge: 1, unavailable: 0, version: 1, revision: "1", progressing: "ReplicaSetUpdated",
		change: func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 30 },
		sets:   []liveSet{{version: 1, revision: "1", size: 3, desired: 3, max: 4, age: half, ready: 3}},
		holds:  []string{"v1 NotAvailable 0 3"},
	},
	{
		file: "recreate-down", rule: "all old pods go first",
		replicas: 3, version: 2, revision: "1", progressing: "NewReplicaSetAvailable",
		change:  unobserved,
		sets:    []liveSet{{version: 1, revision: "1", size: 3, desired: 3, max: 3, age: 48 * hour, available: 3}},
		actions: []string{"scale v1 3->0 RecreateDown"},
	},
	{
		file: "recreate-waiting", rule: "no ReplicaSet reports pods, but one still terminates",
		replicas: 3, version: 2, revision: "1", progressing: "NewReplicaSetAvailable",
		sets:  []liveSet{{version: 1, revision: "1", size: 0, desired: 3, max: 3, age: 48 * hour, terminating: 1}},
		holds: []string{"v1 OldPodsRemain 1 0"},
	},
	{
		file: "recreate-up", rule: "the last old pod is gone, the new ReplicaSet starts at full size",
		replicas: 3, version: 2, revision: "1", progressing: "NewReplicaSetAvailable",
		sets:    []liveSet{{version: 1, revision: "1", size: 0, desired: 3, max: 3, age: 48 * hour}},
		actions: []string{"create v2 3 revision 2 NewTemplate", "annotate deployment revision=2 Revision"},
	},
	{
		file: "rollback", rule: "the former ReplicaSet gets the next revision, and grows by the surge",
		replicas: 10, surge: 3, unavailable: 2, version: 1, revision: "2", progressing: "NewReplicaSetAvailable",
		change: unobserved,
		sets: []liveSet{
			{version: 1, revision: "1", size: 0, desired: 10, max: 13, age: 48 * hour},
			{version: 2, revision: "2", size: 10, desired: 10, max: 13, age: hour, available: 10},
		},
		actions: []string{"annotate v1 revision=3 revision-history=1 Revision", "scale v1 0->3 RolloutUp"},
	},
	{
		file: "deadline-exceeded", rule: "no progress for longer than the deadline, and no room to move",
		replicas: 3, surge: 1, unavailable: 0, version: 2, revision: "2", progressing: "ProgressDeadlineExceeded",
		sets: []liveSet{
			{version: 1, revision: "1", size: 3, desired: 3, max: 4, age: 48 * hour, available: 3},
			{version: 2, revision: "2", size: 1, desired: 3, max: 4, age: 20 * time.Minute, failing: 1},
		},
		holds: []string{"v2 SurgeExhausted 4 4", "v1 MinAvailable 3 3", "deployment DeadlineExceeded 600 600"},
	},
}

// unobserved makes the Deployment one that has been written since the controller
// last saw it.
func unobserved(d *appsv1.Deployment) { d.Generation++ }

func paused(d *appsv1.Deployment) { d.Spec.Paused = true }
