// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// TestPropertyApply: no action of a plan is refused by the snapshot that it was made for,
// a plan is the sum of its actions and the status, and the snapshot stays as it is.
func TestPropertyApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		p, err := daemonset.Reconcile(s, t0, anyOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		purity.Apply(t, s, t0, p.Apply, p.Actions, daemonset.Apply, func(step *daemonset.Snapshot) { step.DaemonSet.Status, step.Backoff = p.Status, p.Backoff })
	})
}

// TestApply has what each action does, and when it is refused.
func TestApply(t *testing.T) {
	object := func(name, uid string) daemonset.Object { return daemonset.Object{Name: name, UID: uid} }
	pod := func(name, uid, owner, node string) daemonset.Pod {
		return daemonset.Pod{Pod: podorder.Pod{
			Name: name, UID: uid, ControllerUID: owner, NodeName: node, Ready: true, Labels: map[string]string{daemonset.LabelHash: "1", "old": ""},
		}}
	}
	s := daemonset.Snapshot{
		DaemonSet: daemonset.DaemonSet{Name: "agent", UID: "u", Template: daemonset.Template{Labels: map[string]string{"app": "agent"}}},
		Pods:      []daemonset.Pod{pod("agent-0", "a", "u", "n"), pod("orphan", "b", "", ""), pod("other", "c", "v", "n")},
		Revisions: []revision.ControllerRevision{{Name: "r", UID: "r", ControllerUID: "u", Revision: 1}, {Name: "o", UID: "o"}, {Name: "x", UID: "x", ControllerUID: "v"}},
	}
	s.Pods[0].Containers = []inplace.Container{{Name: "app", Image: "app:1"}}
	after := func(a daemonset.Action) daemonset.Snapshot {
		t.Helper()
		next, err := daemonset.Apply(s, a, t0)
		require.NoError(t, err)
		return next
	}
	made := after(daemonset.CreatePod{Node: "m", Hash: "2", Generation: "7", Gate: true}).Pods[3]
	require.Equal(t, []string{"agent-1", "", "m"}, []string{made.Name, made.NodeName, made.PinnedNode}, "the scheduler has yet to bind it")
	require.Equal(t, map[string]string{"app": "agent", daemonset.LabelHash: "2", daemonset.LabelGeneration: "7"}, made.Labels)
	require.Equal(t, []string{inplace.Gate}, made.ReadinessGates)
	bound := after(daemonset.CreatePod{Node: "m", Bind: true}).Pods[3]
	require.Equal(t, []string{"m", ""}, []string{bound.NodeName, bound.PinnedNode})

	s.DaemonSet.Template.NodeName = "m"
	named := after(daemonset.CreatePod{Node: "m"})
	require.Equal(t, []string{"m", ""}, []string{named.Pods[3].NodeName, named.Pods[3].PinnedNode}, "its template binds it, whatever the affinity says")
	ends, err := daemonset.Apply(named, daemonset.DeletePod{Object: object("agent-1", named.Pods[3].UID)}, t0)
	require.NoError(t, err)
	require.Equal(t, t0, ends.Pods[3].DeletionTimestamp, "its kubelet has it")
	s.Revisions[0].Data = []byte(`{"spec":{"template":{"spec":{"nodeName":"k"}}}}`)
	restored := after(daemonset.CreatePod{Node: "m", Revision: "r"}).Pods[3]
	require.Equal(t, []string{"k", ""}, []string{restored.NodeName, restored.PinnedNode}, "and so does that of a revision")
	s.DaemonSet.Template.NodeName = ""

	require.Equal(t, t0, after(daemonset.DeletePod{Object: object("agent-0", "a")}).Pods[0].DeletionTimestamp)
	require.Len(t, after(daemonset.DeletePod{Object: object("orphan", "b")}).Pods, 2, "no kubelet has it")
	require.Equal(t, "u", after(daemonset.AdoptPod{Object: object("orphan", "b")}).Pods[1].ControllerUID)
	require.Empty(t, after(daemonset.ReleasePod{Object: object("agent-0", "a")}).Pods[0].ControllerUID)
	require.Equal(t, "v", after(daemonset.ReleasePod{Object: object("other", "c")}).Pods[2].ControllerUID)
	require.Equal(t, "2", after(daemonset.RelabelPod{Object: object("agent-0", "a"), To: "2"}).Pods[0].Labels[daemonset.LabelHash])
	prepared := after(daemonset.PreparePod{Object: object("agent-0", "a"), State: "S", Since: t0, NotReady: true}).Pods[0]
	require.Equal(t, "S", prepared.Labels[daemonset.LabelState])
	require.False(t, prepared.Ready)

	batch := inplace.Put{Images: map[string]string{"app": "app:2"}, AllLabels: true, Labels: map[string]string{"new": ""}}
	updated := after(daemonset.UpdatePod{Object: object("agent-0", "a"), To: "2", CloseGate: true, Patch: batch}).Pods[0]
	require.Equal(t, "app:2", updated.Containers[0].Image)
	require.Equal(t, "app:1", s.Pods[0].Containers[0].Image)
	require.Equal(t, map[string]string{daemonset.LabelHash: "2", "new": ""}, updated.Labels)
	require.True(t, inplace.UnderWay(updated.Annotations))
	require.False(t, updated.Ready)
	require.True(t, after(daemonset.UpdatePod{Object: object("agent-0", "a"), To: "2"}).Pods[0].Ready, "its gate stays open")
	opened := after(daemonset.RefreshPod{Object: object("agent-0", "a"), OpenGate: true, DropGrace: true}).Pods[0]
	require.True(t, opened.InPlace.True)

	require.Equal(t, "u", after(daemonset.CreateRevision{Name: "new", Revision: 3}).Revisions[3].ControllerUID)
	numbered := after(daemonset.UpdateRevision{Object: object("r", "r"), Hash: "9", To: 4}).Revisions[0]
	require.Equal(t, int64(4), numbered.Revision)
	require.Equal(t, "9", numbered.Labels[daemonset.LabelHash])
	require.Equal(t, "u", after(daemonset.AdoptRevision{Object: object("o", "o")}).Revisions[1].ControllerUID)
	require.Empty(t, after(daemonset.ReleaseRevision{Object: object("r", "r")}).Revisions[0].ControllerUID)
	require.Len(t, after(daemonset.DeleteRevision{Object: object("r", "r")}).Revisions, 2)

	for text, a := range map[string]daemonset.Action{
		"must be an action": nil, "of a pod with the UID": daemonset.DeletePod{Object: object("agent-0", "b")},
		"of a revision with the UID": daemonset.DeleteRevision{Object: object("r", "o")}, "must not be that of a revision": daemonset.CreateRevision{Name: "r"},
	} {
		_, err := daemonset.Apply(s, a, t0)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.ErrorContains(t, err, text)
	}
	for _, a := range []daemonset.Action{daemonset.AdoptPod{Object: object("other", "c")}, daemonset.AdoptRevision{Object: object("x", "x")}} {
		_, err := daemonset.Apply(s, a, t0)
		require.ErrorContains(t, err, "has another controller")
	}
}
