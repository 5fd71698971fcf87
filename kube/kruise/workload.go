// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Deployment returns d as the planners of package rollout read it. The ReplicaSets are all
// of its namespace: the revisions of a Deployment are known by its label stable-revision and
// by the hash of its template. The error wraps [kplan.ErrInvalid].
//
// The number of ready updated pods comes from the annotation of the partition's controller
// or, for style BlueGreen, from the status of the ReplicaSet with the template.
func Deployment(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) (workload.Workload, error) {
	d = convert.Or(d)
	var es kplan.FieldErrors
	w := common(&d.ObjectMeta, "apps/v1", "Deployment", d.Spec.Replicas, &d.Spec.Template)
	w.Paused, w.StrategyType = d.Spec.Paused, string(d.Spec.Strategy.Type)
	if rolling := d.Spec.Strategy.RollingUpdate; rolling != nil {
		w.RollingUpdate = &partition.RollingUpdate{
			MaxSurge: convert.Limit(&es, convert.PathSurge, rolling.MaxSurge), MaxUnavailable: convert.Limit(&es, convert.PathUnavailable, rolling.MaxUnavailable),
		}
	}
	w.MinReadySeconds, w.ProgressDeadlineSeconds = d.Spec.MinReadySeconds, d.Spec.ProgressDeadlineSeconds
	w.StableRevision, w.UpdateRevision = d.Labels[workload.LabelStableRevision], w.Template.Hash
	s := &d.Status
	w.Status = workload.Status{
		ObservedGeneration: s.ObservedGeneration, Replicas: s.Replicas, ReadyReplicas: s.ReadyReplicas,
		AvailableReplicas: s.AvailableReplicas, UpdatedReplicas: s.UpdatedReplicas,
		UpdatedReadyReplicas: partition.ParseExtraStatus(d.Annotations[partition.AnnotationExtraStatus]).UpdatedReadyReplicas,
	}
	if d.Annotations[workload.AnnotationOriginalStrategy] != "" {
		for _, rs := range sets {
			if rs != nil && controls(d, rs) && kube.TemplateID(&rs.Spec.Template) == w.Template.ID {
				w.Status.UpdatedReadyReplicas = rs.Status.ReadyReplicas
			}
		}
	}
	return w, es.Join()
}

func common(o *metav1.ObjectMeta, apiVersion, kind string, replicas *int32, t *corev1.PodTemplateSpec) workload.Workload {
	return workload.Workload{
		Ref: workload.Ref{APIVersion: apiVersion, Kind: kind, Name: o.Name},
		UID: string(o.UID), Generation: o.Generation, Labels: o.Labels, Annotations: o.Annotations,
		Replicas: replicas, Template: kube.Template(t, nil),
	}
}

func controls(o metav1.Object, child metav1.Object) bool {
	owner := metav1.GetControllerOfNoCopy(child)
	return owner != nil && !convert.Missing(o) && owner.UID == o.GetUID() && child.GetNamespace() == o.GetNamespace()
}

// StatefulSet returns s as the planners of package rollout read it. It counts the ready
// updated pods in pods.
func StatefulSet(s *appsv1.StatefulSet, pods []*corev1.Pod) (workload.Workload, error) {
	s = convert.Or(s)
	set, err := kube.StatefulSet(s)
	w := set.Workload
	w.Status.UpdatedReadyReplicas = updatedReady(s, w.UpdateRevision, pods)
	return w, err
}

// updatedReady counts the pods of o with a revision that are ready and not terminating.
func updatedReady(o metav1.Object, rev string, pods []*corev1.Pod) int32 {
	n := int32(0)
	for _, p := range pods {
		if p == nil || !controls(o, p) || p.DeletionTimestamp != nil || !kube.Pod(p).Ready {
			continue
		}
		if endsWith(rev, p.Labels[workload.LabelPodTemplateHash]) || endsWith(rev, p.Labels[workload.LabelControllerRevision]) {
			n++
		}
	}
	return n
}

// A CloneSetObject is a CloneSet of apps.kruise.io in the form of the API, with the
// fields that a rollout reads, see [RolloutObject].
type CloneSetObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Replicas        *int32                 `json:"replicas,omitempty"`
		Selector        *metav1.LabelSelector  `json:"selector,omitempty"`
		Template        corev1.PodTemplateSpec `json:"template"`
		MinReadySeconds int32                  `json:"minReadySeconds,omitzero"`
		ScaleStrategy   struct {
			MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
		} `json:"scaleStrategy,omitzero"`
		UpdateStrategy struct {
			Type           string              `json:"type,omitzero"`
			Partition      *intstr.IntOrString `json:"partition,omitempty"`
			MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
			MaxSurge       *intstr.IntOrString `json:"maxSurge,omitempty"`
			Paused         bool                `json:"paused,omitzero"`
		} `json:"updateStrategy,omitzero"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration   int64  `json:"observedGeneration,omitzero"`
		Replicas             int32  `json:"replicas"`
		ReadyReplicas        int32  `json:"readyReplicas"`
		AvailableReplicas    int32  `json:"availableReplicas"`
		UpdatedReplicas      int32  `json:"updatedReplicas"`
		UpdatedReadyReplicas int32  `json:"updatedReadyReplicas"`
		CurrentRevision      string `json:"currentRevision,omitzero"`
		UpdateRevision       string `json:"updateRevision,omitzero"`
	} `json:"status,omitzero"`
}

// CloneSet returns s as the planners of package rollout read it. The error wraps
// [kplan.ErrInvalid].
func CloneSet(s *CloneSetObject) (workload.Workload, error) {
	s = convert.Or(s)
	var es kplan.FieldErrors
	w := common(&s.ObjectMeta, "apps.kruise.io/v1alpha1", "CloneSet", s.Spec.Replicas, &s.Spec.Template)
	if s.APIVersion != "" {
		w.APIVersion = s.APIVersion
	}
	u := &s.Spec.UpdateStrategy
	w.Paused, w.StrategyType, w.MinReadySeconds = u.Paused, u.Type, s.Spec.MinReadySeconds
	w.Partition = convert.Limit(&es, "spec.updateStrategy.partition", u.Partition)
	w.RollingUpdate = &partition.RollingUpdate{
		MaxSurge:       convert.Limit(&es, "spec.updateStrategy.maxSurge", u.MaxSurge),
		MaxUnavailable: convert.Limit(&es, "spec.updateStrategy.maxUnavailable", u.MaxUnavailable),
	}
	w.StableRevision, w.UpdateRevision = s.Status.CurrentRevision, s.Status.UpdateRevision
	w.Status = workload.Status{
		ObservedGeneration: s.Status.ObservedGeneration, Replicas: s.Status.Replicas, ReadyReplicas: s.Status.ReadyReplicas,
		AvailableReplicas: s.Status.AvailableReplicas, UpdatedReplicas: s.Status.UpdatedReplicas,
		UpdatedReadyReplicas: s.Status.UpdatedReadyReplicas,
	}
	return w, es.Join()
}

// DaemonSet returns ds as the planners of package rollout read it: an Advanced
// DaemonSet of OpenKruise if a is given, otherwise a DaemonSet of Kubernetes with the
// revisions that it controls. It counts the ready updated pods in pods. The error wraps
// [kplan.ErrInvalid].
func DaemonSet(ds *appsv1.DaemonSet, a *Advanced, revisions []*appsv1.ControllerRevision, pods []*corev1.Pod) (workload.Workload, error) {
	ds = convert.Or(ds)
	var es kplan.FieldErrors
	w := common(&ds.ObjectMeta, "apps/v1", "DaemonSet", ptr.To(ds.Status.DesiredNumberScheduled), &ds.Spec.Template)
	w.StrategyType, w.MinReadySeconds = string(ds.Spec.UpdateStrategy.Type), ds.Spec.MinReadySeconds
	if rolling := ds.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		surge, unavailable := convert.DaemonSetLimits(ds, &es)
		w.RollingUpdate = &partition.RollingUpdate{MaxSurge: surge, MaxUnavailable: unavailable}
	}
	if a != nil {
		w.APIVersion, w.UpdateRevision = "apps.kruise.io/v1alpha1", a.UpdateRevision
		w.Paused, w.Partition = a.Paused, convert.Limit(&es, pathPartition, a.Partition)
	} else if newest := Revisions(ds, revisions); len(newest) > 0 {
		w.StableRevision, w.UpdateRevision = stableAndUpdate(newest)
	}
	s := &ds.Status
	w.Status = workload.Status{
		ObservedGeneration: s.ObservedGeneration, Replicas: s.DesiredNumberScheduled, ReadyReplicas: s.NumberReady,
		AvailableReplicas: s.NumberAvailable, UpdatedReplicas: s.UpdatedNumberScheduled,
		UpdatedReadyReplicas: updatedReady(ds, w.UpdateRevision, pods),
	}
	return w, es.Join()
}

func stableAndUpdate(list []workload.DaemonSetRevision) (stable, update string) {
	facts := workload.Inspect(workload.InspectSnapshot{
		Workload: workload.Workload{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet"}}, Revisions: list,
	})
	return facts.StableRevision, facts.CanaryRevision
}

// Revisions returns the revisions that ds controls, as workload.Inspect reads
// them.
func Revisions(ds *appsv1.DaemonSet, list []*appsv1.ControllerRevision) []workload.DaemonSetRevision {
	var revisions []workload.DaemonSetRevision
	for _, r := range list {
		if r != nil && controls(convert.Or(ds), r) {
			revisions = append(revisions, workload.DaemonSetRevision{Revision: r.Revision, Hash: r.Labels[workload.LabelControllerRevision]})
		}
	}
	return revisions
}

// Sets returns the ReplicaSets that d controls, as admission and workload.Inspect
// read them.
func Sets(d *appsv1.Deployment, list []*appsv1.ReplicaSet) []workload.Set {
	var sets []workload.Set
	for _, rs := range list {
		if d == nil || rs == nil || !controls(d, rs) {
			continue
		}
		replicas := int32(1)
		if rs.Spec.Replicas != nil {
			replicas = *rs.Spec.Replicas
		}
		sets = append(sets, workload.Set{
			Name: rs.Name, Template: revision.Template{ID: kube.TemplateID(&rs.Spec.Template), Hash: rs.Labels[workload.LabelPodTemplateHash]},
			Replicas: replicas, Revision: rs.Annotations[revision.AnnotationRevision],
			CreationTimestamp: rs.CreationTimestamp.UTC(), DeletionTimestamp: convert.TimeOrZero(rs.DeletionTimestamp),
		})
	}
	return sets
}

// Pods returns the pods of a workload that have not finished, as batches read them, in
// the order of the list. The pods of a Deployment belong to its ReplicaSets, so sets
// must be all ReplicaSets of the namespace; other workloads control their pods
// themselves.
func Pods(owned metav1.Object, sets []*appsv1.ReplicaSet, list []*corev1.Pod) []workload.Pod {
	hashes := map[string]string{}
	for _, rs := range sets {
		if rs != nil && controls(owned, rs) {
			hashes[string(rs.UID)] = kube.Template(&rs.Spec.Template, nil).Hash
		}
	}
	var pods []workload.Pod
	for _, p := range list {
		if p == nil || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		_, _, owner := convert.Controller(p)
		hash, ok := hashes[owner]
		if !ok && !controls(owned, p) {
			continue
		}
		pods = append(pods, workload.Pod{
			Name: p.Name, UID: string(p.UID), Labels: p.Labels, Ready: kube.Pod(p).Ready,
			DeletionTimestamp: convert.TimeOrZero(p.DeletionTimestamp), TemplateHash: hash,
		})
	}
	return pods
}

func endsWith(rev, hash string) bool { return hash != "" && strings.HasSuffix(rev, hash) }
