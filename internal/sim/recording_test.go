// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// lives writes a recording: one line for each pod.
func lives(r *Recording) (lines []string) {
	for _, p := range r.Pods {
		var stages []string
		for _, s := range p.Stages {
			stages = append(stages, fmt.Sprintf("%v %s", s.At.Sub(r.Start), s.Stage))
		}
		lines = append(lines, p.Pod.ControllerName+": "+strings.Join(stages, ", "))
	}
	return lines
}

// TestRecording: two pods with a surge of one. A new one needs 10 seconds, and an old one goes
// when it is ready, which takes 5 more. The rollout is over when the second new one is ready:
// the last old pod is still there.
func TestRecording(t *testing.T) {
	rec := &Recording{}
	c := updated(finished(t, deployment("old", 2, rollout.Int(1), rollout.Int(0))), deployment("new", 2, rollout.Int(1), rollout.Int(0)))
	_, err := Run(c, Config{Kubelet: Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Recording: rec}})
	require.NoError(t, err)
	require.Equal(t, c.Now, rec.Start)
	require.Equal(t, []string{
		"web-old: 0s ready, 10s terminating, 15s gone",
		"web-old: 0s ready, 20s terminating",
		"web-new: 0s scheduled, 10s ready",
		"web-new: 10s scheduled, 20s ready",
	}, lives(rec))
	require.NotEmpty(t, rec.Pods[2].Pod.NodeName)
	require.Equal(t, Ready, rec.Pods[0].Until(rec.Start.Add(9*time.Second)))
	require.Equal(t, Terminating, rec.Pods[0].Until(rec.Start.Add(10*time.Second)))
	require.Empty(t, rec.Pods[3].Until(rec.Start))

	var available []string
	for _, m := range rec.Deployments {
		available = append(available, fmt.Sprintf("%v: %d updated, %d available", m.At.Sub(rec.Start), m.Object.Status.UpdatedReplicas, m.Object.Status.AvailableReplicas))
	}
	// At 15s one fewer is terminating, which the status tells as well.
	require.Equal(t, []string{"0s: 1 updated, 2 available", "10s: 2 updated, 2 available", "15s: 2 updated, 2 available", "20s: 2 updated, 2 available"}, available)
	last := rec.ReplicaSets[len(rec.ReplicaSets)-1]
	require.Equal(t, 20*time.Second, last.At.Sub(rec.Start))
}

// TestRecordingAgrees: a recording changes nothing, and tells of as many pods as the run ends
// with. Its stages ascend.
func TestRecordingAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios.Draw(t, "scenario")
		c, err := Finished(s.Old)
		if err != nil {
			t.Fatal(err)
		}
		c.Update(s.New)
		plain, err := Run(c, Config{Kubelet: s.Kubelet, TimeLimit: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		rec := &Recording{}
		s.Kubelet.Recording = rec
		recorded, err := Run(c, Config{Kubelet: s.Kubelet, TimeLimit: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		require.Equal(t, plain.Steps, recorded.Steps)
		there, ready := 0, 0
		for _, p := range rec.Pods {
			for i := range p.Stages[1:] {
				require.True(t, p.Stages[i+1].At.After(p.Stages[i].At), "%v", p.Stages)
				require.NotEqual(t, p.Stages[i].Stage, p.Stages[i+1].Stage)
			}
			if last := p.Stages[len(p.Stages)-1].Stage; last != Gone {
				there++
				if last == Ready {
					ready++
				}
			}
		}
		want := 0
		for _, p := range recorded.Cluster.Pods {
			if p.Ready && p.DeletionTimestamp.IsZero() {
				want++
			}
		}
		require.Len(t, recorded.Cluster.Pods, there)
		require.Equal(t, want, ready)
	})
}
