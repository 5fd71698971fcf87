// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/union"
)

// An Action is one write. It is one of
//
//   - [CreateRevision], [UpdateRevision], [DeleteRevision]
//   - [AdoptRevision], [ReleaseRevision]
//   - [AdoptPod], [ReleasePod], [RelabelPod]
//   - [CreatePod], [DeletePod], [PreparePod]
//   - [UpdatePod], [RefreshPod]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isAction()
}

// An Object identifies the object of a write, as the snapshot showed it. Pass UID and
// ResourceVersion to the API server as preconditions, so that it rejects the write if the
// object has been replaced or has another owner.
type Object struct {
	Kind            string `json:"kind,omitzero"` // set for custom kinds of pods
	Name            string `json:"name"`
	UID             string `json:"uid,omitzero"`
	ResourceVersion string `json:"resourceVersion,omitzero"`
}

// ObjectOf returns the object of an action, and whether it exists already: the objects of
// [CreatePod] and [CreateRevision] do not.
func ObjectOf(a Action) (o Object, ok bool) {
	w, ok := a.(interface{ object() Object })
	if !ok {
		return Object{}, false
	}
	return w.object(), true
}

func (o Object) object() Object { return o }

// CreateRevision creates a revision with the current template. If the name is taken, call
// [revision.DaemonSetTaken].
type CreateRevision struct {
	Name        string            `json:"name"`
	Hash        string            `json:"hash"`
	Revision    int64             `json:"revision"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Data        []byte            `json:"data,omitempty"`
	Reason      kplan.Reason      `json:"reason"`
}

// UpdateRevision labels a revision with its hash, gives it another number, or both.
type UpdateRevision struct {
	Object
	Hash   string       `json:"hash,omitzero"` // "" leaves the label alone
	From   int64        `json:"from"`          // the number it has
	To     int64        `json:"to"`            // the number it gets
	Reason kplan.Reason `json:"reason"`
}

// DeleteRevision deletes a revision.
type DeleteRevision struct {
	Object
	Reason kplan.Reason `json:"reason"`
}

// AdoptRevision makes the DaemonSet the controller of a revision. Before that, read the
// DaemonSet again: it must have the same UID and not be being deleted.
type AdoptRevision struct {
	Object
	Reason kplan.Reason `json:"reason"`
}

// ReleaseRevision takes the DaemonSet's owner reference from a revision.
type ReleaseRevision struct {
	Object
	Reason kplan.Reason `json:"reason"`
}

// AdoptPod makes the DaemonSet the controller of a pod. Before that, read the DaemonSet again:
// it must have the same UID and not be being deleted.
type AdoptPod struct {
	Object
	Reason kplan.Reason `json:"reason"`
}

// ReleasePod takes the DaemonSet's owner reference from a pod.
type ReleasePod struct {
	Object
	Reason kplan.Reason `json:"reason"`
}

// RelabelPod gives a pod the hash of another revision with the same template.
type RelabelPod struct {
	Object
	From   string       `json:"from,omitzero"` // the hash it has
	To     string       `json:"to"`
	Reason kplan.Reason `json:"reason"`
}

// CreatePod creates the pod of a node from the template of a revision: with [Tolerations], and
// pinned to the node by [Pin].
type CreatePod struct {
	Kind       string `json:"kind,omitzero"` // "" means Pod
	Node       string `json:"node"`
	Hash       string `json:"hash"`                // the label controller-revision-hash
	Generation string `json:"generation,omitzero"` // the label pod-template-generation, "" for none
	// Gate adds the readiness gate InPlaceUpdateReady.
	Gate bool `json:"gate,omitzero"`
	// Bind sets spec.nodeName instead of pinning.
	Bind bool `json:"bind,omitzero"`
	// Revision is the name of the revision to take the template from; "" means the current
	// template.
	Revision string `json:"revision,omitzero"`
	// KeepTolerations keeps the seconds of the tolerations in the template: see [Tolerations].
	KeepTolerations bool         `json:"keepTolerations,omitzero"`
	Reason          kplan.Reason `json:"reason"`
}

// DeletePod deletes a pod.
type DeletePod struct {
	Object
	Node   string       `json:"node"`
	Reason kplan.Reason `json:"reason"`
}

// PreparePod marks a pod that is to be deleted as soon as a hook releases it: it sets the label
// [LabelState] to State and the annotation [AnnotationStateSince] to Since. If NotReady is set, it
// also sets the condition KruisePodReady to False.
type PreparePod struct {
	Object
	Node     string       `json:"node"`
	State    string       `json:"state,omitzero"` // "" leaves label and annotation alone
	Since    time.Time    `json:"since,omitzero"`
	NotReady bool         `json:"notReady,omitzero"`
	Reason   kplan.Reason `json:"reason"`
}

// UpdatePod updates a pod in place, by the steps: close the readiness gate, set the
// hash, write images, resources and metadata and the state. The gate stays as it is if
// only resources change and no container restarts for them.
type UpdatePod struct {
	Object
	Node      string       `json:"node"`
	From      string       `json:"from"` // the hash it has
	To        string       `json:"to"`
	CloseGate bool         `json:"closeGate,omitzero"`
	Patch     inplace.Put  `json:"patch"`
	Reason    kplan.Reason `json:"reason"`
}

// RefreshPod continues an update in place: it opens the readiness gate, ends a grace period, or
// writes the next batch.
type RefreshPod struct {
	Object
	Node      string       `json:"node"`
	OpenGate  bool         `json:"openGate,omitzero"`
	DropGrace bool         `json:"dropGrace,omitzero"` // remove the annotation of the grace period
	Patch     *inplace.Put `json:"patch,omitempty"`
	Reason    kplan.Reason `json:"reason"`
}

// word returns the name of a kind of pods in messages: pod, or a custom kind.
func word(kind string) string { return cmp.Or(kind, "pod") }

func (CreateRevision) isAction()  {}
func (UpdateRevision) isAction()  {}
func (DeleteRevision) isAction()  {}
func (AdoptRevision) isAction()   {}
func (ReleaseRevision) isAction() {}
func (AdoptPod) isAction()        {}
func (ReleasePod) isAction()      {}
func (RelabelPod) isAction()      {}
func (CreatePod) isAction()       {}
func (DeletePod) isAction()       {}
func (PreparePod) isAction()      {}
func (UpdatePod) isAction()       {}
func (RefreshPod) isAction()      {}

// String returns one line with the reason.
func (a CreateRevision) String() string {
	return fmt.Sprintf("Created controller revision %s, number %d (%s)", a.Name, a.Revision, a.Reason)
}

// String returns one line with the reason.
func (a UpdateRevision) String() string {
	if a.From == a.To {
		return fmt.Sprintf("Labelled controller revision %s with %s (%s)", a.Name, a.Hash, a.Reason)
	}
	return fmt.Sprintf("Renumbered controller revision %s from %d to %d (%s)", a.Name, a.From, a.To, a.Reason)
}

// String returns one line with the reason.
func (a DeleteRevision) String() string {
	return fmt.Sprintf("Deleted controller revision %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a AdoptRevision) String() string {
	return fmt.Sprintf("Adopted controller revision %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a ReleaseRevision) String() string {
	return fmt.Sprintf("Released controller revision %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a AdoptPod) String() string {
	return fmt.Sprintf("Adopted %s %s (%s)", word(a.Kind), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a ReleasePod) String() string {
	return fmt.Sprintf("Released %s %s (%s)", word(a.Kind), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a RelabelPod) String() string {
	return fmt.Sprintf("Relabelled %s %s from %q to %q (%s)", word(a.Kind), a.Name, a.From, a.To, a.Reason)
}

// String returns one line with the reason.
func (a CreatePod) String() string {
	return fmt.Sprintf("Created %s on node %s (%s)", word(a.Kind), a.Node, a.Reason)
}

// String returns the text of the Kubernetes event, the node and the reason.
func (a DeletePod) String() string {
	return fmt.Sprintf("Deleted %s: %s on node %s (%s)", word(a.Kind), a.Name, a.Node, a.Reason)
}

// String returns one line with the reason.
func (a PreparePod) String() string {
	return fmt.Sprintf("Prepared deletion of %s %s on node %s (%s)", word(a.Kind), a.Name, a.Node, a.Reason)
}

// String returns one line with the reason.
func (a UpdatePod) String() string {
	return fmt.Sprintf("Updated %s %s on node %s in place: %s (%s)", word(a.Kind), a.Name, a.Node, a.Patch, a.Reason)
}

// String returns one line with the reason.
func (a RefreshPod) String() string {
	step := "opened its gate"
	switch {
	case a.Patch != nil:
		step = a.Patch.String()
	case a.DropGrace:
		step = "dropped its grace period"
	}
	return fmt.Sprintf("Refreshed %s %s on node %s: %s (%s)", word(a.Kind), a.Name, a.Node, step, a.Reason)
}

var (
	_ Action = CreateRevision{}
	_ Action = UpdateRevision{}
	_ Action = DeleteRevision{}
	_ Action = AdoptRevision{}
	_ Action = ReleaseRevision{}
	_ Action = AdoptPod{}
	_ Action = ReleasePod{}
	_ Action = RelabelPod{}
	_ Action = CreatePod{}
	_ Action = DeletePod{}
	_ Action = PreparePod{}
	_ Action = UpdatePod{}
	_ Action = RefreshPod{}
)

// Actions is a list of actions. In JSON each is an object with one key, the name of
// the action in lower camel case.
type Actions []Action

// MarshalJSON encodes the list.
func (as Actions) MarshalJSON() ([]byte, error) { return union.Marshal(as, members()) }

// UnmarshalJSON decodes the output of [Actions.MarshalJSON]. An unknown action is an error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal[Action](data, members())
	return err
}

// members returns the names of the actions in JSON.
func members() []union.Member {
	return []union.Member{
		union.Of[CreateRevision]("createRevision"),
		union.Of[UpdateRevision]("updateRevision"),
		union.Of[DeleteRevision]("deleteRevision"),
		union.Of[AdoptRevision]("adoptRevision"),
		union.Of[ReleaseRevision]("releaseRevision"),
		union.Of[AdoptPod]("adoptPod"),
		union.Of[ReleasePod]("releasePod"),
		union.Of[RelabelPod]("relabelPod"),
		union.Of[CreatePod]("createPod"),
		union.Of[DeletePod]("deletePod"),
		union.Of[PreparePod]("preparePod"),
		union.Of[UpdatePod]("updatePod"),
		union.Of[RefreshPod]("refreshPod"),
	}
}
