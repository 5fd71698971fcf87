// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
)

func inPlaceCluster(n int, changes ...change) daemonset.Snapshot {
	s := cluster(n, olds(n, append([]change{gated}, changes...)...)...)
	s.DaemonSet.RollingType, s.DaemonSet.MaxUnavailable = daemonset.InPlaceIfPossible, rollout.Int(3)
	return s
}

func TestInPlace(t *testing.T) {
	runPlans(t, []planCase{
		{"image", "updated in place where possible", with(inPlaceCluster(1), func(s *daemonset.Snapshot) {}), kruise, `
			Updated pod p1 on node n1 in place: app=v2 (Rollout)`},
		{"burst", "those beyond the burst are neither updated nor deleted", with(inPlaceCluster(3), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Int(1) }), kruise, `
			Updated pod p3 on node n3 in place: app=v2 (Rollout)
			held back: Burst (3 of 1)`},
		{"beyond the burst", "pods that cannot be updated in place go in order too, behind more that can than the burst", with(inPlaceCluster(6), func(s *daemonset.Snapshot) {
			s.DaemonSet.Burst, s.DaemonSet.MaxUnavailable = rollout.Int(1), rollout.Percent(100)
			for i := range 3 {
				s.Pods[3+i].ReadinessGates = nil
			}
			slices.Reverse(s.Nodes)
		}), daemonset.Options{}, `
			Updated pod p1 on node n1 in place: app=v2 (Rollout)
			Deleted pod: p4 on node n4 (Rollout)
			held back: Burst (3 of 1)
			held back: Burst (3 of 1)`},
		{"no gate", "a pod without the gate is deleted", inPlaceCluster(1, func(p *daemonset.Pod) { p.ReadinessGates = nil }), kruise, `
			Deleted pod: p1 on node n1 (Rollout)`},
		{"no revision", "its revision is unknown", inPlaceCluster(1, label(daemonset.LabelHash, "v0")), kruise, `
			Deleted pod: p1 on node n1 (Rollout)`},
		{"no hash", "the gate and the revision of the pod", inPlaceCluster(1, func(p *daemonset.Pod) { delete(p.Labels, daemonset.LabelHash) }), kruise, `
			Deleted pod: p1 on node n1 (Rollout)`},
		{"too different", "which changes qualify", with(inPlaceCluster(2), func(s *daemonset.Snapshot) { s.Revisions[0].Data = recreated() }), kruise, `
			Deleted pod: p2 on node n2 (Rollout)
			Deleted pod: p1 on node n1 (Rollout)`},
		{"surge", "never with surge", with(inPlaceCluster(1), surgeOne), kruise, `
			Created pod on node n1 (Rollout)`},
		{"standard", "the type of the rolling update", with(inPlaceCluster(1), func(s *daemonset.Snapshot) { s.DaemonSet.RollingType = daemonset.Standard }), kruise, `
			Deleted pod: p1 on node n1 (Rollout)`},
		{"Kubernetes", "a field of OpenKruise works in both dialects", inPlaceCluster(1), daemonset.Options{}, `
			Updated pod p1 on node n1 in place: app=v2 (Rollout)`},
	})
}

// The life of an update in two batches.
func TestInPlaceBatches(t *testing.T) {
	template := func(tag string) []byte {
		return []byte(`{"spec":{"template":{"metadata":{"labels":{"app":"agent"},"annotations":{"cfg":"` + tag + `","note":"` + tag + `"}},"spec":{"containers":[
			{"name":"late","image":"late:` + tag + `","env":[{"name":"KRUISE_CONTAINER_BARRIER","valueFrom":{"configMapKeyRef":{"name":"b","key":"p_1"}}}]},
			{"name":"early","image":"early:` + tag + `","env":[{"name":"KRUISE_CONTAINER_BARRIER","valueFrom":{"configMapKeyRef":{"name":"b","key":"p_2"}}},
				{"name":"CFG","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['cfg']"}}}]}]}}}}`)
	}
	s := inPlaceCluster(1)
	s.DaemonSet.Template.Data = template("2")
	s.Revisions[0].Data, s.Revisions[1].Data = template("1"), template("2")
	s.Pods[0].Containers = inplace.Containers(template("1"))
	for i := range s.Pods[0].Containers {
		s.Pods[0].Containers[i].Status = &inplace.ContainerStatus{ImageID: "old", Ready: true}
	}
	now := t0
	step := func(want string) daemonset.Plan {
		t.Helper()
		now = now.Add(time.Second)
		p, err := daemonset.Reconcile(s, now, kruise)
		require.NoError(t, err)
		require.Equal(t, lines(want), lines(p.String()))
		produce(p)
		execute(&s, p, now)
		return p
	}
	p := step("Updated pod p1 on node n1 in place: early=early:2 (Rollout)")
	patch := p.Actions[0].(daemonset.UpdatePod).Patch
	require.Equal(t, map[string]string{"cfg": "2", "note": "2"}, patch.Annotations, "cfg goes with its container, note at once")
	require.Equal(t, map[string]string{"late": "late:2"}, patch.State.NextImages)
	require.Equal(t, []string{"early"}, patch.State.PreCheck.Ready)
	require.False(t, inplace.Completed(s.Pods[0].InPlacePod()))
	step("p1 on n1 held back: InPlace")

	s.Pods[0].RuntimeEnv = true // the node agent has seen the new environment
	step("p1 on n1 held back: InPlace")
	s.Pods[0].Containers[1].Status = &inplace.ContainerStatus{ImageID: "new"}
	step("p1 on n1 held back: InPlace") // it runs, but is not ready
	s.Pods[0].Containers[1].Status.Ready = true
	p = step("Refreshed pod p1 on node n1: late=late:2 (NextBatch)")
	require.Len(t, p.Actions[0].(daemonset.RefreshPod).Patch.State.Batches, 2)
	step("p1 on n1 held back: InPlace")
	s.Pods[0].Containers[0].Status = &inplace.ContainerStatus{Image: "late:2", ImageID: "old", Ready: true} // the same image by another name
	step("Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)")
	require.True(t, inplace.Completed(s.Pods[0].InPlacePod()))
	step("nothing to do")
}

// The gate of a pod stays closed when the type changes in the middle.
func TestInPlaceTypeChanges(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v2", gated, unready))
	s.Pods[0].InPlace = &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
	opened := "Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)"
	for _, c := range []struct {
		kind daemonset.RollingType
		opts daemonset.Options
		want string
	}{
		{daemonset.InPlaceIfPossible, daemonset.Options{}, opened},
		{daemonset.Standard, daemonset.Options{}, "nothing to do"},
		{daemonset.Standard, daemonset.Options{Repair: quirk.All}, opened},
		{daemonset.Standard, kruise, opened},
	} {
		s.DaemonSet.RollingType = c.kind
		require.Equal(t, c.want, mustPlan(t, s, c.opts).String(), "%s, %+v", c.kind, c.opts)
	}
}

// What an annotation tells goes on even if the pod has lost its gate, or never had
// one.
func TestInPlaceWithoutGate(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v2"))
	for _, c := range []struct{ annotation, text, want string }{
		{inplace.AnnotationState, `{`, "p1 on n1 held back: InPlace"},
		{inplace.AnnotationGrace, `{"revision":"v1"}`, "Refreshed pod p1 on node n1: dropped its grace period (GraceOver)"},
		{"other", "x", "nothing to do"},
	} {
		s.Pods[0].Annotations = map[string]string{c.annotation: c.text}
		require.Equal(t, c.want, mustPlan(t, s, kruise).String(), c.annotation)
	}
}

// A grace period that another writer has put there.
func TestInPlaceGrace(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v2", gated))
	s.DaemonSet.RollingType = daemonset.InPlaceIfPossible
	grace := func(text string) {
		state, err := json.Marshal(inplace.State{Revision: "v2", Timestamp: t0.Add(-10 * time.Second)})
		require.NoError(t, err)
		s.Pods[0].Annotations = map[string]string{inplace.AnnotationGrace: text, "inplace-update-state": string(state)}
	}
	grace(`{"revision":"v1","graceSeconds":5}`)
	require.Equal(t, "Refreshed pod p1 on node n1: dropped its grace period (GraceOver)", mustPlan(t, s, kruise).String(), "of another revision")
	grace(`{"revision":"v2","graceSeconds":30,"containerImages":{"app":"x"}}`)
	p := mustPlan(t, s, kruise)
	require.Equal(t, "p1 on n1 held back: InPlace", p.String())
	require.Equal(t, t0.Add(20*time.Second), p.RecheckAt)
	require.False(t, inplace.Completed(s.Pods[0].InPlacePod()))
	grace(`{"revision":"v2","graceSeconds":10,"containerImages":{"app":"x"}}`)
	require.Equal(t, "Refreshed pod p1 on node n1: app=x (GraceOver)", mustPlan(t, s, kruise).String())
	for _, text := range []string{"{", `{"revision":"v2"`} {
		grace(text)
		require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String(), "what cannot be read waits")
	}
	grace(`{"revision":"v2"}`)
	s.Pods[0].Annotations["inplace-update-state"] = "{"
	require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String())
	delete(s.Pods[0].Annotations, inplace.AnnotationGrace)
	require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String())
	require.False(t, inplace.Completed(s.Pods[0].InPlacePod()))
	s.Pods[0].Annotations = nil
	require.True(t, inplace.Completed(s.Pods[0].InPlacePod()))
	s.Pods[0].InPlace.Reason = "x"
	require.Equal(t, "Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)", mustPlan(t, s, kruise).String(), "True with a reason is not it")
}
