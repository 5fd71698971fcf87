// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/selector"
)

// onNodes returns a world with a DaemonSet that is to run on n nodes, n1 and so on.
func onNodes(t testing.TB, n int, limits daemonset.DaemonSet) *harness {
	h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
	h.addNodes(1, n)
	h.putAgent(limits)
	return h
}

func (h *harness) addNodes(from, to int) {
	for i := from; i <= to; i++ {
		put(h, &h.Nodes, fmt.Sprint("n", i), func(*store.Node) {})
	}
}

// putAgent stores the DaemonSet agent with its first template.
func (h *harness) putAgent(limits daemonset.DaemonSet) {
	put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) {
		limits.Name, limits.Generation, limits.Selector = "agent", 1, selector.FromLabels(map[string]string{"app": "agent"})
		d.DaemonSet = limits
		d.Template = agentTemplate("v1")
	})
}

// agentTemplate is a template with one container, whose image has the version as its tag.
func agentTemplate(version string) daemonset.Template {
	data := fmt.Sprintf(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"name":"c","image":"agent:%s"}]}}}}`, version)
	return daemonset.Template{Hash: version, Data: []byte(data), Labels: map[string]string{"app": "agent"}}
}

// release gives the DaemonSet another template.
func (h *harness) release(version string) {
	put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) { d.Template, d.Generation = agentTemplate(version), d.Generation+1 })
}

// agents returns the pods of the DaemonSet that hold, if it is not nil, by name.
func (h *harness) agents(hold func(*store.Pod) bool) (pods []*store.Pod) {
	for _, p := range h.Server.Pods.All() {
		if hold == nil || hold(p) {
			pods = append(pods, p)
		}
	}
	return pods
}

func ready(p *store.Pod) bool { return p.Ready && p.DeletionTimestamp.IsZero() }

func ofVersion(version string) func(*store.Pod) bool {
	return func(p *store.Pod) bool {
		return p.Labels[daemonset.LabelHash] == version && p.Template == version && p.OfDaemonSet
	}
}

// everyNode requires one ready pod of a version on each of n nodes, and a status that says so.
func (h *harness) everyNode(n int, version string) {
	h.t.Helper()
	where := map[string]bool{}
	for _, p := range h.agents(ofVersion(version)) {
		require.True(h.t, ready(p), p.Name)
		where[p.NodeName] = true
	}
	require.Len(h.t, h.agents(nil), n)
	require.Len(h.t, where, n)
	s := h.DaemonSets.Get("agent").Status
	require.Equal(h.t, [4]int32{int32(n), int32(n), int32(n), int32(n)},
		[4]int32{s.DesiredNumberScheduled, s.NumberReady, s.NumberAvailable, s.UpdatedNumberScheduled})
	require.Equal(h.t, h.DaemonSets.Get("agent").Generation, s.ObservedGeneration)
}

// took requires that so much time has passed.
func (h *harness) took(d time.Duration) {
	h.t.Helper()
	require.Equal(h.t, d, h.Agenda.Now().Sub(agenda.Epoch))
}

// TestDaemonSetFromNothing: all pods are created at once, and are ready after ten seconds.
func TestDaemonSetFromNothing(t *testing.T) {
	h := onNodes(t, 6, daemonset.DaemonSet{})
	h.settle()
	h.everyNode(6, "v1")
	h.took(10 * time.Second)
	require.Equal(t, 1, h.Revisions.Len())
	require.Equal(t, "agent-v1", h.Revisions.All()[0].Name)
}

// TestDaemonSetUpdates: with two nodes unavailable at most, three pairs follow each other, each pair
// with 5 seconds to end and 10 to become ready. With two nodes of surge the new pods of a pair become
// ready first, so that six nodes always have a ready pod; the next pair begins when the old pods of
// the last one are being deleted, and the last ones end after the end.
func TestDaemonSetUpdates(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits daemonset.DaemonSet
		least  int // ready pods
		took   time.Duration
	}{
		{"unavailable", daemonset.DaemonSet{MaxUnavailable: rollout.Int(2)}, 4, 3 * 15 * time.Second},
		{"surge", daemonset.DaemonSet{MaxSurge: rollout.Int(2)}, 6, 3*10*time.Second + 5*time.Second},
		{"on delete", daemonset.DaemonSet{Strategy: daemonset.OnDelete}, 6, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := onNodes(t, 6, c.limits)
			h.settle()
			h.release("v2")
			least := 6
			h.settle(func() { least = min(least, len(h.agents(ready))) })
			require.Equal(t, c.least, least)
			h.took(10*time.Second + c.took)
			if c.limits.Strategy == daemonset.OnDelete {
				require.Len(t, h.agents(ofVersion("v1")), 6)
				return
			}
			h.everyNode(6, "v2")
			require.Equal(t, 2, h.Revisions.Len())
		})
	}
}

// TestDaemonSetNodes: a new node gets a pod. One with a taint gets one once the taint is removed. A
// taint that pods may not stay with takes the pod away. A node that is gone counts no longer.
func TestDaemonSetNodes(t *testing.T) {
	h := onNodes(t, 2, daemonset.DaemonSet{})
	h.settle()
	h.addNodes(3, 3)
	h.settle()
	h.everyNode(3, "v1")
	h.took(20 * time.Second)
	gpu := daemonset.Taint{Key: "gpu", Effect: daemonset.NoSchedule}
	put(h, &h.Nodes, "n4", func(n *store.Node) { n.Taints = []daemonset.Taint{gpu} })
	h.settle()
	h.everyNode(3, "v1")
	put(h, &h.Nodes, "n4", func(n *store.Node) { n.Taints = nil })
	h.settle()
	h.everyNode(4, "v1")
	broken := daemonset.Taint{Key: "broken", Effect: daemonset.NoExecute}
	put(h, &h.Nodes, "n4", func(n *store.Node) { n.Taints = []daemonset.Taint{broken} })
	h.settle()
	h.everyNode(3, "v1")
	put(h, &h.Nodes, "n4", func(n *store.Node) { n.Taints = nil })
	h.settle()
	h.everyNode(4, "v1")
	gone := h.agents(func(p *store.Pod) bool { return p.NodeName == "n4" })[0]
	require.Equal(t, apiserver.Done, apiserver.Remove(h.Server, &h.Nodes, apiserver.By(store.User, "n4")))
	h.settle() // its pod is another controller's to collect
	require.EqualValues(t, 3, h.DaemonSets.Get("agent").Status.DesiredNumberScheduled)
	require.Equal(t, apiserver.Done, apiserver.Remove(h.Server, &h.Server.Pods, apiserver.By(store.Collector, gone.Name)))
	h.settle()
	h.everyNode(3, "v1")
	h.took(45 * time.Second)
}

// TestDaemonSetFailedPod: a pod that fails is deleted, and the next one is there at once. If that fails
// as well, its deletion waits until a second after the first one, whether a Tracker plans or not.
func TestDaemonSetFailedPod(t *testing.T) {
	for _, n := range []int{1, manyNodes} {
		h := onNodes(t, n, daemonset.DaemonSet{})
		h.settle()
		newest := func() *store.Pod {
			if all := h.Server.Pods.All(); len(all) > 0 {
				return all[len(all)-1]
			}
			return nil
		}
		last := newest().UID
		require.True(t, h.Life.Failed(h.agents(nil)[0].Name, podorder.Failed))
		for p := newest(); p == nil || p.UID == last || p.NodeName == ""; p = newest() {
			require.True(t, h.step())
		}
		h.took(10 * time.Second)
		require.True(t, h.Life.Failed(newest().Name, podorder.Failed))
		h.settle()
		h.everyNode(n, "v1")
		h.took(21 * time.Second)
	}
}

// TestDaemonSetTerminating: while a pod ends there is no other one on its node.
func TestDaemonSetTerminating(t *testing.T) {
	h := onNodes(t, 2, daemonset.DaemonSet{})
	h.settle()
	first := h.agents(nil)[0]
	r := apiserver.By(store.User, first.Name)
	require.Equal(t, apiserver.Done, h.DeletePod(r))
	h.settle(func() { require.LessOrEqual(t, h.Server.Pods.Len(), 2) })
	h.everyNode(2, "v1")
	h.took(25 * time.Second)
	require.Nil(t, h.Server.Pods.Get(first.Name))
}

// TestDaemonSetRevisions: a DaemonSet is told of changes of its revisions: one that is removed is stored again,
// and one that loses its owner is adopted.
func TestDaemonSetRevisions(t *testing.T) {
	h := onNodes(t, 1, daemonset.DaemonSet{})
	h.settle()
	uid := h.DaemonSets.Get("agent").UID
	require.Equal(t, apiserver.Done, apiserver.Remove(h.Server, &h.Revisions, apiserver.By(store.User, "agent-v1")))
	h.settle()
	require.Len(t, h.Revisions.Of(uid), 1)
	put(h, &h.Revisions, "agent-v1", func(r *revision.ControllerRevision) { r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", "" })
	h.settle()
	require.Len(t, h.Revisions.Of(uid), 1)
}

// TestDaemonSetTainted: a taint that pods stay with makes a node no longer wanted. A DaemonSet of OpenKruise is
// told so, one of Kubernetes is not: it has a pod there, which may stay.
func TestDaemonSetTainted(t *testing.T) {
	for _, kruise := range []bool{false, true} {
		h := onNodes(t, 2, daemonset.DaemonSet{})
		desired := int32(2)
		if kruise {
			h.ofKruise()
			desired = 1
		}
		h.settle()
		put(h, &h.Nodes, "n1", func(n *store.Node) { n.Taints = []daemonset.Taint{{Key: "gpu", Effect: daemonset.NoSchedule}} })
		h.settle()
		require.Equal(t, desired, h.DaemonSets.Get("agent").Status.DesiredNumberScheduled)
		require.Equal(t, 2, h.Server.Pods.Len())
	}
}
