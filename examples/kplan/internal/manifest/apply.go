// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
	"github.com/kplan-go/kplan/replicaset"
)

// apply returns the result of applying a manifest to the live object with its name, or the manifest
// if there is no such object. It does not change the live object.
func (s *Source) apply(u *unstructured.Unstructured, file string) (*unstructured.Unstructured, error) {
	if !Applied[kindOf(u)] && !(s.Whole && compared(u)) || merge.Live(u) {
		return u, nil
	}
	if u.GetNamespace() == "" && s.Namespace != "" {
		u.SetNamespace(s.Namespace)
	}
	live := s.live(u)
	if live == nil {
		return u, nil
	}
	patch := s.Apply
	if patch == nil || !merge.Live(live) { // a manifest has no field managers
		patch = merge.Apply
	}
	merged, err := patch(live, u)
	switch {
	case err != nil && !merge.Live(live):
		return u, nil // decoding it will report the error
	case err != nil:
		return nil, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err}
	case !merge.Live(live):
		unstructured.RemoveNestedField(merged.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
		if len(merged.GetAnnotations()) == 0 {
			merged.SetAnnotations(nil)
		}
		merged.SetNamespace(u.GetNamespace())
		return merged, nil
	}
	if merged.GetGeneration() != live.GetGeneration() {
		return merged, nil // the server has counted it
	}
	if before, after := specOf(live), specOf(merged); !equality.Semantic.DeepEqual(before, after) {
		merged.SetGeneration(live.GetGeneration() + 1)
		renumberTemplate(merged, before, after)
	}
	return merged, nil
}

// renumberTemplate counts the templates of a DaemonSet, as the API server does when the template
// changes. Otherwise pods with the old number would pass for updated pods.
func renumberTemplate(merged *unstructured.Unstructured, before, after any) {
	a, okA := before.(appsv1.DaemonSetSpec)
	b, okB := after.(appsv1.DaemonSetSpec)
	annotations := merged.GetAnnotations()
	n, err := strconv.ParseInt(annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	if !okA || !okB || err != nil || equality.Semantic.DeepEqual(a.Template, b.Template) {
		return
	}
	annotations[appsv1.DeprecatedTemplateGeneration] = strconv.FormatInt(n+1, 10)
	merged.SetAnnotations(annotations)
}

// live returns the live object with the name of a manifest, or nil. A manifest given with --from
// stands for the object that applying it creates.
func (s *Source) live(u *unstructured.Unstructured) *unstructured.Unstructured {
	name := kindOf(u) + " " + key(u)
	if s.Beside != nil {
		live := s.Beside.Running.object(name)
		if live == nil || merge.Live(live) {
			return live
		}
		return created(live)
	}
	i := slices.IndexFunc(s.Running, func(o *unstructured.Unstructured) bool { return kindOf(o)+" "+key(o) == name })
	switch {
	case i < 0:
		return nil
	case merge.Live(s.Running[i]):
		return s.Running[i]
	}
	return created(s.Running[i])
}

// created returns the object that the API server stores for a manifest that is applied for the
// first time. It has its defaults, which the next apply keeps, even defaults derived from other
// fields, such as the pull policy from the tag. For a custom resource it returns nil: these get no
// defaults here, and the next manifest replaces them.
func created(manifest *unstructured.Unstructured) *unstructured.Unstructured {
	object := defaulted(manifest)
	if object == nil {
		return nil
	}
	stored, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	text, err := runtime.Encode(unstructured.UnstructuredJSONScheme, manifest)
	if err != nil {
		return nil
	}
	live := manifest.DeepCopy()
	live.Object["spec"] = stored["spec"]
	annotations := live.GetAnnotations()
	if annotations[corev1.LastAppliedConfigAnnotation] == "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[corev1.LastAppliedConfigAnnotation] = string(text)
		live.SetAnnotations(annotations)
	}
	return live
}

// Manifests returns the workloads of the files that are no live objects yet.
func (s Source) Manifests() ([]*unstructured.Unstructured, error) {
	var list []*unstructured.Unstructured
	err := s.files().Each(func(u *unstructured.Unstructured, _ string) error {
		if Applied[kindOf(u)] && !merge.Live(u) {
			list = append(list, u)
		}
		return nil
	})
	return list, err
}

// edited returns an object after [Source.Edit], as the API server would store it. It returns nil
// for an object that a controller made for a workload: the state before the edit has it.
func (l *loader) edited(s *Source, u *unstructured.Unstructured, file string) (*unstructured.Unstructured, error) {
	switch {
	case s.Edit == nil:
		return u, nil
	case belongs(u):
		return nil, nil
	case !selectable[u.GetKind()]:
		return u, nil
	}
	l.selected.see(u)
	after := u.DeepCopy()
	switch err := s.Edit(after); {
	case err != nil && l.selected.passes(idOf(u)):
		return u, nil
	case err != nil:
		return nil, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err}
	}
	if was, is := specOf(u), specOf(after); merge.Live(u) && !equality.Semantic.DeepEqual(was, is) {
		after.SetGeneration(u.GetGeneration() + 1)
		renumberTemplate(after, was, is)
	}
	return after, nil
}

// belongs reports whether a controller has made an object for a workload.
func belongs(u *unstructured.Unstructured) bool {
	switch kind := u.GetKind(); kind {
	case "Pod", "ControllerRevision":
		return true
	case replicaset.Kind, replicaset.KindController, daemonset.Kind, "Deployment":
		return metav1.GetControllerOfNoCopy(u) != nil
	}
	return false
}
