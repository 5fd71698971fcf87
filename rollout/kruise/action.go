// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// An Action is one write. It is one of
//
//   - [SetFinalizer]
//   - [PatchRollout]
//   - [PatchWorkload]
//   - [CreateBatchRelease]
//   - [UpdateBatchRelease]
//   - [PatchBatchRelease]
//   - [DeleteBatchRelease]
//   - [SelectPods]
//   - [CreateService]
//   - [DeleteService]
//   - [SetRoute]
//   - [SetIngress]
//   - [DeleteIngress]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isAction()
}

var (
	_ Action = SetFinalizer{}
	_ Action = PatchRollout{}
	_ Action = PatchWorkload{}
	_ Action = CreateBatchRelease{}
	_ Action = UpdateBatchRelease{}
	_ Action = PatchBatchRelease{}
	_ Action = DeleteBatchRelease{}
	_ Action = SelectPods{}
	_ Action = CreateService{}
	_ Action = DeleteService{}
	_ Action = SetRoute{}
	_ Action = SetIngress{}
	_ Action = DeleteIngress{}
)

// SetFinalizer adds a finalizer to an object, or removes it.
type SetFinalizer struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitzero"`
	Finalizer string `json:"finalizer"`
	Remove    bool   `json:"remove,omitzero"`
	Reason    Reason `json:"reason"`
}

// PatchRollout sets annotations of the Rollout.
type PatchRollout struct {
	Name        string            `json:"name"`
	UID         string            `json:"uid,omitzero"`
	Annotations map[string]string `json:"annotations"`
	Reason      Reason            `json:"reason"`
}

// PatchWorkload changes a workload.
type PatchWorkload struct {
	Workload workload.Ref   `json:"workload"`
	UID      string         `json:"uid,omitzero"`
	Patch    workload.Patch `json:"patch"`
	Reason   Reason         `json:"reason"`
}

// CreateBatchRelease creates the BatchRelease of the Rollout, with the Rollout as its
// owner.
type CreateBatchRelease struct {
	Name        string                   `json:"name"`
	OwnerUID    string                   `json:"ownerUID,omitzero"`
	Annotations map[string]string        `json:"annotations,omitempty"`
	WorkloadRef workload.Ref             `json:"workloadRef"`
	ReleasePlan batchrelease.ReleasePlan `json:"releasePlan"`
	Reason      Reason                   `json:"reason"`
}

// UpdateBatchRelease replaces the spec and the annotations of a BatchRelease.
type UpdateBatchRelease struct {
	Name        string                   `json:"name"`
	UID         string                   `json:"uid,omitzero"`
	Annotations map[string]string        `json:"annotations,omitempty"`
	WorkloadRef workload.Ref             `json:"workloadRef"`
	ReleasePlan batchrelease.ReleasePlan `json:"releasePlan"`
	Reason      Reason                   `json:"reason"`
}

// PatchBatchRelease changes the plan of a BatchRelease.
type PatchBatchRelease struct {
	Name      string  `json:"name"`
	UID       string  `json:"uid,omitzero"`
	RolloutID *string `json:"rolloutID,omitempty"` // nil stays
	// Finalize removes the partition, so that the workload is given back, under this
	// policy; "" leaves both.
	Finalize batchrelease.FinalizingPolicy `json:"finalize,omitzero"`
	Reason   Reason                        `json:"reason"`
}

// DeleteBatchRelease deletes a BatchRelease.
type DeleteBatchRelease struct {
	Name   string `json:"name"`
	UID    string `json:"uid,omitzero"`
	Reason Reason `json:"reason"`
}

// SelectPods sets one key of the selector of a Service.
type SelectPods struct {
	Service string `json:"service"`
	Key     string `json:"key"`
	Value   string `json:"value,omitzero"` // "" removes the key
	Reason  Reason `json:"reason"`
}

// CreateService creates the canary Service, owned by the Rollout: a copy of the stable Service
// with another selector, without its own node ports, addresses and IP families.
type CreateService struct {
	Name     string            `json:"name"`
	Stable   string            `json:"stable"` // the Service to copy
	OwnerUID string            `json:"ownerUID,omitzero"`
	Selector map[string]string `json:"selector"`
	Reason   Reason            `json:"reason"`
}

// DeleteService deletes the canary Service.
type DeleteService struct {
	Name   string `json:"name"`
	Reason Reason `json:"reason"`
}

// SetRoute replaces the rules of an HTTPRoute.
type SetRoute struct {
	Name   string         `json:"name"`
	Rules  []traffic.Rule `json:"rules"`
	Reason Reason         `json:"reason"`
}

// SetIngress creates or changes the canary Ingress. A new one has the paths that point
// at the stable Service, pointing at the canary Service.
type SetIngress struct {
	Name        string            `json:"name"`
	Stable      string            `json:"stable"` // the Ingress to copy if Create is set
	Create      bool              `json:"create,omitzero"`
	Backend     string            `json:"backend,omitzero"` // the Service of the paths if Create is set
	Annotations map[string]string `json:"annotations"`
	Reason      Reason            `json:"reason"`
}

// DeleteIngress deletes the canary Ingress.
type DeleteIngress struct {
	Name   string `json:"name"`
	Reason Reason `json:"reason"`
}

func (SetFinalizer) isAction()       {}
func (PatchRollout) isAction()       {}
func (PatchWorkload) isAction()      {}
func (CreateBatchRelease) isAction() {}
func (UpdateBatchRelease) isAction() {}
func (PatchBatchRelease) isAction()  {}
func (DeleteBatchRelease) isAction() {}
func (SelectPods) isAction()         {}
func (CreateService) isAction()      {}
func (DeleteService) isAction()      {}
func (SetRoute) isAction()           {}
func (SetIngress) isAction()         {}
func (DeleteIngress) isAction()      {}

// Actions is a list of actions. In JSON each is an object with one key, the name of
// the action in lower camel case.
type Actions []Action
