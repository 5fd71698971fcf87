// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/selector"
)

// An OwnerReference is what an object says about one of its owners. A nil flag is
// an absent one.
type OwnerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

// controls reports whether the reference is to a controller.
func (r *OwnerReference) controls() bool { return r.Controller != nil && *r.Controller }

// clone returns a copy with flags of its own.
func (r OwnerReference) clone() OwnerReference {
	if r.Controller != nil {
		r.Controller = ptr.To(*r.Controller)
	}
	if r.BlockOwnerDeletion != nil {
		r.BlockOwnerDeletion = ptr.To(*r.BlockOwnerDeletion)
	}
	return r
}

// ControllerOf returns the first reference whose controller flag is true. An object
// without one is an orphan, whoever else owns it.
//
// It mirrors GetControllerOf of package v1 of apimachinery.
func ControllerOf(references []OwnerReference) (OwnerReference, bool) {
	for i := range references {
		if references[i].controls() {
			return references[i].clone(), true
		}
	}
	return OwnerReference{}, false
}

// Reference returns the reference that an owner puts on what it creates or adopts.
// It mirrors NewControllerRef of package v1 of apimachinery.
func (o *Owner) Reference() OwnerReference {
	return OwnerReference{
		APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: o.UID,
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// ValidateReference returns what is missing from a controller reference that is to
// be put on a new pod, or nil if nothing is.
//
// It mirrors validateControllerRef of the controller package of Kubernetes 1.36.3,
// which names the first fault only.
func ValidateReference(r OwnerReference) error {
	var errs []error
	add := func(wrong bool, field, text string) {
		if wrong {
			errs = append(errs, &selector.Error{Text: text, Fields: []*kplan.FieldError{{Path: field, Value: r.Name, Detail: text}}})
		}
	}
	add(r.APIVersion == "", "apiVersion", "controllerRef has empty APIVersion")
	add(r.Kind == "", "kind", "controllerRef has empty Kind")
	add(!r.controls(), "controller", "controllerRef.Controller is not set to true")
	add(r.BlockOwnerDeletion == nil || !*r.BlockOwnerDeletion, "blockOwnerDeletion", "controllerRef.BlockOwnerDeletion is not set")
	return combined(errs)
}

// WithReference returns the references of an object after an adoption: references
// merge by UID, so one that is already there is replaced in place. The error is the
// one with which the API server ends a race for an orphan: an object has at most
// one controller.
func WithReference(references []OwnerReference, r OwnerReference) ([]OwnerReference, error) {
	merged, there := make([]OwnerReference, 0, len(references)+1), false
	for _, o := range references {
		if o.UID == r.UID && !there {
			o, there = r, true
		}
		merged = append(merged, o.clone())
	}
	if !there {
		merged = append(merged, r.clone())
	}
	first := ""
	for i := range merged {
		if !merged[i].controls() {
			continue
		}
		name := merged[i].Kind + "/" + merged[i].Name
		if first != "" {
			text := fmt.Sprintf(`Only one reference can have Controller set to true. Found "true" in references for %s and %s`, first, name)
			wrong := &kplan.FieldError{Path: "metadata.ownerReferences", Value: merged, Detail: text}
			return nil, &selector.Error{Text: selector.FieldText(wrong), Fields: []*kplan.FieldError{wrong}}
		}
		first = name
	}
	return merged, nil
}

// WithoutReference returns the references of an object after a release: those with
// another UID, or nil if there are none.
func WithoutReference(references []OwnerReference, uid string) []OwnerReference {
	var kept []OwnerReference
	for _, r := range references {
		if r.UID != uid {
			kept = append(kept, r.clone())
		}
	}
	return kept
}
