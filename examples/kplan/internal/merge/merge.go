// SPDX-License-Identifier: Apache-2.0

// Package merge merges a manifest into a live object as kubectl apply does.
package merge

import (
	"fmt"
	"maps"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// A Patch is the patch that kubectl apply sends to the API server.
type Patch struct {
	Type types.PatchType
	Data []byte
}

// Live reports whether an object comes from an API server.
func Live(u *unstructured.Unstructured) bool { return u.GetUID() != "" }

// PatchFor returns the patch from a live object to a manifest: it removes fields that the last
// apply set and the manifest lacks, and keeps fields that no apply has set.
func PatchFor(live, manifest *unstructured.Unstructured) (Patch, error) {
	current, err := runtime.Encode(unstructured.UnstructuredJSONScheme, live)
	if err != nil {
		return Patch{}, err
	}
	modified, err := modifiedOf(live, manifest)
	if err != nil {
		return Patch{}, err
	}
	var original []byte
	if text, ok := live.GetAnnotations()[corev1.LastAppliedConfigAnnotation]; ok {
		original = []byte(text)
	}
	typed, err := scheme.Scheme.New(live.GroupVersionKind())
	if err != nil { // a custom resource
		data, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
		return Patch{types.MergePatchType, data}, err
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return Patch{}, err
	}
	data, err := strategicpatch.CreateThreeWayMergePatch(original, modified, current, meta, true)
	return Patch{types.StrategicMergePatchType, data}, err
}

// modifiedOf returns the manifest with itself in the last-applied annotation, as kubectl sends
// it.
func modifiedOf(live, manifest *unstructured.Unstructured) ([]byte, error) {
	m := manifest.DeepCopy()
	m.SetNamespace(live.GetNamespace())
	annotations := maps.Clone(m.GetAnnotations())
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	if annotations == nil {
		annotations = map[string]string{} // kubectl always sends annotations
	}
	m.SetAnnotations(annotations)
	text, err := runtime.Encode(unstructured.UnstructuredJSONScheme, m)
	if err != nil {
		return nil, err
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(text)
	m.SetAnnotations(annotations)
	return runtime.Encode(unstructured.UnstructuredJSONScheme, m)
}

// Apply returns a live object after kubectl apply of a manifest, without the defaults of the API
// server. It changes neither argument.
func Apply(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	patch, err := PatchFor(live, manifest)
	if err != nil {
		return nil, fmt.Errorf("cannot be applied to the live object: %w", err)
	}
	current, err := runtime.Encode(unstructured.UnstructuredJSONScheme, live)
	if err != nil {
		return nil, err
	}
	var text []byte
	if patch.Type == types.MergePatchType {
		text, err = jsonpatch.MergePatch(current, patch.Data)
	} else {
		typed, _ := scheme.Scheme.New(live.GroupVersionKind()) // no error: PatchFor found it
		text, err = strategicpatch.StrategicMergePatch(current, patch.Data, typed)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be applied to the live object: %w", err)
	}
	merged := &unstructured.Unstructured{}
	if err := merged.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return merged, nil
}
