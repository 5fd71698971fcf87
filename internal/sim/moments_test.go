// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
)

// TestDeploymentMoments: one more pod than the two that are wanted may run. The first new one is
// ready at 10 seconds and available at 30, when an old one goes and the second is made, which is
// ready at 40: the steps, at 0, 30 and 60 seconds, see none of that.
func TestDeploymentMoments(t *testing.T) {
	rec := &Recording{}
	c := updated(finished(t, deployment("old", 2, rollout.Int(1), rollout.Int(0))), deployment("new", 2, rollout.Int(1), rollout.Int(0)))
	c.Deployment.MinReadySeconds = 20
	zones := podorder.Domains{"node-1": "a", "node-2": "b"}
	c.Place([]string{"node-1", "node-2"})
	r, err := Run(c, Config{Kubelet: Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Names: []string{"node-1", "node-2"}, Zones: zones, Recording: rec}})
	require.NoError(t, err)
	var lines []string
	for _, s := range rec.Deployment() {
		line := fmt.Sprintf("%v: %d wanted, %d available, %v;", s.Time, s.Total, s.Available, s.Zones)
		for _, rs := range s.ReplicaSets {
			line += fmt.Sprintf(" %s %d of %d", rs.Name, rs.Ready, rs.Replicas)
		}
		lines = append(lines, line)
	}
	require.Equal(t, []string{
		"0s: 3 wanted, 2 available, map[a:2 b:1]; web-old 2 of 2 web-new 0 of 1",
		"10s: 3 wanted, 2 available, map[a:2 b:1]; web-old 2 of 2 web-new 1 of 1",
		"30s: 3 wanted, 2 available, map[a:1 b:2]; web-old 1 of 1 web-new 1 of 2",
		"40s: 3 wanted, 2 available, map[a:1 b:2]; web-old 1 of 1 web-new 2 of 2",
		"1m0s: 2 wanted, 2 available, map[a:1 b:1]; web-old 0 of 0 web-new 2 of 2",
	}, lines)
	require.Equal(t, time.Minute, r.Steps[len(r.Steps)-1].Time)
}

// TestDaemonSetMoments: pods are counted as their stages tell, at each instant at which they change.
func TestDaemonSetMoments(t *testing.T) {
	rec := &Recording{}
	c := onNodes(t, 5, daemonset.DaemonSet{MinReadySeconds: 20, MaxUnavailable: rollout.Int(2)})
	secondTemplate(&c)
	_, err := RunDaemonSet(c, DaemonSetConfig{Kubelet: Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 3 * time.Second, Jitter: 2 * time.Second, Recording: rec}})
	require.NoError(t, err)
	moments := rec.DaemonSet()
	require.Greater(t, len(moments), 6)
	for at := time.Duration(0); at <= moments[len(moments)-1].Time+time.Second; at += 100 * time.Millisecond {
		pods, updated, available := int32(0), int32(0), int32(0)
		for i := range rec.Pods {
			p := &rec.Pods[i]
			if stage := p.Until(rec.Start.Add(at)); stage != Unscheduled && stage != Scheduled && stage != Ready {
				continue
			}
			if pods++; p.Pod.Labels[daemonset.LabelHash] == "v2" {
				updated++
			}
		}
		for _, d := range rec.DaemonSets {
			if !d.At.After(rec.Start.Add(at)) {
				available = d.Object.Status.NumberAvailable
			}
		}
		for i, m := range moments {
			if m.Time <= at && (i+1 == len(moments) || moments[i+1].Time > at) {
				require.Equal(t, []int32{pods, updated, available}, []int32{m.Pods, m.Updated, m.Status.NumberAvailable}, at)
			}
		}
	}
}
