// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
)

// ofKruise lets a Rollout call the DaemonSet one of OpenKruise.
func (h *harness) ofKruise() {
	put(h, &h.Rollouts, "agent", func(r *store.Rollout) {
		r.WorkloadRef = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: daemonset.Kind, Name: "agent"}
	})
}

// startsIn lets containers of a version take 3 seconds to start.
func (h *harness) startsIn(version string) {
	times := cluster.Times{Start: cluster.Exactly(3 * time.Second), Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)}
	h.Life.SetTemplate(version, cluster.Template{Times: &times})
}

// TestDaemonSetInPlace: two nodes at a time are updated in place, each in the 3 seconds in which its
// container starts again with the other image. The pods stay. A template with another label is not
// updated in place: the pods are deleted, and others take their place.
func TestDaemonSetInPlace(t *testing.T) {
	limits := daemonset.DaemonSet{RollingType: daemonset.InPlaceIfPossible, MaxUnavailable: rollout.Int(2)}
	h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
	h.ofKruise()
	h.othersRevision("other-v1")
	h.addNodes(1, 6)
	h.putAgent(limits)
	h.settle()
	h.everyNode(6, "v1")
	h.took(10 * time.Second)
	uids := map[string]bool{}
	for _, p := range h.agents(nil) {
		require.Equal(t, "agent:v1", p.Containers[0].Image)
		require.Equal(t, "agent:v1", p.Containers[0].Status.Image)
		require.Equal(t, []string{inplace.Gate}, p.ReadinessGates)
		uids[p.UID] = true
	}
	h.startsIn("v2")
	h.release("v2")
	least := 6
	h.settle(func() { least = min(least, len(h.agents(ready))) })
	h.everyNode(6, "v2")
	require.Equal(t, 4, least)
	h.took(10*time.Second + 3*3*time.Second)
	for _, p := range h.agents(nil) {
		require.True(t, uids[p.UID], "the pod is the one that was there")
		require.Equal(t, "agent:v2", p.Containers[0].Image)
		require.Equal(t, "agent:v2", p.Containers[0].Status.Image)
		require.True(t, p.InPlace.True)
	}
	put(h, &h.DaemonSets, "agent", func(d *store.DaemonSet) {
		d.Template, d.Generation = agentTemplate("v3"), d.Generation+1
		d.Template.Data = []byte(`{"spec":{"template":{"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"agent:v3"}]}}}}`)
	})
	h.settle()
	h.everyNode(6, "v3")
	for _, p := range h.agents(nil) {
		require.False(t, uids[p.UID], "the pod is another one")
	}
}

// TestDaemonSetInPlaceHeld: a pod whose gate is closed becomes ready once its controller opens the gate. One
// that is held does not, before it is updated in place to another template.
func TestDaemonSetInPlaceHeld(t *testing.T) {
	for _, held := range []bool{false, true} {
		h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
		h.ofKruise()
		h.addNodes(1, 1)
		h.putAgent(daemonset.DaemonSet{RollingType: daemonset.InPlaceIfPossible})
		h.settle()
		name := h.agents(nil)[0].Name
		put(h, &h.Server.Pods, name, func(p *store.Pod) {
			p.Ready, p.InPlace, p.Hold.Unready = false, &inplace.ReadyCondition{}, held
		})
		h.settle()
		require.Equal(t, !held, h.Server.Pods.Get(name).Ready)
		h.release("v2")
		h.settle()
		require.True(t, h.Server.Pods.Get(name).Ready)
		h.everyNode(1, "v2")
	}
}

// othersRevision stores a revision of another DaemonSet with the hash of the first template.
func (h *harness) othersRevision(name string) {
	put(h, &h.Revisions, name, func(r *revision.ControllerRevision) {
		r.ControllerKind, r.ControllerName, r.ControllerUID = daemonset.Kind, "other", "other"
		r.Labels, r.Data = map[string]string{"app": "agent", daemonset.LabelHash: "v1"}, agentTemplate("other").Data
	})
}

// TestDaemonSetOthersRevision: a pod gets the containers of its DaemonSet's revision, although another
// DaemonSet has a younger one with the same hash.
func TestDaemonSetOthersRevision(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
	h.ofKruise()
	h.addNodes(1, 1)
	h.putAgent(daemonset.DaemonSet{RollingType: daemonset.InPlaceIfPossible})
	h.settle()
	h.othersRevision("other-v1")
	h.DeletePod(apiserver.By(store.User, h.agents(nil)[0].Name))
	h.settle()
	require.Equal(t, "agent:v1", h.agents(nil)[0].Containers[0].Image)
}

// TestDaemonSetPreDelete: a pod with a finalizer that holds back its deletion is prepared for it, and
// goes once the finalizer is removed. It stays ready until then, for nodes know no other gate than that
// of updates in place.
func TestDaemonSetPreDelete(t *testing.T) {
	h := newHarness(t, 1, trouble.Rates{}, newDaemonSetController)
	h.ofKruise()
	h.addNodes(1, 1)
	h.putAgent(daemonset.DaemonSet{PreDelete: &daemonset.PreDelete{Finalizers: []string{"example.com/drain"}, MarkNotReady: true}})
	h.settle()
	name := h.agents(nil)[0].Name
	put(h, &h.Server.Pods, name, func(p *store.Pod) {
		p.Finalizers, p.ReadinessGates = []string{"example.com/drain"}, []string{daemonset.GateKruiseReady}
	})
	h.release("v2")
	h.settle()
	p := h.Server.Pods.Get(name)
	require.Equal(t, daemonset.StatePreparingDelete, p.Labels[daemonset.LabelState])
	require.True(t, ready(p))
	require.Equal(t, 1, h.Server.Pods.Len())
	put(h, &h.Server.Pods, name, func(p *store.Pod) { p.Finalizers = nil })
	h.settle()
	h.everyNode(1, "v2")
	require.Nil(t, h.Server.Pods.Get(name))
}
