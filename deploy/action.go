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

// An Action is one write. It is one of
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

// AdoptReplicaSet makes the Deployment the controller of a ReplicaSet that has none. Before
// the first of a plan, read the Deployment from the API server: if it has another UID or is
// being deleted, adopt nothing and stop, since the orphan may have been left by that
// deletion. Pass the UID of the ReplicaSet as a precondition.
type AdoptReplicaSet struct {
	Kind   string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name   string       `json:"name"`
	UID    string       `json:"uid"`
	Reason kplan.Reason `json:"reason"`
}

// ReleaseReplicaSet removes the Deployment from the owners of a ReplicaSet. Pass
// its UID as a precondition.
type ReleaseReplicaSet struct {
	Kind   string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name   string       `json:"name"`
	UID    string       `json:"uid"`
	Reason kplan.Reason `json:"reason"`
}

// RollBackDeployment gives the Deployment the template of a ReplicaSet, without the hash
// label, and replaces all its annotations, in one write.
type RollBackDeployment struct {
	Kind           string            `json:"kind,omitzero"`           // of the Deployment, "" if it is one
	ReplicaSetKind string            `json:"replicaSetKind,omitzero"` // of the ReplicaSet, "" if it is one
	Revision       int64             `json:"revision"`
	Name           string            `json:"name"` // of the ReplicaSet
	Template       revision.Template `json:"template"`
	Annotations    map[string]string `json:"annotations,omitempty"` // all of them
	Reason         kplan.Reason      `json:"reason"`
}

// PauseDeployment sets spec.paused and annotations of the Deployment in one write,
// with UID and ResourceVersion as preconditions: the annotations alone would mean
// that the pause is over.
type PauseDeployment struct {
	Kind            string            `json:"kind,omitzero"` // of the Deployment, "" if it is one
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Set             map[string]string `json:"set"`
	Pod             string            `json:"pod"` // the pause point
	Mode            pausepoint.Mode   `json:"mode"`
	Reason          kplan.Reason      `json:"reason"`
}

// ClearRollback removes the annotation by which a rollback was requested.
type ClearRollback struct {
	Key    string       `json:"key,omitzero"` // the annotation; "" is [revision.AnnotationRollback]
	Reason kplan.Reason `json:"reason"`
}

// CreateReplicaSet creates the ReplicaSet for the Deployment's template. Its owner
// is the Deployment, and its selector the Deployment's and the hash.
type CreateReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	Replicas        int32             `json:"replicas"`
	Template        revision.Template `json:"template"`
	Revision        int64             `json:"revision"`
	MinReadySeconds int32             `json:"minReadySeconds,omitzero"`
	Labels          map[string]string `json:"labels"`      // its own, those of its template, and of its pods
	Annotations     map[string]string `json:"annotations"` // all of them
	Reason          kplan.Reason      `json:"reason"`
}

// AnnotateReplicaSet sets annotations of a ReplicaSet, and its minReadySeconds,
// in one write. Its size stays as it is.
type AnnotateReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"` // that the plan was made for
	Set             map[string]string `json:"set,omitempty"`
	MinReadySeconds *int32            `json:"minReadySeconds,omitzero"` // nil leaves it
	Reason          kplan.Reason      `json:"reason"`
}

// ScaleReplicaSet sets spec.replicas of a ReplicaSet, together with annotations,
// in one write.
type ScaleReplicaSet struct {
	Kind            string            `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"` // that the plan was made for
	From            int32             `json:"from"`                     // the size that the plan was made for
	To              int32             `json:"to"`
	Unhealthy       int32             `json:"unhealthy,omitzero"` // how many of From-To were never or no longer available
	Set             map[string]string `json:"set"`
	Reason          kplan.Reason      `json:"reason"`
}

// AnnotateDeployment sets annotations of the Deployment. Upstream writes them
// together with the status.
type AnnotateDeployment struct {
	Kind   string            `json:"kind,omitzero"` // of the Deployment, "" if it is one
	Set    map[string]string `json:"set"`
	Reason kplan.Reason      `json:"reason"`
}

// DeleteReplicaSet deletes an old, empty ReplicaSet. Pass UID and ResourceVersion
// to the API server as preconditions, so that one that has been scaled up since is
// spared.
type DeleteReplicaSet struct {
	Kind            string       `json:"kind,omitzero"` // of the ReplicaSet, "" if it is one
	Name            string       `json:"name"`
	UID             string       `json:"uid,omitzero"`
	ResourceVersion string       `json:"resourceVersion,omitzero"`
	Revision        int64        `json:"revision"`
	Reason          kplan.Reason `json:"reason"`
}

// word returns the word for a Deployment in texts, and wordOfSet for a ReplicaSet:
// Kubernetes' word, or the caller's kind.
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

// String returns the text of the Kubernetes event, and the reason.
func (a CreateReplicaSet) String() string {
	return fmt.Sprintf("%s (%s, revision %d)", (&ScaleReplicaSet{Kind: a.Kind, Name: a.Name, To: a.Replicas}).event(), a.Reason, a.Revision)
}

// String returns one line with the keys that are set.
func (a AnnotateReplicaSet) String() string {
	what := keys(a.Set)
	if a.MinReadySeconds != nil {
		what = strings.TrimPrefix(what+fmt.Sprintf(", minReadySeconds=%d", *a.MinReadySeconds), ", ")
	}
	return fmt.Sprintf("Annotated %s %s: %s (%s)", wordOfSet(a.Kind), a.Name, what, a.Reason)
}

// String returns the text of the Kubernetes event, and the reason.
func (a ScaleReplicaSet) String() string {
	unhealthy := ""
	if a.Unhealthy > 0 {
		unhealthy = fmt.Sprintf(", %d unhealthy", a.Unhealthy)
	}
	return fmt.Sprintf("%s (%s%s)", a.event(), a.Reason, unhealthy)
}

func (a *ScaleReplicaSet) event() string {
	text := make([]byte, 0, 128) // on the stack
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

// String returns one line with the keys that are set.
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

// Actions is a list of actions. In JSON each is an object with one key, the name
// of the action in lower camel case.
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
