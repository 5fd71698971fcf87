// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// owners are the kinds of workloads, each named web, with three pods of a template.
var owners = map[string]func(template string) any{
	"Deployment": func(template string) any { return webDeployment(template, 3) },
	"Recreate": func(template string) any {
		d := webDeployment(template, 3)
		d.Strategy = deploy.Recreate
		return d
	},
	"DaemonSet": func(template string) any {
		d := webDaemonSet(template)
		d.MaxUnavailable = rollout.Int(1)
		return d
	},
	"CloneSet": func(template string) any { return webSet(template, 3) },
	"CloneSet in place": func(template string) any {
		s := webSet(template, 3)
		s.InPlace = true
		return s
	},
	"StatefulSet":          func(template string) any { return webStatefulSet(template, false) },
	"StatefulSet parallel": func(template string) any { return webStatefulSet(template, true) },
}

func webStatefulSet(template string, parallel bool) cluster.Set {
	s := webSet(template, 3)
	s.Ref, s.Parallel = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"}, parallel
	return s
}

var (
	unready  = cluster.PodHold{Unready: true}
	unplaced = cluster.PodHold{Unplaced: true}
	kept     = cluster.PodHold{Kept: true}
)

// ran is what a world holds in which an owner has rolled a template out, on three nodes.
func ran(t require.TestingT, owner, template string, c sim.Config) cluster.Snapshot {
	w, err := sim.New(cluster.Snapshot{Nodes: equalNodes(3, 0)}, c)
	require.NoError(t, err)
	require.NoError(t, w.Put(owners[owner](template)))
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, 3, readyOf(w, template))
	return w.Snapshot()
}

// allPods are the pods of a snapshot, those of DaemonSets too.
func allPods(s *cluster.Snapshot) (list []*podorder.Pod) {
	for i := range s.Pods {
		list = append(list, &s.Pods[i])
	}
	for i := range s.DaemonPods {
		list = append(list, &s.DaemonPods[i].Pod)
	}
	return list
}

// hold lets a pod be as one that is so held.
func hold(s *cluster.Snapshot, i int, h cluster.PodHold) (name string) {
	p := allPods(s)[i]
	if h.Unready || h.Unplaced {
		p.Ready = false
	}
	if h.Unplaced {
		if len(s.DaemonPods) > 0 {
			s.DaemonPods[i].PinnedNode = p.NodeName
		}
		p.NodeName, p.Phase = "", podorder.Pending
	}
	s.Held = map[string]cluster.PodHold{p.Name: h}
	return p.Name
}

// readyOf is how many pods of a template are ready.
func readyOf(w *sim.World, template string) (n int) {
	s := w.Snapshot()
	for _, p := range allPods(&s) {
		of := cmp.Or(p.Labels[workload.LabelControllerRevision], p.Labels[workload.LabelPodTemplateHash])
		if p.Active() && p.Ready && strings.HasSuffix(of, template) {
			n++
		}
	}
	return n
}

// goesOn is a world that goes on from a snapshot to the template v2, until nothing happens any more.
func goesOn(t *testing.T, s cluster.Snapshot, owner string) *sim.World {
	w := newWorld(t, s, sim.Config{})
	require.NoError(t, w.Put(owners[owner]("v2")))
	settled(t, w)
	return w
}

// TestHeldOld: what becomes of a rollout from v1 to v2 if one pod of v1 is held. A StatefulSet waits for
// the pods with lower ordinals before it goes on, unless it is Parallel, and until the name of a deleted
// pod is free. An update in place gives no node. The others go on without the pod.
func TestHeldOld(t *testing.T) {
	never := map[cluster.PodHold][]string{
		unready:  {"StatefulSet"},
		unplaced: {"CloneSet in place", "StatefulSet"},
		kept:     {"StatefulSet", "StatefulSet parallel"},
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		before := ran(t, owner, "v1", sim.Config{})
		require.Equal(t, 3, readyOf(goesOn(t, before, owner), "v2"))
		for h, stay := range never {
			t.Run(fmt.Sprintf("%s %+v", owner, h), func(t *testing.T) {
				s := before
				s.Pods, s.DaemonPods = slices.Clone(s.Pods), slices.Clone(s.DaemonPods)
				name := hold(&s, 0, h)
				w := goesOn(t, s, owner)
				require.Equal(t, !slices.Contains(stay, owner), readyOf(w, "v2") == 3)
				if h != kept || owner == "CloneSet in place" {
					return
				}
				end := w.Snapshot()
				p := allPods(&end)[0]
				require.Equal(t, name, p.Name)
				require.Equal(t, podorder.Succeeded, p.Phase, "its containers have ended")
				require.False(t, p.DeletionTimestamp.IsZero() || p.Ready)
			})
		}
	}
}

// TestKeptWithoutContainers: a pod that finalizers keep takes room until its containers have ended, and
// after its node is deleted it is still there. One without a node never had any.
func TestKeptWithoutContainers(t *testing.T) {
	c := sim.Config{Times: cluster.Times{End: cluster.Exactly(time.Minute)}}
	w := newWorld(t, cluster.Snapshot{Resources: []string{"pods"}, Nodes: equalNodes(1, 1), Templates: map[string]cluster.Template{"v1": onePod}}, c)
	require.NoError(t, w.Put(webReplicaSet(2)))
	settled(t, w)
	s := w.Snapshot()
	runs, waits := s.Pods[0].Name, s.Pods[1].Name
	s.Held = map[string]cluster.PodHold{runs: kept, waits: kept}
	w = newWorld(t, s, c)
	since := w.Now()
	require.True(t, w.Delete(sim.KindPod, runs))
	require.True(t, w.Delete(sim.KindPod, waits))
	at(t, w, since, 59*time.Second)
	require.Zero(t, serving(values(w.View().Pods())))
	settled(t, w)
	require.Equal(t, 1, serving(values(w.View().Pods())), "another in its room")
	require.Equal(t, []podorder.Phase{podorder.Succeeded, podorder.Pending}, []podorder.Phase{w.View().Pod(runs).Phase, w.View().Pod(waits).Phase})
	require.True(t, w.Delete(sim.KindNode, "node-0000"))
	settled(t, w)
	require.NotNil(t, w.View().Pod(runs))
	require.NotNil(t, w.View().Pod(waits))
}

// TestLostSince: a node that has not answered before the world began. Its pods are deleted 300 s after that
// was noticed and stay; a pod that was being deleted stays as well, until the node answers.
func TestLostSince(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(2, 0)}, sim.Config{})
	require.NoError(t, w.Put(webReplicaSet(3)))
	settled(t, w)
	s := w.Snapshot()
	for i := range s.Pods {
		s.Pods[i].Ready = false
	}
	s.Nodes[0].NotReady, s.Nodes[0].NotReadySince = true, s.Now.Add(-200*time.Second)
	s.Pods[0].DeletionTimestamp = s.Now.Add(-time.Hour)
	for range 2 { // the second world goes on from the first
		w = newWorld(t, s, sim.Config{})
		at(t, w, s.Nodes[0].NotReadySince, 299*time.Second)
		require.Equal(t, []int{1, 1}, []int{terminating(w), serving(values(w.View().Pods()))}, "one was created elsewhere for that which is going")
		s = w.Snapshot()
	}
	at(t, w, s.Nodes[0].NotReadySince, 300*time.Second)
	require.Equal(t, []int{3, 3}, []int{terminating(w), serving(values(w.View().Pods()))})
	w.Answers("node-0000", true)
	settled(t, w)
	require.Len(t, w.View().Pods(), 3)
	require.Zero(t, w.Snapshot().Nodes[0].NotReadySince)
}

// TestHeldUnknown: a hold is for a pod of the snapshot.
func TestHeldUnknown(t *testing.T) {
	_, err := sim.New(cluster.Snapshot{Held: map[string]cluster.PodHold{"gone": kept}}, sim.Config{})
	require.Equal(t, []string{`Held["gone"]`}, paths(t, err))
}
