// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"maps"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector/claim"
)

// A Patch is a change of an object in the form of an API call.
type Patch struct {
	Type types.PatchType
	Data []byte
}

// annotatePatch returns the merge patch that sets annotations of a ReplicaSet, and its
// minReadySeconds. If the UID is known and the name belongs to another object
// meanwhile, the API server rejects the patch with a conflict. The error wraps
// [kplan.ErrInvalid] and is about annotations that JSON cannot represent.
func annotatePatch(a deploy.AnnotateReplicaSet) (Patch, error) {
	if a.MinReadySeconds == nil {
		return mergePatch(a.UID, a.Set, nil)
	}
	return mergePatch(a.UID, a.Set, &patchSpec{MinReadySeconds: a.MinReadySeconds})
}

// The JSON of a merge patch, with the keys in a fixed order.
type (
	patchObject struct {
		Metadata patchMeta  `json:"metadata,omitzero"`
		Spec     *patchSpec `json:"spec,omitempty"`
	}
	patchMeta struct {
		UID             string            `json:"uid,omitempty"`
		ResourceVersion string            `json:"resourceVersion,omitempty"`
		Annotations     map[string]string `json:"annotations,omitempty"`
	}
	patchSpec struct {
		Replicas        *int32 `json:"replicas,omitempty"`
		MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
		Paused          *bool  `json:"paused,omitempty"`
	}
)

func mergePatch(uid string, annotations map[string]string, spec *patchSpec) (Patch, error) {
	var es kplan.FieldErrors
	for key, value := range annotations {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			es.Add(kplan.ElementPath("metadata.annotations", key), value, "must be valid UTF-8")
		}
	}
	if err := es.Join(); err != nil {
		return Patch{}, err
	}
	data, err := json.Marshal(patchObject{Metadata: patchMeta{UID: uid, Annotations: annotations}, Spec: spec})
	return Patch{Type: types.MergePatchType, Data: data}, err
}

// adoptSetPatch returns the strategic merge patch that makes d the controller of a
// ReplicaSet.
func adoptSetPatch(d *appsv1.Deployment, a deploy.AdoptReplicaSet) Patch {
	d = convert.Or(d)
	owner := claim.Owner{APIVersion: "apps/v1", Kind: deploy.Kind, Name: d.Name, UID: string(d.UID)}
	adopt := claim.AdoptChild{Kind: replicaset.Kind, Namespace: d.Namespace, Name: a.Name, UID: a.UID, Reference: owner.Reference()}
	return Patch{Type: types.StrategicMergePatchType, Data: adopt.Patch()}
}

// releaseSetPatch returns the strategic merge patch that removes d as the controller of
// a ReplicaSet.
func releaseSetPatch(d *appsv1.Deployment, a deploy.ReleaseReplicaSet) Patch {
	d = convert.Or(d)
	release := claim.ReleaseChild{Kind: replicaset.Kind, Namespace: d.Namespace, Name: a.Name, UID: a.UID, OwnerUID: string(d.UID)}
	return Patch{Type: types.StrategicMergePatchType, Data: release.Patch()}
}

// RolledBack returns a copy of d with the template of rs, without its hash label,
// and the annotations that the action sets.
func RolledBack(d *appsv1.Deployment, rs *appsv1.ReplicaSet, a deploy.RollBackDeployment) *appsv1.Deployment {
	back := convert.Or(d).DeepCopy()
	convert.Or(rs).Spec.Template.DeepCopyInto(&back.Spec.Template)
	if back.Spec.Template.Labels == nil {
		back.Spec.Template.Labels = map[string]string{}
	}
	delete(back.Spec.Template.Labels, revision.LabelHash)
	back.Annotations = maps.Clone(a.Annotations)
	return back
}

// RollbackCleared returns a copy of d without the annotation that asks for a
// rollback.
func RollbackCleared(d *appsv1.Deployment, a deploy.ClearRollback) *appsv1.Deployment {
	cleared := convert.Or(d).DeepCopy()
	delete(cleared.Annotations, a.Annotation())
	return cleared
}
