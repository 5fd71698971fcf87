// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
	"github.com/kplan-go/kplan/selector"
)

var (
	webApp        = map[string]string{"app": "web"}
	webDeployment = workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"}
)

// releasing returns a world in which Rollouts release, with the quirks of upstream or without. makers
// are of the controllers of workloads.
func releasing(t *testing.T, seed uint64, repair workloadquirk.Set, rates trouble.Rates, makers ...func(*Env, int) *control.Controller) *harness {
	h := newHarness(t, seed, rates, append(makers, newRolloutController, newBatchController)...)
	h.Rollout.Repair = repair
	if repair != 0 {
		h.Deployment.Repair, h.ReplicaSet.Repair = deployquirk.All, replicasetquirk.All
	}
	return h
}

// releasingDeployment is that of a Deployment of a size, whose pods are all of v1 and ready.
func releasingDeployment(t *testing.T, seed uint64, repair workloadquirk.Set, replicas int32, rates trouble.Rates) *harness {
	h := releasing(t, seed, repair, rates, newDeploymentController, newReplicaSetController)
	put(h, &h.Deployments, "web", func(d *store.Deployment) {
		d.Replicas, d.Generation, d.Selector, d.TemplateLabels = &replicas, 1, selector.FromLabels(webApp), webApp
		d.Template, d.Strategy, d.MaxSurge, d.MaxUnavailable = revision.Template{ID: "v1"}, deploy.RollingUpdate, rollout.Percent(25), rollout.Percent(25)
	})
	h.rest()
	return h
}

// steps are those of a canary: after each but the last a person confirms.
func steps(percent ...int32) *kruise.Strategy {
	s := &kruise.Strategy{}
	for _, n := range percent {
		s.Steps = append(s.Steps, kruise.Step{Replicas: rollout.Percent(n)})
	}
	s.Steps[len(percent)-1].Pause.Duration = ptr.To(int32(0))
	return s
}

func canary(h *harness, ref workload.Ref, s *kruise.Strategy) {
	put(h, &h.Rollouts, "web", func(r *store.Rollout) { r.Generation, r.WorkloadRef, r.Canary = 1, ref, s })
	h.rest()
}

// admit gives a workload another template.
func (h *harness) admit(ref workload.Ref, template string) {
	require.True(h.t, h.Admit(ref, func(o *workload.Workload) { o.Template = revision.Template{ID: template} }))
}

// rest lets happen what does within an hour, and collects what has lost its owner. A blue-green
// release makes pods available after 68 years.
func (h *harness) rest(after ...func()) {
	h.t.Helper()
	for range 3_000_000 {
		now := h.Agenda.Now()
		busy := slices.ContainsFunc(h.list, (*control.Controller).Step)
		if !busy {
			if at, more := h.Agenda.Next(); more && at.Before(now.Add(time.Hour)) {
				h.Agenda.Perform()
			} else if !h.collect() {
				return
			}
		}
		require.NoError(h.t, h.Err())
		for _, f := range after {
			f()
		}
	}
	require.Fail(h.t, "it does not rest")
}

// collect removes what has lost its owner, and Deployments that are being deleted. It reports whether
// there was something.
func (h *harness) collect() (found bool) {
	for _, d := range h.Deployments.All() {
		switch r := apiserver.By(store.Collector, d.Name); {
		case h.Lost(d.OwnerUID) && d.DeletionTimestamp.IsZero():
			put(h, &h.Deployments, d.Name, func(d *store.Deployment) { d.DeletionTimestamp = h.Agenda.Now() })
			found = true
		case !d.DeletionTimestamp.IsZero() && len(d.Finalizers) == 0:
			found = apiserver.Remove(h.Server, &h.Deployments, r) == apiserver.Done
		}
	}
	for _, rs := range h.ReplicaSets.All() {
		if h.Lost(rs.ControllerUID) {
			found = apiserver.Remove(h.Server, &h.ReplicaSets, apiserver.By(store.Collector, rs.Name)) == apiserver.Done
		}
	}
	for _, p := range h.Server.Pods.All() {
		if h.Lost(p.ControllerUID) && p.DeletionTimestamp.IsZero() {
			found = h.DeletePod(apiserver.By(store.Collector, p.Name)) == apiserver.Done
		}
	}
	for _, br := range h.BatchReleases.All() {
		if h.Lost(br.OwnerUID) && br.DeletionTimestamp.IsZero() {
			found = h.deleteBatchRelease(apiserver.By(store.Collector, br.Name)) == apiserver.Done
		}
	}
	for _, s := range h.Services.All() {
		if h.Lost(s.OwnerUID) {
			found = apiserver.Remove(h.Server, &h.Services, apiserver.By(store.Collector, s.Name)) == apiserver.Done
		}
	}
	return found
}

// of is how many ready pods there are of a template.
func (h *harness) of(template string) (n int) {
	for _, p := range h.Server.Pods.All() {
		if p.Template == template && p.Ready && p.Active() {
			n++
		}
	}
	return n
}

func (h *harness) pods(v1, v2 int, why string) {
	h.t.Helper()
	require.Equal(h.t, []int{v1, v2}, []int{h.of("v1"), h.of("v2")}, why)
}

// finished requires that a Rollout has given back what it had.
func (h *harness) finished() {
	h.t.Helper()
	require.Zero(h.t, h.BatchReleases.Len(), "the BatchRelease is deleted")
	for _, r := range h.Rollouts.All() {
		require.Equal(h.t, kruise.PhaseHealthy, r.Status.Phase)
	}
	for _, d := range h.Deployments.All() {
		require.False(h.t, d.Paused)
		require.Equal(h.t, deploy.RollingUpdate, d.Strategy)
		require.Equal(h.t, "web", d.Name, "no canary Deployment is left")
		for key := range d.Annotations {
			require.NotContains(h.t, key, "kruise.io")
		}
	}
}
