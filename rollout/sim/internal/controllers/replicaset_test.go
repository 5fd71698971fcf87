// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/selector"
)

// aReplicaSet puts a ReplicaSet of a size that selects the pods of a label.
func aReplicaSet(h *harness, name, app string, replicas int32) {
	labels := map[string]string{"app": app}
	put(h, &h.ReplicaSets, name, func(rs *replicaset.ReplicaSet) {
		rs.Replicas, rs.Generation, rs.Selector, rs.TemplateLabels = &replicas, 1, selector.FromLabels(labels), labels
	})
}

// own gives a pod to a ReplicaSet, or takes it from its owner if that is nil.
func own(h *harness, pod string, rs *replicaset.ReplicaSet) {
	put(h, &h.Server.Pods, pod, func(p *store.Pod) {
		if p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""; rs != nil {
			p.ControllerKind, p.ControllerName, p.ControllerUID = replicaset.Kind, rs.Name, rs.UID
		}
	})
}

// TestReplicaSetOtherOwner: a pod that is given to another ReplicaSet wakes both: one creates another pod, and
// the other deletes one of two. It is so as well if the pod had no owner in between, which nobody saw.
func TestReplicaSetOtherOwner(t *testing.T) {
	for _, c := range []struct {
		name    string
		rates   trouble.Rates
		between bool // the pod has no owner for a while
	}{
		{"calm", trouble.Rates{}, false},
		{"faults", trouble.Rates{trouble.Extremes: 1}, false}, // which does not strike here
		{"skipped", trouble.Rates{trouble.Skip: 10}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, 1, c.rates, newReplicaSetController)
			aReplicaSet(h, "a", "web", 2)
			aReplicaSet(h, "b", "web", 1)
			h.settle()
			a, b := h.ReplicaSets.Get("a"), h.ReplicaSets.Get("b")
			given := h.Server.Pods.Of(a.UID)[0].Name
			if c.between {
				own(h, given, nil)
			}
			own(h, given, b)
			h.settle()
			require.Len(t, h.Server.Pods.Of(a.UID), 2)
			require.Len(t, h.Server.Pods.Of(b.UID), 1)
			require.Equal(t, 4, h.Server.Pods.Created())
		})
	}
}

// TestUnseenAdoption: a pod is relabelled while it is adopted, and is missing as long as the adoption is not
// seen: expectations do not wait for it, versions do.
func TestUnseenAdoption(t *testing.T) {
	for _, waits := range []bool{false, true} {
		h := newHarness(t, 1, trouble.Rates{trouble.Extremes: 1}) // which does not strike here
		h.ReplicaSet.Repair = quirk.All
		c := &replicaSetController{env: h.Env, table: &h.ReplicaSets, kind: replicaset.Kind, expected: expectations{}}
		c.Controller = control.New(h.Server, c, store.ReplicaSetController, 0, store.KindReplicaSet, store.KindPod)
		if waits {
			c.versions = map[string]expect.Versions{}
		}
		relabel := func(app string) {
			put(h, &h.Server.Pods, "p", func(p *store.Pod) {
				p.Labels, p.Phase = map[string]string{"app": app}, podorder.Running
			})
		}
		see := func(version int64) { c.View[store.KindReplicaSet], c.View[store.KindPod] = h.Version(), version }
		pass := func() (acts bool) {
			for next := c.Begin("web"); next != nil && next(); {
				acts = true
			}
			return acts
		}
		aReplicaSet(h, "web", "web", 1)
		relabel("web")
		see(h.Version())
		adopt := c.Begin("web")
		relabel("other")
		relabelled := h.Version()
		for adopt() {
		}
		require.Equal(t, "web", h.Server.Pods.Get("p").ControllerName)

		see(relabelled)
		require.Equal(t, !waits, pass(), "an orphan of other labels is no pod of the ReplicaSet")
		if !waits {
			require.Equal(t, 2, h.Server.Pods.Len(), "so it creates another one")
		}
		see(h.Version())
		require.True(t, pass())
		require.Empty(t, h.Server.Pods.Get("p").ControllerUID, "released")
		require.Equal(t, 2, h.Server.Pods.Len())
	}
}
