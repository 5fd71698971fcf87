// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/selector/claim"
)

// AdoptPod makes the ReplicaSet the controller of an orphan, a pod without a controller. The
// UID is a precondition: another pod with the same name is not adopted.
type AdoptPod struct {
	Kind      string               `json:"kind,omitzero"` // "" is a pod
	Name      string               `json:"name"`
	UID       string               `json:"uid,omitzero"`
	Reference claim.OwnerReference `json:"reference"`
	Reason    kplan.Reason         `json:"reason"`
}

// ReleasePod removes the owner reference with OwnerUID, the UID of the ReplicaSet, from a
// pod. The UID of the pod is a precondition.
type ReleasePod struct {
	Kind     string       `json:"kind,omitzero"` // "" is a pod
	Name     string       `json:"name"`
	UID      string       `json:"uid,omitzero"`
	OwnerUID string       `json:"ownerUID"`
	Reason   kplan.Reason `json:"reason"`
}

// CreatePods creates equal pods from the template, in batches: see
// [CreatePods.Batches].
type CreatePods struct {
	Kind    string `json:"kind,omitzero"` // "" is a pod
	Count   int32  `json:"count"`
	Initial int32  `json:"initial,omitzero"` // size of the first batch; 0 means 1
	// WithoutController means that the pods get no owner reference: see
	// [Kubernetes15WithoutGarbageCollector].
	WithoutController bool         `json:"withoutController,omitzero"`
	Reason            kplan.Reason `json:"reason"`
}

// DeletePod deletes one pod. Pass UID and ResourceVersion to the API server as preconditions:
// then the API server does not delete a pod that has changed since the snapshot.
type DeletePod struct {
	Kind            string       `json:"kind,omitzero"` // "" is a pod
	Name            string       `json:"name"`
	UID             string       `json:"uid,omitzero"`
	ResourceVersion string       `json:"resourceVersion,omitzero"`
	Reason          kplan.Reason `json:"reason"`
}

// kindText returns the kind of a pod for events and errors: "pod" for the empty kind.
func kindText(kind string) string { return cmp.Or(kind, "pod") }

func (AdoptPod) isAction()   {}
func (ReleasePod) isAction() {}
func (CreatePods) isAction() {}
func (DeletePod) isAction()  {}

// String returns one line with the reason.
func (a AdoptPod) String() string {
	return fmt.Sprintf("Adopted %s: %s (%s)", kindText(a.Kind), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a ReleasePod) String() string {
	return fmt.Sprintf("Released %s: %s (%s)", kindText(a.Kind), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a CreatePods) String() string {
	if a.Kind != "" {
		return fmt.Sprintf("Created %d of kind %s (%s)", a.Count, a.Kind, a.Reason)
	}
	return fmt.Sprintf("Created %d pods (%s)", a.Count, a.Reason)
}

// String returns one line with the reason.
func (a DeletePod) String() string {
	return fmt.Sprintf("Deleted %s: %s (%s)", kindText(a.Kind), a.Name, a.Reason)
}

// Patch returns the body of the strategic merge patch that adds the owner reference.
func (a AdoptPod) Patch() []byte {
	return claim.AdoptChild{UID: a.UID, Reference: a.Reference}.Patch()
}

// Patch returns the body of the strategic merge patch that removes the owner reference.
func (a ReleasePod) Patch() []byte {
	return claim.ReleaseChild{UID: a.UID, OwnerUID: a.OwnerUID}.Patch()
}

// Actions is a list of actions. In JSON each action is an object with one key, the name of
// the action in lower camel case, such as "adoptPod".
type Actions []Action

// MarshalJSON encodes the list.
func (as Actions) MarshalJSON() ([]byte, error) { return union.Marshal(as, members()) }

// UnmarshalJSON decodes the output of [Actions.MarshalJSON]. An unknown action is an error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal[Action](data, members())
	return err
}

func members() []union.Member {
	return []union.Member{
		union.Of[AdoptPod]("adoptPod"),
		union.Of[ReleasePod]("releasePod"),
		union.Of[CreatePods]("createPods"),
		union.Of[DeletePod]("deletePod"),
	}
}
