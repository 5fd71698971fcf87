// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestProblemOf: what a pod's status tells of why it does not serve.
func TestProblemOf(t *testing.T) {
	waits := func(name, reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
		}}
	}
	ended := func(name, reason string, code int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code},
		}}
	}
	runs := corev1.ContainerStatus{Name: "app", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	notReady := corev1.PodCondition{Type: corev1.PodReady, Status: "False", Reason: "ContainersNotReady", Message: "containers with unready status: [app]"}
	pod := func(conditions []corev1.PodCondition, initial []corev1.ContainerStatus, containers ...corev1.ContainerStatus) *corev1.Pod {
		return &corev1.Pod{
			Spec:   corev1.PodSpec{NodeName: "n"},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: conditions, InitContainerStatuses: initial, ContainerStatuses: containers},
		}
	}
	type list = []corev1.ContainerStatus
	tests := map[string]struct {
		pod  *corev1.Pod
		want Problem
	}{
		"deleted":      {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}}}, Problem{"Terminating", ""}},
		"evicted":      {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low on memory"}}, Problem{"Evicted", "low on memory"}},
		"failed":       {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed}}, Problem{"Failed", ""}},
		"image":        {pod(nil, nil, runs, waits("side", "ErrImagePull", "no such image")), Problem{"ErrImagePull", "no such image"}},
		"creating":     {pod([]corev1.PodCondition{notReady}, nil, waits("app", "ContainerCreating", "")), Problem{"ContainerCreating", ""}},
		"init":         {pod(nil, list{ended("a", "Completed", 0), waits("b", "CrashLoopBackOff", "back-off")}, waits("app", "PodInitializing", "")), Problem{"Init:CrashLoopBackOff", "back-off"}},
		"init runs":    {pod([]corev1.PodCondition{notReady}, list{runs}, waits("app", "PodInitializing", "")), Problem{"PodInitializing", ""}},
		"killed":       {pod(nil, nil, ended("app", "OOMKilled", 137)), Problem{"OOMKilled", "container app exited with code 137"}},
		"done":         {pod([]corev1.PodCondition{notReady}, nil, ended("app", "Completed", 0)), Problem{"ContainersNotReady", "containers with unready status: [app]"}},
		"probe":        {pod([]corev1.PodCondition{notReady}, nil, runs), Problem{"ContainersNotReady", "containers with unready status: [app]"}},
		"no condition": {pod(nil, nil, runs), Problem{"NotReady", ""}},
		"unscheduled": {&corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: "False", Reason: "Unschedulable", Message: "0/5 nodes are available"},
		}}}, Problem{"Unschedulable", "0/5 nodes are available"}},
		"nothing": {&corev1.Pod{}, Problem{"NotScheduled", ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, ProblemOf(tt.pod)) })
	}
}
