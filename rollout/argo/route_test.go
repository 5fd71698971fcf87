// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

func setting(kind string, routes ...argo.Route) argo.Step {
	return argo.Step{Other: kind, Routes: routes}
}

// routedTo returns a world whose update waits behind steps that set routes.
func routedTo(t *testing.T, steps ...argo.Step) *world {
	w := newWorld(t, 4, append([]argo.Step{weight(25), pause(-1)}, steps...)...).routed(argo.Routing{})
	w.run(false)
	require.Empty(t, w.s.Routes, "the first revision has no canary")
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	return w
}

// Steps set routes, change them and remove them; all are gone when the update is over.
func TestRoutes(t *testing.T) {
	changed := argo.Route{Name: "beta", Headers: []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Prefix: "b"}}}}
	w := routedTo(t,
		setting(argo.StepHeaderRoute, betaUsers), setting(argo.StepMirrorRoute, copied), pause(-1),
		setting(argo.StepHeaderRoute, changed), setting(argo.StepMirrorRoute, argo.Route{Name: "copy", Mirror: &argo.Mirror{}}), pause(-1), weight(50), pause(-1))
	require.Equal(t, []argo.Route{betaUsers, copied}, w.s.Routes)
	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	require.Equal(t, []argo.Route{changed}, w.s.Routes)
	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	require.Equal(t, []argo.Route{changed}, w.s.Routes, "other steps leave them")
	canary, _ := w.weights()
	require.Equal(t, int32(50), canary)
	w.run(true)
	require.Equal(t, "v2=4", w.sizes())
	require.Empty(t, w.s.Routes)
}

// What is written about routes, in its place.
func TestRoutesAreWritten(t *testing.T) {
	w := newWorld(t, 4, argo.Step{SetWeight: ptr.To(int32(25)), Routes: []argo.Route{betaUsers}}, pause(-1)).routed(argo.Routing{})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.pass()
	w.pass()
	w.s.Routes = []argo.Route{copied, betaUsers}
	w.s.Routes[1].Headers = nil
	p, err := reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.Equal(t, `Set rollouts-pod-template-hash to v2 in the selector of service canary (Traffic)
Set route beta to service canary (Traffic)
Set weight of replica set v2 to 25, of v1 to 75 (Traffic)`, argo.Plan{Actions: p.Actions}.String(), "the other one stays")
	w.s.Rollout.Status.PromoteFull = true
	p, err = reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.Contains(t, p.String(), "(Traffic)\nRemoved route copy (Traffic)\nSet route beta to service canary (Traffic)")
}

// Routes go when no request is to be led to the new pods any more.
func TestRoutesGo(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(w *world)
		gone   bool
	}{
		{"nothing happens", func(*world) {}, false},
		{"an abort", func(w *world) { w.s.Rollout.Status.Abort = true }, true},
		{"a full promotion", func(w *world) { w.s.Rollout.Status.PromoteFull = true }, true},
		{"no new pod is available", func(w *world) { w.set("v2").AvailableReplicas = 0 }, true},
		{"it is done", func(w *world) { w.s.Rollout.Status.StableRS = "v2" }, true},
		{"other routes of the same name are there", func(w *world) {
			w.s.Routes[0].Headers = []argo.HeaderMatch{{Name: "user"}}
		}, false},
		{"a person has paused it", func(w *world) { w.s.Rollout.Paused = true }, false},
		{"a new size is followed, and nothing else", func(w *world) {
			w.s.Rollout.Replicas, w.s.Rollout.Status.PromoteFull = ptr.To(int32(5)), true
		}, false},
	} {
		w := routedTo(t, setting(argo.StepHeaderRoute, betaUsers), pause(-1))
		require.Len(t, w.s.Routes, 1)
		c.change(w)
		p, err := reconcile(w.s, w.clock)
		require.NoError(t, err)
		after, err := p.Apply(w.s, w.clock)
		require.NoError(t, err)
		require.Equal(t, c.gone, len(after.Routes) == 0, c.why)
	}
}

// A step sets no route while the stable pods could not serve the weight that is left to
// them, and of the first revision none.
func TestRoutesWait(t *testing.T) {
	w := newWorld(t, 4, argo.Step{SetWeight: ptr.To(int32(25)), Routes: []argo.Route{betaUsers}}, pause(-1)).routed(argo.Routing{})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.pass()
	w.pass()
	serve := w.set("v1").AvailableReplicas
	w.set("v1").AvailableReplicas = 2
	w.s.Routes = nil // upstream sets it before there are pods
	p, err := reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.NotContains(t, p.String(), "Set route")
	w.set("v1").AvailableReplicas = serve
	p, err = reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.Contains(t, p.String(), "Set route beta to service canary (Traffic)")
	w.s.Sets[0].Revision, w.s.Sets[1].Revision = 0, 1
	p, err = reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.NotContains(t, p.String(), "Set route")
}

// Two routes have two names.
func TestRouteNames(t *testing.T) {
	s := newWorld(t, 1).s
	s.Routes = []argo.Route{betaUsers, betaUsers}
	_, err := reconcile(s, now)
	require.ErrorContains(t, err, "Routes[1].Name")
}
