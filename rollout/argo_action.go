package rollout

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/internal/union"
)

// An ArgoAction is one write. It is one of
//
//   - [CreateReplicaSet]
//   - [ScaleReplicaSet]
//   - [DelayReplicaSet]
//   - [ArgoSelectPods]
//
//sumtype:decl
type ArgoAction interface {
	fmt.Stringer
	isArgoAction()
}

var (
	_ ArgoAction = CreateReplicaSet{}
	_ ArgoAction = ScaleReplicaSet{}
	_ ArgoAction = DelayReplicaSet{}
	_ ArgoAction = ArgoSelectPods{}
)

// CreateReplicaSet creates the ReplicaSet of the template of an Argo Rollout.
type CreateReplicaSet struct {
	Name     string     `json:"name"`
	Hash     string     `json:"hash"` // the value of [ArgoHashLabel]
	Revision int64      `json:"revision"`
	Replicas int32      `json:"replicas"`
	Desired  int32      `json:"desired"` // the size of the Rollout, as it is annotated
	Reason   ArgoReason `json:"reason"`
}

// ScaleReplicaSet sets the size of a ReplicaSet of an Argo Rollout, and notes the size
// of the Rollout in its annotation, by which a change of that is noticed.
type ScaleReplicaSet struct {
	Name    string     `json:"name,omitzero"`
	Hash    string     `json:"hash"`
	From    int32      `json:"from"`
	To      int32      `json:"to"`
	Desired int32      `json:"desired"`
	Reason  ArgoReason `json:"reason"`
}

// DelayReplicaSet annotates a ReplicaSet of an Argo Rollout with the instant at which it
// is to lose its pods.
type DelayReplicaSet struct {
	Name   string     `json:"name,omitzero"`
	Hash   string     `json:"hash"`
	Until  time.Time  `json:"until,omitzero"` // zero removes the annotation
	Reason ArgoReason `json:"reason"`
}

// ArgoSelectPods lets a Service select the pods of a template.
type ArgoSelectPods struct {
	Service string     `json:"service"`
	Key     string     `json:"key"` // [ArgoHashLabel]
	Value   string     `json:"value"`
	Reason  ArgoReason `json:"reason"`
}

func (CreateReplicaSet) isArgoAction() {}
func (ScaleReplicaSet) isArgoAction()  {}
func (DelayReplicaSet) isArgoAction()  {}
func (ArgoSelectPods) isArgoAction()   {}

// ArgoActions is a list of actions. In JSON each is an object with one key, the name of
// the action in lower camel case.
type ArgoActions []ArgoAction

// MarshalJSON encodes the list.
func (as ArgoActions) MarshalJSON() ([]byte, error) { return union.Marshal(as, argoMembers()) }

// UnmarshalJSON decodes what [ArgoActions.MarshalJSON] wrote. An unknown action is an
// error.
func (as *ArgoActions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal(data, argoMembers())
	return err
}

func argoMembers() []union.Member[ArgoAction] {
	return []union.Member[ArgoAction]{
		union.Of[ArgoAction, CreateReplicaSet]("createReplicaSet"),
		union.Of[ArgoAction, ScaleReplicaSet]("scaleReplicaSet"),
		union.Of[ArgoAction, DelayReplicaSet]("delayReplicaSet"),
		union.Of[ArgoAction, ArgoSelectPods]("selectPods"),
	}
}

// String returns one line with the reason.
func (a CreateReplicaSet) String() string {
	return fmt.Sprintf("Created replica set %s with %d (%s)", a.Hash, a.Replicas, a.Reason)
}

// String returns one line with the reason.
func (a ScaleReplicaSet) String() string {
	switch {
	case a.To > a.From:
		return fmt.Sprintf("Scaled up replica set %s from %d to %d (%s)", a.Hash, a.From, a.To, a.Reason)
	case a.To < a.From:
		return fmt.Sprintf("Scaled down replica set %s from %d to %d (%s)", a.Hash, a.From, a.To, a.Reason)
	}
	return fmt.Sprintf("Noted size %d at replica set %s (%s)", a.Desired, a.Hash, a.Reason)
}

// String returns one line with the reason.
func (a DelayReplicaSet) String() string {
	if a.Until.IsZero() {
		return fmt.Sprintf("Removed scale down deadline of replica set %s (%s)", a.Hash, a.Reason)
	}
	return fmt.Sprintf("Set scale down deadline of replica set %s to %s (%s)", a.Hash, a.Until.Format(time.RFC3339), a.Reason)
}

// String returns one line with the reason.
func (a ArgoSelectPods) String() string {
	return fmt.Sprintf("Set %s to %s in the selector of service %s (%s)", a.Key, a.Value, a.Service, a.Reason)
}
