// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/selector"
)

var labels = map[string]string{"app": "web"}

func web(name, template string, replicas int32) deploy.Deployment {
	return deploy.Deployment{
		Name: name, UID: name, Replicas: &replicas, Selector: selector.FromLabels(labels), TemplateLabels: labels,
		Template: revision.Template{ID: template}, MaxSurge: rollout.Int(1), ProgressDeadlineSeconds: ptr.To(int32(600)),
	}
}

var times = cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)}

// begin makes a world with steps and a history of it.
func begin(t *testing.T, s cluster.Snapshot, config sim.Config) (*sim.World, *record.Steps, *record.History) {
	config.Times, config.Together = times, true
	steps, history := record.NewSteps(&config), record.NewHistory(&config, time.Time{})
	w, err := sim.New(s, config)
	require.NoError(t, err)
	return w, steps, history
}

func settle(t *testing.T, w *sim.World) {
	rests, err := w.Settle(24 * time.Hour)
	require.NoError(t, err)
	require.True(t, rests)
}

// told is the steps in a line each.
func told(steps []record.Step, start time.Time) (lines []string) {
	for _, s := range steps {
		line := fmt.Sprintf("%v +%d -%d", s.Time.Sub(start), s.Created, s.Deleted)
		for _, p := range s.Parts {
			line += fmt.Sprintf(" | %d: %d/%d", p.Revision, p.Ready, p.Wanted)
		}
		lines = append(lines, line)
	}
	return lines
}

// Two replicas, one more at a time: the steps are those of the planner, each with the sizes that it led
// to, and the rollout is complete when the last new pod is ready, though an old one still ends.
func TestSteps(t *testing.T) {
	w, steps, _ := begin(t, cluster.Snapshot{}, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 2)))
	settle(t, w)
	first, complete := steps.Workload(sim.KindDeployment, "web")
	require.Equal(t, []string{"0s +2 -0 | 1: 0/2", "10s +0 -0 | 1: 2/2"}, told(first, w.Start()))
	require.Equal(t, 10*time.Second, complete.Sub(w.Start()))

	again := w.Now()
	require.NoError(t, w.Put(web("web", "v2", 2)))
	settle(t, w)
	list, complete := steps.Workload(sim.KindDeployment, "web")
	require.Equal(t, []string{
		"0s +1 -0 | 1: 2/2 | 2: 0/1",
		"10s +0 -1 | 1: 1/1 | 2: 1/1", "10s +1 -0 | 1: 1/1 | 2: 1/2", "20s +0 -1 | 1: 0/0 | 2: 2/2", "20s +0 -0 | 1: 0/0 | 2: 2/2",
	}, told(list[len(first)-1:], again))
	require.Equal(t, 20*time.Second, complete.Sub(again))
	require.Empty(t, list[len(list)-1].Plan.(deploy.Plan).Actions, "the last one does nothing")
}

// A rollout that never ends has the last plan as its end, and is not complete.
func TestUnfinished(t *testing.T) {
	w, steps, _ := begin(t, cluster.Snapshot{Templates: map[string]cluster.Template{"v2": {NeverReady: true}}}, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 2)))
	settle(t, w)
	again := w.Now()
	require.NoError(t, w.Put(web("web", "v2", 2)))
	settle(t, w)
	list, complete := steps.Workload(sim.KindDeployment, "web")
	require.Zero(t, complete)
	last := list[len(list)-1]
	require.Equal(t, 10*time.Minute, last.Time.Sub(again).Truncate(time.Minute), "the progress deadline")
	require.Equal(t, []record.Part{{"web-v1", "v1", 1, 2, 2, 2, false}, {"web-v2", "v2", 2, 1, 0, 0, true}}, last.Parts)
	none, complete := steps.Workload(sim.KindDeployment, "other")
	require.Empty(t, none)
	require.Zero(t, complete)
}

// Workloads that share a cluster each have their own steps and pods; so has a ReplicaSet by itself.
func TestSeparate(t *testing.T) {
	w, steps, _ := begin(t, cluster.Snapshot{}, sim.Config{})
	alone := replicaset.ReplicaSet{Name: "rs", UID: "rs", Replicas: ptr.To(int32(3)), Selector: selector.FromLabels(labels), TemplateLabels: labels}
	require.NoError(t, w.Put(web("a", "v1", 2), web("b", "v1", 1), alone))
	settle(t, w)
	for name, want := range map[string][]string{"a": {"0s +2 -0 | 1: 0/2", "10s +0 -0 | 1: 2/2"}, "b": {"0s +1 -0 | 1: 0/1", "10s +0 -0 | 1: 1/1"}} {
		list, _ := steps.Workload(sim.KindDeployment, name)
		require.Equal(t, want, told(list, w.Start()), name)
	}
	list, complete := steps.Workload(sim.KindReplicaSet, "rs")
	require.Equal(t, []string{"0s +3 -0 | 0: 0/3", "10s +0 -0 | 0: 3/3"}, told(list, w.Start()))
	require.Equal(t, 10*time.Second, complete.Sub(w.Start()))
}

// A ReplicaSet that a Deployment adopts is a part of that from then on.
func TestAdopted(t *testing.T) {
	orphan := replicaset.ReplicaSet{Name: "old", UID: "old", Replicas: ptr.To(int32(2)), Selector: selector.FromLabels(labels), TemplateLabels: labels, Labels: labels}
	w, steps, _ := begin(t, cluster.Snapshot{ReplicaSets: []replicaset.ReplicaSet{orphan}}, sim.Config{})
	require.NoError(t, w.Put(web("web", "v2", 2)))
	settle(t, w)
	list, _ := steps.Workload(sim.KindDeployment, "web")
	require.Contains(t, list[len(list)-1].Parts, record.Part{Name: "old"})
}

// A ReplicaSet belongs to the Deployment with the UID in its owner reference, though the reference has another name.
func TestOwnerOfAnotherName(t *testing.T) {
	d := web("web", "v1", 2)
	rs := replicaset.ReplicaSet{
		Name: "web-v1", UID: "rs", ControllerKind: deploy.Kind, ControllerName: "other", ControllerUID: "web",
		Replicas: d.Replicas, Selector: d.Selector, TemplateLabels: labels, Labels: labels, Template: d.Template,
	}
	w, steps, _ := begin(t, cluster.Snapshot{Deployments: []deploy.Deployment{d}, ReplicaSets: []replicaset.ReplicaSet{rs}}, sim.Config{})
	settle(t, w)
	list, _ := steps.Workload(sim.KindDeployment, "web")
	require.Equal(t, []record.Part{{"web-v1", "v1", 1, 2, 2, 2, true}}, list[len(list)-1].Parts)
}

// Pods are counted by zone from when they have a node until they are asked to end.
func TestZones(t *testing.T) {
	nodes := []cluster.Node{{Node: daemonset.Node{Name: "n"}, Zone: "a"}, {Node: daemonset.Node{Name: "m"}, Zone: "b"}, {Node: daemonset.Node{Name: "o"}}}
	w, steps, _ := begin(t, cluster.Snapshot{Nodes: nodes}, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 2)))
	settle(t, w)
	require.True(t, w.Scale(sim.KindDeployment, "web", 1))
	settle(t, w)
	list, _ := steps.Workload(sim.KindDeployment, "web")
	zones := map[string]int32{}
	for _, p := range w.View().Pods() {
		zones[map[string]string{"n": "a", "m": "b"}[p.NodeName]]++
	}
	require.Equal(t, map[string]int32{"a": 0, "b": 0}, list[0].Zones, "none has a node yet")
	require.Equal(t, map[string]int32{"a": zones["a"], "b": zones["b"]}, list[len(list)-1].Zones)
	peak := int32(0)
	for _, s := range list {
		peak = max(peak, s.PeakSkew)
	}
	require.Equal(t, int32(2), peak, "both pods were on the first node, which is seen between the steps")
}

// The history has each stage of each pod at its time, and the last state of an object of each instant.
func TestHistory(t *testing.T) {
	last := map[time.Time]deploy.Deployment{}
	w, _, h := begin(t, cluster.Snapshot{Nodes: []cluster.Node{{Node: daemonset.Node{Name: "n"}}}}, sim.Config{Observe: func(e sim.Change) {
		if d, ok := e.Object.(*deploy.Deployment); ok {
			last[e.Time] = *d
		}
	}})
	require.NoError(t, w.Put(web("web", "v1", 1)))
	settle(t, w)
	again := w.Now()
	require.NoError(t, w.Put(web("web", "v2", 1)))
	settle(t, w)
	at := func(seconds int) time.Time { return again.Add(time.Duration(seconds) * time.Second) }
	require.Len(t, h.Pods, 2)
	began := w.Start()
	require.Equal(t, []record.Stage{{began, record.Scheduled}, {began.Add(10 * time.Second), record.Ready}, {at(10), record.Terminating}, {at(15), record.Gone}}, h.Pods[0].Stages)
	require.Equal(t, []record.Stage{{at(0), record.Scheduled}, {at(10), record.Ready}}, h.Pods[1].Stages)
	require.Empty(t, h.Pods[1].At(at(-1)))
	for seconds, want := range map[int]record.Life{-1: record.Ready, 0: record.Ready, 9: record.Ready, 10: record.Terminating, 14: record.Terminating, 15: record.Gone, 99: record.Gone} {
		require.Equal(t, want, h.Pods[0].At(at(seconds)), "%d s", seconds)
	}
	for i, m := range h.Deployments {
		require.True(t, i == 0 || m.Time.After(h.Deployments[i-1].Time), "one of an instant")
		require.False(t, m.Gone)
		require.Equal(t, last[m.Time], m.Object, "as it was at the end of the instant")
	}
	require.Len(t, h.Deployments, len(last))
	require.Equal(t, *w.View().Deployment("web"), h.Deployments[len(h.Deployments)-1].Object)
	require.True(t, w.Delete(sim.KindDeployment, "web"))
	settle(t, w)
	require.True(t, h.Deployments[len(h.Deployments)-1].Gone)
	require.Equal(t, record.Gone, h.Pods[1].At(w.Now()))
}

// What a world begins with is how things are at the start that was asked for.
func TestHistoryFromStart(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	config := sim.Config{}
	h := record.NewHistory(&config, start.Add(time.Hour))
	p := podorder.Pod{Name: "p", UID: "p", NodeName: "n", Phase: podorder.Running, Ready: true}
	w, err := sim.New(cluster.Snapshot{Now: start, Pods: []podorder.Pod{p}}, config)
	require.NoError(t, err)
	require.True(t, w.Delete(sim.KindPod, "p"))
	settle(t, w)
	require.Equal(t, []record.Stage{{start.Add(time.Hour), record.Gone}}, h.Pods[0].Stages)
}

// Functions that a configuration has already are called as well.
func TestBeside(t *testing.T) {
	changes, plans := 0, 0
	w, _, _ := begin(t, cluster.Snapshot{}, sim.Config{Observe: func(sim.Change) { changes++ }, Planned: func(sim.Plan) { plans++ }})
	require.NoError(t, w.Put(web("web", "v1", 1)))
	settle(t, w)
	require.Equal(t, w.Report().Writes, changes)
	require.Equal(t, w.Report().Plans, plans)
}

// alone is a ReplicaSet, or a ReplicationController.
func alone(kind, name string, replicas int32) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{Kind: kind, Name: name, UID: kind + name, Replicas: &replicas, Selector: selector.FromLabels(labels), TemplateLabels: labels}
}

// A ReplicaSet whose controller is not here, and a ReplicationController of the same name, each have
// steps of their own, and are complete.
func TestOfOthers(t *testing.T) {
	w, steps, _ := begin(t, cluster.Snapshot{}, sim.Config{})
	owned := alone("", "web", 2)
	owned.ControllerKind, owned.ControllerName, owned.ControllerUID = "Rollout", "web", "r"
	require.NoError(t, w.Put(owned, alone(replicaset.KindController, "web", 3)))
	settle(t, w)
	for kind, want := range map[sim.Kind][]string{
		sim.KindReplicaSet: {"0s +2 -0 | 0: 0/2", "10s +0 -0 | 0: 2/2"}, sim.KindReplicationController: {"0s +3 -0 | 0: 0/3", "10s +0 -0 | 0: 3/3"},
	} {
		list, complete := steps.Workload(kind, "web")
		require.Equal(t, want, told(list, w.Start()), kind)
		require.Equal(t, 10*time.Second, complete.Sub(w.Start()), kind)
	}
}

// Pods of a ReplicaSet that is adopted count in the zones of its Deployment.
func TestAdoptedZones(t *testing.T) {
	node := cluster.Node{Node: daemonset.Node{Name: "n"}, Zone: "a"}
	orphan := alone("", "old", 1)
	orphan.Labels, orphan.Template = labels, revision.Template{ID: "v1"}
	pod := podorder.Pod{Name: "p", UID: "p", Labels: labels, ControllerKind: replicaset.Kind, ControllerName: "old", ControllerUID: orphan.UID, NodeName: "n", Phase: podorder.Running, Ready: true}
	w, steps, _ := begin(t, cluster.Snapshot{Nodes: []cluster.Node{node}, ReplicaSets: []replicaset.ReplicaSet{orphan}, Pods: []podorder.Pod{pod}}, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 1)))
	settle(t, w)
	list, _ := steps.Workload(sim.KindDeployment, "web")
	require.Equal(t, map[string]int32{"a": 1}, list[len(list)-1].Zones)
	require.NotContains(t, told(list, w.Start())[0], "+1")
}

// A ReplicaSet that a quota refuses for hours has no step for that, and one when it gets its pod.
func TestRefused(t *testing.T) {
	quota := cluster.Quota{Name: "few", Hard: map[string]int64{"pods": 1}}
	w, steps, _ := begin(t, cluster.Snapshot{Quotas: []cluster.Quota{quota}}, sim.Config{})
	require.NoError(t, w.Put(alone("", "web", 2)))
	settle(t, w)
	list, complete := steps.Workload(sim.KindReplicaSet, "web")
	require.Equal(t, []string{"0s +1 -0 | 0: 0/2", "10s +0 -0 | 0: 1/2"}, told(list, w.Start()))
	require.Zero(t, complete)
	again := w.Now()
	quota.Hard = map[string]int64{"pods": 2}
	require.NoError(t, w.Put(quota))
	settle(t, w)
	list, _ = steps.Workload(sim.KindReplicaSet, "web")
	require.Len(t, list, 3)
	require.Equal(t, int32(1), list[1].Created)
	require.False(t, list[1].Time.Before(again), "when the request is repeated that is granted")
}

// A pod that a finalizer keeps is terminating, also when its containers have ended.
func TestKept(t *testing.T) {
	p := podorder.Pod{Name: "p", UID: "p", NodeName: "node", Phase: podorder.Running, Ready: true}
	w, _, h := begin(t, cluster.Snapshot{Pods: []podorder.Pod{p}, Held: map[string]cluster.PodHold{"p": {Kept: true}}}, sim.Config{})
	require.True(t, w.Delete(sim.KindPod, "p"))
	settle(t, w)
	require.Equal(t, record.Terminating, h.Pods[0].At(w.Now()))
}
