// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"strings"
	"testing"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/stretchr/testify/require"
)

var scaling = daemonset.Options{Dialect: daemonset.OpenKruise, VerticalScaling: true}

// scaled is the data of a template with a container app that has the resources and the
// image, a container log, and an init container.
func scaled(image, resources, rest string) []byte {
	return []byte(`{"spec":{"template":{"metadata":{},"spec":{"containers":[{"image":"` + image + `","name":"app","resources":` + resources + rest + `},{"image":"log","name":"log"}],
		"initContainers":[{"image":"i","name":"i","resources":{"limits":{"cpu":"1"}}}]}}}}`)
}

// A pod stays ready if only its resources change; containers of a lower
// priority follow.
func TestInPlaceScaling(t *testing.T) {
	const base = `{"limits":{"cpu":"1"}}`
	const policy = `,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}]`
	for _, c := range []struct {
		why, image, policy, want string
		closes                   bool
	}{
		{"resources only", "a", "", "resources of app", false},
		{"restarts", "a", policy, "resources of app", true},
		{"image too", "b", "", "app=b, resources of app", true},
	} {
		s := inPlaceCluster(1)
		s.DaemonSet.Template.Data = scaled(c.image, `{"limits":{"cpu":"2"}}`, c.policy)
		s.Revisions[0].Data, s.Revisions[1].Data = scaled("a", base, c.policy), s.DaemonSet.Template.Data
		s.Pods[0].Containers = inplace.Containers(s.Revisions[0].Data)
		require.Len(t, deleted(mustPlan(t, s, kruise)), 1, c.why)
		p := mustPlan(t, s, scaling)
		require.Equal(t, "Updated pod p1 on node n1 in place: "+c.want+" (Rollout)", p.String(), c.why)
		a := p.Actions[0].(daemonset.UpdatePod)
		require.Equal(t, c.closes, a.CloseGate, c.why)
		require.True(t, a.Patch.State.Scales)
		roundTrip(t, p)
	}
	// A pod of which everything changes is not ready meanwhile.
	s := inPlaceCluster(1)
	data := func(image, cpu, note string) []byte {
		env := `,"env":[{"name":"NOTE","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['note']"}}}]`
		return []byte(strings.Replace(string(scaled(image, `{"limits":{"cpu":"`+cpu+`"}}`, env)), `"metadata":{}`, `"metadata":{"annotations":{"note":"`+note+`"}}`, 1))
	}
	s.Revisions[0].Data, s.Revisions[1].Data = data("a", "1", "x"), data("b", "2", "y")
	s.DaemonSet.Template.Data, s.Pods[0].Containers = s.Revisions[1].Data, inplace.Containers(s.Revisions[0].Data)
	a := mustPlan(t, s, scaling).Actions[0].(daemonset.UpdatePod)
	require.True(t, a.CloseGate)
	require.Equal(t, []any{map[string]string{"app": "b"}, 1, 1}, []any{a.Patch.Images, len(a.Patch.Resources), len(a.Patch.Annotations)})
	for _, spec := range []inplace.Spec{{}, {Images: map[string]string{"a": "b"}}, {Resources: map[string]inplace.Resources{"a": {}}}} {
		state := inplace.FirstBatch(nil, &spec, t0).State
		require.Equal(t, []bool{spec.Images != nil, spec.Resources != nil}, []bool{state.Images, state.Scales})
	}
	two := func(cpu string) inplace.Resources {
		return inplace.Resources{Limits: map[string]string{"cpu": cpu}}
	}
	containers := []inplace.Container{{Name: "a", Priority: ptr.To(int32(1))}, {Name: "b", Priority: ptr.To(int32(2))}}
	spec := inplace.Spec{Resources: map[string]inplace.Resources{"a": two("1"), "b": two("2")}}
	first := inplace.FirstBatch(containers, &spec, t0)
	require.Equal(t, map[string]inplace.Resources{"b": two("2")}, first.Resources)
	require.Equal(t, []string{"b"}, first.State.PreCheck.Ready)
	last := inplace.NextBatch(containers, &first.State, t0)
	require.Equal(t, map[string]inplace.Resources{"a": two("1")}, last.Resources)
	require.Nil(t, last.State.PreCheck)
}
