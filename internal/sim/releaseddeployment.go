// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedDeployment keeps Deployments, and the extra ones of the style Canary.
type releasedDeployment struct{}

func (releasedDeployment) reads() []Kind { return []Kind{KindDeployment, KindReplicaSet} }

func (releasedDeployment) at(w *World, view *[kinds]int64, name string) (*workload.Workload, string) {
	t := &w.store.deployments
	d := find(t, t.at(view[KindDeployment]), name)
	if d == nil {
		return nil, ""
	}
	return ptr.To(w.workloadOf(d)), d.ResourceVersion
}

func (releasedDeployment) template(w *World, name, id string) revision.Template {
	t := revision.Template{ID: id}
	if d := w.store.deployments.named(name); d != nil {
		t.Hash = w.hash(id, d.Status.CollisionCount)
	}
	return t
}

func (releasedDeployment) look(w *World, view *[kinds]int64, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	sets := w.store.replicaSets.at(view[KindReplicaSet])
	s := workload.InspectSnapshot{Workload: *o, Style: style, Sets: setsOf(sets, o.UID)}
	if canary := canaryOf(w.store.deployments.at(view[KindDeployment]), o.Name, ""); canary != nil {
		s.CanarySets = setsOf(sets, canary.UID)
	}
	return s
}

func (releasedDeployment) batch(w *World, view *[kinds]int64, br *BatchRelease, s *batchrelease.Snapshot) string {
	deployments, sets := w.store.deployments.at(view[KindDeployment]), w.store.replicaSets.at(view[KindReplicaSet])
	driver, _ := workload.DriverOf(br.WorkloadRef, br.ReleasePlan.RollingStyle) // which the planner has admitted
	uid := s.Workload.UID
	switch driver {
	case workload.DriverCanary:
		of := canaryOf(deployments, s.Workload.Name, br.UID)
		if of == nil {
			return ""
		}
		s.Canary, uid = ptr.To(w.workloadOf(of)), of.UID
	case workload.DriverBlueGreenDeployment:
		s.StableSet = stableSet(sets, uid)
		for _, rs := range sets {
			if rs.ControllerUID == uid && rs.Template.Same(s.Workload.Template) {
				s.Workload.Status.UpdatedReadyReplicas = rs.Status.ReadyReplicas
			}
		}
	}
	if w.followed {
		return uid
	}
	s.Pods = podsOf(w.released, sets, w.store.pods.at(view[KindPod]), uid)
	if w.calm { // where one pass at a time needs them
		w.released = s.Pods[:0]
	}
	return ""
}

func (releasedDeployment) change(w *World, r request, f func(workload.Workload) workload.Workload) answer {
	return changeIn(w, &w.store.deployments, r, w.workloadOf, func(d *Deployment, o *workload.Workload) {
		take(d, o)
		d.Template, d.Generation = o.Template, o.Generation
	}, f)
}

func (releasedDeployment) changePod(w *World, r request, f func(*podorder.Pod)) answer {
	_, a := update(w, &w.store.pods, r, f)
	return a
}

func (releasedDeployment) check(w *World, name string) error {
	d := w.store.deployments.named(name)
	for _, o := range w.store.deployments.all() {
		if o != d {
			return fmt.Errorf("deployment %s is left", o.Name)
		}
	}
	if d == nil {
		return fmt.Errorf("no deployment")
	}
	return w.checkDeployment(d)
}

// workloadOf returns a Deployment as package rollout reads it.
func (w *World) workloadOf(d *Deployment) workload.Workload {
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
	o.Template.Hash = w.hash(d.Template.ID, s.CollisionCount)
	o.UpdateRevision = o.Template.Hash
	if d.Strategy != deploy.Recreate {
		o.RollingUpdate = &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable}
	}
	return o
}

// setsOf returns the ReplicaSets that a Deployment controls.
func setsOf(sets []*replicaSet, uid string) (owned []workload.Set) {
	for _, rs := range sets {
		if rs.ControllerUID == uid {
			owned = append(owned, workload.Set{
				Name: rs.Name, Template: rs.Template, Replicas: sizeOf(rs), Revision: rs.Annotations["deployment.kubernetes.io/revision"],
				CreationTimestamp: rs.CreationTimestamp, DeletionTimestamp: rs.DeletionTimestamp,
			})
		}
	}
	return owned
}

// canaryOf returns the newest canary Deployment of another that a BatchRelease owns, or
// any if the UID is empty; nil if there is none.
func canaryOf(rows []*Deployment, name, ownerUID string) (newest *Deployment) {
	for _, d := range rows {
		if d.Labels[workload.LabelCanaryDeployment] == name && d.DeletionTimestamp.IsZero() && (ownerUID == "" || d.OwnerUID == ownerUID) &&
			(newest == nil || d.CreatedAt.After(newest.CreatedAt)) {
			newest = d
		}
	}
	return newest
}

// take takes over what admission has made of a Deployment.
func take(d *Deployment, w *workload.Workload) {
	d.Labels, d.Annotations, d.Replicas, d.Paused = w.Labels, w.Annotations, w.Replicas, w.Paused
	d.Strategy, d.MinReadySeconds, d.ProgressDeadlineSeconds = deploy.Strategy(w.StrategyType), w.MinReadySeconds, w.ProgressDeadlineSeconds
	if w.RollingUpdate != nil {
		d.MaxSurge, d.MaxUnavailable = w.RollingUpdate.MaxSurge, w.RollingUpdate.MaxUnavailable
	}
}

// stableSet returns the oldest ReplicaSet of a Deployment that has pods, or "".
func stableSet(sets []*replicaSet, uid string) string {
	var oldest *replicaSet
	for _, rs := range sets {
		if rs.ControllerUID == uid && sizeOf(rs) > 0 &&
			(oldest == nil || rs.CreationTimestamp.Before(oldest.CreationTimestamp) || rs.CreationTimestamp.Equal(oldest.CreationTimestamp) && rs.Name < oldest.Name) {
			oldest = rs
		}
	}
	if oldest == nil {
		return ""
	}
	return oldest.Name
}

// podsOf returns the pods of a Deployment's ReplicaSets that have not finished. The hash of
// their template is the revision, which need not be what they are labelled with. They are
// appended to a list.
func podsOf(list []workload.Pod, sets []*replicaSet, pods []*podorder.Pod, uid string) []workload.Pod {
	for _, p := range pods {
		if p.Finished() {
			continue
		}
		for _, rs := range sets {
			if rs.UID == p.ControllerUID && rs.ControllerUID == uid {
				list = append(list, workload.Pod{
					Name: p.Name, UID: p.UID, Labels: p.Labels, Ready: p.Ready, DeletionTimestamp: p.DeletionTimestamp, TemplateHash: rs.Template.ID,
				})
			}
		}
	}
	return list
}
