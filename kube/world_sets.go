// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A WorldObject is an object of an API that this package does not know, such as a Rollout of
// OpenKruise. It adds itself to a [World].
type WorldObject interface {
	Object
	// AddToWorld adds the object to a snapshot with all other objects. Names are
	// "namespace/name".
	AddToWorld(*cluster.Snapshot) error
}

// A WorldSet is a set of pods of an API that this package does not know, such as a CloneSet.
type WorldSet interface {
	Object
	// WorldSet returns the set with its namespace, and the template of its pods.
	WorldSet() (cluster.Set, *corev1.PodTemplateSpec, error)
}

// StatefulSet returns s for a world, with its namespace. Updated and ready pods are known only
// from the pods. The error wraps [kplan.ErrInvalid].
func StatefulSet(s *appsv1.StatefulSet) (cluster.Set, error) {
	s = convert.Or(s)
	var es kplan.FieldErrors
	w := workload.Workload{
		Ref: workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: s.Name},
		UID: string(s.UID), Generation: s.Generation, Labels: s.Labels, Annotations: s.Annotations,
		Replicas: s.Spec.Replicas, Template: Template(&s.Spec.Template, nil),
		StrategyType: string(s.Spec.UpdateStrategy.Type), MinReadySeconds: s.Spec.MinReadySeconds,
		StableRevision: s.Status.CurrentRevision, UpdateRevision: s.Status.UpdateRevision,
		Status: workload.Status{
			ObservedGeneration: s.Status.ObservedGeneration, Replicas: s.Status.Replicas, ReadyReplicas: s.Status.ReadyReplicas,
			AvailableReplicas: s.Status.AvailableReplicas, UpdatedReplicas: s.Status.UpdatedReplicas,
		},
	}
	if rolling := s.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		w.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: convert.Limit(&es, convert.PathDaemonUnavailable, rolling.MaxUnavailable)}
		if rolling.Partition != nil {
			w.Partition = rollout.Int(*rolling.Partition)
		}
	}
	return cluster.Set{
		Workload: w, TemplateLabels: s.Spec.Template.Labels, Parallel: s.Spec.PodManagementPolicy == appsv1.ParallelPodManagement,
	}, es.Join()
}

// revisionsOf returns the ControllerRevisions among objects by the UIDs of their owners.
func revisionsOf(objects []Object) map[string][]*appsv1.ControllerRevision {
	revisions := map[string][]*appsv1.ControllerRevision{}
	for _, object := range objects {
		if r, ok := object.(*appsv1.ControllerRevision); ok && r != nil {
			_, _, owner := convert.Controller(r)
			revisions[owner] = append(revisions[owner], r)
		}
	}
	return revisions
}

// set reads a set and the templates of its revisions. A world knows a template by the name of
// the revision without the name of the set in front.
func (w *worldReader) set(o Object, s cluster.Set, t *corev1.PodTemplateSpec) {
	prefix := s.Name + "-"
	s.Name, s.TemplateLabels = worldName(o), t.Labels
	if slices.ContainsFunc(w.s.Sets, func(other cluster.Set) bool { return other.Name == s.Name }) {
		w.unseen[unseenSet] = true
		return
	}
	known := s.UpdateRevision != "" && s.Status.ObservedGeneration >= s.Generation
	if known {
		s.Template.Hash = strings.TrimPrefix(s.UpdateRevision, prefix)
	}
	for _, r := range w.revisions[s.UID] {
		var data struct {
			Spec struct{ Template corev1.PodTemplateSpec }
		}
		if s.UID == "" || json.Unmarshal(r.Data.Raw, &data) != nil {
			continue
		}
		of, hash := &data.Spec.Template, strings.TrimPrefix(r.Name, prefix)
		w.template(hash, o.GetNamespace(), &of.Spec, of.Labels)
		if !known && TemplateID(of) == s.Template.ID {
			s.Template.Hash = hash
		}
	}
	w.template(s.Template.Hash, o.GetNamespace(), &t.Spec, t.Labels)
	if s.UID != "" {
		w.sets[s.UID] = prefix
	}
	w.s.Sets = append(w.s.Sets, s)
}

// podOfSet gives a pod the full name of its revision, which CloneSets may shorten to its end,
// and returns the ID of its template.
func (w *worldReader) podOfSet(p *corev1.Pod, pod *podorder.Pod, prefix string) (id string) {
	label := pod.Labels[workload.LabelControllerRevision]
	if id = strings.TrimPrefix(label, prefix); id == label && id != "" {
		pod.Labels = maps.Clone(pod.Labels)
		pod.Labels[workload.LabelControllerRevision] = prefix + id
	}
	if _, known := w.s.Templates[id]; !known && id != "" {
		spec := p.Spec.DeepCopy()
		spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool {
			return v.PersistentVolumeClaim != nil && strings.HasSuffix(v.PersistentVolumeClaim.ClaimName, "-"+p.Name) // its own
		})
		w.template(id, p.Namespace, spec, p.Labels)
	}
	return id
}

// templateOf returns the ID of the template of a pod with its workload in the input.
func (w *worldReader) templateOf(p *podorder.Pod) string {
	if prefix, is := w.sets[p.ControllerUID]; is {
		return strings.TrimPrefix(p.Labels[workload.LabelControllerRevision], prefix)
	}
	if id := w.own[p.ControllerUID]; id != "" {
		return id
	}
	return p.Labels[workload.LabelControllerRevision]
}

// ofRollouts is the prefix of labels and finalizers of OpenKruise Rollouts.
const ofRollouts = "rollouts.kruise.io/"

// meta notes the metadata of a Deployment or a DaemonSet, if Rollouts read it.
func (w *worldReader) meta(kind string, o Object) {
	owner := metav1.GetControllerOfNoCopy(o)
	made := owner != nil && owner.Kind == "BatchRelease"
	labels := o.GetLabels()
	marked := false
	for key := range labels {
		marked = marked || strings.HasPrefix(key, ofRollouts)
	}
	if !made && !marked {
		return
	}
	m := cluster.Meta{Kind: kind, Name: worldName(o), Labels: labels, Finalizers: o.GetFinalizers(), CreationTimestamp: o.GetCreationTimestamp().UTC()}
	if made {
		m.ControllerUID = string(owner.UID)
	}
	if stable := labels[workload.LabelCanaryDeployment]; stable != "" {
		m.Labels = maps.Clone(labels)
		m.Labels[workload.LabelCanaryDeployment] = qualified(o.GetNamespace(), stable)
	}
	w.s.Meta = append(w.s.Meta, m)
}
