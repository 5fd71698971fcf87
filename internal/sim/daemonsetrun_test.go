// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// onNodes returns a cluster of n nodes on which the first template of a DaemonSet with
// these limits runs.
func onNodes(t testing.TB, n int, limits daemonset.DaemonSet) DaemonSetCluster {
	d := DaemonSet{DaemonSet: limits}
	d.Name, d.UID, d.Selector = "agent", "d", selector.FromLabels(appWeb)
	setTemplate(&d, "v1")
	d.Template.Hash = "v1"
	nodes := make([]daemonset.Node, n)
	for i := range nodes {
		nodes[i].Name = fmt.Sprint("n", i+1)
	}
	c, err := FinishedDaemonSet(d.DaemonSet, nodes, daemonset.Options{})
	require.NoError(t, err)
	return c
}

func threeNodes(t *testing.T) DaemonSetCluster {
	return onNodes(t, 3, daemonset.DaemonSet{})
}

func secondTemplate(c *DaemonSetCluster) {
	d := DaemonSet{DaemonSet: c.DaemonSet}
	setTemplate(&d, "v2")
	d.Template.Hash = "v2"
	c.Update(d.DaemonSet)
}

// TestRunDaemonSet: one node at a time, each with 2 seconds to stop, 1 to be bound and
// 10 to become ready.
func TestRunDaemonSet(t *testing.T) {
	c := threeNodes(t)
	require.Len(t, c.Pods, 3)
	require.Len(t, c.Revisions, 1)
	secondTemplate(&c)
	k := Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 2 * time.Second}
	r, err := RunDaemonSet(c, DaemonSetConfig{Kubelet: k})
	require.NoError(t, err)
	require.True(t, r.Done)
	last := r.Steps[len(r.Steps)-1]
	require.Equal(t, 3*13*time.Second, last.Time)
	require.EqualValues(t, 3, last.Status.UpdatedNumberScheduled)
	require.EqualValues(t, 3, last.Updated)
	deleted := 0
	for _, s := range r.Steps {
		require.GreaterOrEqual(t, s.Status.NumberAvailable, int32(2))
		for _, a := range s.Actions {
			if _, ok := a.(daemonset.DeletePod); ok {
				deleted++
			}
		}
	}
	require.Equal(t, 3, deleted)
	require.Len(t, c.Pods, 3, "the argument stays as it is")
}

func TestRunDaemonSetStops(t *testing.T) {
	c := threeNodes(t)
	secondTemplate(&c)
	c.DaemonSet.Partition = rollout.Int(2)
	r, err := RunDaemonSet(c, DaemonSetConfig{})
	require.NoError(t, err)
	require.True(t, r.Done, "the partition keeps two nodes")
	require.EqualValues(t, 1, r.Steps[len(r.Steps)-1].Updated)

	c.DaemonSet.Partition = rollout.IntOrPercent{}
	r, err = RunDaemonSet(c, DaemonSetConfig{TimeLimit: time.Hour, Kubelet: Kubelet{NeverReady: func(_ podorder.Pod, v revision.Template) bool { return v.ID == "v2" }}})
	require.NoError(t, err)
	require.False(t, r.Done)
	require.EqualValues(t, 2, r.Steps[len(r.Steps)-1].Status.NumberAvailable, "it stops at the first node")
}

// TestRunDaemonSetSeesAll: what happens to hundreds of pods at once is seen, and nothing
// waits for expectations to expire.
func TestRunDaemonSetSeesAll(t *testing.T) {
	c := onNodes(t, 300, daemonset.DaemonSet{MaxUnavailable: rollout.Percent(50)})
	require.Equal(t, Epoch.Add(time.Hour), c.Now)
	secondTemplate(&c)
	r, err := RunDaemonSet(c, DaemonSetConfig{Kubelet: Kubelet{ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 2 * time.Second}})
	require.NoError(t, err)
	require.True(t, r.Done)
	require.Equal(t, 2*13*time.Second, r.Steps[len(r.Steps)-1].Time)
}

// TestRunDaemonSetInPlace: a new pod is ready once its gate is open, and so is one whose
// images have been pulled.
func TestRunDaemonSetInPlace(t *testing.T) {
	c := threeNodes(t)
	for _, template := range []string{"v2", "v3"} {
		d := DaemonSet{DaemonSet: c.DaemonSet}
		setTemplate(&d, template)
		d.Template.Hash, d.RollingType = template, daemonset.InPlaceIfPossible
		c.Update(d.DaemonSet)
		r, err := RunDaemonSet(c, DaemonSetConfig{Kubelet: Kubelet{ReadyAfter: 10 * time.Second}})
		require.NoError(t, err)
		require.True(t, r.Done)
		require.Equal(t, 3*10*time.Second, r.Steps[len(r.Steps)-1].Time, template)
		c = r.Cluster
	}
	for _, p := range c.Pods {
		require.Equal(t, "app:v3", p.Containers[0].Status.Image)
		require.Equal(t, &inplace.ReadyCondition{True: true}, p.InPlace)
	}
}

// With a latency controllers have few passes, in about the same time, and no more pods are
// unavailable.
func TestLatencyOfDaemonSet(t *testing.T) {
	c := onNodes(t, 100, daemonset.DaemonSet{MaxUnavailable: rollout.Percent(10)})
	secondTemplate(&c)
	run := func(latency time.Duration) (passes int, end time.Duration) {
		k := Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: time.Second, Jitter: 10 * time.Second}
		r, err := RunDaemonSet(c, DaemonSetConfig{Kubelet: k, Latency: latency})
		require.NoError(t, err)
		require.True(t, r.Done)
		least := int32(100)
		for _, s := range r.Steps {
			least = min(least, s.Status.NumberAvailable)
		}
		require.EqualValues(t, 90, least)
		return len(r.Steps), r.Steps[len(r.Steps)-1].Time
	}
	passes, end := run(0)
	few, endOfFew := run(time.Second)
	require.Less(t, few, passes)
	require.InDelta(t, end, endOfFew, float64(end)/4)
}
