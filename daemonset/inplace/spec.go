// SPDX-License-Identifier: Apache-2.0

package inplace

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
)

// A Container holds the fields of a container of a pod that an update in place reads.
type Container struct {
	Name  string `json:"name"`
	Image string `json:"image,omitzero"`
	// Labels and Annotations are the keys of the metadata of the pod that its environment refers
	// to.
	Labels      []string `json:"labels,omitempty"`
	Annotations []string `json:"annotations,omitempty"`
	// Priority is its launch priority, nil for none. The highest priority is updated first.
	Priority *int32 `json:"priority,omitzero"`
	// Status is its observed state, nil if it has none.
	Status *ContainerStatus `json:"status,omitempty"`
}

// A ContainerStatus is the observed state of a container.
type ContainerStatus struct {
	Image   string `json:"image,omitzero"`
	ImageID string `json:"imageID,omitzero"`
	Ready   bool   `json:"ready,omitzero"`
}

// RefMetadata is labels and annotations that the environment of a container refers to.
type RefMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// A Spec describes how to bring a pod from one template to another in place.
type Spec struct {
	Revision string                 `json:"revision"`           // the hash of the new template
	Images   map[string]string      `json:"images,omitempty"`   // new images by container
	Refs     map[string]RefMetadata `json:"refs,omitempty"`     // new values (no removed keys) by container that refers to them
	Metadata MetadataPatch          `json:"metadata,omitempty"` // the rest of the metadata
	FromEnv  bool                   `json:"fromEnv,omitzero"`   // a container refers to metadata that changes
	// Resources are the changed limits and requests by container, see
	// [Options.VerticalScaling]. Restart is set if one of the changes restarts its container.
	Resources map[string]Resources `json:"resources,omitempty"`
	Restart   bool                 `json:"restart,omitzero"`
}

// ClosesGate reports whether the pod stops being ready during the update. It stays ready only if
// nothing but resources changes, and no container restarts for them.
func (s *Spec) ClosesGate() bool {
	s = zero.Or(s)
	return len(s.Images)+len(s.Refs) > 0 || len(s.Resources) == 0 || s.Restart
}

// A MetadataPatch is a change of labels and annotations; nil removes a key. If the old template
// has labels and the new template has none, OpenKruise removes all labels of the pod, even labels
// of other writers; with [Options.KeepMetadata] only keys of the old template are removed. The
// same holds for annotations.
type MetadataPatch struct {
	Labels         map[string]*string `json:"labels,omitempty"`
	Annotations    map[string]*string `json:"annotations,omitempty"`
	AllLabels      bool               `json:"allLabels,omitzero"`      // remove all labels first
	AllAnnotations bool               `json:"allAnnotations,omitzero"` // remove all annotations first
}

// envBarrier is the environment variable that holds the launch priority of a container.
const envBarrier = "KRUISE_CONTAINER_BARRIER"

// A storedTemplate holds the fields of a stored template that an update in place reads.
type storedTemplate struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Containers []storedContainer `json:"containers"`
	} `json:"spec"`
}

type storedContainer struct {
	Name  string      `json:"name"`
	Image string      `json:"image"`
	Env   []storedEnv `json:"env"`
}

type storedEnv struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	ValueFrom *struct {
		FieldRef *struct {
			FieldPath string `json:"fieldPath"`
		} `json:"fieldRef"`
		ConfigMapKeyRef *struct {
			Key string `json:"key"`
		} `json:"configMapKeyRef"`
	} `json:"valueFrom"`
}

// Containers returns the containers of the template in the data of a revision, without status. It
// returns nil if the data cannot be read.
func Containers(data []byte) []Container {
	_, t, ok := readTemplate(data)
	if !ok {
		return nil
	}
	list := make([]Container, len(t.Spec.Containers))
	for i := range t.Spec.Containers {
		list[i] = t.Spec.Containers[i].container()
	}
	return list
}

// container returns the container of a pod of the template.
func (s *storedContainer) container() Container {
	c := Container{Name: s.Name, Image: s.Image}
	for i := range s.Env {
		e := &s.Env[i]
		if e.ValueFrom == nil {
			continue
		}
		if ref := e.ValueFrom.ConfigMapKeyRef; ref != nil && e.Name == envBarrier {
			if n, err := strconv.ParseInt(strings.TrimPrefix(ref.Key, "p_"), 10, 32); err == nil {
				c.Priority = ptr.To(int32(n))
			}
		}
		// The webhook of SidecarSets sets these two variables from annotations of its own.
		if ref := e.ValueFrom.FieldRef; ref != nil && e.Value == "" && e.Name != "SIDECARSET_VERSION" && e.Name != "SIDECARSET_VERSION_ALT" {
			if key, ok := subscript(ref.FieldPath, "metadata.labels"); ok {
				c.Labels = append(c.Labels, key)
			} else if key, ok := subscript(ref.FieldPath, "metadata.annotations"); ok {
				c.Annotations = append(c.Annotations, key)
			}
		}
	}
	return c
}

// subscript returns K of a path such as metadata.labels['K'].
func subscript(path, field string) (string, bool) {
	rest, ok := strings.CutPrefix(path, field+"['")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "']")
}

// readTemplate decodes the template in the data of a revision twice: as a whole, to compare it, and
// as a storedTemplate.
func readTemplate(data []byte) (whole map[string]any, t storedTemplate, ok bool) {
	var stored struct {
		Spec struct {
			Template json.RawMessage `json:"template"`
		} `json:"spec"`
	}
	if json.Unmarshal(data, &stored) != nil || json.Unmarshal(stored.Spec.Template, &t) != nil {
		return nil, t, false
	}
	decoder := json.NewDecoder(bytes.NewReader(stored.Spec.Template))
	decoder.UseNumber()
	return whole, t, decoder.Decode(&whole) == nil && whole != nil
}

// Options change the answers of [CalculateSpec]. The zero value follows OpenKruise.
type Options struct {
	// VerticalScaling updates resources in place as well: the feature gate
	// InPlaceWorkloadVerticalScaling of OpenKruise, off by default there.
	VerticalScaling bool `json:"verticalScaling,omitzero"`
	// KeepMetadata removes only the labels and annotations of the old template, where the new
	// template has none at all. OpenKruise then removes all labels or annotations of the pod.
	KeepMetadata bool `json:"keepMetadata,omitzero"`
}

// CalculateSpec returns how to bring a pod from one stored template to another in place, and
// whether that is possible: apart from metadata only images of containers differ or, with
// [Options.VerticalScaling], also their cpu and memory within one QoS class. The hash is the hash of
// the new template.
func CalculateSpec(from, to []byte, hash string, opts Options) (Spec, bool) {
	spec := Spec{Revision: hash}
	whole, old, ok := readTemplate(from)
	target, next, ok2 := readTemplate(to)
	if !ok || !ok2 || !sameExcept(whole, target, "metadata", "spec") {
		return spec, false
	}
	a, isMap := whole["spec"].(map[string]any)
	b, isMap2 := target["spec"].(map[string]any)
	if !isMap || !isMap2 || !sameExcept(a, b, "containers") {
		return spec, false
	}
	if !spec.addContainers(a["containers"], b["containers"], &old, opts.VerticalScaling) {
		return spec, false
	}
	if len(spec.Resources) > 0 {
		oldClass, ok := qosClass(a)
		newClass, ok2 := qosClass(b)
		if !ok || !ok2 || oldClass != newClass {
			return spec, false
		}
	}
	spec.addMetadata(&old, &next, !opts.KeepMetadata)
	return spec, true
}

// addContainers adds the changes of the containers, compared by position, and reports whether they
// can change in place.
func (s *Spec) addContainers(from, to any, old *storedTemplate, scaling bool) bool {
	a, _ := from.([]any)
	b, _ := to.([]any)
	if len(a) != len(b) || len(a) != len(old.Spec.Containers) {
		return false
	}
	for i := range a {
		x, ok := a[i].(map[string]any)
		y, ok2 := b[i].(map[string]any)
		if !ok || !ok2 || !sameExcept(x, y, "image", "resources") {
			return false
		}
		name := old.Spec.Containers[i].Name
		if !scaling && !sameField(x, y, "resources") || !s.addResources(name, x, y) || !s.addImage(name, x, y) {
			return false
		}
	}
	return true
}

// addImage adds a changed image of a container, and reports whether the images are equal or both
// are strings.
func (s *Spec) addImage(name string, from, to map[string]any) bool {
	if equalJSON(from["image"], to["image"]) {
		return true
	}
	_, had := from["image"].(string)
	image, has := to["image"].(string)
	if had && has {
		set(&s.Images, name, image)
	}
	return had && has
}

// sameField reports whether a field is equal, or missing, in both objects.
func sameField(a, b map[string]any, field string) bool {
	x, ok := a[field]
	y, ok2 := b[field]
	return ok == ok2 && equalJSON(x, y)
}

// addMetadata adds each changed key to the containers that refer to it, or else to the general
// patch.
func (s *Spec) addMetadata(old, next *storedTemplate, removesAll bool) {
	s.Metadata.Labels = differences(old.Metadata.Labels, next.Metadata.Labels)
	s.Metadata.Annotations = differences(old.Metadata.Annotations, next.Metadata.Annotations)
	var labels, annotations []string // changed keys that containers refer to
	for i := range next.Spec.Containers {
		c := next.Spec.Containers[i].container()
		var ref RefMetadata
		ref.Labels, labels = valuesOf(c.Labels, s.Metadata.Labels, labels)
		ref.Annotations, annotations = valuesOf(c.Annotations, s.Metadata.Annotations, annotations)
		if ref.Labels == nil && ref.Annotations == nil {
			continue
		}
		set(&s.Refs, c.Name, ref)
		s.FromEnv = true
	}
	s.Metadata.Labels = without(s.Metadata.Labels, labels)
	s.Metadata.Annotations = without(s.Metadata.Annotations, annotations)
	if removesAll && len(next.Metadata.Labels) == 0 && len(old.Metadata.Labels) > 0 {
		s.Metadata.Labels, s.Metadata.AllLabels = nil, true
	}
	if removesAll && len(next.Metadata.Annotations) == 0 && len(old.Metadata.Annotations) > 0 {
		s.Metadata.Annotations, s.Metadata.AllAnnotations = nil, true
	}
}

// valuesOf returns the new values of the keys that a container refers to, and appends their keys to
// taken. Removed keys have no new value.
func valuesOf(keys []string, changes map[string]*string, taken []string) (values map[string]string, _ []string) {
	for _, key := range keys {
		if value := changes[key]; value != nil {
			set(&values, key, *value)
			taken = append(taken, key)
		}
	}
	return values, taken
}

// without deletes keys from changes, and returns nil if no changes are left.
func without(changes map[string]*string, keys []string) map[string]*string {
	for _, key := range keys {
		delete(changes, key)
	}
	if len(changes) == 0 {
		return nil
	}
	return changes
}

// differences returns the changes from old to next; nil removes a key.
func differences(old, next map[string]string) map[string]*string {
	changes := map[string]*string{}
	for key, value := range next {
		if was, ok := old[key]; !ok || was != value {
			changes[key] = ptr.To(value)
		}
	}
	for key := range old {
		if _, ok := next[key]; !ok {
			changes[key] = nil
		}
	}
	return changes
}

// sameExcept reports whether two objects are equal except for some fields.
func sameExcept(a, b map[string]any, fields ...string) bool {
	for key, value := range a {
		if other, ok := b[key]; !slices.Contains(fields, key) && (!ok || !equalJSON(value, other)) {
			return false
		}
	}
	for key := range b {
		if _, ok := a[key]; !ok && !slices.Contains(fields, key) {
			return false
		}
	}
	return true
}

// equalJSON compares decoded JSON. Lists compare by position, numbers by their text.
func equalJSON(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && sameExcept(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equalJSON)
	}
	switch b.(type) {
	case map[string]any, []any: // which == cannot compare
		return false
	}
	return a == b
}
