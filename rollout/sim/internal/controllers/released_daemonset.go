// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedDaemonSet implements released for DaemonSets, of Kubernetes and of OpenKruise. The ID of a
// template is its hash.
type releasedDaemonSet struct{}

func (releasedDaemonSet) at(e *Env, v *store.View, ref workload.Ref) (*workload.Workload, string) {
	d := e.DaemonSets.GetAt(v[store.KindDaemonSet], ref.Name)
	if d == nil {
		return nil, ""
	}
	o := workloadOfDaemonSet(d, ref)
	if own := e.revisionsAt(v, d.UID); o.Group() == "apps" && len(own) > 0 {
		facts := workload.Inspect(workload.InspectSnapshot{Workload: o, Revisions: own})
		o.StableRevision, o.UpdateRevision = facts.StableRevision, facts.CanaryRevision
	}
	return &o, d.ResourceVersion
}

// workloadOfDaemonSet converts a DaemonSet to the Workload that package workload reads. ref names the
// DaemonSet and its API group.
func workloadOfDaemonSet(d *store.DaemonSet, ref workload.Ref) workload.Workload {
	s := &d.Status
	return workload.Workload{
		Ref: ref, UID: d.UID, Generation: d.Generation, Labels: d.Labels, Annotations: d.Annotations,
		Replicas: ptr.To(s.DesiredNumberScheduled), Template: revision.Template{ID: d.Template.Hash, Hash: d.Template.Hash},
		Paused: d.Paused, StrategyType: string(cmp.Or(d.Strategy, daemonset.RollingUpdate)), Partition: d.Partition, MinReadySeconds: d.MinReadySeconds,
		RollingUpdate: &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable}, UpdateRevision: s.UpdateRevision,
		Status: workload.Status{
			ObservedGeneration: s.ObservedGeneration, Replicas: s.DesiredNumberScheduled, ReadyReplicas: s.NumberReady,
			AvailableReplicas: s.NumberAvailable, UpdatedReplicas: s.UpdatedNumberScheduled,
		},
	}
}

// revisionsAt returns the revisions that a DaemonSet controls.
func (e *Env) revisionsAt(v *store.View, uid string) (list []workload.DaemonSetRevision) {
	for _, r := range e.Revisions.OfAt(v[store.KindRevision], uid) {
		list = append(list, workload.DaemonSetRevision{Revision: r.Revision, Hash: r.Labels[daemonset.LabelHash]})
	}
	return list
}

func (releasedDaemonSet) look(e *Env, v *store.View, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	return workload.InspectSnapshot{Workload: *o, Style: style, Revisions: e.revisionsAt(v, o.UID)}
}

func (releasedDaemonSet) batch(e *Env, v *store.View, _ *store.BatchRelease, s *batchrelease.Snapshot) []podOwner {
	s.Pods = e.appendPods(nil, v, podOwner{uid: s.Workload.UID})
	s.Workload.Status.UpdatedReadyReplicas = updatedReady(s.Pods, s.Workload.UpdateRevision)
	return nil
}

func (releasedDaemonSet) change(e *Env, r apiserver.Request, ref workload.Ref, f func(workload.Workload) workload.Workload) apiserver.Answer {
	read := func(d *store.DaemonSet) workload.Workload { return workloadOfDaemonSet(d, ref) }
	return changeWorkload(e, &e.DaemonSets, r, read, func(d *store.DaemonSet, before, after *workload.Workload) {
		if !after.Template.Same(before.Template) {
			d.Template = e.daemonTemplate(d, after.Template.ID)
		}
		d.Labels, d.Annotations, d.Generation, d.Strategy = after.Labels, after.Annotations, after.Generation, daemonset.Strategy(after.StrategyType)
		d.Paused, d.Partition, d.MinReadySeconds = after.Paused, after.Partition, after.MinReadySeconds
		l := after.Limits()
		d.MaxSurge, d.MaxUnavailable = l.MaxSurge, l.MaxUnavailable
	}, f)
}

// daemonTemplate returns the stored template of d with this hash. If there is none, it returns the
// current template with its hash replaced.
func (e *Env) daemonTemplate(d *store.DaemonSet, hash string) daemonset.Template {
	t, known := e.DaemonTemplates[d.Name+"/"+hash]
	if !known {
		t = d.Template
		t.Hash = hash
	}
	return t
}
