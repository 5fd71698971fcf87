// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
)

// An Action is one write to the API server. It is one of
//
//   - [AdoptReplicaSet]
//   - [ReleaseReplicaSet]
//   - [CreateReplicaSet]
//   - [AnnotateReplicaSet]
//   - [ScaleReplicaSet]
//   - [AnnotateDeployment]
//   - [DeleteReplicaSet]
//   - [RollBackDeployment]
//   - [ClearRollback]
//   - [PauseDeployment]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isAction()
}

var (
	_ Action = AdoptReplicaSet{}
	_ Action = ReleaseReplicaSet{}
	_ Action = CreateReplicaSet{}
	_ Action = AnnotateReplicaSet{}
	_ Action = ScaleReplicaSet{}
	_ Action = AnnotateDeployment{}
	_ Action = DeleteReplicaSet{}
	_ Action = RollBackDeployment{}
	_ Action = ClearRollback{}
	_ Action = PauseDeployment{}
)

// AdoptReplicaSet makes the Deployment the controller of a ReplicaSet without a controller.
// Before the first adoption of a plan, read the Deployment from the API server. If it has
// another UID or is being deleted, adopt nothing and stop: its deletion may have orphaned the
// ReplicaSet. Pass the UID of the ReplicaSet as a precondition.
type AdoptReplicaSet struct {
	Kind   string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name   string       `json:"name"`
	UID    string       `json:"uid"`
	Reason kplan.Reason `json:"reason"`
}

// ReleaseReplicaSet removes the Deployment from the owner references of a ReplicaSet. Pass
// the UID of the ReplicaSet as a precondition.
type ReleaseReplicaSet struct {
	Kind   string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name   string       `json:"name"`
	UID    string       `json:"uid"`
	Reason kplan.Reason `json:"reason"`
}

// RollBackDeployment replaces the template of the Deployment by the template of a ReplicaSet,
// without the label pod-template-hash, and all annotations of the Deployment, in one write.
type RollBackDeployment struct {
	Kind           string            `json:"kind,omitzero"`           // of the Deployment, "" if it is one
	ReplicaSetKind string            `json:"replicaSetKind,omitzero"` // of the ReplicaSet, "" if it is one
	Revision       int64             `json:"revision"`
	Name           string            `json:"name"` // of the ReplicaSet
	Template       revision.Template `json:"template"`
	Annotations    map[string]string `json:"annotations,omitempty"` // all that the Deployment will have
	Reason         kplan.Reason      `json:"reason"`
}

// PauseDeployment sets spec.paused to true and sets annotations of the Deployment. Make both
// changes in one write: the annotations without spec.paused mean that a user has resumed the
// rollout. Pass UID and ResourceVersion as preconditions.
type PauseDeployment struct {
	Kind            string            `json:"kind,omitzero"` // of the Deployment, "" if it is one
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Set             map[string]string `json:"set"`
	Pod             string            `json:"pod"` // the name of the pod with the pause point
	Mode            pausepoint.Mode   `json:"mode"`
	Reason          kplan.Reason      `json:"reason"`
}

// ClearRollback removes the annotation that requests a rollback from the Deployment.
type ClearRollback struct {
	Key    string       `json:"key,omitzero"` // the annotation; "" is [revision.AnnotationRollback]
	Reason kplan.Reason `json:"reason"`
}

// CreateReplicaSet creates the ReplicaSet for the Deployment's template. Make the Deployment
// its controller. Its selector is the selector of the Deployment and, in addition, the label
// pod-template-hash with the hash of the Template.
type CreateReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	Replicas        int32             `json:"replicas"`
	Template        revision.Template `json:"template"`
	Revision        int64             `json:"revision"`
	MinReadySeconds int32             `json:"minReadySeconds,omitzero"`
	Labels          map[string]string `json:"labels"`      // of the ReplicaSet and of its pod template
	Annotations     map[string]string `json:"annotations"` // of the ReplicaSet
	Reason          kplan.Reason      `json:"reason"`
}

// AnnotateReplicaSet sets annotations of a ReplicaSet, and spec.minReadySeconds, in one write.
// It does not change spec.replicas.
type AnnotateReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"` // that the plan was made for
	Set             map[string]string `json:"set,omitempty"`
	MinReadySeconds *int32            `json:"minReadySeconds,omitzero"` // nil does not change it
	Reason          kplan.Reason      `json:"reason"`
}

// ScaleReplicaSet sets spec.replicas and annotations of a ReplicaSet in one write.
type ScaleReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"` // that the plan was made for
	From            int32             `json:"from"`                     // spec.replicas that the plan was made for
	To              int32             `json:"to"`                       // spec.replicas to write
	Unhealthy       int32             `json:"unhealthy,omitzero"`       // how many of From - To pods are removed as unavailable
	Set             map[string]string `json:"set"`
	Reason          kplan.Reason      `json:"reason"`
}

// AnnotateDeployment sets annotations of the Deployment. Upstream writes them with the same
// request as the status.
type AnnotateDeployment struct {
	Kind   string            `json:"kind,omitzero"` // of the Deployment, "" if it is one
	Set    map[string]string `json:"set"`
	Reason kplan.Reason      `json:"reason"`
}

// DeleteReplicaSet deletes an old ReplicaSet without pods. Pass UID and ResourceVersion as
// preconditions: they prevent the deletion of a ReplicaSet that has been scaled up since.
type DeleteReplicaSet struct {
	Kind            string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string       `json:"name"`
	UID             string       `json:"uid,omitzero"`
	ResourceVersion string       `json:"resourceVersion,omitzero"`
	Revision        int64        `json:"revision"`
	Reason          kplan.Reason `json:"reason"`
}

// word returns the word for a Deployment in messages: the kind, or Kubernetes' word if the kind
// is empty. wordOfSet returns the word for a ReplicaSet.
func word(kind string) string { return cmp.Or(kind, "deployment") }

func wordOfSet(kind string) string { return cmp.Or(kind, "replica set") }

// Annotation returns the key of the annotation to remove.
func (a ClearRollback) Annotation() string { return cmp.Or(a.Key, revision.AnnotationRollback) }

func (AdoptReplicaSet) isAction()    {}
func (ReleaseReplicaSet) isAction()  {}
func (RollBackDeployment) isAction() {}
func (ClearRollback) isAction()      {}
func (PauseDeployment) isAction()    {}
func (CreateReplicaSet) isAction()   {}
func (AnnotateReplicaSet) isAction() {}
func (ScaleReplicaSet) isAction()    {}
func (AnnotateDeployment) isAction() {}
func (DeleteReplicaSet) isAction()   {}

// String returns the message of the event that Kubernetes records, the reason and the revision.
// Kubernetes records no event for a ReplicaSet that is created without pods: then String returns
// "Created" and its name.
func (a CreateReplicaSet) String() string {
	text := "Created " + wordOfSet(a.Kind) + " " + a.Name
	if a.Replicas > 0 {
		text = (&ScaleReplicaSet{Kind: a.Kind, Name: a.Name, To: a.Replicas}).event()
	}
	return fmt.Sprintf("%s (%s, revision %d)", text, a.Reason, a.Revision)
}

// String returns one line with the keys of the annotations, and minReadySeconds if it is set.
func (a AnnotateReplicaSet) String() string {
	what := keys(a.Set)
	if a.MinReadySeconds != nil {
		what = strings.TrimPrefix(what+fmt.Sprintf(", minReadySeconds=%d", *a.MinReadySeconds), ", ")
	}
	return fmt.Sprintf("Annotated %s %s: %s (%s)", wordOfSet(a.Kind), a.Name, what, a.Reason)
}

// String returns the message of the event that Kubernetes records, the reason, and the number
// of unhealthy pods if it is not 0.
func (a ScaleReplicaSet) String() string {
	unhealthy := ""
	if a.Unhealthy > 0 {
		unhealthy = fmt.Sprintf(", %d unhealthy", a.Unhealthy)
	}
	return fmt.Sprintf("%s (%s%s)", a.event(), a.Reason, unhealthy)
}

func (a *ScaleReplicaSet) event() string {
	text := make([]byte, 0, 128) // a constant capacity keeps it on the stack
	text = append(append(append(append(append(text, a.verb()...), wordOfSet(a.Kind)...), ' '), a.Name...), " from "...)
	text = append(strconv.AppendInt(text, int64(a.From), 10), " to "...)
	return string(strconv.AppendInt(text, int64(a.To), 10))
}

func (a *ScaleReplicaSet) verb() string {
	if a.To < a.From {
		return "Scaled down "
	}
	return "Scaled up "
}

// String returns one line with the keys of the annotations.
func (a AnnotateDeployment) String() string {
	return fmt.Sprintf("Annotated %s: %s (%s)", word(a.Kind), keys(a.Set), a.Reason)
}

// String returns one line.
func (a DeleteReplicaSet) String() string {
	return fmt.Sprintf("Deleted %s %s (%s, revision %d)", wordOfSet(a.Kind), a.Name, a.Reason, a.Revision)
}

// String returns one line.
func (a AdoptReplicaSet) String() string {
	return fmt.Sprintf("Adopted %s %s (%s)", wordOfSet(a.Kind), a.Name, a.Reason)
}

// String returns one line.
func (a ReleaseReplicaSet) String() string {
	return fmt.Sprintf("Released %s %s (%s)", wordOfSet(a.Kind), a.Name, a.Reason)
}

// String returns one line.
func (a RollBackDeployment) String() string {
	return fmt.Sprintf("Rolled back %s to revision %d of %s %s (%s)", word(a.Kind), a.Revision, wordOfSet(a.ReplicaSetKind), a.Name, a.Reason)
}

// String returns one line.
func (a PauseDeployment) String() string {
	return fmt.Sprintf("Paused %s %s deleting pod %s (%s)", word(a.Kind), a.Mode, a.Pod, a.Reason)
}

// String returns one line.
func (a ClearRollback) String() string {
	return fmt.Sprintf("Cleared rollback request (%s)", a.Reason)
}

// Actions is a list of actions. In JSON each action is an object with a single key, such as
// {"scaleReplicaSet": {...}}: the name of its type, with a lower-case first letter.
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
		union.Of[AdoptReplicaSet]("adoptReplicaSet"),
		union.Of[ReleaseReplicaSet]("releaseReplicaSet"),
		union.Of[CreateReplicaSet]("createReplicaSet"),
		union.Of[AnnotateReplicaSet]("annotateReplicaSet"),
		union.Of[ScaleReplicaSet]("scaleReplicaSet"),
		union.Of[AnnotateDeployment]("annotateDeployment"),
		union.Of[DeleteReplicaSet]("deleteReplicaSet"),
		union.Of[RollBackDeployment]("rollBackDeployment"),
		union.Of[ClearRollback]("clearRollback"),
		union.Of[PauseDeployment]("pauseDeployment"),
	}
}
