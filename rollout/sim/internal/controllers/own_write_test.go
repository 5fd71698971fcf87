// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
)

// writer returns a world with a controller of the caller that carries out writes in order, and a
// function that hands it some.
func writer(t *testing.T) (*harness, func(...Write)) {
	var todo []Write
	r := Reconciler{Name: "writer", For: store.KindNode, Reconcile: func(View, string) ([]Write, time.Duration, error) {
		writes := todo
		todo = nil
		return writes, 0, nil
	}}
	h := newHarness(t, 1, trouble.Rates{}, makes(r))
	return h, func(writes ...Write) {
		todo = writes
		put(h, &h.Nodes, "pen", func(*store.Node) {})
		h.settle()
	}
}

// What is created gets its UID and its time from the store, whose first UID is that of a node. An update of the wanted state leaves
// UID, time and status, and the generation rises if something changes; an update of the status
// leaves the rest. Each kind has its own rule.
func TestOwnWrites(t *testing.T) {
	h, write := writer(t)
	d := &deploy.Deployment{Name: "d", UID: "mine", Replicas: ptr.To(int32(2))}
	rs := &replicaset.ReplicaSet{Name: "rs", UID: "mine", Replicas: ptr.To(int32(2))}
	set := &cluster.Set{Workload: workload.Workload{Ref: cloneSets, UID: "mine", Replicas: ptr.To(int32(2))}}
	ds := &daemonset.DaemonSet{Name: "ds", UID: "mine", Template: daemonset.Template{Hash: "a", Data: []byte("{}")}}
	rev := &revision.ControllerRevision{Name: "rev", Data: []byte("{}"), Revision: 1}
	o := &cluster.Object{Kind: "Crew", Name: "o", Spec: map[string]string{"pods": "2"}}
	write(Write{store.Create, d}, Write{store.Create, rs}, Write{store.Create, set}, Write{store.Create, ds}, Write{store.Create, rev}, Write{store.Create, o})
	require.Equal(t, "sim-2 sim-3 sim-4 sim-5 sim-6 sim-7", h.Deployments.Get("d").UID+" "+h.ReplicaSets.Get("rs").UID+" "+
		h.Sets.Get("web").UID+" "+h.DaemonSets.Get("ds").UID+" "+h.Revisions.Get("rev").UID+" "+h.Objects.Get("o").UID)
	require.Equal(t, agenda.Epoch, h.ReplicaSets.Get("rs").CreationTimestamp)
	require.Equal(t, "mine", d.UID, "the caller's own object stays")
	require.Contains(t, h.DaemonTemplates, "ds/a")

	d.UID, rs.UID, set.UID, ds.UID = "", "", "", ""
	d.Status.Replicas, rs.Status.Replicas, set.Status.Replicas, ds.Status.CurrentNumberScheduled, o.Status = 1, 1, 1, 1, map[string]string{"ready": "1"}
	d.Paused, rs.MinReadySeconds, set.Paused, ds.Paused = true, 5, true, true
	write(Write{store.UpdateStatus, d}, Write{store.UpdateStatus, rs}, Write{store.UpdateStatus, set}, Write{store.UpdateStatus, ds}, Write{store.UpdateStatus, o})
	require.False(t, h.Deployments.Get("d").Paused || h.Sets.Get("web").Paused || h.DaemonSets.Get("ds").Paused)
	require.Zero(t, h.ReplicaSets.Get("rs").MinReadySeconds)

	d.Status.Replicas, rs.Status.Replicas, set.Status.Replicas, ds.Status.CurrentNumberScheduled, o.Status = 9, 9, 9, 9, nil
	rev.Data, rev.Revision = []byte("changed"), 2
	o.Spec = map[string]string{"pods": "3"}
	h.Agenda.Advance(agenda.Epoch.Add(time.Hour))
	for range 2 { // the second time nothing changes
		write(Write{store.Update, d}, Write{store.Update, rs}, Write{store.Update, set}, Write{store.Update, ds}, Write{store.Update, rev}, Write{store.Update, o})
	}
	sd, srs, sset, sds, srev, so := h.Deployments.Get("d"), h.ReplicaSets.Get("rs"), h.Sets.Get("web"), h.DaemonSets.Get("ds"), h.Revisions.Get("rev"), h.Objects.Get("o")
	require.True(t, sd.Paused && sset.Paused && sds.Paused && srs.MinReadySeconds == 5 && so.Spec["pods"] == "3")
	require.Equal(t, [4]int32{1, 1, 1, 1}, [4]int32{sd.Status.Replicas, srs.Status.Replicas, sset.Status.Replicas, sds.Status.CurrentNumberScheduled})
	require.Equal(t, "1", so.Status["ready"])
	require.Equal(t, [5]int64{2, 2, 2, 2, 2}, [5]int64{sd.Generation, srs.Generation, sset.Generation, sds.Generation, so.Generation})
	require.Equal(t, "{} sim-6", string(srev.Data)+" "+srev.UID, "an API server lets no data of a revision change")
	require.EqualValues(t, 2, srev.Revision)
	require.Equal(t, agenda.Epoch, srs.CreationTimestamp)

	write(Write{store.Delete, d}, Write{store.Delete, rs}, Write{store.Delete, set}, Write{store.Delete, ds}, Write{store.Delete, rev}, Write{store.Delete, o},
		Write{store.Delete, o}, Write{store.Delete, &podorder.Pod{Name: "gone"}}, Write{store.Create, o}) // to delete what is gone is no failure
	require.Zero(t, h.Deployments.Len()+h.ReplicaSets.Len()+h.Sets.Len()+h.DaemonSets.Len()+h.Revisions.Len())
	require.Equal(t, 1, h.Objects.Len())
}

// A write of an object with another UID or version than the stored one fails, and those after it are
// not made.
func TestOwnWritesInVain(t *testing.T) {
	h, write := writer(t)
	o := cluster.Object{Kind: "Crew", Name: "o"}
	after := cluster.Object{Kind: "Crew", Name: "after"}
	write(Write{store.Create, &o})
	for _, wrong := range []cluster.Object{{Name: "o", UID: "other"}, {Name: "o", ResourceVersion: "0"}, {Name: "nothing"}} {
		before := h.Agenda.Now()
		write(Write{store.Update, &wrong}, Write{store.Create, &after})
		require.Equal(t, 5*time.Millisecond, h.Agenda.Now().Sub(before), "it is looked at again")
		require.Nil(t, h.Objects.Get("after"))
		require.Equal(t, "Crew", h.Objects.Get("o").Kind)
	}
	for _, w := range []Write{{store.Update, o}, {store.Update, nil}, {store.Update, (*deploy.Deployment)(nil)}, {store.Create, &store.Node{}}, {store.Remove, &o}} {
		h, _ := writer(t)
		c := newOwn(h.Env, Reconciler{Name: "wrong", For: store.KindNode, Reconcile: func(View, string) ([]Write, time.Duration, error) { return []Write{w}, 0, nil }}, 0)
		put(h, &h.Nodes, "n", func(*store.Node) {})
		for c.Step() {
		}
		require.ErrorContains(t, h.Err(), "wrong cannot", "%v", w)
	}
}

// An update of a pod changes its labels and its owner, and not its life; that to another revision of
// its set is one in place.
func TestOwnUpdatesPods(t *testing.T) {
	h, write := writer(t)
	put(h, &h.Sets, "web", func(o *store.Set) { o.Ref, o.UID = cloneSets, "set" })
	labels := func(hash string) map[string]string {
		return map[string]string{workload.LabelControllerRevision: "web-" + hash}
	}
	pod := podorder.Pod{Name: "p", Labels: labels("a"), ControllerName: "web", ControllerUID: "set", Ready: true, Phase: podorder.Running}
	write(Write{store.Create, &pod})
	p := h.Server.Pods.Get("p")
	require.Equal(t, "a", p.Template)
	require.Equal(t, agenda.Epoch.Add(10*time.Second), p.ReadySince, "it was not ready when it was created")
	pod.Annotations, pod.Ready = map[string]string{"note": "1"}, false
	write(Write{store.Update, &pod})
	require.True(t, h.Server.Pods.Get("p").Ready)
	require.Equal(t, "1", h.Server.Pods.Get("p").Annotations["note"])
	pod.Labels = labels("b")
	write(Write{store.Update, &pod})
	p = h.Server.Pods.Get("p")
	require.Equal(t, "b", p.Template)
	require.Equal(t, agenda.Epoch.Add(20*time.Second), p.ReadySince, "ten seconds after the update")
	write(Write{store.Delete, &pod})
	require.Zero(t, h.Server.Pods.Len())
}

// A pod of a DaemonSet whose gate is closed is not ready, and its node pulls the new image. It is
// ready at once when the gate is opened.
func TestOwnUpdatesDaemonPods(t *testing.T) {
	h, write := writer(t)
	gate := func(open bool) *inplace.ReadyCondition { return &inplace.ReadyCondition{True: open} }
	pod := daemonset.Pod{
		Pod:            podorder.Pod{Name: "p", Labels: map[string]string{daemonset.LabelHash: "a"}, ControllerName: "ds", ControllerUID: "ds"},
		ReadinessGates: []string{inplace.Gate}, Containers: []inplace.Container{{Name: "agent", Image: "agent:1"}}, InPlace: gate(true),
	}
	write(Write{store.Create, &pod})
	p := h.Server.Pods.Get("p")
	require.True(t, p.OfDaemonSet && p.Ready)
	require.Equal(t, "a agent:1", p.Template+" "+p.Containers[0].Status.Image)
	pod.Labels, pod.InPlace = map[string]string{daemonset.LabelHash: "b"}, gate(false)
	pod.Containers = []inplace.Container{{Name: "agent", Image: "agent:2"}}
	write(Write{store.Update, &pod})
	p = h.Server.Pods.Get("p")
	require.False(t, p.Ready)
	require.Equal(t, "b agent:2", p.Template+" "+p.Containers[0].Status.Image)
	pod.InPlace = gate(true)
	write(Write{store.Update, &pod})
	require.True(t, h.Server.Pods.Get("p").Ready)
}
