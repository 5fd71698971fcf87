// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// ReplicaSet returns the snapshot of rs. It shares labels, annotations, the maps of the
// selector and the pointers to numbers with rs.
//
// The hash of the template is the label of rs. It is not computed again: that would
// cost more than all the rest, and another release of the API types may have computed
// another hash.
func ReplicaSet(rs *appsv1.ReplicaSet) replicaset.ReplicaSet {
	if rs == nil {
		return replicaset.ReplicaSet{}
	}
	var i identifier
	var r replicaset.ReplicaSet
	describe(rs, &r)
	r.Template = i.templateOf(rs)
	return r
}

func (i *identifier) templateOf(rs *appsv1.ReplicaSet) revision.Template {
	return revision.Template{ID: i.templateID(&rs.Spec.Template), Hash: rs.Labels[revision.LabelHash]}
}

// describe writes the result of [ReplicaSet] into r, without the ID of the template, the only
// part that takes time.
func describe(rs *appsv1.ReplicaSet, r *replicaset.ReplicaSet) {
	r.Name, r.UID, r.ResourceVersion, r.Generation = rs.Name, string(rs.UID), rs.ResourceVersion, rs.Generation
	r.Labels, r.Annotations = rs.Labels, rs.Annotations
	r.ControllerKind, r.ControllerName, r.ControllerUID = convert.Controller(rs)
	r.CreationTimestamp, r.DeletionTimestamp = rs.CreationTimestamp.UTC(), convert.TimeOrZero(rs.DeletionTimestamp)
	r.Replicas, r.Selector, r.MinReadySeconds = rs.Spec.Replicas, LabelSelector(rs.Spec.Selector), rs.Spec.MinReadySeconds
	r.TemplateLabels = rs.Spec.Template.Labels
	r.Status = FromReplicaSetStatus(rs.Status)
}

// NewReplicaSet returns the ReplicaSet that a creates for d. It has the labels of the
// template and the hash, and the selector of d and the hash. If the Deployment has no
// selector, the ReplicaSet has none, and the API server rejects it. The result shares
// nothing with d and a.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func NewReplicaSet(d *appsv1.Deployment, a deploy.CreateReplicaSet) *appsv1.ReplicaSet {
	d = convert.Or(d)
	hash := map[string]string{revision.LabelHash: a.Template.Hash}
	template := d.Spec.Template.DeepCopy()
	template.Labels = convert.With(template.Labels, hash)
	selector := d.Spec.Selector.DeepCopy()
	if selector != nil {
		selector.MatchLabels = convert.With(selector.MatchLabels, hash)
	}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:            a.Name,
			Namespace:       d.Namespace,
			Labels:          maps.Clone(template.Labels),
			Annotations:     maps.Clone(a.Annotations),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas:        ptr.To(a.Replicas),
			MinReadySeconds: a.MinReadySeconds,
			Selector:        selector,
			Template:        *template,
		},
	}
}

// Annotated returns a copy of rs with the annotations and minReadySeconds of a. The
// copy keeps its resource version, so that an update fails if rs has changed since.
func Annotated(rs *appsv1.ReplicaSet, a deploy.AnnotateReplicaSet) *appsv1.ReplicaSet {
	updated := convert.Or(rs).DeepCopy()
	updated.Annotations = convert.With(updated.Annotations, a.Set)
	if a.MinReadySeconds != nil {
		updated.Spec.MinReadySeconds = *a.MinReadySeconds
	}
	return updated
}

// Scaled returns a copy of rs with the size and the annotations that a sets. The
// copy keeps its resource version, so that an update fails if rs has changed since.
func Scaled(rs *appsv1.ReplicaSet, a deploy.ScaleReplicaSet) *appsv1.ReplicaSet {
	updated := convert.Or(rs).DeepCopy()
	updated.Annotations = convert.With(updated.Annotations, a.Set)
	updated.Spec.Replicas = ptr.To(a.To)
	return updated
}

// ReplicationController returns the snapshot of rc, for which replicaset.Reconcile
// plans as for a ReplicaSet. It shares maps and pointers to numbers with rc. The
// template has no ID.
func ReplicationController(rc *corev1.ReplicationController) (r replicaset.ReplicaSet) {
	if rc == nil {
		return r
	}
	describe(FromReplicationController(rc), &r)
	r.Kind = replicaset.KindController
	return r
}

// ReplicationControllerSnapshot returns the input of replicaset.Reconcile for rc.
// Pods of other namespaces and nil elements are left out.
func ReplicationControllerSnapshot(rc *corev1.ReplicationController, pods []*corev1.Pod) replicaset.Snapshot {
	rc = convert.Or(rc)
	return replicaset.Snapshot{ReplicaSet: ReplicationController(rc), Pods: podsOf(rc.Namespace, pods, translate)}
}

// FromReplicationController returns rc in the form of a ReplicaSet. A selector that
// is nil stays nil, and an empty one becomes the empty selector, which selects
// everything. It shares memory with rc.
//
// It mirrors convertRCtoRS of the replication package of Kubernetes.
func FromReplicationController(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rc = convert.Or(rc)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: rc.ObjectMeta,
		Spec:       appsv1.ReplicaSetSpec{Replicas: rc.Spec.Replicas, MinReadySeconds: rc.Spec.MinReadySeconds},
		Status:     toReplicaSetStatus(rc.Status),
	}
	if rc.Spec.Selector != nil {
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: rc.Spec.Selector}
	}
	if rc.Spec.Template != nil {
		rs.Spec.Template = *rc.Spec.Template
	}
	return rs
}

// ToReplicationController returns rs in the form of a ReplicationController. The error
// is about a selector with expressions, which a ReplicationController cannot have. The
// number of terminating pods is dropped. The result shares nothing with rs.
//
// It mirrors convertRStoRC of the replication package of Kubernetes.
func ToReplicationController(rs *appsv1.ReplicaSet) (*corev1.ReplicationController, error) {
	rs = convert.Or(rs).DeepCopy()
	labels, err := LabelSelector(rs.Spec.Selector).Map()
	if err != nil {
		return nil, err
	}
	return &corev1.ReplicationController{
		ObjectMeta: rs.ObjectMeta,
		Spec: corev1.ReplicationControllerSpec{
			Replicas: rs.Spec.Replicas, MinReadySeconds: rs.Spec.MinReadySeconds,
			Selector: labels, Template: &rs.Spec.Template,
		},
		Status: ReplicationControllerStatus(FromReplicaSetStatus(rs.Status)),
	}, nil
}

// NewControllerPod returns a pod of rc, as [NewPod] does for a ReplicaSet.
func NewControllerPod(rc *corev1.ReplicationController) *corev1.Pod {
	rc = convert.Or(rc)
	pod := NewPod(FromReplicationController(rc))
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(rc, corev1.SchemeGroupVersion.WithKind(replicaset.KindController)),
	}
	return pod
}

// Entry returns rs as an entry in the history of its Deployment. It shares with rs the
// same parts as [ReplicaSet], and the annotations of the template.
func Entry(rs *appsv1.ReplicaSet) revision.Entry {
	if rs == nil {
		return revision.Entry{}
	}
	r := ReplicaSet(rs)
	e := replicaset.Entry(&r)
	e.TemplateAnnotations = rs.Spec.Template.Annotations
	return e
}

// Entries returns the entries of a list, in its order.
func Entries(list []*appsv1.ReplicaSet) []revision.Entry { return each(list, Entry) }
