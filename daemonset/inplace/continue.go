// SPDX-License-Identifier: Apache-2.0

package inplace

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	// Gate is the readiness gate, and the condition, of pods that may be updated in place.
	Gate = "InPlaceUpdateReady"
	// AnnotationState carries the progress of an update in place. The name without
	// "apps.kruise.io/" is read as well.
	AnnotationState = "apps.kruise.io/inplace-update-state"
	// AnnotationGrace carries a grace period before an update in place. Other controllers of
	// OpenKruise set it, and this package only reads it. The name without "apps.kruise.io/" is
	// read as well.
	AnnotationGrace = "apps.kruise.io/inplace-update-grace"
)

// A ReadyCondition is the condition InPlaceUpdateReady of a pod.
type ReadyCondition struct {
	True    bool   `json:"true,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Message string `json:"message,omitzero"`
}

// A Pod holds the fields of a pod that an update in place reads.
type Pod struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Containers  []Container       `json:"containers,omitempty"`
	// RuntimePlain means that kruise-daemon reports, for each container, the hash of the container
	// in the spec of the pod. RuntimeEnv means the same of hashes that include environment from
	// metadata.
	RuntimePlain bool `json:"runtimePlain,omitzero"`
	RuntimeEnv   bool `json:"runtimeEnv,omitzero"`
}

// A Step is the next step of the update in place of a pod. The zero step means nothing to do:
// the update is over, or there was none, and the gate of the pod may open.
type Step struct {
	Wait      bool      `json:"wait,omitzero"`      // wait for a change of the pod, or until RecheckAt
	RecheckAt time.Time `json:"recheckAt,omitzero"` // when the grace period ends; zero if there is none
	Put       *Put      `json:"put,omitempty"`      // the batch to write, if any
	DropGrace bool      `json:"dropGrace,omitzero"` // remove the annotation of the grace period
}

// A grace is the value of the annotation [AnnotationGrace].
type grace struct {
	Revision string                 `json:"revision"`
	Images   map[string]string      `json:"containerImages"`
	Refs     map[string]RefMetadata `json:"containerRefMetadata"`
	FromEnv  bool                   `json:"updateEnvFromMetadata"`
	Seconds  int64                  `json:"graceSeconds"`
}

// UnderWay reports whether the annotations of a pod carry an update in place, which may already be
// over.
func UnderWay(annotations map[string]string) bool {
	if len(annotations) == 0 {
		return false // fast, since nearly all pods have none
	}
	p := Pod{Annotations: annotations}
	return p.annotation(AnnotationState) != "" || p.annotation(AnnotationGrace) != ""
}

// Continue returns the next step of the update in place of a pod. The hash is the value of the pod's
// own label controller-revision-hash. If its annotations cannot be read, the step is to wait.
func Continue(p Pod, hash string, now time.Time) Step {
	if text := p.annotation(AnnotationGrace); text != "" {
		return p.endGrace(text, hash, now)
	}
	text := p.annotation(AnnotationState)
	if text == "" {
		return Step{}
	}
	var state State
	if json.Unmarshal([]byte(text), &state) != nil || !p.updated(&state) {
		return Step{Wait: true}
	}
	if !state.pending() {
		return Step{}
	}
	if !p.ready(state.PreCheck) {
		return Step{Wait: true}
	}
	put := NextBatch(p.Containers, &state, now)
	return Step{Put: &put}
}

// endGrace returns the step of a pod with a grace period. After the period the first batch is
// written.
func (p *Pod) endGrace(text, hash string, now time.Time) Step {
	var g grace
	var state State
	switch {
	case json.Unmarshal([]byte(text), &g) != nil:
		return Step{Wait: true}
	case hash != g.Revision:
		return Step{DropGrace: true}
	case json.Unmarshal([]byte(p.annotation(AnnotationState)), &state) != nil:
		return Step{Wait: true}
	}
	seconds := min(max(g.Seconds, 0), 1<<31)
	if end := state.Timestamp.Add(time.Duration(seconds) * time.Second); now.Before(end) {
		return Step{Wait: true, RecheckAt: end}
	}
	put := FirstBatch(p.Containers, &Spec{Revision: g.Revision, Images: g.Images, Refs: g.Refs, FromEnv: g.FromEnv}, now)
	return Step{Put: &put, DropGrace: true}
}

// Completed reports whether the update in place of a pod is over, by its annotations and
// containers. It is over for a pod without an update.
func Completed(p Pod) bool {
	if p.annotation(AnnotationGrace) != "" {
		return false
	}
	text := p.annotation(AnnotationState)
	if text == "" {
		return true
	}
	var state State
	return json.Unmarshal([]byte(text), &state) == nil && !state.pending() && p.updated(&state)
}

// annotation returns the annotation with a name, or else with its old name.
func (p *Pod) annotation(name string) string {
	if text, ok := p.Annotations[name]; ok {
		return text
	}
	return p.Annotations[strings.TrimPrefix(name, "apps.kruise.io/")]
}

// pending reports whether a batch is left.
func (s *State) pending() bool {
	return len(s.NextImages)+len(s.NextRefs)+len(s.NextScales) > 0
}

// updated reports whether the containers run the images and metadata that have been written.
func (p *Pod) updated(s *State) bool {
	switch {
	case s.FromEnv && !p.RuntimeEnv:
		return false
	case p.RuntimePlain:
		return true
	}
	for name, last := range s.Last {
		i := slices.IndexFunc(p.Containers, func(c Container) bool { return c.Name == name })
		if i < 0 || !p.Containers[i].runsNewImage(last.ImageID) {
			return false
		}
	}
	return true
}

// runsNewImage reports whether the container runs another image than the one with the ID before the
// update, or runs the image in its spec, which may be the same image.
func (c *Container) runsNewImage(imageID string) bool {
	if c.Status == nil {
		return false
	}
	want := c.Image
	if !strings.Contains(want, ":") {
		want += ":latest"
	}
	return c.Status.ImageID != imageID || c.Status.Image == want
}

// ready reports whether the containers that the next batch waits for are ready.
func (p *Pod) ready(check *PreCheck) bool {
	if check == nil {
		return true
	}
	for _, name := range check.Ready {
		if !slices.ContainsFunc(p.Containers, func(c Container) bool { return c.Name == name && c.Status != nil && c.Status.Ready }) {
			return false
		}
	}
	return true
}
