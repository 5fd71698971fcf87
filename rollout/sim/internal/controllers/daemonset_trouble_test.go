// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// TestDaemonSetQuota: with room for two of ten pods, the third and fourth are refused, which are asked
// for together, and the others are not asked for. The pass is tried again, with one pod.
func TestDaemonSetQuota(t *testing.T) {
	h := onNodes(t, 10, daemonset.DaemonSet{})
	h.Quotas.Put(cluster.Quota{Name: "q", Hard: map[string]int64{"pods": 2}})
	for h.Agenda.Len() == 0 || h.Server.Pods.Len() < 2 || h.list[0].Busy() {
		require.True(t, h.step())
	}
	require.Equal(t, 1, h.Trouble.Counts[trouble.AnsweredForbidden], "the second of the batch of two")
	h.Quotas.Put(cluster.Quota{Name: "q"})
	h.settle()
	h.everyNode(10, "v1")
	require.Equal(t, 1, h.Trouble.Counts[trouble.AnsweredForbidden])
}

// TestDaemonSetRetries: a pass that has failed is tried again: after a pod was refused, which nothing but
// time tells of, and after requests were lost.
func TestDaemonSetRetries(t *testing.T) {
	h := onNodes(t, 1, daemonset.DaemonSet{})
	h.Quotas.Put(cluster.Quota{Name: "q", Hard: map[string]int64{"pods": 0}})
	for h.list[0].Step() {
	}
	require.Zero(t, h.Server.Pods.Len())
	h.Quotas.Put(cluster.Quota{Name: "q"})
	h.settle()
	h.everyNode(1, "v1")
	for seed := range uint64(20) {
		h := newHarness(t, seed, trouble.Rates{trouble.Request: 5}, newDaemonSetController)
		h.addNodes(1, 6)
		h.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)})
		h.settle()
		h.release("v2")
		h.settle()
		h.everyNode(6, "v2")
	}
}

// TestDaemonSetTaken: the name of the first revision is another's, so that the hash is one of the
// first collision.
func TestDaemonSetTaken(t *testing.T) {
	for _, c := range []struct {
		name, data, hash string
		revisions        int
		repair           quirk.Set
	}{
		{"other template", `{"spec":{"template":{}}}`, "v11", 2, 0},
		{"same template", string(agentTemplate("v1").Data), "v1", 1, 0},
		{"same template, written in another way", " " + string(agentTemplate("v1").Data), "v11", 2, 0},
		{"same template, written in another way, repaired", " " + string(agentTemplate("v1").Data), "v1", 1, quirk.SerialisationIsVersion},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
			h.DaemonSet.Repair = c.repair
			h.addNodes(1, 1)
			h.putAgent(daemonset.DaemonSet{})
			put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) { d.TemplateID = "v1" })
			put(h, &h.Revisions, "agent-v1", func(r *revision.ControllerRevision) {
				r.Data, r.ControllerUID, r.ControllerKind, r.ControllerName = []byte(c.data), "gone", daemonset.Kind, "agent"
				r.Labels = map[string]string{"app": "agent", daemonset.LabelHash: "v1"}
			})
			for range 200 { // with the same template there is a revision to create until that is collected
				h.step()
			}
			require.NoError(t, h.Err())
			require.Len(t, h.agents(ofVersion(c.hash)), 1)
			require.Equal(t, c.revisions, h.Revisions.Len())
			require.Equal(t, c.revisions-1, h.Trouble.Counts[trouble.HashCollided])
		})
	}
}

// orphan stores a pod that the DaemonSet selects, and that has no owner.
func (h *harness) orphan(name string) {
	put(h, &h.Server.Pods, name, func(p *store.Pod) {
		p.OfDaemonSet, p.NodeName, p.Template = true, "n1", "v1"
		p.Labels = map[string]string{"app": "agent", daemonset.LabelHash: "v1"}
	})
}

// TestDaemonSetAdopts: orphans that the selector selects are adopted. Of two on a node the younger one
// is deleted by the same plan, as the adoption has left it: nothing conflicts.
func TestDaemonSetAdopts(t *testing.T) {
	h := onNodes(t, 2, daemonset.DaemonSet{})
	h.orphan("orphan1")
	h.orphan("orphan2")
	h.settle()
	h.everyNode(2, "v1")
	require.Equal(t, "agent", h.Server.Pods.Get("orphan1").ControllerName)
	require.Nil(t, h.Server.Pods.Get("orphan2"))
	require.Zero(t, h.Trouble.Counts[trouble.AnsweredConflict])
	require.Equal(t, 3, h.Server.Pods.Created())
}

// TestDaemonSetAdoptsNoMore: a DaemonSet that was removed after the plan adopts nothing.
func TestDaemonSetAdoptsNoMore(t *testing.T) {
	h := onNodes(t, 1, daemonset.DaemonSet{})
	h.orphan("orphan")
	require.True(t, h.list[0].Step()) // it plans
	require.Equal(t, apiserver.Done, apiserver.Remove(h.Server, &h.DaemonSets, apiserver.By(store.User, "agent")))
	h.settle()
	require.Empty(t, h.Server.Pods.Get("orphan").ControllerUID)
	require.Equal(t, 1, h.Server.Pods.Len())
}

// TestDaemonSetOtherOwner: a pod that is given to another DaemonSet wakes both: one creates another
// pod, and the other deletes the younger of two.
func TestDaemonSetOtherOwner(t *testing.T) {
	h := onNodes(t, 1, daemonset.DaemonSet{})
	other := *h.DaemonSets.Get("agent")
	put(h, &h.DaemonSets, "other", func(d *store.DaemonSet) { d.DaemonSet = other.DaemonSet; d.Name, d.UID = "other", "" })
	h.settle()
	given := control.Of(h.list[0], &h.Server.Pods, other.UID)[0]
	uid := h.DaemonSets.Get("other").UID
	put(h, &h.Server.Pods, given.Name, func(p *store.Pod) { p.ControllerName, p.ControllerUID = "other", uid })
	h.settle()
	require.Len(t, h.Server.Pods.Of(other.UID), 1)
	require.Len(t, h.Server.Pods.Of(uid), 1)
	h.took(20 * time.Second)
}

// TestDaemonSetSeeds: equal seeds give equal worlds.
func TestDaemonSetSeeds(t *testing.T) {
	run := func() (lines []string) {
		rates := trouble.Rates{trouble.Request: 1, trouble.Crash: 1, trouble.Stale: 1}
		h := newHarness(t, 7, rates, newDaemonSetController)
		h.Trace = func(line string) { lines = append(lines, line) }
		h.addNodes(1, 6)
		h.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)})
		for range 500 {
			h.step()
		}
		return lines
	}
	require.Equal(t, run(), run())
}

// TestDaemonSetExpects: a controller that sees the past, but never what was before what it has seen, does
// not give up to wait for writes of its own, and does not create a pod twice.
func TestDaemonSetExpects(t *testing.T) {
	for seed := range uint64(20) {
		h := newHarness(t, seed, trouble.Rates{trouble.Stale: 1}, newDaemonSetController)
		if h.list[0].SeesAnything() {
			continue
		}
		h.addNodes(1, 6)
		h.putAgent(daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)})
		for range 1000 {
			h.step()
			require.LessOrEqual(t, h.Server.Pods.Len(), 6)
		}
		h.release("v2")
		for range 1000 {
			h.step()
			require.LessOrEqual(t, h.Server.Pods.Len(), 6)
		}
		require.NoError(t, h.Err())
		require.Zero(t, h.Expired)
	}
}

// TestDaemonSetInTrouble: whatever strikes, in the end each node has one pod of the last template. Half
// of the DaemonSets are updated in place.
func TestDaemonSetInTrouble(t *testing.T) {
	for seed := range uint64(60) {
		rates := trouble.Rates{}
		for _, f := range []trouble.Fault{
			trouble.Crash, trouble.Stale, trouble.Skip, trouble.Request, trouble.Disorder, trouble.Readiness, trouble.Clocks,
			trouble.Termination, trouble.Scheduling, trouble.Conflict, trouble.LostEvents,
		} {
			rates[f] = float64((seed + uint64(f)) % 3)
		}
		h := newHarness(t, seed, rates, newDaemonSetController)
		h.addNodes(1, 6)
		limits := daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)}
		if seed%2 == 1 {
			h.ofKruise()
			limits.RollingType = daemonset.InPlaceIfPossible
		}
		h.putAgent(limits)
		for i, version := range []string{"v1", "v2", "v3"} {
			if i > 0 {
				h.release(version)
			}
			for range 300 {
				h.step()
			}
			require.NoError(t, h.Err())
		}
		h.heal()
		h.settle()
		h.everyNode(6, "v3")
	}
}
