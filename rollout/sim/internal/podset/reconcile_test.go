// SPDX-License-Identifier: Apache-2.0

package podset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/workload"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A harness is a set with its pods, and a controller that works pass by pass.
type harness struct {
	podset.Snapshot
	now    time.Time
	serial int
	log    []string // what each pass has done, in one line
}

// finished returns a set whose pods all are of the template "a", and then wants "b".
func finished(groupKind string, replicas int32, change func(*cluster.Set)) *harness {
	c := &harness{now: epoch}
	group, kind, _ := strings.Cut(groupKind, "/")
	c.Set.Workload = workload.Workload{
		Ref: workload.Ref{APIVersion: group + "/v1", Kind: kind, Name: "web"}, Replicas: &replicas, Template: revision.Template{Hash: "a"}, Generation: 1,
	}
	c.Set.Parallel = true
	c.settle()
	c.Set.Parallel, c.Set.Template.Hash, c.log = false, "b", nil
	c.Set.Generation++
	change(&c.Set)
	return c
}

// settle lets passes and pods go on until neither changes anything.
func (c *harness) settle() {
	for range 100 {
		before := len(c.log)
		c.pass()
		if c.live(); len(c.log) == before && c.now.After(epoch.Add(time.Minute)) {
			return
		}
		c.now = c.now.Add(10 * time.Second)
	}
}

// pass carries out one plan.
func (c *harness) pass() {
	p := podset.Reconcile(c.Snapshot, c.now)
	c.Set.Status, c.Set.StableRevision, c.Set.UpdateRevision = p.Status, p.StableRevision, p.UpdateRevision
	var line []string
	for _, a := range p.Actions {
		line = append(line, a.String())
		i := slices.IndexFunc(c.Pods, func(p podorder.Pod) bool { return p.Name == a.Name })
		switch a.Verb {
		case podset.Create:
			if a.Name == "" {
				c.serial++
				a.Name = fmt.Sprintf("web-x%d", c.serial)
			}
			c.Pods = append(c.Pods, podorder.Pod{Name: a.Name, Labels: podset.PodLabels(&c.Set, a.Revision), CreationTimestamp: c.now, Phase: podorder.Pending})
		case podset.Delete:
			c.Pods[i].DeletionTimestamp = c.now
		case podset.Mark:
			c.Pods[i].Labels[podset.LabelMarked] = "true"
		case podset.Update:
			c.Pods[i].Labels, c.Pods[i].Ready = podset.PodLabels(&c.Set, a.Revision), false
		}
	}
	if len(line) > 0 {
		c.log = append(c.log, strings.Join(line, ", "))
	}
}

// live makes pods ready, and ends those that are being deleted.
func (c *harness) live() {
	c.Pods = slices.DeleteFunc(c.Pods, func(p podorder.Pod) bool { return !p.DeletionTimestamp.IsZero() })
	for i := range c.Pods {
		if p := &c.Pods[i]; !p.Ready {
			p.Ready, p.ReadySince, p.Phase, p.NodeName = true, c.now, podorder.Running, "n-"+p.Name
		}
	}
}

func TestPasses(t *testing.T) {
	rolling := func(surge, unavailable int32) *partition.RollingUpdate {
		return &partition.RollingUpdate{MaxSurge: rollout.Int(surge), MaxUnavailable: rollout.Int(unavailable)}
	}
	tests := []struct {
		name, kind string
		change     func(*cluster.Set)
		want       []string
	}{
		{"one by one from the last ordinal", podset.StatefulSet, func(*cluster.Set) {}, []string{
			"delete web-2", "create web-2 of web-b", "delete web-1", "create web-1 of web-b", "delete web-0", "create web-0 of web-b",
		}},
		{"down to the partition", podset.StatefulSet, func(s *cluster.Set) { s.Partition = rollout.Int(2) }, []string{"delete web-2", "create web-2 of web-b"}},
		{"nothing with the partition of admission", podset.StatefulSet, func(s *cluster.Set) { s.Partition = rollout.Int(workload.HoldEverything) }, nil},
		{"parallel is not faster to update", podset.StatefulSet, func(s *cluster.Set) { s.Parallel, s.Partition = true, rollout.Int(1) }, []string{
			"delete web-2", "create web-2 of web-b", "delete web-1", "create web-1 of web-b",
		}},
		{"shrinks from the last ordinal, grows in order", podset.StatefulSet, func(s *cluster.Set) { s.Replicas, s.Partition = ptr.To(int32(1)), rollout.Int(5) }, []string{
			"delete web-2", "delete web-1",
		}},
		{"new ones below the partition are old", podset.StatefulSet, func(s *cluster.Set) { s.Replicas, s.Partition, s.Parallel = ptr.To(int32(5)), rollout.Int(4), true }, []string{
			"create web-3 of web-a, create web-4 of web-b",
		}},
		{"on delete", podset.StatefulSet, func(s *cluster.Set) { s.StrategyType = "OnDelete" }, nil},
		{"several at once", podset.AdvancedStatefulSet, func(s *cluster.Set) { s.Parallel, s.RollingUpdate = true, rolling(0, 2) }, []string{
			"delete web-2, delete web-1", "create web-1 of web-b, create web-2 of web-b", "delete web-0", "create web-0 of web-b",
		}},
		{"in place", podset.AdvancedStatefulSet, func(s *cluster.Set) { s.InPlace, s.Partition = true, rollout.Int(1) }, []string{
			"update web-2 of web-b", "update web-1 of web-b",
		}},
		{"paused", podset.AdvancedStatefulSet, func(s *cluster.Set) { s.Paused = true }, nil},
		{"marks, deletes, creates", podset.CloneSet, func(s *cluster.Set) { s.Partition = rollout.Percent(50) }, []string{
			"mark web-x1", "delete web-x1", "create  of web-b",
		}},
		{"with a surge new ones come first", podset.CloneSet, func(s *cluster.Set) { s.Partition, s.RollingUpdate = rollout.Int(1), rolling(2, 0) }, []string{
			"create  of web-b, create  of web-b", "delete web-x1, delete web-x2",
		}},
		{"in place within what may be unavailable", podset.CloneSet, func(s *cluster.Set) { s.InPlace, s.RollingUpdate = true, rolling(0, 2) }, []string{
			"update web-x1 of web-b, update web-x2 of web-b", "update web-x3 of web-b",
		}},
		{"keeps all at 100%", podset.CloneSet, func(s *cluster.Set) { s.Partition = rollout.Percent(100) }, nil},
		{"old ones go first when it shrinks", podset.CloneSet, func(s *cluster.Set) { s.Replicas, s.Partition = ptr.To(int32(1)), rollout.Percent(100) }, []string{
			"delete web-x1, delete web-x2",
		}},
		{"paused", podset.CloneSet, func(s *cluster.Set) { s.Paused = true }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			c := finished(tt.kind, 3, tt.change)
			c.settle()
			require.Equal(t, tt.want, c.log)
		})
	}
}

// TestParallelUpdate: a parallel set updates all old pods at once that do not serve, and one that serves if all others do.
func TestParallelUpdate(t *testing.T) {
	for _, tt := range []struct {
		partition int32
		idle      []int
		want      string
	}{
		{0, []int{0, 2}, "[delete web-2 delete web-0]"},
		{1, []int{0, 2}, "[delete web-2]"},
		{1, []int{0}, "[]"},
		{1, nil, "[delete web-3]"},
	} {
		c := finished(podset.StatefulSet, 4, func(s *cluster.Set) { s.Parallel, s.Partition = true, rollout.Int(tt.partition) })
		for _, n := range tt.idle {
			c.Pods[n].Ready = false
		}
		require.Equal(t, tt.want, fmt.Sprint(podset.Reconcile(c.Snapshot, c.now).Actions), tt)
	}
}

// TestRevisions: when the revision of the template counts as stable.
func TestRevisions(t *testing.T) {
	for _, kind := range []string{podset.CloneSet, podset.StatefulSet, podset.AdvancedStatefulSet} {
		c := finished(kind, 3, func(s *cluster.Set) { s.Partition = rollout.Int(1) })
		c.settle()
		require.Equal(t, "web-a web-b", c.Set.StableRevision+" "+c.Set.UpdateRevision, kind)
		require.Equal(t, workload.Status{
			ObservedGeneration: 2, Replicas: 3, ReadyReplicas: 3, AvailableReplicas: 3, UpdatedReplicas: 2, UpdatedReadyReplicas: 2,
		}, c.Set.Status, kind)
		c.Set.Partition = rollout.IntOrPercent{}
		c.settle()
		require.Equal(t, "web-b web-b", c.Set.StableRevision+" "+c.Set.UpdateRevision, kind)
	}
	require.Empty(t, podset.Reconcile(podset.Snapshot{Set: cluster.Set{Workload: workload.Workload{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment"}}}}, epoch))
}

// TestAvailability: a pod serves when it has been ready long enough, and the pass says when.
func TestAvailability(t *testing.T) {
	c := finished(podset.StatefulSet, 2, func(s *cluster.Set) { s.MinReadySeconds = 30 })
	c.pass()
	require.Equal(t, []string{"delete web-1"}, c.log, "all have been ready long enough")
	c.live()
	c.pass()
	c.live()
	c.now = c.now.Add(29 * time.Second)
	require.Empty(t, podset.Reconcile(c.Snapshot, c.now).Actions)
	require.Equal(t, c.now.Add(time.Second), podset.Reconcile(c.Snapshot, c.now).RecheckAt)
	c.now = c.now.Add(time.Second)
	require.Equal(t, "delete web-0", podset.Reconcile(c.Snapshot, c.now).Actions[0].String())
}
