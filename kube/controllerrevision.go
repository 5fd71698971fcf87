// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/dump"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
)

// ControllerRevision returns the snapshot of r. It shares the labels, the
// annotations and the data with r. Decoded data is dumped as upstream dumps it to
// hash it; objects that come from the API server have none.
func ControllerRevision(r *appsv1.ControllerRevision) revision.ControllerRevision {
	if r == nil {
		return revision.ControllerRevision{}
	}
	kind, name, uid := convert.Controller(r)
	snapshot := revision.ControllerRevision{
		Name:              r.Name,
		UID:               string(r.UID),
		ResourceVersion:   r.ResourceVersion,
		Labels:            r.Labels,
		Annotations:       r.Annotations,
		ControllerKind:    kind,
		ControllerName:    name,
		ControllerUID:     uid,
		CreationTimestamp: r.CreationTimestamp.UTC(),
		Data:              r.Data.Raw,
		Revision:          r.Revision,
	}
	if r.Data.Object != nil {
		snapshot.Dump = dump.ForHash(r.Data.Object)
	}
	return snapshot
}

// ControllerRevisions returns the snapshots of a list, in its order.
func ControllerRevisions(list []*appsv1.ControllerRevision) []revision.ControllerRevision {
	if len(list) == 0 {
		return nil
	}
	snapshots := make([]revision.ControllerRevision, len(list))
	for i, r := range list {
		snapshots[i] = ControllerRevision(r)
	}
	return snapshots
}

// NewControllerRevision returns the object to create for r in a namespace. Its only
// owner is the StatefulSet or DaemonSet that controls r, if any. Fields that the API
// server sets, and the dump, are left out. The result shares nothing with r.
//
// It mirrors NewControllerRevision of the history package of Kubernetes, which leaves
// the namespace to the caller too.
func NewControllerRevision(namespace string, r revision.ControllerRevision) *appsv1.ControllerRevision {
	created := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name:        r.Name,
			Namespace:   namespace,
			Labels:      maps.Clone(r.Labels),
			Annotations: maps.Clone(r.Annotations),
		},
		Data:     runtime.RawExtension{Raw: bytes.Clone(r.Data)},
		Revision: r.Revision,
	}
	if r.ControllerUID != "" {
		created.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: appsv1.SchemeGroupVersion.String(), Kind: r.ControllerKind, Name: r.ControllerName,
			UID: types.UID(r.ControllerUID), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
		}}
	}
	return created
}
