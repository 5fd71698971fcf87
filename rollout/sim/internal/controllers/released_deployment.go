// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedDeployment keeps Deployments, and the canary Deployments of the style Canary.
type releasedDeployment struct{}

func (releasedDeployment) at(e *Env, v *store.View, ref workload.Ref) (*workload.Workload, string) {
	d := e.Deployments.GetAt(v[store.KindDeployment], ref.Name)
	if d == nil {
		return nil, ""
	}
	return ptr.To(e.workloadOf(d)), d.ResourceVersion
}

func (releasedDeployment) look(e *Env, v *store.View, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	s := workload.InspectSnapshot{Workload: *o, Style: style, Sets: setsOf(e.setsAt(v, o.UID))}
	if style == workload.Canary {
		if canary := canaryOf(e.Deployments.AllAt(v[store.KindDeployment]), o.Name); canary != nil {
			s.CanarySets = setsOf(e.setsAt(v, canary.UID))
		}
	}
	return s
}

func (releasedDeployment) batch(e *Env, v *store.View, br *store.BatchRelease, s *batchrelease.Snapshot) (owners []podOwner) {
	driver, _ := workload.DriverOf(br.WorkloadRef, br.ReleasePlan.RollingStyle) // the planner refuses an unknown kind
	uid := s.Workload.UID
	switch driver {
	case workload.DriverCanary:
		canary := canaryOf(e.Deployments.OfAt(v[store.KindDeployment], br.UID), s.Workload.Name)
		if canary == nil {
			return nil
		}
		s.Canary, uid = ptr.To(e.workloadOf(canary)), canary.UID
	case workload.DriverBlueGreenDeployment:
		sets := e.setsAt(v, uid)
		s.StableSet = stableSet(sets)
		for _, rs := range sets {
			if rs.Template.Same(s.Workload.Template) {
				s.Workload.Status.UpdatedReadyReplicas = rs.Status.ReadyReplicas
			}
		}
	}
	for _, rs := range e.setsAt(v, uid) {
		hash := e.Hash(rs.Template, nil)
		if rs.Template.Same(s.Workload.Template) {
			hash = s.Workload.UpdateRevision
		}
		owners = append(owners, podOwner{rs.UID, hash})
	}
	return owners
}

func (releasedDeployment) change(e *Env, r apiserver.Request, _ workload.Ref, f func(workload.Workload) workload.Workload) apiserver.Answer {
	return changeWorkload(e, &e.Deployments, r, e.workloadOf, func(d *store.Deployment, before, after *workload.Workload) {
		take(d, after)
		d.Generation = after.Generation
		if !after.Template.Same(before.Template) { // else its hash has what collisions add
			d.Template = after.Template
		}
	}, f)
}

// workloadOf returns a Deployment as package rollout reads it.
func (e *Env) workloadOf(d *store.Deployment) workload.Workload {
	s := &d.Status
	o := workload.Workload{
		Ref: workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: d.Name},
		UID: d.UID, Generation: d.Generation, Labels: d.Labels, Annotations: d.Annotations, Replicas: d.Replicas,
		Template: d.Template, Paused: d.Paused, StrategyType: string(d.Strategy), MinReadySeconds: d.MinReadySeconds,
		ProgressDeadlineSeconds: d.ProgressDeadlineSeconds, StableRevision: d.Labels[workload.LabelStableRevision],
		Status: workload.Status{
			ObservedGeneration: s.ObservedGeneration, Replicas: s.Replicas, ReadyReplicas: s.ReadyReplicas,
			AvailableReplicas: s.AvailableReplicas, UpdatedReplicas: s.UpdatedReplicas,
			UpdatedReadyReplicas: partition.ParseExtraStatus(d.Annotations[partition.AnnotationExtraStatus]).UpdatedReadyReplicas,
		},
	}
	o.Template.Hash = e.Hash(d.Template, s.CollisionCount)
	o.UpdateRevision = o.Template.Hash
	if d.Strategy != deploy.Recreate {
		o.RollingUpdate = &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable}
	}
	return o
}

// take takes over the changes of a Deployment by admission or a Rollout.
func take(d *store.Deployment, w *workload.Workload) {
	d.Labels, d.Annotations, d.Replicas, d.Paused = w.Labels, w.Annotations, w.Replicas, w.Paused
	d.Strategy, d.MinReadySeconds, d.ProgressDeadlineSeconds = deploy.Strategy(w.StrategyType), w.MinReadySeconds, w.ProgressDeadlineSeconds
	if w.RollingUpdate != nil {
		d.MaxSurge, d.MaxUnavailable = w.RollingUpdate.MaxSurge, w.RollingUpdate.MaxUnavailable
	}
}

// setsAt returns the ReplicaSets that a Deployment controls.
func (e *Env) setsAt(v *store.View, uid string) []*replicaset.ReplicaSet {
	return e.ReplicaSets.OfAt(v[store.KindReplicaSet], uid)
}

// setsOf returns ReplicaSets as package workload reads them.
func setsOf(sets []*replicaset.ReplicaSet) (list []workload.Set) {
	for _, rs := range sets {
		list = append(list, workload.Set{
			Name: rs.Name, Template: rs.Template, Replicas: orOne(rs.Replicas), Revision: rs.Annotations["deployment.kubernetes.io/revision"],
			CreationTimestamp: rs.CreationTimestamp, DeletionTimestamp: rs.DeletionTimestamp,
		})
	}
	return list
}

// canaryOf returns the newest canary Deployment of another one, or nil.
func canaryOf(list []*store.Deployment, stable string) (newest *store.Deployment) {
	for _, d := range list {
		if d.Labels[workload.LabelCanaryDeployment] == stable && d.DeletionTimestamp.IsZero() && (newest == nil || d.CreatedAt.After(newest.CreatedAt)) {
			newest = d
		}
	}
	return newest
}

// stableSet returns the name of the oldest ReplicaSet that is to have pods, or "".
func stableSet(sets []*replicaset.ReplicaSet) string {
	var oldest *replicaset.ReplicaSet
	for _, rs := range sets {
		if orOne(rs.Replicas) == 0 {
			continue
		}
		if oldest == nil || rs.CreationTimestamp.Before(oldest.CreationTimestamp) || rs.CreationTimestamp.Equal(oldest.CreationTimestamp) && rs.Name < oldest.Name {
			oldest = rs
		}
	}
	if oldest == nil {
		return ""
	}
	return oldest.Name
}

// appendPods appends the pods of an owner that have not finished.
func (e *Env) appendPods(list []workload.Pod, v *store.View, o podOwner) []workload.Pod {
	pods := e.Server.Pods.OfAt(v[store.KindPod], o.uid)
	list = slices.Grow(list, len(pods))
	for _, p := range pods {
		if !p.Finished() {
			list = append(list, o.pod(p))
		}
	}
	return list
}

// pod returns a pod of an owner as package batchrelease reads it. Of a Deployment the template is the
// revision, and pods need not be labelled with it.
func (o podOwner) pod(p *store.Pod) workload.Pod {
	return workload.Pod{Name: p.Name, UID: p.UID, Labels: p.Labels, Ready: p.Ready, DeletionTimestamp: p.DeletionTimestamp, TemplateHash: o.template}
}
