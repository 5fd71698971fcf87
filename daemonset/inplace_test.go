package daemonset_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
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
	s.Pods[0].Containers = daemonset.Containers(template("1"))
	for i := range s.Pods[0].Containers {
		s.Pods[0].Containers[i].Status = &daemonset.ContainerStatus{ImageID: "old", Ready: true}
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
	require.False(t, daemonset.InPlaceCompleted(&s.Pods[0]))
	step("p1 on n1 held back: InPlace")

	s.Pods[0].RuntimeEnv = true // the node agent has seen the new environment
	step("p1 on n1 held back: InPlace")
	s.Pods[0].Containers[1].Status = &daemonset.ContainerStatus{ImageID: "new"}
	step("p1 on n1 held back: InPlace") // it runs, but is not ready
	s.Pods[0].Containers[1].Status.Ready = true
	p = step("Refreshed pod p1 on node n1: late=late:2 (NextBatch)")
	require.Len(t, p.Actions[0].(daemonset.RefreshPod).Patch.State.Batches, 2)
	step("p1 on n1 held back: InPlace")
	s.Pods[0].Containers[0].Status = &daemonset.ContainerStatus{Image: "late:2", ImageID: "old", Ready: true} // the same image by another name
	step("Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)")
	require.True(t, daemonset.InPlaceCompleted(&s.Pods[0]))
	step("nothing to do")
}

// The gate of a pod stays closed when the type changes in the middle.
func TestInPlaceTypeChanges(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v2", gated, unready))
	s.Pods[0].InPlace = &daemonset.InPlaceCondition{Reason: "StartInPlaceUpdate"}
	opened := "Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)"
	for _, c := range []struct {
		kind daemonset.RollingType
		opts daemonset.Options
		want string
	}{
		{daemonset.InPlaceIfPossible, daemonset.Options{}, opened},
		{daemonset.Standard, daemonset.Options{}, "nothing to do"},
		{daemonset.Standard, daemonset.Options{Repair: daemonset.RepairAll}, opened},
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
		{daemonset.AnnotationInPlaceState, `{`, "p1 on n1 held back: InPlace"},
		{daemonset.AnnotationInPlaceGrace, `{"revision":"v1"}`, "Refreshed pod p1 on node n1: dropped its grace period (GraceOver)"},
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
		state, err := json.Marshal(daemonset.InPlaceState{Revision: "v2", Timestamp: t0.Add(-10 * time.Second)})
		require.NoError(t, err)
		s.Pods[0].Annotations = map[string]string{daemonset.AnnotationInPlaceGrace: text, "inplace-update-state": string(state)}
	}
	grace(`{"revision":"v1","graceSeconds":5}`)
	require.Equal(t, "Refreshed pod p1 on node n1: dropped its grace period (GraceOver)", mustPlan(t, s, kruise).String(), "of another revision")
	grace(`{"revision":"v2","graceSeconds":30,"containerImages":{"app":"x"}}`)
	p := mustPlan(t, s, kruise)
	require.Equal(t, "p1 on n1 held back: InPlace", p.String())
	require.Equal(t, t0.Add(20*time.Second), p.RecheckAt)
	require.False(t, daemonset.InPlaceCompleted(&s.Pods[0]))
	grace(`{"revision":"v2","graceSeconds":10,"containerImages":{"app":"x"}}`)
	require.Equal(t, "Refreshed pod p1 on node n1: app=x (GraceOver)", mustPlan(t, s, kruise).String())
	for _, text := range []string{"{", `{"revision":"v2"`} {
		grace(text)
		require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String(), "what cannot be read waits")
	}
	grace(`{"revision":"v2"}`)
	s.Pods[0].Annotations["inplace-update-state"] = "{"
	require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String())
	delete(s.Pods[0].Annotations, daemonset.AnnotationInPlaceGrace)
	require.Equal(t, "p1 on n1 held back: InPlace", mustPlan(t, s, kruise).String())
	require.False(t, daemonset.InPlaceCompleted(&s.Pods[0]))
	s.Pods[0].Annotations = nil
	require.True(t, daemonset.InPlaceCompleted(&s.Pods[0]))
	s.Pods[0].InPlace.Reason = "x"
	require.Equal(t, "Refreshed pod p1 on node n1: opened its gate (InPlaceCompleted)", mustPlan(t, s, kruise).String(), "True with a reason is not it")
}

func TestInPlacePossible(t *testing.T) {
	data := func(spec string) []byte { return []byte(`{"spec":{"template":` + spec + `}}`) }
	base := `{"metadata":{},"spec":{"a":[1,{"b":null}],"containers":[{"name":"c","image":"1"}]}}`
	for _, c := range []struct {
		why      string
		from, to string
		want     bool
	}{
		{"no difference", base, base, true},
		{"image", base, strings.Replace(base, `"image":"1"`, `"image":"2"`, 1), true},
		{"another part of the template", base, strings.Replace(base, `"metadata"`, `"x":1,"metadata"`, 1), false},
		{"a field is gone", strings.Replace(base, `"a"`, `"z":1,"a"`, 1), base, false},
		{"a list is longer", base, strings.Replace(base, `[1,`, `[1,2,`, 1), false},
		{"a number differs", base, strings.Replace(base, `[1,`, `[2,`, 1), false},
		{"a list is no list", base, strings.Replace(base, `[1,{"b":null}]`, `1`, 1), false},
		{"a map is no map", base, strings.Replace(base, `{"b":null}`, `1`, 1), false},
		{"the other way round", strings.Replace(base, `{"b":null}`, `1`, 1), base, false},
		{"a container more", base, strings.Replace(base, `[{"name"`, `[{"name":"d"},{"name"`, 1), false},
		{"a container is no map", base, strings.Replace(base, `[{"name":"c","image":"1"}]`, `[1]`, 1), false},
		{"renamed", base, strings.Replace(base, `"c"`, `"d"`, 1), false},
		{"an image is added", strings.Replace(base, `,"image":"1"`, ``, 1), base, false},
		{"not readable", `1`, base, false},
		{"not readable", base, `[`, false},
		{"no spec", `{"metadata":{}}`, `{"metadata":{}}`, false},
	} {
		_, ok := daemonset.InPlace(data(c.from), data(c.to), "h", daemonset.Options{})
		require.Equal(t, c.want, ok, "%s: %s", c.why, c.to)
	}
	require.Nil(t, daemonset.Containers([]byte("x")))
}

// The last annotation of a template goes, and takes those of others along.
func TestInPlaceAllAnnotations(t *testing.T) {
	from := []byte(`{"spec":{"template":{"metadata":{"annotations":{"a":"1"},"labels":{"l":"1"}},"spec":{"containers":[]}}}}`)
	to := []byte(`{"spec":{"template":{"metadata":{},"spec":{"containers":[]}}}}`)
	spec, ok := daemonset.InPlace(from, to, "h", daemonset.Options{})
	require.True(t, ok)
	require.Equal(t, daemonset.MetadataPatch{AllLabels: true, AllAnnotations: true}, spec.Metadata)
	batch := daemonset.FirstBatch(nil, &spec, t0)
	require.True(t, batch.AllAnnotations && batch.AllLabels)
	spec, ok = daemonset.InPlace(from, to, "h", daemonset.Options{Repair: daemonset.RepairAll})
	require.True(t, ok)
	want := daemonset.MetadataPatch{Labels: map[string]*string{"l": nil}, Annotations: map[string]*string{"a": nil}}
	require.Empty(t, cmp.Diff(want, spec.Metadata))
	batch = daemonset.FirstBatch(nil, &spec, t0)
	require.Equal(t, []string{"a"}, batch.RemoveAnnotations)
	require.Equal(t, "metadata", batch.String())
}

// Containers that refer to the same metadata go together.
func TestInPlaceOverlap(t *testing.T) {
	containers := []daemonset.Container{{Name: "a"}, {Name: "b", Priority: new(int32(1))}, {Name: "c", Priority: new(int32(5))}, {Name: "d", Priority: new(int32(1))}}
	ref := func(keys ...string) daemonset.RefMetadata {
		m := daemonset.RefMetadata{Labels: map[string]string{}}
		for _, k := range keys {
			m.Labels[k] = "1"
		}
		return m
	}
	spec := daemonset.InPlaceSpec{Refs: map[string]daemonset.RefMetadata{"a": ref("x"), "b": ref("x", "y"), "c": ref("z"), "d": ref("w")}}
	batch := daemonset.FirstBatch(containers, &spec, t0)
	require.Equal(t, []string{"a", "b", "c"}, batch.State.PreCheck.Ready)
	require.Equal(t, map[string]string{"x": "1", "y": "1", "z": "1"}, batch.Labels)
	require.Equal(t, map[string]daemonset.RefMetadata{"d": ref("w")}, batch.State.NextRefs)
	last := daemonset.NextBatch(containers, &batch.State, t0)
	require.Nil(t, last.State.PreCheck)
	require.Len(t, last.State.Batches, 2)
	require.Len(t, batch.State.Batches, 1, "the argument is left alone")
}
