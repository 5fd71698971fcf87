// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// rolled returns how a rollout of 4 pods goes, from a finished one to the template "new".
func rolled(t *testing.T, surge, unavailable int32, k Kubelet) Result {
	t.Helper()
	d := deployment("old", 4, rollout.Int(surge), rollout.Int(unavailable))
	c := updated(finished(t, d), deployment("new", 4, rollout.Int(surge), rollout.Int(unavailable)))
	k.ReadyAfter = 10 * time.Second
	r, err := Run(c, Config{Kubelet: k, TimeLimit: time.Hour, ReplicaSetOptions: replicaset.Options{Burst: 500}})
	require.NoError(t, err)
	return r
}

func phaseCount(r Result, bound bool) (n int) {
	for _, p := range r.Cluster.Pods {
		if (p.NodeName != "") == bound {
			n++
		}
	}
	return n
}

// With a surge and no room the new pod waits for ever; with the limit the other way round
// each old pod makes room for a new one.
func TestRoom(t *testing.T) {
	full := func() *Room {
		return &Room{
			Free:  map[string][]int64{"node-1": {0}, "node-2": {0}, "node-3": {0}, "node-4": {0}, "node-5": {0}},
			Needs: func(podorder.Pod, revision.Template) []int64 { return []int64{1} },
		}
	}
	r := rolled(t, 1, 0, Kubelet{Room: full()})
	require.False(t, r.Done)
	require.Equal(t, 4, phaseCount(r, true))
	require.Equal(t, 1, phaseCount(r, false))
	r = rolled(t, 0, 1, Kubelet{Room: full()})
	require.True(t, r.Done)
	require.Equal(t, 4, phaseCount(r, true))
	require.Equal(t, 40*time.Second, r.Steps[len(r.Steps)-1].Time)
	r = rolled(t, 0, 1, Kubelet{Room: full(), TerminateAfter: 5 * time.Second})
	require.True(t, r.Done, "who waits is scheduled when there is room")
	require.Equal(t, time.Minute, r.Steps[len(r.Steps)-1].Time)

	one := full()
	one.Free["node-3"][0] = 1
	r = rolled(t, 1, 0, Kubelet{Room: one})
	require.True(t, r.Done, "one place is enough for a surge of one")
	require.Equal(t, int64(1), one.Free["node-3"][0], "what is given is not written to")

	twice := full()
	twice.Free["node-3"][0] = 1
	twice.Needs = func(_ podorder.Pod, of revision.Template) []int64 {
		if of.ID == "new" {
			return []int64{2}
		}
		return []int64{1}
	}
	require.False(t, rolled(t, 1, 0, Kubelet{Room: twice}).Done, "the new pods are larger")
}

// A quota of what is there forbids a surge, and says so in the status.
func TestQuota(t *testing.T) {
	r := rolled(t, 1, 0, Kubelet{MaxPods: ptr.To(4)})
	require.False(t, r.Done)
	require.Len(t, r.Cluster.Pods, 4)
	last := r.Steps[len(r.Steps)-1]
	failure, _ := deploy.GetCondition(last.Status.Conditions, deploy.ConditionReplicaFailure)
	require.Equal(t, "FailedCreate", failure.Reason)
	r = rolled(t, 0, 1, Kubelet{MaxPods: ptr.To(4)})
	require.True(t, r.Done)
	require.Len(t, r.Cluster.Pods, 4)
	require.True(t, rolled(t, 1, 0, Kubelet{MaxPods: ptr.To(5)}).Done)
}

// Pods that no node takes stay without one, and pods that are being deleted count for a
// quota until they are gone.
func TestUnbound(t *testing.T) {
	r := rolled(t, 1, 1, Kubelet{Unbound: func(_ podorder.Pod, of revision.Template) bool { return of.ID == "new" }})
	require.False(t, r.Done)
	require.Equal(t, 2, phaseCount(r, false))
	r = rolled(t, 1, 1, Kubelet{MaxPods: ptr.To(4), TerminateAfter: time.Minute})
	require.True(t, r.Done)
	require.Equal(t, 4*70*time.Second, r.Steps[len(r.Steps)-1].Time, "one pod after the other ends, and then starts")
}

// What pods of both templates take counts against a quota: there is room for 5 old ones, or
// for 4 and a new one that takes as much, but not for one that takes twice as much.
func TestQuotaOfResources(t *testing.T) {
	quota := func(hard, of int64) *Quota {
		return &Quota{Hard: []int64{hard, 100}, Needs: func(t revision.Template) []int64 {
			if t.ID == "new" {
				return []int64{of, 1}
			}
			return []int64{1, 0}
		}}
	}
	require.True(t, rolled(t, 1, 0, Kubelet{Quota: quota(5, 1)}).Done)
	r := rolled(t, 1, 0, Kubelet{Quota: quota(5, 2)})
	require.False(t, r.Done)
	require.Len(t, r.Cluster.Pods, 4, "the first new pod is refused")
	require.True(t, rolled(t, 0, 1, Kubelet{Quota: quota(8, 2)}).Done, "each old pod that goes makes room for half a new one, and there is room for two more")
	r = rolled(t, 0, 1, Kubelet{Quota: quota(7, 2)})
	require.False(t, r.Done, "the last one finds one too few")
	require.Len(t, r.Cluster.Pods, 3)
}
