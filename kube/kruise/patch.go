// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// objectPatch returns a merge patch. The error wraps [kplan.ErrInvalid]: a text that JSON
// cannot represent.
func objectPatch(object map[string]any) (kube.Patch, error) {
	data, err := json.Marshal(object)
	return kube.Patch{Type: types.MergePatchType, Data: data}, err
}

// metadataPatch returns the merge patch of labels, annotations or finalizers. If the UID
// is known and the name belongs to another object meanwhile, the API server rejects the
// patch with a conflict.
func metadataPatch(uid string, metadata map[string]any) (kube.Patch, error) {
	if uid != "" {
		metadata["uid"] = uid
	}
	return objectPatch(map[string]any{"metadata": metadata})
}

func checkTexts(path string, m map[string]string) error {
	var es kplan.FieldErrors
	for key, value := range m {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			es.Add(kplan.ElementPath(path, key), value, "must be valid UTF-8")
		}
	}
	return es.Join()
}

// FinalizerPatch returns the merge patch that adds a finalizer to an object or removes it. The
// UID is as in [kube.DeploymentRequests]. The patch fails if the object has changed since it
// was read, because it replaces the whole list.
func FinalizerPatch(o metav1.Object, uid, finalizer string, remove bool) (kube.Patch, error) {
	if convert.Missing(o) {
		o = &metav1.ObjectMeta{}
	}
	list := slices.DeleteFunc(slices.Clone(o.GetFinalizers()), func(f string) bool { return f == finalizer })
	if !remove {
		list = append(list, finalizer)
	}
	metadata := map[string]any{"finalizers": list}
	if v := o.GetResourceVersion(); v != "" {
		metadata["resourceVersion"] = v
	}
	return metadataPatch(uid, metadata)
}

// PatchRolloutPatch returns the merge patch that sets annotations of a Rollout. The UID
// and the error are as in [kube.DeploymentRequests].
func PatchRolloutPatch(a kruise.PatchRollout) (kube.Patch, error) {
	if err := checkTexts("metadata.annotations", a.Annotations); err != nil {
		return kube.Patch{}, err
	}
	return metadataPatch(a.UID, map[string]any{"annotations": a.Annotations})
}

// WorkloadPatch returns the merge patch of a workload of any kind. The UID is as in
// [kube.DeploymentRequests].
func WorkloadPatch(ref workload.Ref, uid string, p workload.Patch) (kube.Patch, error) {
	var object map[string]any
	if err := json.Unmarshal([]byte(p.Body(ref)), &object); err != nil {
		return kube.Patch{}, err
	}
	if uid != "" {
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			metadata = map[string]any{}
		}
		metadata["uid"] = uid
		object["metadata"] = metadata
	}
	return objectPatch(object)
}

// ReplicaSetPatch returns the merge patch that sets minReadySeconds of a ReplicaSet.
func ReplicaSetPatch(a batchrelease.PatchReplicaSet) (kube.Patch, error) {
	return objectPatch(map[string]any{"spec": map[string]any{"minReadySeconds": a.MinReadySeconds}})
}

// AutoscalerPatch returns the merge patch that gives an autoscaler another target.
func AutoscalerPatch(a batchrelease.RetargetAutoscaler) (kube.Patch, error) {
	return objectPatch(map[string]any{"spec": map[string]any{"scaleTargetRef": map[string]any{"name": a.To}}})
}

// LabelPodPatch returns the merge patch that sets labels of a pod. The UID and the error
// are as in [kube.DeploymentRequests].
func LabelPodPatch(a batchrelease.LabelPod) (kube.Patch, error) {
	if err := checkTexts("metadata.labels", a.Labels); err != nil {
		return kube.Patch{}, err
	}
	return metadataPatch(a.UID, map[string]any{"labels": a.Labels})
}

// BatchReleasePatch returns the merge patch of the plan of a BatchRelease. Finalizing
// removes the partition. The UID is as in [kube.DeploymentRequests].
func BatchReleasePatch(a kruise.PatchBatchRelease) (kube.Patch, error) {
	plan := map[string]any{}
	if a.RolloutID != nil {
		plan["rolloutID"] = *a.RolloutID
	}
	if a.Finalize != "" {
		plan["batchPartition"], plan["finalizingPolicy"] = nil, a.Finalize
	}
	object := map[string]any{"spec": map[string]any{"releasePlan": plan}}
	if a.UID != "" {
		object["metadata"] = map[string]any{"uid": a.UID}
	}
	return objectPatch(object)
}

// DeleteBatchReleaseOptions returns the options of the call that deletes the BatchRelease
// of a: the UID, if known, is a precondition.
func DeleteBatchReleaseOptions(a kruise.DeleteBatchRelease) metav1.DeleteOptions {
	return convert.DeleteOptions(a.UID, "")
}

// SelectPodsPatch returns the merge patch of the selector of a Service.
func SelectPodsPatch(a kruise.SelectPods) (kube.Patch, error) {
	var value any
	if a.Value != "" {
		value = a.Value
	}
	return objectPatch(map[string]any{"spec": map[string]any{"selector": map[string]any{a.Key: value}}})
}

// IngressPatch returns the merge patch that replaces the annotations of the canary
// Ingress: current annotations that a does not set are removed.
func IngressPatch(current map[string]string, a kruise.SetIngress) (kube.Patch, error) {
	if err := checkTexts("metadata.annotations", a.Annotations); err != nil {
		return kube.Patch{}, err
	}
	annotations := map[string]any{}
	for key := range current {
		annotations[key] = nil
	}
	for key, value := range a.Annotations {
		annotations[key] = value
	}
	return objectPatch(map[string]any{"metadata": map[string]any{"annotations": annotations}})
}

// NewCanaryDeployment returns the extra Deployment that a creates next to the stable
// one: a copy with no pods that is not paused. Its owner is the BatchRelease with the
// given name and UID. The API server completes its name, unless a has one; then it has
// no finalizer either. It shares nothing with stable and a.
func NewCanaryDeployment(stable *appsv1.Deployment, release, uid string, a batchrelease.CreateCanary) *appsv1.Deployment {
	stable = convert.Or(stable)
	d := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: stable.Namespace, GenerateName: a.GenerateName, Labels: maps.Clone(a.Labels), Annotations: maps.Clone(a.Annotations),
			Finalizers: []string{workload.FinalizerCanaryDeployment},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: V1beta1, Kind: "BatchRelease", Name: release, UID: types.UID(uid),
				Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
			}},
		},
		Spec: *stable.Spec.DeepCopy(),
	}
	if a.Name != "" {
		d.Name, d.GenerateName, d.Finalizers = a.Name, "", nil
	}
	d.Spec.Replicas, d.Spec.Paused = ptr.To(int32(0)), false
	if m := a.PatchTemplate; m != nil {
		d.Spec.Template.Labels = convert.With(d.Spec.Template.Labels, m.Labels)
		d.Spec.Template.Annotations = convert.With(d.Spec.Template.Annotations, m.Annotations)
	}
	return d
}
