// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision/kubectl"
)

const extra = "../../testdata/kubectl/"

// extraCases are files as kubectl prints them for the commands that look at a
// history or at pods.
var extraCases = []liveCase{
	{
		// After 1.1, 1.2 and 1.3 the first was used again: its revision 1 became 4.
		file:     "causes",
		replicas: 3, surge: 1, unavailable: 0, version: 1, revision: "4", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{
			{version: 1, revision: "4", history: "1", size: 3, desired: 3, max: 4, age: 72 * hour, available: 3},
			{version: 2, revision: "2", size: 0, desired: 3, max: 4, age: 48 * hour},
			{version: 3, revision: "3", size: 0, desired: 3, max: 4, age: 24 * hour},
		},
		edit: func(o *liveObjects) {
			for i, cause := range []string{"back to the first", "new banner", ""} {
				if cause != "" {
					o.sets[i].Annotations[kubectl.AnnotationChangeCause] = cause
				}
			}
			o.deployment.Annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
		},
	},
	{file: "resized", replicas: 3, surge: 1, unavailable: 0, version: 1, revision: "1", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{{version: 1, revision: "1", size: 3, desired: 3, max: 4, age: 48 * hour, available: 8}}, edit: resize},
	{file: "pods", replicas: 3, surge: 1, unavailable: 0, version: 1, revision: "1", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{{version: 1, revision: "1", size: 3, desired: 3, max: 4, age: 48 * hour, available: 8}},
		edit: func(o *liveObjects) { resize(o); o.deployment = nil }},
	{
		file:     "quota",
		replicas: 4, surge: 1, unavailable: 1, version: 1, revision: "1", progressing: "ReplicaSetUpdated",
		sets: []liveSet{{version: 1, revision: "1", size: 4, desired: 4, max: 5, age: 5 * time.Minute, available: 2}},
		edit: func(o *liveObjects) {
			const message = `pods "web-6b6449b5bf-" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2, limited: pods=2`
			o.sets[0].Status.Conditions = append(o.sets[0].Status.Conditions, replicaFailure(message))
		},
	},
	{
		file:     "long-history",
		replicas: 2, surge: 1, unavailable: 0, version: 4, revision: "4", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{
			{version: 1, revision: "x", size: 0, desired: 2, max: 3, age: 96 * hour},
			{version: 2, revision: "2", size: 0, desired: 2, max: 3, age: 72 * hour},
			{version: 4, revision: "4", size: 2, desired: 2, max: 3, age: hour, available: 2},
		},
	},
}

// resize makes eight pods of the first ReplicaSet differ. It wants three: those that
// go are, in this order, p0, p1, p2 and p6; p7 is released, for it is not selected.
func resize(o *liveObjects) {
	p := o.pods
	node := func(i, n int) { p[i].Spec.NodeName = fmt.Sprintf("worker-%d", n) }
	unscheduled(p[0])
	crashing(p[1], 7)
	for i, n := range []int{0, 5, 1, 2, 3, 4, 2, 4} {
		if i > 0 {
			node(i, n)
		}
	}
	p[2].Annotations = map[string]string{podorder.AnnotationDeletionCost: "-10"}
	readySince(p[4], time.Minute)
	readySince(p[6], hour)
	p[6].OwnerReferences = nil // an orphan, and a neighbour of p3
	p[7].Labels["app"] = "debug"
	o.sets[0].Status.Replicas, o.sets[0].Status.FullyLabeledReplicas = 6, 6
	o.sets[0].Status.ReadyReplicas, o.sets[0].Status.AvailableReplicas = 4, 4
	for i, name := range []string{"unscheduled", "crashing", "cheap", "crowded", "young", "old", "orphan", "debugged"} {
		p[i].Name = "web-" + name
	}
}

func unscheduled(p *corev1.Pod) {
	p.Spec.NodeName = ""
	p.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", LastTransitionTime: p.CreationTimestamp,
		Message: "0/5 nodes are available: 5 Insufficient cpu.",
	}}}
}

func crashing(p *corev1.Pod, restarts int32) {
	conditions(p, corev1.ConditionFalse, "ContainersNotReady", ago(hour))
	s := &p.Status.ContainerStatuses[0]
	s.Ready, s.RestartCount = false, restarts
	s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
		Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container=web",
	}}
}

func readySince(p *corev1.Pod, d time.Duration) {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == corev1.PodReady {
			p.Status.Conditions[i].LastTransitionTime = ago(d)
		}
	}
}

// extraFile returns the path of the file of a case.
func extraFile(name string) string { return extra + name + ".yaml" }

// TestExtraFiles: the files are those that the cases describe, and no others.
func TestExtraFiles(t *testing.T) {
	for _, c := range extraCases {
		golden(t, extraFile(c.file), c.yaml(t))
	}
	files, err := filepath.Glob(extraFile("*"))
	require.NoError(t, err)
	require.Len(t, files, len(extraCases))
}
