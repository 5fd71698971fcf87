// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// TestNow: it is the latest time that an object tells of. When a pod is to be gone lies ahead, and nobody's
// clock shows some times.
func TestNow(t *testing.T) {
	at := func(hour int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 5, 1, hour, 0, 0, 0, time.FixedZone("", 3600))}
	}
	grace := int64(60)
	for name, o := range map[string]kube.Object{
		"created":    &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(9)}},
		"written":    &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{}, {Time: at(9)}}}},
		"condition":  &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{LastTransitionTime: *at(9)}}}},
		"container":  &corev1.Pod{Status: corev1.PodStatus{StartTime: at(8), ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *at(9)}}}}}},
		"deleted":    &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: at(9).Add(time.Minute)}, DeletionGracePeriodSeconds: &grace}},
		"heartbeat":  &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{LastHeartbeatTime: *at(9)}}}},
		"taint":      &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{TimeAdded: at(9)}}}},
		"improbable": &corev1.Pod{Status: corev1.PodStatus{StartTime: &metav1.Time{Time: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}, Conditions: []corev1.PodCondition{{LastProbeTime: *at(9)}}}},
	} {
		s, err := kube.World([]kube.Object{o, &corev1.ConfigMap{}})
		require.NoError(t, err)
		require.Equal(t, at(9).UTC(), s.Now, name)
		later := at(9).UTC().Add(time.Hour)
		s, err = kube.WorldAt(later, []kube.Object{o})
		require.NoError(t, err)
		require.Equal(t, later, s.Now)
	}
}

// The object was written at 12:00.
func ExampleWorldAt() {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	o := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", CreationTimestamp: metav1.Time{Time: noon}}}
	for _, now := range []time.Time{noon.Add(-time.Hour), noon.Add(time.Hour)} {
		s, err := kube.WorldAt(now, []kube.Object{o})
		fmt.Println(s.Now.Format(time.TimeOnly), err)
	}
	// Output:
	// 12:00:00 <nil>
	// 13:00:00 <nil>
}
