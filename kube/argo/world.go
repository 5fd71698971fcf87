// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// World returns the start of a simulation of package rollout/sim: the result of [kube.WorldAt]
// for the objects, and the Rollouts with their Services, ReplicaSets and pods among the
// objects. Pods keep their observed state. Names are "namespace/name". The template of a
// Rollout, and the templates of its ReplicaSets, have their hashes as IDs: if Rollouts of two
// namespaces have the same template, the LimitRanges of the last one count. A Rollout with a
// workloadRef has the template of the Deployment among the objects.
//
// The world starts at the latest of now and the times found in objects and Rollouts. The error
// names the first object that cannot be read: see [Snapshot].
func World(now time.Time, rollouts []*RolloutObject, objects []kube.Object) (cluster.Snapshot, error) {
	parts := partsOf(objects)
	all := slices.Clone(objects)
	var list []*RolloutObject
	for _, o := range rollouts {
		if o == nil {
			continue
		}
		o, err := parts.resolve(o)
		if err != nil {
			return cluster.Snapshot{}, fmt.Errorf("rollout %s: %w", inNamespace(o.Namespace, o.Name), err)
		}
		for i := range o.Status.PauseConditions {
			if at := o.Status.PauseConditions[i].StartTime.Time; at.After(now) {
				now = at
			}
		}
		list, all = append(list, o), append(all, standIn(o))
	}
	s, err := kube.WorldAt(now, all)
	if err != nil {
		return cluster.Snapshot{}, err
	}
	for _, o := range list {
		if err := parts.add(&s, o); err != nil {
			return cluster.Snapshot{}, fmt.Errorf("rollout %s: %w", inNamespace(o.Namespace, o.Name), err)
		}
	}
	return s, nil
}

// inNamespace returns the name of an object in a world; "" stays empty.
func inNamespace(namespace, name string) string {
	if namespace == "" || name == "" {
		return name
	}
	return namespace + "/" + name
}

// parts are the objects that are needed to read Rollouts.
type parts struct {
	sets        []*appsv1.ReplicaSet
	services    []*corev1.Service
	deployments []*appsv1.Deployment
}

func partsOf(objects []kube.Object) (p parts) {
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.ReplicaSet:
			p.sets = append(p.sets, o)
		case *corev1.Service:
			p.services = append(p.services, o)
		case *appsv1.Deployment:
			p.deployments = append(p.deployments, o)
		}
	}
	return p
}

// resolve returns a Rollout with its template.
func (p *parts) resolve(o *RolloutObject) (*RolloutObject, error) {
	ref := o.Spec.WorkloadRef
	if ref == nil || len(o.Spec.Template.Spec.Containers) > 0 {
		return o, nil
	}
	for _, d := range p.deployments {
		if d != nil && ref.Kind == "Deployment" && d.Namespace == o.Namespace && d.Name == ref.Name {
			return Resolve(o, &d.Spec.Template), nil
		}
	}
	var es kplan.FieldErrors
	es.Add("spec.workloadRef", ref.Kind+" "+ref.Name, "must name a Deployment in the input")
	return o, es.Join()
}

// standIn returns a Deployment with the template and the progress of a Rollout. Package kube
// reads from it the parts of the template, and the assumed state of pods that only appear in
// statuses.
func standIn(o *RolloutObject) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: o.UID, CreationTimestamp: o.CreationTimestamp, ManagedFields: o.ManagedFields}}
	d.Spec.Template, d.Spec.Selector = o.Spec.Template, o.Spec.Selector
	for _, c := range o.Status.Conditions {
		d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{
			Type: appsv1.DeploymentConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), LastUpdateTime: c.LastUpdateTime, LastTransitionTime: c.LastTransitionTime,
		})
	}
	return d
}

// add replaces the stand-in of a Rollout in a snapshot by the Rollout.
func (p *parts) add(s *cluster.Snapshot, o *RolloutObject) error {
	read, err := Snapshot(o, p.sets, p.services)
	if err != nil {
		return err
	}
	r := cluster.ArgoRollout{
		Rollout: read.Rollout, UID: string(o.UID), ResourceVersion: o.ResourceVersion, TemplateLabels: o.Spec.Template.Labels,
		MinReadySeconds: o.Spec.MinReadySeconds, Routes: read.Routes,
	}
	r.Name = inNamespace(o.Namespace, o.Name)
	if w := r.Status.Weights; w != nil {
		named := *w
		named.Canary.Service, named.Stable.Service = inNamespace(o.Namespace, w.Canary.Service), inNamespace(o.Namespace, w.Stable.Service)
		r.Status.Weights = &named
	}
	for _, of := range []struct {
		to *string
		*argo.Service
	}{
		{&r.ActiveService, read.Active}, {&r.PreviewService, read.Preview}, {&r.StableService, read.StableService},
		{&r.CanaryService, read.CanaryService}, {&r.PingService, read.Ping}, {&r.PongService, read.Pong},
	} {
		if of.Service == nil {
			continue
		}
		*of.to = inNamespace(o.Namespace, of.Name)
		if !slices.ContainsFunc(s.Services, func(have traffic.Service) bool { return have.Name == *of.to }) {
			s.Services = append(s.Services, traffic.Service{Name: *of.to, Selector: of.Selector})
		}
	}
	s.ArgoRollouts = append(s.ArgoRollouts, r)
	templates(s, &r)
	return nil
}

// templates names the templates of a Rollout and its ReplicaSets by their hashes, and removes
// the stand-in.
func templates(s *cluster.Snapshot, r *cluster.ArgoRollout) {
	rename := func(id, hash string) {
		if hash != "" {
			s.Templates[hash] = s.Templates[id]
		}
		if id != hash && !inUse(s, id) {
			delete(s.Templates, id)
		}
	}
	i := slices.IndexFunc(s.Deployments, func(d deploy.Deployment) bool { return d.UID == r.UID && d.Name == r.Name })
	id := s.Deployments[i].Template.ID
	s.Deployments = slices.Delete(s.Deployments, i, i+1)
	rename(id, r.TemplateHash)
	for i := range s.ReplicaSets {
		if rs := &s.ReplicaSets[i]; rs.ControllerUID == r.UID && r.UID != "" {
			id, hash := rs.Template.ID, cmp.Or(rs.Labels[argo.HashLabel], rs.Template.Hash)
			rs.Template = revision.Template{ID: hash, Hash: hash}
			rename(id, hash)
		}
	}
}

// inUse reports whether a workload of Kubernetes uses a template.
func inUse(s *cluster.Snapshot, id string) bool {
	of := func(rs replicaset.ReplicaSet) bool { return rs.Template.ID == id }
	return slices.ContainsFunc(s.Deployments, func(d deploy.Deployment) bool { return d.Template.ID == id }) ||
		slices.ContainsFunc(s.ReplicaSets, of) || slices.ContainsFunc(s.ReplicationControllers, of)
}
