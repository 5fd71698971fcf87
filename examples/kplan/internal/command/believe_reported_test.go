// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Pods that no file holds are as the statuses of their ReplicaSets say. Those of a rollout that
// does not come on stay as they are.
func TestBelievesReportedPods(t *testing.T) {
	none := func(o *liveObjects) { o.pods = nil }
	c := halfWay(1, 0, none)
	b := simulated(t, c.yaml(t), "-f", "-")
	require.True(t, b.Done, "a minute after it was created")
	require.Contains(t, b.Assumed, "1 pod in NotReady, by the status alone, becomes ready")

	progressing := func(is func(*appsv1.DeploymentCondition)) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			for i := range d.Status.Conditions {
				if c := &d.Status.Conditions[i]; c.Type == appsv1.DeploymentProgressing {
					is(c)
				}
			}
		}
	}
	old, late := halfWay(1, 0, none), halfWay(1, 0, none)
	old.sets[1].age = hour
	old.change = progressing(func(c *appsv1.DeploymentCondition) { c.LastUpdateTime = ago(8 * time.Minute) })
	late.change = progressing(func(c *appsv1.DeploymentCondition) {
		c.Status, c.Reason = corev1.ConditionFalse, "ProgressDeadlineExceeded"
	})
	for why, c := range map[string]liveCase{"nothing has changed for long": old, "the deadline has passed": late} {
		b := simulated(t, c.yaml(t), "-f", "-")
		require.False(t, b.Done, why)
		require.Contains(t, b.Assumed, "1 pod in NotReady, by the status alone, stays so", why)
		require.Contains(t, b.Assumed, noneReady, why)
		replicas, ready := b.end(t, 1)
		require.Equal(t, [2]int32{1, 0}, [2]int32{replicas, ready}, why)
		require.True(t, simulated(t, c.yaml(t), "-f", "-", "--heal").Done, why)
	}
}

// Of a Rollout of Argo as well.
func TestBelievesReportedPodsOfArgo(t *testing.T) {
	live := liveArgo(t, argoData+"canary-timed.yaml", func(s *cluster.Snapshot) {
		for i := range s.ReplicaSets {
			if rs := &s.ReplicaSets[i]; rs.Template.Hash == s.ArgoRollouts[0].TemplateHash {
				rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = 0, 0
			}
		}
	})
	r := releasedBy(t, live, "-f", "-", "--now", "2026-01-02T16:10:00Z")
	require.False(t, r.Done)
	require.Contains(t, strings.Join(r.Assumed, "; "), "in NotReady, by the status alone, stay")
}

// A pod that is seen between two crashes is not on its way.
func TestBelievesCrashes(t *testing.T) {
	for code, stays := range map[int32]bool{137: true, 0: false} {
		b := simulated(t, halfWay(1, 0, lastPod(func(p *corev1.Pod) {
			waiting(p, "ContainerCreating", "")
			s := &p.Status.ContainerStatuses[0]
			s.State, s.RestartCount = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: ago(half)}}, 9
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: code, Reason: "OOMKilled"}
		})).yaml(t), "-f", "-")
		require.NotEqual(t, stays, b.Done)
		require.Equal(t, stays, slices.Contains(b.Assumed, "1 pod in ContainersNotReady after OOMKilled stays so"), b.Assumed)
	}
}
