// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A RolloutCluster is a release of a Deployment that is under way, at one instant.
type RolloutCluster struct {
	Now          time.Time
	Rollout      kruise.Rollout
	BatchRelease *batchrelease.Release // nil if there is none
	// Deployment is that of the Rollout. The hash of its template is the revision by
	// which the Rollout knows it.
	Deployment Deployment
	// Canaries are the extra Deployments of the style Canary.
	Canaries []Deployment
	// ReplicaSets are those of all these Deployments. The hash of a template is the label
	// of its pods.
	ReplicaSets []replicaset.ReplicaSet
	Pods        []podorder.Pod // of these
	Traffic     traffic.Objects
}

// ResumeRollout goes on with a release from where it stands, as [RunRollout] does from
// its beginning. What controllers keep in memory is lost, as if they had been restarted,
// and whoever is to confirm a step that waits begins to think about it now.
func ResumeRollout(c RolloutCluster, cfg RolloutConfig) (RolloutResult, error) {
	w := calmWorld(c.Now, cfg.Kubelet)
	w.fair, w.ref = true, c.Rollout.WorkloadRef
	w.addDeploymentController(deploy.Options{})
	w.addReplicaSetController(replicaset.Options{})
	w.addRolloutControllers(cfg.Options)
	ids, err := c.templates()
	if err != nil {
		return RolloutResult{}, err
	}
	w.restore(&c, ids)
	w.healPods()
	rec := &rolloutRecorder{world: w, start: w.now, template: ids[c.Deployment.Template.ID], approveAfter: cfg.ApproveAfter}
	rec.begin()
	if err := w.runCalm(cfg.TimeLimit, cfg.Latency); err != nil {
		return RolloutResult{}, fmt.Errorf("after %v: %w", w.now.Sub(rec.start), err)
	}
	return rec.result(), nil
}

// templates returns by what a world knows templates: in it the ID of one is its hash
// and its revision.
func (c *RolloutCluster) templates() (ids map[string]string, err error) {
	ids = map[string]string{}
	taken := map[string]string{}
	add := func(t revision.Template) {
		if _, known := ids[t.ID]; known {
			return
		}
		if first, ok := taken[t.Hash]; ok && first != t.ID || t.Hash == "" {
			err = fmt.Errorf("two templates have the hash %q", t.Hash)
		}
		ids[t.ID], taken[t.Hash] = t.Hash, t.ID
	}
	add(c.Deployment.Template)
	for i := range c.Canaries {
		add(c.Canaries[i].Template)
	}
	for i := range c.ReplicaSets {
		add(c.ReplicaSets[i].Template)
	}
	return ids, err
}

// restore creates the objects of a release with the IDs that templates have here.
func (w *World) restore(c *RolloutCluster, ids map[string]string) {
	s := w.store
	for _, d := range append([]Deployment{c.Deployment}, c.Canaries...) {
		d.Template = revision.Template{ID: ids[d.Template.ID]}
		create(w, &s.deployments, by(User), &d)
	}
	for _, rs := range c.ReplicaSets {
		rs.Template.ID = ids[rs.Template.ID]
		create(w, &s.replicaSets, by(User), &rs)
	}
	for _, p := range c.Pods {
		create(w, &s.pods, by(User), &p)
	}
	w.createRouting(&c.Traffic)
	if t := c.Traffic.Canary; t != nil {
		create(w, &s.services, by(User), &Service{Service: *t, OwnerUID: c.Rollout.UID})
	}
	if t := c.Traffic.CanaryIngress; t != nil {
		ingress := *t
		create(w, &s.ingresses, by(User), &ingress)
	}
	create(w, &s.rollouts, by(User), &Rollout{Rollout: c.Rollout})
	if c.BatchRelease != nil {
		create(w, &s.batchReleases, by(User), &BatchRelease{Release: *c.BatchRelease, OwnerUID: c.Rollout.UID})
	}
}
