// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A RolloutCluster is a release that is under way, at one instant.
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
	Pods        []podorder.Pod // of these, or of the set
	// Set is the workload in place of a Deployment, if it is a CloneSet or a StatefulSet. Its
	// status names the revisions, which the labels of its pods have in full.
	Set *podset.Set
	// DaemonSet is the workload in place of a Deployment, if it is one.
	DaemonSet *DaemonSetState
	Traffic   traffic.Objects
}

// A DaemonSetState is a DaemonSet that is being released.
type DaemonSetState struct {
	DaemonSetCluster
	Ref     workload.Ref
	Options daemonset.Options
}

// ResumeRollout goes on with a release from where it stands, as [RunRollout] does from
// its beginning. What controllers keep in memory is lost, as if they had been restarted,
// and whoever is to confirm a step that waits begins to think about it now.
func ResumeRollout(c RolloutCluster, cfg RolloutConfig) (RolloutResult, error) {
	w := calmWorld(c.Now, cfg.Kubelet)
	w.fair, w.ref = true, c.Rollout.WorkloadRef
	w.addRolloutWorkers(&c)
	w.addRolloutControllers(cfg.Options)
	template, err := w.restore(&c)
	if err != nil {
		return RolloutResult{}, err
	}
	w.healPods()
	rec := &rolloutRecorder{world: w, start: w.now, template: template, approveAfter: cfg.ApproveAfter}
	rec.begin()
	if cfg.Kubelet.Recording != nil {
		rec.explain()
	}
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

// addRolloutWorkers adds those who look after the workload.
func (w *World) addRolloutWorkers(c *RolloutCluster) {
	switch {
	case c.Set != nil:
		w.addSetController()
	case c.DaemonSet != nil:
		w.addDaemonSetController(c.DaemonSet.Options)
		if w.ref.Group() == "apps" {
			w.addDaemonHelper()
		}
	default:
		w.addDeploymentController(deploy.Options{})
		w.addReplicaSetController(replicaset.Options{})
	}
}

// restore creates the objects of a release, and returns the ID that the new template has here.
func (w *World) restore(c *RolloutCluster) (template string, err error) {
	switch {
	case c.Set != nil:
		template = w.restoreSet(c.Set, c.Pods)
	case c.DaemonSet != nil:
		template = w.restoreDaemonSet(c.DaemonSet)
	default:
		ids, err := c.templates()
		if err != nil {
			return "", err
		}
		w.restoreDeployments(c, ids)
		template = ids[c.Deployment.Template.ID]
	}
	w.restoreRelease(c)
	return template, nil
}

// restoreDeployments creates the Deployments of a release and what they control, with the IDs
// that templates have here.
func (w *World) restoreDeployments(c *RolloutCluster, ids map[string]string) {
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
}

// restoreSet creates a set and its pods. A template is known here by what stands behind the
// name of the set in that of its revision.
func (w *World) restoreSet(set *podset.Set, pods []podorder.Pod) (template string) {
	o := &Set{Set: *set}
	template = strings.TrimPrefix(o.UpdateRevision, o.Name+"-")
	o.Ref, o.Template = w.ref, revision.Template{ID: template}
	create(w, &w.store.sets, by(User), o)
	for _, p := range pods {
		create(w, &w.store.pods, by(User), &p)
	}
	return template
}

// restoreDaemonSet creates a DaemonSet, its nodes, revisions and pods.
func (w *World) restoreDaemonSet(c *DaemonSetState) (template string) {
	s := w.store
	d := &DaemonSet{DaemonSet: c.DaemonSet}
	for _, n := range c.Nodes {
		create(w, &s.nodes, by(User), &Node{Node: n})
	}
	for _, r := range c.Revisions {
		if hash, _ := revision.RevisionHash(r); string(r.Data) == string(d.Template.Data) {
			template = hash
		}
		create(w, &s.revisions, by(User), &r)
	}
	d.Template.Hash = template
	w.daemonTemplates = map[string]daemonset.Template{template: d.Template}
	create(w, &s.daemonSets, by(User), d)
	for _, p := range c.Pods {
		create(w, &s.daemons, by(User), &p)
	}
	return template
}

// restoreRelease creates the Rollout, its BatchRelease and what leads traffic.
func (w *World) restoreRelease(c *RolloutCluster) {
	s := w.store
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
