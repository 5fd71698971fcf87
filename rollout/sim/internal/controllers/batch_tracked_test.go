// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// comparedBatches makes a controller of BatchReleases. Each plan of a Tracker must be the one for all pods
// at the same instant. It counts these plans, and those of them with actions.
func comparedBatches(t *testing.T, plans, acting *int) func(*Env, int) *control.Controller {
	return func(env *Env, instance int) *control.Controller {
		c := &batchController{env: env, tracked: trackedReleases{}}
		compare := func(name string) {
			br := control.See(c.Controller, &c.BatchReleases, name)
			if br == nil {
				return
			}
			got, tracked, err := c.plan(br)
			require.NoError(t, err)
			if !tracked {
				return
			}
			s, owners := c.snapshot(br)
			for _, o := range owners {
				s.Pods = env.appendPods(s.Pods, &c.View, o)
			}
			whole, err := batchrelease.Reconcile(*s, c.Now(), batchrelease.Options{Repair: env.Rollout.Repair})
			require.NoError(t, err)
			require.Equal(t, whole, got)
			if *plans++; len(got.Actions) > 0 {
				*acting++
			}
		}
		reads := slices.Concat([]store.Kind{store.KindBatchRelease}, releasedKinds, []store.Kind{store.KindPod})
		c.Controller = control.New(env.Server, comparing{c, compare}, store.BatchController, instance, reads...)
		return c.Controller
	}
}

// TestReleaseTracked: Trackers of releases make the plans that are made from all pods, whatever a person
// does to the pods and to the Deployment meanwhile.
func TestReleaseTracked(t *testing.T) {
	for _, canaries := range []bool{false, true} {
		plans, acting := 0, 0
		for seed := range uint64(2) {
			h := newHarness(t, seed, trouble.Rates{}, newDeploymentController, newReplicaSetController, newRolloutController, comparedBatches(t, &plans, &acting))
			h.Rollout.Repair, h.Deployment.Repair = workload.RepairAll, deploy.RepairAll
			put(h, &h.Deployments, "web", func(d *store.Deployment) {
				d.Replicas, d.Generation, d.Selector, d.TemplateLabels = ptr.To(int32(300)), 1, selector.FromLabels(webApp), webApp
				d.Template, d.Strategy, d.MaxSurge, d.MaxUnavailable = revision.Template{ID: "v1"}, deploy.RollingUpdate, rollout.Percent(25), rollout.Percent(25)
			})
			h.rest()
			s := steps(20, 60, 100)
			s.EnableExtraWorkloadForCanary = canaries
			for i := range s.Steps {
				s.Steps[i].Pause.Duration = ptr.To(int32(20))
			}
			canary(h, webDeployment, s)
			for _, template := range []string{"v1", "v2", "v3"} {
				h.Life.SetTemplate(template, cluster.Template{Times: &cluster.Times{Ready: cluster.Between(0, 20*time.Second), End: cluster.Between(0, 10*time.Second)}})
			}
			draw := rand.New(rand.NewPCG(seed, 0))
			h.admit(webDeployment, "v2")
			for i := range 40 {
				for range draw.IntN(100) {
					h.step()
				}
				h.meddle(draw)
				if i == 25 {
					h.admit(webDeployment, "v3")
				}
				require.NoError(t, h.Err())
			}
			h.rest()
		}
		require.Greater(t, plans, 500)
		require.Greater(t, acting, 5)
	}
}

// meddle lets a person change a pod.
func (h *harness) meddle(draw *rand.Rand) {
	pods := h.Server.Pods.All()
	pod := pods[draw.IntN(len(pods))].Name
	switch draw.IntN(4) {
	case 0:
		h.DeletePod(apiserver.By(store.User, pod))
	case 1:
		h.Life.Failed(pod, podorder.Failed)
	case 2:
		h.Life.Unready(pod)
	case 3:
		h.ChangePod(apiserver.By(store.User, pod), func(p *store.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
	}
}
