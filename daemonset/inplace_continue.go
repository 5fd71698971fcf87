package daemonset

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	// GateInPlace is the readiness gate, and the condition, of pods that may be updated
	// in place.
	GateInPlace = "InPlaceUpdateReady"
	// AnnotationInPlaceState and AnnotationInPlaceGrace carry the progress of an update
	// in place. The names without "apps.kruise.io/" are read as well.
	AnnotationInPlaceState = "apps.kruise.io/inplace-update-state"
	AnnotationInPlaceGrace = "apps.kruise.io/inplace-update-grace"
)

// An InPlaceCondition is the condition InPlaceUpdateReady of a pod.
type InPlaceCondition struct {
	True    bool   `json:"true,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Message string `json:"message,omitzero"`
}

// An InPlacePod is what updates in place read of a pod.
type InPlacePod struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Containers  []Container       `json:"containers,omitempty"`
	// RuntimePlain and RuntimeEnv say that the node agent reports, for all containers,
	// hashes that match the pod: without, and with, environment from metadata.
	RuntimePlain bool `json:"runtimePlain,omitzero"`
	RuntimeEnv   bool `json:"runtimeEnv,omitzero"`
}

// An InPlaceStep is what comes next in the update in place of a pod. The zero step is
// nothing: the update is over, or there was none, and the gate of the pod may open.
type InPlaceStep struct {
	Wait      bool        `json:"wait,omitzero"`      // for the pod, or for RecheckAt
	RecheckAt time.Time   `json:"recheckAt,omitzero"` // when a grace period ends
	Put       *InPlacePut `json:"put,omitempty"`      // the batch to write, if any
	DropGrace bool        `json:"dropGrace,omitzero"` // remove the annotation of the grace period
}

// A grace is what the annotation [AnnotationInPlaceGrace] carries.
type grace struct {
	Revision string                 `json:"revision"`
	Images   map[string]string      `json:"containerImages"`
	Refs     map[string]RefMetadata `json:"containerRefMetadata"`
	FromEnv  bool                   `json:"updateEnvFromMetadata"`
	Seconds  int64                  `json:"graceSeconds"`
}

// InPlaceUnderWay reports whether the annotations of a pod carry an update in place,
// which may be over.
func InPlaceUnderWay(annotations map[string]string) bool {
	p := InPlacePod{Annotations: annotations}
	return p.annotation(AnnotationInPlaceState) != "" || p.annotation(AnnotationInPlaceGrace) != ""
}

// Continue returns what comes next in the update in place of a pod, given the hash of
// the revision that it carries. Annotations that cannot be read wait for ever.
func Continue(p InPlacePod, hash string, now time.Time) InPlaceStep {
	if text := p.annotation(AnnotationInPlaceGrace); text != "" {
		return p.endGrace(text, hash, now)
	}
	text := p.annotation(AnnotationInPlaceState)
	if text == "" {
		return InPlaceStep{}
	}
	var state InPlaceState
	if json.Unmarshal([]byte(text), &state) != nil || !p.updated(&state) {
		return InPlaceStep{Wait: true}
	}
	if !state.pending() {
		return InPlaceStep{}
	}
	if !p.ready(state.PreCheck) {
		return InPlaceStep{Wait: true}
	}
	put := NextBatch(p.Containers, &state, now)
	return InPlaceStep{Put: &put}
}

// endGrace ends a grace period that another writer has put on a pod.
func (p *InPlacePod) endGrace(text, hash string, now time.Time) InPlaceStep {
	var g grace
	var state InPlaceState
	switch {
	case json.Unmarshal([]byte(text), &g) != nil:
		return InPlaceStep{Wait: true}
	case hash != g.Revision:
		return InPlaceStep{DropGrace: true}
	case json.Unmarshal([]byte(p.annotation(AnnotationInPlaceState)), &state) != nil:
		return InPlaceStep{Wait: true}
	}
	seconds := min(max(g.Seconds, 0), 1<<31)
	if end := state.Timestamp.Add(time.Duration(seconds) * time.Second); now.Before(end) {
		return InPlaceStep{Wait: true, RecheckAt: end}
	}
	put := FirstBatch(p.Containers, &InPlaceSpec{Revision: g.Revision, Images: g.Images, Refs: g.Refs, FromEnv: g.FromEnv}, now)
	return InPlaceStep{Put: &put, DropGrace: true}
}

// InPlaceCompleted reports whether the update in place of a pod is over, as far as its
// annotations tell. A pod without one is not being updated, and has completed.
func InPlaceCompleted(p InPlacePod) bool {
	if p.annotation(AnnotationInPlaceGrace) != "" {
		return false
	}
	text := p.annotation(AnnotationInPlaceState)
	if text == "" {
		return true
	}
	var state InPlaceState
	return json.Unmarshal([]byte(text), &state) == nil && !state.pending() && p.updated(&state)
}

// annotation returns the annotation of a name, or of its old name.
func (p *InPlacePod) annotation(name string) string {
	if text, ok := p.Annotations[name]; ok {
		return text
	}
	return p.Annotations[strings.TrimPrefix(name, "apps.kruise.io/")]
}

// pending reports whether another batch is to come.
func (s *InPlaceState) pending() bool {
	return len(s.NextImages)+len(s.NextRefs)+len(s.NextScales) > 0
}

// updated reports whether the containers run what the last batch wrote.
func (p *InPlacePod) updated(s *InPlaceState) bool {
	switch {
	case s.FromEnv && !p.RuntimeEnv:
		return false
	case p.RuntimePlain:
		return true
	}
	for name, was := range s.Last {
		i := slices.IndexFunc(p.Containers, func(c Container) bool { return c.Name == name })
		if i < 0 || !p.Containers[i].changed(was.ImageID) {
			return false
		}
	}
	return true
}

// changed reports whether the container no longer runs the image with the ID, or runs
// the image that it should, which may be the same.
func (c *Container) changed(imageID string) bool {
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
func (p *InPlacePod) ready(check *InPlacePreCheck) bool {
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
