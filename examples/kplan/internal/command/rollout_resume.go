// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// resumeDeployment simulates the rest of a release of a Deployment.
func (s *simulation) resumeDeployment(r *manifest.Rollout) (view.RolloutSimulation, error) {
	if err := checkUnderWay(r); err != nil {
		return view.RolloutSimulation{}, err
	}
	c, err := rolloutCluster(r, s.now.Time)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	// A world knows a template by its revision.
	config := s.rolloutConfig(revision.Template{ID: c.Deployment.Template.Hash})
	assumed := s.believeRelease(r, &c, &config.Kubelet)
	limits := limitsOf(&r.Workload)
	if limits == nil {
		limits = &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}
	}
	return s.resume(r, c, &config, s.budget(r, limits), assumed)
}

// rolloutCluster returns a release as the files hold it. A zero time is that of the
// objects.
func rolloutCluster(r *manifest.Rollout, now time.Time) (sim.RolloutCluster, error) {
	if now.IsZero() {
		now = latestOfRelease(r)
	}
	all := *r.Deployment // with the ReplicaSets and pods of all Deployments
	for i := range r.Canaries {
		all.ReplicaSets = append(slices.Clip(all.ReplicaSets), r.Canaries[i].ReplicaSets...)
		all.Pods = append(slices.Clip(all.Pods), r.Canaries[i].Pods...)
	}
	c, err := clusterOf(&all, now)
	if err != nil {
		return sim.RolloutCluster{}, err
	}
	c.Deployment.Template.Hash = r.Workload.Template.Hash
	release := sim.RolloutCluster{
		Now: now, Rollout: r.Snapshot.Rollout, BatchRelease: r.Snapshot.BatchRelease, Traffic: r.Snapshot.Traffic,
		Deployment: stored(r.Deployment, c.Deployment), ReplicaSets: c.ReplicaSets,
	}
	for _, p := range c.Pods {
		release.Pods = append(release.Pods, *p)
	}
	for i := range r.Canaries {
		w := &r.Canaries[i]
		snapshot, err := w.Snapshot()
		if err != nil {
			return release, err
		}
		canary := stored(w, snapshot.Deployment)
		if owner := metav1.GetControllerOfNoCopy(w.Deployment); owner != nil {
			canary.OwnerUID = string(owner.UID)
		}
		release.Canaries = append(release.Canaries, canary)
	}
	return release, nil
}

// stored returns a Deployment as a world stores it, with the defaults of the API server.
func stored(w *manifest.Workload, d deploy.Deployment) sim.Deployment {
	o := w.Deployment
	if d.Strategy = cmp.Or(d.Strategy, deploy.RollingUpdate); d.Strategy == deploy.RollingUpdate {
		d.MaxSurge, d.MaxUnavailable = cmp.Or(d.MaxSurge, rollout.Percent(25)), cmp.Or(d.MaxUnavailable, rollout.Percent(25))
	}
	return sim.Deployment{Deployment: d, Labels: o.Labels, Finalizers: o.Finalizers, CreatedAt: o.CreationTimestamp.UTC()}
}
