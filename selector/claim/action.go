// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"encoding/json"
	"fmt"
)

// An Action is one write of a claim: a strategic merge patch of one child. It is
// one of
//
//   - [AdoptChild]
//   - [ReleaseChild]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	// Patch returns the body of the patch.
	Patch() []byte
	isAction()
}

var (
	_ Action = AdoptChild{}
	_ Action = ReleaseChild{}
)

// AdoptChild adds the owner's reference to a child. An existing reference with the same UID
// is replaced. The UID of the child is a precondition: another object with the same name is
// left alone.
type AdoptChild struct {
	Child      int            `json:"child"` // its number
	Kind       string         `json:"kind"`
	Namespace  string         `json:"namespace,omitzero"`
	Name       string         `json:"name"`
	UID        string         `json:"uid"`
	Reference  OwnerReference `json:"reference"`
	Finalizers []string       `json:"finalizers,omitempty"` // to add
	Reason     Reason         `json:"reason"`
}

// ReleaseChild removes the owner's reference from a child. The UID of the child is a
// precondition.
type ReleaseChild struct {
	Child      int      `json:"child"` // its number
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace,omitzero"`
	Name       string   `json:"name"`
	UID        string   `json:"uid"`
	OwnerUID   string   `json:"ownerUID"`
	Finalizers []string `json:"finalizers,omitempty"` // to remove
	Reason     Reason   `json:"reason"`
}

func (AdoptChild) isAction()   {}
func (ReleaseChild) isAction() {}

// String returns one line with the reason.
func (a AdoptChild) String() string {
	return fmt.Sprintf("Adopted %s %s/%s (%s)", a.Kind, a.Namespace, a.Name, a.Reason)
}

// String returns one line with the reason.
func (a ReleaseChild) String() string {
	return fmt.Sprintf("Released %s %s/%s (%s)", a.Kind, a.Namespace, a.Name, a.Reason)
}

// Patch returns the body of the patch as JSON. It mirrors ownerRefControllerPatch of the
// controller package of Kubernetes. The patch of 1.5 lacks blockOwnerDeletion, and a reference
// without it gives the same patch.
func (a AdoptChild) Patch() []byte {
	type metadata struct {
		OwnerReferences []OwnerReference `json:"ownerReferences"`
		UID             string           `json:"uid"`
		Finalizers      []string         `json:"finalizers,omitempty"`
	}
	return patch(metadata{[]OwnerReference{a.Reference}, a.UID, a.Finalizers})
}

// Patch returns the body of the patch as JSON. It mirrors
// GenerateDeleteOwnerRefStrategicMergeBytes of the controller package of
// Kubernetes.
func (a ReleaseChild) Patch() []byte {
	type reference struct {
		Patch string `json:"$patch"`
		UID   string `json:"uid"`
	}
	type metadata struct {
		UID             string      `json:"uid"`
		OwnerReferences []reference `json:"ownerReferences"`
		Finalizers      []string    `json:"$deleteFromPrimitiveList/finalizers,omitempty"`
	}
	return patch(metadata{a.UID, []reference{{"delete", a.OwnerUID}}, a.Finalizers})
}

// patch encodes metadata. It cannot fail, because metadata consists of strings and booleans.
func patch(metadata any) []byte {
	data, _ := json.Marshal(map[string]any{"metadata": metadata})
	return data
}

// Project returns the child after the action, in the fields that a [Child] has.
func Project(c Child, a Action) Child {
	switch a := a.(type) {
	case AdoptChild:
		c.ControllerKind, c.ControllerName, c.ControllerUID = a.Reference.Kind, a.Reference.Name, a.Reference.UID
	case ReleaseChild:
		c.ControllerKind, c.ControllerName, c.ControllerUID = "", "", ""
	}
	return c
}
