// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// Apply returns s after the API server has carried out an action at now, and no controller or
// kubelet has reacted. It serves simulators and tests: s stays as it is.
//
//   - [CreatePod] names the new pod after the DaemonSet with the first free number, and makes
//     its UID from the name and now, as for a revision. The pod is pinned to its node, and the
//     scheduler has yet to bind it, unless the action or the template binds it.
//   - [DeletePod] removes a pod that is not bound or has ended. Otherwise it marks the pod as
//     being deleted, until its kubelet has ended it. A pod that is marked already stays as it
//     is.
//   - [UpdatePod] changes images and metadata; the kubelet has yet to run them.
//   - Resource versions stay as they are.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError]: no pod or revision
// has the name and UID, the name of the new revision is taken, or the object to adopt has a
// controller.
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns s after the whole plan has been carried out at now: its actions, the status
// and the table of backoffs.
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	next.DaemonSet.Status, next.Backoff = copyStatus(p.Status), p.Backoff.clone()
	return next, nil
}

// An application holds the objects of a snapshot while actions change them.
type application struct {
	owner     DaemonSet // a copy, since a pointer to the snapshot would put it on the heap
	pods      *apply.List[Pod]
	revisions *apply.List[revision.ControllerRevision]
	names     map[string]bool // of the pods; nil until one is created
	number    int             // the next number to try for the name of a created pod
	now       time.Time
}

// Apply returns s after the actions have been carried out at now, in their order, each as by
// the function [Apply]. It stops at the first error.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	w := application{
		owner: s.DaemonSet, now: now,
		pods:      apply.NewList(s.Pods, func(p *Pod) (string, string) { return p.Name, p.UID }),
		revisions: apply.NewList(s.Revisions, func(r *revision.ControllerRevision) (string, string) { return r.Name, r.UID }),
	}
	for _, action := range as {
		var err error
		switch a := action.(type) {
		case CreatePod:
			w.createPod(a)
		case CreateRevision:
			err = w.createRevision(a)
		case UpdateRevision, AdoptRevision, ReleaseRevision, DeleteRevision:
			err = w.applyToRevision(action)
		case AdoptPod, ReleasePod, RelabelPod, DeletePod, PreparePod, UpdatePod, RefreshPod:
			err = w.applyToPod(action)
		default:
			err = apply.Refused("Action", "", "must be an action of this package")
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	s.Pods, s.Revisions = w.pods.All(), w.revisions.All()
	return s, nil
}

func (w *application) createPod(a CreatePod) {
	if w.names == nil {
		w.names = map[string]bool{}
		for _, p := range w.pods.All() {
			w.names[p.Name] = true
		}
	}
	name := ""
	for name == "" || w.names[name] {
		name = w.owner.Name + "-" + strconv.Itoa(w.number)
		w.number++
	}
	w.names[name] = true
	p := Pod{PinnedNode: a.Node, Pod: podorder.Pod{
		Name: name, UID: apply.UID(name, w.now), CreationTimestamp: w.now, Phase: podorder.Pending,
		ControllerKind: w.owner.kind(), ControllerName: w.owner.Name, ControllerUID: w.owner.UID,
		Labels: apply.With(w.owner.Template.Labels, map[string]string{LabelHash: a.Hash}), Annotations: maps.Clone(w.owner.Template.Annotations),
	}}
	if a.Generation != "" {
		p.Labels[LabelGeneration] = a.Generation
	}
	if p.NodeName = w.nodeToBind(a); p.NodeName != "" {
		p.PinnedNode = ""
	}
	if a.Gate {
		p.ReadinessGates = []string{inplace.Gate}
		for _, r := range w.revisions.All() {
			if r.Labels[LabelHash] == a.Hash {
				p.Containers = inplace.Containers(r.Data)
			}
		}
	}
	w.pods.Add(p)
}

// nodeToBind returns the node to which the action, or the template of its pod, binds it, or "".
func (w *application) nodeToBind(a CreatePod) string {
	if a.Bind {
		return a.Node
	}
	if a.Revision == "" {
		return w.owner.Template.NodeName
	}
	var stored struct {
		Spec struct {
			Template struct {
				Spec struct {
					NodeName string `json:"nodeName"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	for _, r := range w.revisions.All() {
		if r.Name == a.Revision {
			_ = json.Unmarshal(r.Data, &stored) // unreadable data names no node
		}
	}
	return stored.Spec.Template.Spec.NodeName
}

func (w *application) createRevision(a CreateRevision) error {
	for _, r := range w.revisions.All() {
		if r.Name == a.Name {
			return apply.Refused("Action.Name", a.Name, "must not be that of a revision")
		}
	}
	w.revisions.Add(revision.ControllerRevision{
		Name: a.Name, UID: apply.UID(a.Name, w.now), Labels: maps.Clone(a.Labels), Annotations: maps.Clone(a.Annotations),
		ControllerKind: w.owner.kind(), ControllerName: w.owner.Name, ControllerUID: w.owner.UID,
		CreationTimestamp: w.now, Data: slices.Clone(a.Data), Revision: a.Revision,
	})
	return nil
}

func (w *application) applyToRevision(action Action) error {
	o, _ := ObjectOf(action)
	r := w.revisions.Find(o.Name, o.UID)
	if r == nil {
		return apply.Refused("Action.Name", o.Name, "must be the name of a revision with the UID of the action")
	}
	switch a := action.(type) {
	case UpdateRevision:
		r.Revision = a.To
		if a.Hash != "" {
			r.Labels = apply.With(r.Labels, map[string]string{LabelHash: a.Hash})
		}
	case AdoptRevision:
		if r.ControllerUID != "" && r.ControllerUID != w.owner.UID {
			return apply.Refused("Action.Name", o.Name, "has another controller")
		}
		r.ControllerKind, r.ControllerName, r.ControllerUID = w.owner.kind(), w.owner.Name, w.owner.UID
	case ReleaseRevision:
		if r.ControllerUID == w.owner.UID {
			r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", ""
		}
	case DeleteRevision:
		w.revisions.Remove(o.Name, o.UID)
	}
	return nil
}

func (w *application) applyToPod(action Action) error {
	o, _ := ObjectOf(action)
	p := w.pods.Find(o.Name, o.UID)
	if p == nil {
		return apply.Refused("Action.Name", o.Name, "must be the name of a pod with the UID of the action")
	}
	switch a := action.(type) {
	case AdoptPod:
		if p.ControllerUID != "" && p.ControllerUID != w.owner.UID {
			return apply.Refused("Action.Name", o.Name, "has another controller")
		}
		p.ControllerKind, p.ControllerName, p.ControllerUID = w.owner.kind(), w.owner.Name, w.owner.UID
	case ReleasePod:
		if p.ControllerUID == w.owner.UID {
			p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
		}
	case RelabelPod:
		p.Labels = apply.With(p.Labels, map[string]string{LabelHash: a.To})
	case DeletePod:
		switch {
		case !p.DeletionTimestamp.IsZero(): // it is being deleted already
		case p.NodeName == "" || p.Finished():
			w.pods.Remove(o.Name, o.UID)
		default:
			p.DeletionTimestamp = w.now
		}
	case PreparePod:
		a.apply(p)
	case UpdatePod:
		a.apply(p)
	case RefreshPod:
		a.apply(p)
	}
	return nil
}

func (a PreparePod) apply(p *Pod) {
	if a.State != "" {
		p.Labels = apply.With(p.Labels, map[string]string{LabelState: a.State})
		p.Annotations = apply.With(p.Annotations, map[string]string{AnnotationStateSince: a.Since.UTC().Format(time.RFC3339)})
	}
	if a.NotReady {
		p.Ready, p.ReadySince = false, time.Time{}
	}
}

func (a UpdatePod) apply(p *Pod) {
	if a.CloseGate {
		p.Ready, p.ReadySince, p.InPlace = false, time.Time{}, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
	}
	p.Labels = apply.With(p.Labels, map[string]string{LabelHash: a.To})
	p.Annotations = apply.Without(p.Annotations, inplace.AnnotationGrace, withoutDomain(inplace.AnnotationGrace), withoutDomain(inplace.AnnotationState))
	p.put(&a.Patch)
}

func (a RefreshPod) apply(p *Pod) {
	if a.OpenGate {
		p.InPlace = &inplace.ReadyCondition{True: true}
	}
	if a.DropGrace {
		p.Annotations = apply.Without(p.Annotations, inplace.AnnotationGrace, withoutDomain(inplace.AnnotationGrace))
	}
	if a.Patch != nil {
		p.put(a.Patch)
	}
}

// withoutDomain returns the old name of an annotation of OpenKruise, without its domain.
func withoutDomain(annotation string) string {
	return strings.TrimPrefix(annotation, "apps.kruise.io/")
}

// put writes one batch of an update in place.
func (p *Pod) put(batch *inplace.Put) {
	p.Containers = slices.Clone(p.Containers)
	for i := range p.Containers {
		if image, ok := batch.Images[p.Containers[i].Name]; ok {
			p.Containers[i].Image = image
		}
	}
	hash := p.Labels[LabelHash]
	if batch.AllLabels {
		p.Labels = map[string]string{LabelHash: hash}
	}
	if batch.AllAnnotations {
		p.Annotations = nil
	}
	p.Labels = apply.With(apply.Without(p.Labels, batch.RemoveLabels...), batch.Labels)
	// The error is always nil: all fields of a state can be encoded.
	state, _ := json.Marshal(batch.State)
	p.Annotations = apply.With(apply.With(apply.Without(p.Annotations, batch.RemoveAnnotations...), batch.Annotations),
		map[string]string{inplace.AnnotationState: string(state)})
}
