// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
)

// An Action is one write. It is one of
//
//   - [CreateReplicaSet]
//   - [ScaleReplicaSet]
//   - [DelayReplicaSet]
//   - [EvictPod]
//   - [SelectPods]
//   - [RemoveRoute]
//   - [SetRoute]
//   - [SetWeight]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isAction()
}

var (
	_ Action = CreateReplicaSet{}
	_ Action = ScaleReplicaSet{}
	_ Action = DelayReplicaSet{}
	_ Action = EvictPod{}
	_ Action = SelectPods{}
	_ Action = RemoveRoute{}
	_ Action = SetRoute{}
	_ Action = SetWeight{}
)

// CreateReplicaSet creates the ReplicaSet of the template of an Argo Rollout.
type CreateReplicaSet struct {
	Name     string       `json:"name"`
	Hash     string       `json:"hash"` // the value of [HashLabel]
	Revision int64        `json:"revision"`
	Replicas int32        `json:"replicas"`
	Desired  int32        `json:"desired"` // the size of the Rollout, as annotated
	Reason   kplan.Reason `json:"reason"`
}

// ScaleReplicaSet sets the size of a ReplicaSet of an Argo Rollout, and annotates it with
// the size of the Rollout, so that a later pass sees when that changes.
type ScaleReplicaSet struct {
	Name    string       `json:"name,omitzero"`
	Hash    string       `json:"hash"`
	From    int32        `json:"from"`
	To      int32        `json:"to"`
	Desired int32        `json:"desired"`
	Reason  kplan.Reason `json:"reason"`
}

// DelayReplicaSet annotates a ReplicaSet of an Argo Rollout with the time at which it loses
// its pods.
type DelayReplicaSet struct {
	Name   string       `json:"name,omitzero"`
	Hash   string       `json:"hash"`
	Until  time.Time    `json:"until,omitzero"` // zero removes the annotation
	Reason kplan.Reason `json:"reason"`
}

// EvictPod evicts a pod, so that its ReplicaSet creates another one. A later pass tries
// again if a PodDisruptionBudget refuses.
type EvictPod struct {
	Name   string       `json:"name"`
	Reason kplan.Reason `json:"reason"`
}

// SelectPods lets a Service select the pods of a template.
type SelectPods struct {
	Service string       `json:"service"`
	Key     string       `json:"key"` // [HashLabel]
	Value   string       `json:"value"`
	Reason  kplan.Reason `json:"reason"`
}

// RemoveRoute removes a route.
type RemoveRoute struct {
	Name   string       `json:"name"`
	Reason kplan.Reason `json:"reason"`
}

// SetRoute adds a route to the Service of the canary, or replaces the route with its name.
type SetRoute struct {
	Route   Route        `json:"route"`
	Service string       `json:"service,omitzero"`
	Reason  kplan.Reason `json:"reason"`
}

// SetWeight splits the requests between the pods of the canary and the stable pods. It is
// carried out by the router: an Ingress, a service mesh or a gateway.
type SetWeight struct {
	Canary WeightDestination `json:"canary"`
	Stable WeightDestination `json:"stable"`
	Reason kplan.Reason      `json:"reason"`
}

func (CreateReplicaSet) isAction() {}
func (ScaleReplicaSet) isAction()  {}
func (DelayReplicaSet) isAction()  {}
func (EvictPod) isAction()         {}
func (SelectPods) isAction()       {}
func (RemoveRoute) isAction()      {}
func (SetRoute) isAction()         {}
func (SetWeight) isAction()        {}

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

func members() []union.Member {
	return []union.Member{
		union.Of[CreateReplicaSet]("createReplicaSet"),
		union.Of[ScaleReplicaSet]("scaleReplicaSet"),
		union.Of[DelayReplicaSet]("delayReplicaSet"),
		union.Of[EvictPod]("evictPod"),
		union.Of[SelectPods]("selectPods"),
		union.Of[RemoveRoute]("removeRoute"),
		union.Of[SetRoute]("setRoute"),
		union.Of[SetWeight]("setWeight"),
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
func (a EvictPod) String() string { return fmt.Sprintf("Evicted pod %s (%s)", a.Name, a.Reason) }

// String returns one line with the reason.
func (a SelectPods) String() string {
	return fmt.Sprintf("Set %s to %s in the selector of service %s (%s)", a.Key, a.Value, a.Service, a.Reason)
}

// String returns one line with the reason.
func (a RemoveRoute) String() string { return fmt.Sprintf("Removed route %s (%s)", a.Name, a.Reason) }

// String returns one line with the reason.
func (a SetRoute) String() string {
	return fmt.Sprintf("Set route %s to service %s (%s)", a.Route.Name, a.Service, a.Reason)
}

// String returns one line with the reason.
func (a SetWeight) String() string {
	return fmt.Sprintf("Set weight of replica set %s to %d, of %s to %d (%s)", a.Canary.Hash, a.Canary.Weight, a.Stable.Hash, a.Stable.Weight, a.Reason)
}
