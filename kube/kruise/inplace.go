// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
)

// UpdatePodPatch returns the strategic merge patch that updates the pod of a in place: its
// hash, images, metadata and state. If a closes the gate, send the patch of [CloseGatePatch]
// first; if resources change, send the patch of [ResizePodPatch] next, and this one last. If
// the UID is known and the name belongs to another pod meanwhile, the API server rejects the
// patch with a conflict.
func UpdatePodPatch(a daemonset.UpdatePod) kube.Patch {
	o := batchPatch(a.UID, "", &a.Patch)
	o.Metadata.Labels[daemonset.LabelHash] = a.To
	o.drop(oldName(inplace.AnnotationState))
	o.dropGrace()
	return o.patch()
}

// RefreshPodPatch returns the strategic merge patch for the next batch of an in-place
// update, or for the end of a grace period, and whether a asks for either. The API
// server rejects it if the pod has changed since it was read.
func RefreshPodPatch(a daemonset.RefreshPod) (p kube.Patch, needed bool) {
	o := podObject{Metadata: podMeta{UID: a.UID, ResourceVersion: a.ResourceVersion, Annotations: map[string]any{}}}
	if a.Patch != nil {
		o = batchPatch(a.UID, a.ResourceVersion, a.Patch)
	}
	if a.DropGrace {
		o.dropGrace()
	}
	return o.patch(), a.DropGrace || a.Patch != nil
}

// CloseGatePatch returns the strategic merge patch that makes p not ready before its
// in-place update, and whether one is needed. Send it to the status subresource.
func CloseGatePatch(p *corev1.Pod, a daemonset.UpdatePod) (patch kube.Patch, needed bool) {
	if !a.CloseGate {
		return kube.Patch{}, false
	}
	at := metav1.NewTime(a.Patch.State.Timestamp.Truncate(time.Second))
	return gatePatch(p, corev1.PodCondition{
		Type: inplace.Gate, Status: corev1.ConditionFalse, Reason: "StartInPlaceUpdate", LastTransitionTime: at,
	}, types.UID(a.UID), "")
}

// OpenGatePatch returns the strategic merge patch that lets p be ready again after its
// in-place update, and whether a asks for one. Send it to the status subresource. The
// API server rejects it if the pod has changed since a was planned. The kubelet makes
// the pod ready.
func OpenGatePatch(p *corev1.Pod, a daemonset.RefreshPod, now time.Time) (patch kube.Patch, needed bool) {
	if !a.OpenGate {
		return kube.Patch{}, false
	}
	at := metav1.NewTime(now.UTC().Truncate(time.Second))
	return gatePatch(p, corev1.PodCondition{Type: inplace.Gate, Status: corev1.ConditionTrue, LastTransitionTime: at},
		types.UID(a.UID), a.ResourceVersion)
}

// PreparePodPatch returns the merge patch that marks the pod of a as about to be
// deleted. If a.NotReady is set, send the patch of [HookPatch] as well.
func PreparePodPatch(a daemonset.PreparePod) kube.Patch {
	o := podObject{Metadata: podMeta{UID: a.UID}}
	if a.State != "" {
		o.Metadata.Labels = map[string]any{daemonset.LabelState: a.State}
		o.Metadata.Annotations = map[string]any{daemonset.AnnotationStateSince: a.Since.UTC().Format(time.RFC3339)}
	}
	p := o.patch()
	p.Type = types.MergePatchType
	return p
}

// HookPatch returns the strategic merge patch that makes a pod not ready while a hook
// holds it, and whether one is needed. The condition lists all its holders, since others
// may also keep the pod from being ready. Send it to the status subresource.
func HookPatch(p *corev1.Pod, a daemonset.PreparePod) (patch kube.Patch, needed bool) {
	type holder struct {
		UserAgent string `json:"userAgent"`
		Key       string `json:"key"`
	}
	var holders []holder
	hook := holder{"Lifecycle", "preDeleteHook"}
	c := conditionOf(p, daemonset.GateKruiseReady)
	if c != nil {
		// A message that is not a list has no holders.
		_ = json.Unmarshal([]byte(c.Message), &holders)
	}
	if !a.NotReady || c != nil && c.Status == corev1.ConditionFalse && slices.Contains(holders, hook) {
		return kube.Patch{}, false
	}
	if !slices.Contains(holders, hook) {
		holders = append(holders, hook)
	}
	text, _ := json.Marshal(holders) // texts always have a JSON form
	return gatePatch(p, corev1.PodCondition{
		Type: daemonset.GateKruiseReady, Status: corev1.ConditionFalse, Message: string(text),
		LastTransitionTime: metav1.NewTime(a.Since.UTC().Truncate(time.Second)),
	}, types.UID(a.UID), "")
}

// gatePatch returns the patch that sets a condition of a readiness gate of p, unless it
// is set already. A condition that is not True makes the pod not ready at once.
func gatePatch(p *corev1.Pod, c corev1.PodCondition, uid types.UID, resourceVersion string) (kube.Patch, bool) {
	p = convert.Or(p)
	if is := conditionOf(p, c.Type); is != nil && is.Status == c.Status && is.Reason == c.Reason && is.Message == c.Message {
		return kube.Patch{}, false
	}
	status := podStatus{Conditions: []podCondition{wireCondition(c)}}
	if c.Status != corev1.ConditionTrue {
		if ready, changed := notReady(p, c); changed {
			status.Conditions = append(status.Conditions, wireCondition(ready))
		}
	}
	o := podObject{Metadata: podMeta{UID: string(uid), ResourceVersion: resourceVersion}, Status: &status}
	return o.patch(), true
}

// notReady returns the condition Ready of a pod after gate is set, if only the gates
// decide it: the containers are ready.
func notReady(p *corev1.Pod, gate corev1.PodCondition) (corev1.PodCondition, bool) {
	is, containers := conditionOf(p, corev1.PodReady), conditionOf(p, corev1.ContainersReady)
	if is == nil || containers == nil || containers.Status != corev1.ConditionTrue {
		return corev1.PodCondition{}, false
	}
	var closed []string
	for _, g := range p.Spec.ReadinessGates {
		c := conditionOf(p, g.ConditionType)
		if g.ConditionType == gate.Type {
			c = &gate
		}
		switch {
		case c == nil:
			closed = append(closed, fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", string(g.ConditionType)))
		case c.Status != corev1.ConditionTrue:
			closed = append(closed, fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but %v", string(g.ConditionType), c.Status))
		}
	}
	if len(closed) == 0 {
		return corev1.PodCondition{}, false
	}
	since := gate.LastTransitionTime
	if is.Status == corev1.ConditionFalse {
		since = is.LastTransitionTime
	}
	return corev1.PodCondition{
		Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ReadinessGatesNotReady", Message: strings.Join(closed, ", "),
		LastTransitionTime: since,
	}, true
}

func conditionOf(p *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	if p == nil {
		return nil
	}
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// The patch of a pod in the form of the API. A label or annotation that is nil is
// removed.
type (
	podObject struct {
		Metadata podMeta    `json:"metadata"`
		Spec     *podSpec   `json:"spec,omitempty"`
		Status   *podStatus `json:"status,omitempty"`
	}
	podMeta struct {
		UID             string         `json:"uid,omitempty"`
		ResourceVersion string         `json:"resourceVersion,omitempty"`
		Labels          map[string]any `json:"labels,omitempty"`
		Annotations     map[string]any `json:"annotations,omitempty"`
	}
	podSpec struct {
		Containers []podImage `json:"containers"` // merged by name
	}
	podImage struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	}
	podStatus struct {
		Conditions []podCondition `json:"conditions"` // merged by type
	}
	// A podCondition writes null for unset fields, or a merge would keep their old
	// values.
	podCondition struct {
		Type               corev1.PodConditionType `json:"type"`
		Status             corev1.ConditionStatus  `json:"status"`
		LastTransitionTime metav1.Time             `json:"lastTransitionTime"`
		Reason             *string                 `json:"reason"`
		Message            *string                 `json:"message"`
	}
)

func wireCondition(c corev1.PodCondition) podCondition {
	w := podCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime}
	if c.Reason != "" {
		w.Reason = &c.Reason
	}
	if c.Message != "" {
		w.Message = &c.Message
	}
	return w
}

// batchPatch returns the patch of one batch of an in-place update.
func batchPatch(uid, resourceVersion string, b *inplace.Put) podObject {
	o := podObject{Metadata: podMeta{
		UID: uid, ResourceVersion: resourceVersion,
		Labels:      changes(b.Labels, b.RemoveLabels, b.AllLabels),
		Annotations: changes(b.Annotations, b.RemoveAnnotations, b.AllAnnotations),
	}}
	state := b.State
	state.Timestamp = state.Timestamp.Truncate(time.Second) // as the API stores times
	state.Batches = slices.Clone(state.Batches)
	for i := range state.Batches {
		state.Batches[i].Timestamp = state.Batches[i].Timestamp.Truncate(time.Second)
	}
	text, _ := json.Marshal(state) // texts and times always have a JSON form
	o.Metadata.Annotations[inplace.AnnotationState] = string(text)
	for name, image := range b.Images {
		if o.Spec == nil {
			o.Spec = &podSpec{}
		}
		o.Spec.Containers = append(o.Spec.Containers, podImage{name, image})
	}
	if o.Spec != nil {
		slices.SortFunc(o.Spec.Containers, func(a, b podImage) int { return strings.Compare(a.Name, b.Name) })
	}
	return o
}

// changes returns the patch of labels or annotations. With all, it replaces the whole
// map.
func changes(set map[string]string, remove []string, all bool) map[string]any {
	m := make(map[string]any, len(set)+len(remove)+3)
	if all {
		m["$patch"] = "replace"
	} else {
		for _, key := range remove {
			m[key] = nil
		}
	}
	for key, value := range set {
		m[key] = value
	}
	return m
}

// dropGrace removes the grace period.
func (o *podObject) dropGrace() {
	o.drop(inplace.AnnotationGrace)
	o.drop(oldName(inplace.AnnotationGrace))
}

// drop removes an annotation, unless the whole map is replaced.
func (o *podObject) drop(annotation string) {
	if _, all := o.Metadata.Annotations["$patch"]; !all {
		o.Metadata.Annotations[annotation] = nil
	}
}

// oldName is the name that an annotation had before it had a domain.
func oldName(annotation string) string { return strings.TrimPrefix(annotation, "apps.kruise.io/") }

func (o *podObject) patch() kube.Patch {
	data, _ := json.Marshal(o) // texts and times always have a JSON form
	return kube.Patch{Type: types.StrategicMergePatchType, Data: data}
}
