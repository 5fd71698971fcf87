// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/selector"
)

// An OwnerReference is a reference from an object to one of its owners. A nil flag is an
// absent one.
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

// clone returns a copy with separate flags.
func (r OwnerReference) clone() OwnerReference {
	if r.Controller != nil {
		r.Controller = ptr.To(*r.Controller)
	}
	if r.BlockOwnerDeletion != nil {
		r.BlockOwnerDeletion = ptr.To(*r.BlockOwnerDeletion)
	}
	return r
}

// ControllerOf returns the first reference whose controller flag is true. An object without
// such a reference is an orphan, even if it has other owners.
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

// Reference returns the reference that an owner adds to objects that it creates or adopts. It
// mirrors NewControllerRef of package v1 of apimachinery.
func (o *Owner) Reference() OwnerReference {
	return OwnerReference{
		APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: o.UID,
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// ValidateReference returns the errors of a controller reference for a new pod, or nil if it
// is complete. The Value of each error is the name of the owner.
//
// It mirrors validateControllerRef of the controller package of Kubernetes 1.36.3, which
// returns only the first error.
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

// WithReference returns the references of an object after an adoption. References merge by
// UID, so an existing reference is replaced in place. An object has at most one controller:
// the error is the error of the API server for a controller that loses the race for an
// orphan.
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

// WithoutReference returns the references of an object after a release: the references with
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
