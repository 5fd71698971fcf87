// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/revision"
)

// The parts of an object that manifests change: the pod template and all other fields.
type parts struct {
	template            *corev1.PodTemplateSpec // nil if it has none
	rest                map[string]any
	labels, annotations map[string]any // of the object itself
}

// differences returns the differences of a workload: the image of each container, "other parts of
// the template", and each field outside the template.
func (before *parts) differences(after *parts) []view.Difference {
	list := templateDifferences(before.template, after.template)
	add := func(of string, before, after map[string]any) {
		fieldDifferences("", before, after, func(d view.Difference) {
			d.Part = of + d.Part
			list = append(list, d)
		})
	}
	add("", before.rest, after.rest)
	add("label ", before.labels, after.labels)
	add("annotation ", before.annotations, after.annotations)
	return list
}

func templateDifferences(before, after *corev1.PodTemplateSpec) []view.Difference {
	var list []view.Difference
	if before == nil || after == nil {
		if before != after {
			list = append(list, view.Difference{Part: "template"})
		}
		return list
	}
	old := before.DeepCopy()
	for _, i := range subject.Changes(&old.Spec, &after.Spec) {
		if i.Before != i.After {
			list = append(list, view.Difference{Part: "image of " + i.Container, Before: i.Before, After: i.After})
		}
	}
	takeImages(old.Spec.Containers, after.Spec.Containers)
	takeImages(old.Spec.InitContainers, after.Spec.InitContainers)
	if !equality.Semantic.DeepEqual(old, after) {
		list = append(list, view.Difference{Part: "other parts of the template"})
	}
	return list
}

// takeImages copies the images of containers with the same names.
func takeImages(into, from []corev1.Container) {
	for i := range into {
		for _, c := range from {
			if c.Name == into[i].Name {
				into[i].Image = c.Image
			}
		}
	}
}

// fieldDifferences adds the fields under a path that differ. A field that only one side has is
// one difference, and so is a list with another length.
func fieldDifferences(path string, before, after any, add func(view.Difference)) {
	if equality.Semantic.DeepEqual(before, after) {
		return
	}
	a, b := childrenOf(before), childrenOf(after)
	_, isList := before.([]any)
	_, areLists := after.([]any)
	if a == nil || b == nil || isList != areLists || isList && len(a) != len(b) {
		d := view.Difference{Part: path, Before: fieldText(before), After: fieldText(after)}
		if max(utf8.RuneCountInString(d.Before), utf8.RuneCountInString(d.After)) > maxField {
			d.Before, d.After = "", ""
		}
		add(d)
		return
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	if path != "" {
		path += "."
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fieldDifferences(path+key, a[key], b[key], add)
	}
}

// take replaces the template and the replicas by those of pods as they are simulated.
func (s *parts) take(p subject.Pods) {
	if p.Template != nil {
		s.template = p.Template
	}
	if p.Replicas != nil {
		s.rest["replicas"] = int64(*p.Replicas)
	}
}

// childrenOf returns the fields of an object, or the items of a list by index. It returns nil for
// other values.
func childrenOf(value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		return v
	case []any:
		fields := make(map[string]any, len(v))
		for i := range v {
			fields[strconv.Itoa(i)] = v[i]
		}
		return fields
	}
	return nil
}

// maxField is the longest value to show, in characters. Fields with longer values are only named.
const maxField = 60

// fieldText returns the value of a field, "" if it is not set.
func fieldText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(value) // read from JSON, so it can be encoded
	return string(text)
}

// partsOf returns the parts of an object of any kind.
func partsOf(o *manifest.Object) (*parts, error) {
	u, err := o.Open()
	if err != nil {
		return nil, err
	}
	spec, _, _ := unstructured.NestedMap(u.Object, "spec") // nil if it is not an object
	if spec == nil {
		spec = map[string]any{}
	}
	s := &parts{rest: spec}
	path := []string{"template"}
	if o.Kind == "CronJob" {
		path = []string{"jobTemplate", "spec", "template"}
	}
	if template, found, _ := unstructured.NestedFieldNoCopy(spec, path...); found {
		s.template = templateOf(template)
	}
	if s.template != nil {
		unstructured.RemoveNestedField(spec, path...)
	}
	annotations := u.GetAnnotations()
	for _, name := range []string{corev1.LastAppliedConfigAnnotation, revision.AnnotationRevision, appsv1.DeprecatedTemplateGeneration} {
		delete(annotations, name) // set by kubectl and controllers, not in manifests
	}
	s.labels, s.annotations = anyValues(u.GetLabels()), anyValues(annotations)
	return s, nil
}

// templateOf returns a pod template, nil if the value is not one.
func templateOf(value any) *corev1.PodTemplateSpec {
	text, err := json.Marshal(value)
	template := &corev1.PodTemplateSpec{}
	if err != nil || json.Unmarshal(text, template) != nil {
		return nil
	}
	return template
}

func anyValues(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for key, value := range texts {
		all[key] = value
	}
	return all
}
