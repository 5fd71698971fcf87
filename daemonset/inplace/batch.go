// SPDX-License-Identifier: Apache-2.0

package inplace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A State is the progress of an update in place. The annotation [AnnotationState] holds it as JSON.
type State struct {
	Revision  string                   `json:"revision"`
	Timestamp time.Time                `json:"updateTimestamp"`
	Last      map[string]LastContainer `json:"lastContainerStatuses"` // the containers before the update, by name

	FromEnv bool `json:"updateEnvFromMetadata,omitempty"` // see [Spec]
	Scales  bool `json:"updateResources,omitempty"`       // the update changes resources
	Images  bool `json:"updateImages,omitempty"`          // the update changes images

	// The changes that later batches write, by container.

	NextImages map[string]string      `json:"nextContainerImages,omitempty"`
	NextRefs   map[string]RefMetadata `json:"nextContainerRefMetadata,omitempty"`
	NextScales map[string]Resources   `json:"nextContainerResources,omitempty"`
	PreCheck   *PreCheck              `json:"preCheckBeforeNext,omitempty"`     // nil if no batch is left
	Batches    []Batch                `json:"containerBatchesRecord,omitempty"` // the batches so far
}

// A LastContainer is the state of a container before it was updated.
type LastContainer struct {
	ImageID string `json:"imageID,omitempty"`
}

// A PreCheck is the condition for the next batch.
type PreCheck struct {
	Ready []string `json:"containersRequiredReady,omitempty"` // containers that must be ready, sorted
}

// A Batch holds the containers that were updated at once.
type Batch struct {
	Timestamp  time.Time `json:"timestamp"`
	Containers []string  `json:"containers"` // sorted
}

// A Put is the write of one batch of an update in place to a pod.
type Put struct {
	Images            map[string]string `json:"images,omitempty"` // by container
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	RemoveLabels      []string          `json:"removeLabels,omitempty"`
	RemoveAnnotations []string          `json:"removeAnnotations,omitempty"`
	AllLabels         bool              `json:"allLabels,omitzero"`      // remove all labels first
	AllAnnotations    bool              `json:"allAnnotations,omitzero"` // remove all annotations first
	// Resources are limits and requests by container. They go to the resize subresource.
	Resources map[string]Resources `json:"resources,omitempty"`
	// State goes to the annotation [AnnotationState].
	State State `json:"state"`
}

// String returns the containers and their images, such as "app=app:2, log=log:7", and the
// containers with new resources.
func (p Put) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Images)) {
		parts = append(parts, fmt.Sprintf("%s=%s", name, p.Images[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Resources)) {
		parts = append(parts, "resources of "+name)
	}
	if len(parts) == 0 {
		return "metadata"
	}
	return strings.Join(parts, ", ")
}

// FirstBatch returns the first write of an update in place: the metadata to which no environment
// variable of a container refers, and the first batch of containers. The batch has the changed
// containers without a launch priority, the changed containers of the highest priority, and all other
// changed containers that refer to the same metadata.
func FirstBatch(containers []Container, spec *Spec, now time.Time) Put {
	spec = zero.Or(spec)
	put := Put{State: State{
		Revision: spec.Revision, Timestamp: now, FromEnv: spec.FromEnv, Images: len(spec.Images) > 0,
		NextImages: spec.Images, NextRefs: spec.Refs, NextScales: spec.Resources, Scales: len(spec.Resources) > 0,
	}}
	put.Labels, put.RemoveLabels = divide(spec.Metadata.Labels)
	put.Annotations, put.RemoveAnnotations = divide(spec.Metadata.Annotations)
	put.AllLabels, put.AllAnnotations = spec.Metadata.AllLabels, spec.Metadata.AllAnnotations
	put.moveBatch(containers, now)
	return put
}

// NextBatch returns the write of the next batch of an update in place with this state.
func NextBatch(containers []Container, state *State, now time.Time) Put {
	state = zero.Or(state)
	put := Put{State: *state}
	put.State.Last = maps.Clone(state.Last)
	put.State.Batches = slices.Clone(state.Batches)
	put.moveBatch(containers, now)
	return put
}

// divide splits a patch into the values to set and the keys to remove, sorted.
func divide(changes map[string]*string) (set map[string]string, remove []string) {
	for key, value := range changes {
		if value == nil {
			remove = append(remove, key)
			continue
		}
		if set == nil {
			set = map[string]string{}
		}
		set[key] = *value
	}
	slices.Sort(remove)
	return set, remove
}

// moveBatch moves the changes of one batch from the state to the write.
func (p *Put) moveBatch(containers []Container, now time.Time) {
	images, refs, scales := p.State.NextImages, p.State.NextRefs, p.State.NextScales
	p.State.NextImages, p.State.NextRefs, p.State.NextScales, p.State.PreCheck = nil, nil, nil, nil
	touched := func(c *Container) bool {
		_, image := images[c.Name]
		_, ref := refs[c.Name]
		_, scale := scales[c.Name]
		return image || ref || scale
	}
	batch := chooseBatch(containers, touched, refs)
	names := []string{}
	for i := range containers {
		c := &containers[i]
		image, hasImage := images[c.Name]
		ref, hasRef := refs[c.Name]
		scale, hasScale := scales[c.Name]
		switch {
		case !touched(c):
		case batch[i]:
			names = append(names, c.Name)
			p.add(c, image, ref)
			if hasScale {
				set(&p.Resources, c.Name, scale.clone())
			}
		default:
			if hasImage {
				set(&p.State.NextImages, c.Name, image)
			}
			if hasRef {
				set(&p.State.NextRefs, c.Name, RefMetadata{maps.Clone(ref.Labels), maps.Clone(ref.Annotations)})
			}
			if hasScale {
				set(&p.State.NextScales, c.Name, scale.clone())
			}
		}
	}
	slices.Sort(names)
	p.State.Batches = append(p.State.Batches, Batch{Timestamp: now, Containers: names})
	if p.State.pending() {
		p.State.PreCheck = &PreCheck{Ready: slices.Clone(names)}
	}
}

// add adds the image and the metadata of one container to the write.
func (p *Put) add(c *Container, image string, ref RefMetadata) {
	if image != "" {
		set(&p.Images, c.Name, image)
		if c.Status != nil {
			set(&p.State.Last, c.Name, LastContainer{ImageID: c.Status.ImageID})
		}
	}
	for key, value := range ref.Labels {
		set(&p.Labels, key, value)
	}
	for key, value := range ref.Annotations {
		set(&p.Annotations, key, value)
	}
}

// set sets a value in a map, which it makes first if it is nil.
func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// chooseBatch returns the containers to write at once: touched containers without priority,
// touched containers of the highest priority, and all containers that refer to the same
// metadata as these.
func chooseBatch(containers []Container, touched func(*Container) bool, refs map[string]RefMetadata) []bool {
	var highest *int32
	for i := range containers {
		if c := &containers[i]; touched(c) && c.Priority != nil && (highest == nil || *c.Priority > *highest) {
			highest = c.Priority
		}
	}
	batch := make([]bool, len(containers))
	labels, annotations := map[string]bool{}, map[string]bool{}
	add := func(i int) {
		batch[i] = true
		for key := range refs[containers[i].Name].Labels {
			labels[key] = true
		}
		for key := range refs[containers[i].Name].Annotations {
			annotations[key] = true
		}
	}
	for i := range containers {
		if c := &containers[i]; touched(c) && (c.Priority == nil || *c.Priority == *highest) {
			add(i)
		}
	}
	for grown := true; grown; {
		grown = false
		for i := range containers {
			ref := refs[containers[i].Name]
			if !batch[i] && (overlaps(ref.Labels, labels) || overlaps(ref.Annotations, annotations)) {
				add(i)
				grown = true
			}
		}
	}
	return batch
}

// overlaps reports whether any key of the metadata is among the keys.
func overlaps(metadata map[string]string, keys map[string]bool) bool {
	for key := range metadata {
		if keys[key] {
			return true
		}
	}
	return false
}
