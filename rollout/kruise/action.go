// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
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
	Kind      string       `json:"kind"`
	Name      string       `json:"name"`
	UID       string       `json:"uid,omitzero"`
	Finalizer string       `json:"finalizer"`
	Remove    bool         `json:"remove,omitzero"`
	Reason    kplan.Reason `json:"reason"`
}

// PatchRollout sets annotations of the Rollout.
type PatchRollout struct {
	Name        string            `json:"name"`
	UID         string            `json:"uid,omitzero"`
	Annotations map[string]string `json:"annotations"`
	Reason      kplan.Reason      `json:"reason"`
}

// PatchWorkload changes a workload.
type PatchWorkload struct {
	Workload workload.Ref   `json:"workload"`
	UID      string         `json:"uid,omitzero"`
	Patch    workload.Patch `json:"patch"`
	Reason   kplan.Reason   `json:"reason"`
}

// CreateBatchRelease creates the BatchRelease of the Rollout, with the Rollout as its
// owner.
type CreateBatchRelease struct {
	Name        string                   `json:"name"`
	OwnerUID    string                   `json:"ownerUID,omitzero"`
	Annotations map[string]string        `json:"annotations,omitempty"`
	WorkloadRef workload.Ref             `json:"workloadRef"`
	ReleasePlan batchrelease.ReleasePlan `json:"releasePlan"`
	Reason      kplan.Reason             `json:"reason"`
}

// UpdateBatchRelease replaces the spec and the annotations of a BatchRelease.
type UpdateBatchRelease struct {
	Name        string                   `json:"name"`
	UID         string                   `json:"uid,omitzero"`
	Annotations map[string]string        `json:"annotations,omitempty"`
	WorkloadRef workload.Ref             `json:"workloadRef"`
	ReleasePlan batchrelease.ReleasePlan `json:"releasePlan"`
	Reason      kplan.Reason             `json:"reason"`
}

// PatchBatchRelease changes the plan of a BatchRelease.
type PatchBatchRelease struct {
	Name      string  `json:"name"`
	UID       string  `json:"uid,omitzero"`
	RolloutID *string `json:"rolloutID,omitempty"` // nil stays
	// Finalize removes the BatchPartition and sets this FinalizingPolicy: then the BatchRelease
	// gives the workload back. "" changes neither.
	Finalize batchrelease.FinalizingPolicy `json:"finalize,omitzero"`
	Reason   kplan.Reason                  `json:"reason"`
}

// DeleteBatchRelease deletes a BatchRelease.
type DeleteBatchRelease struct {
	Name   string       `json:"name"`
	UID    string       `json:"uid,omitzero"`
	Reason kplan.Reason `json:"reason"`
}

// SelectPods sets one key of the selector of a Service.
type SelectPods struct {
	Service string       `json:"service"`
	Key     string       `json:"key"`
	Value   string       `json:"value,omitzero"` // "" removes the key
	Reason  kplan.Reason `json:"reason"`
}

// CreateService creates the canary Service, owned by the Rollout: a copy of the stable Service
// with another selector, and without the node ports, addresses and IP families of the stable
// Service.
type CreateService struct {
	Name     string            `json:"name"`
	Stable   string            `json:"stable"` // the Service to copy
	OwnerUID string            `json:"ownerUID,omitzero"`
	Selector map[string]string `json:"selector"`
	Reason   kplan.Reason      `json:"reason"`
}

// DeleteService deletes the canary Service.
type DeleteService struct {
	Name   string       `json:"name"`
	Reason kplan.Reason `json:"reason"`
}

// SetRoute replaces the rules of an HTTPRoute.
type SetRoute struct {
	Name   string         `json:"name"`
	Rules  []traffic.Rule `json:"rules"`
	Reason kplan.Reason   `json:"reason"`
}

// SetIngress creates or changes the canary Ingress. A new canary Ingress has those paths of the
// stable Ingress that lead to the stable Service; in the copy they lead to the canary Service.
type SetIngress struct {
	Name        string            `json:"name"`
	Stable      string            `json:"stable"` // the Ingress to copy if Create is set
	Create      bool              `json:"create,omitzero"`
	Backend     string            `json:"backend,omitzero"` // the Service of the paths if Create is set
	Annotations map[string]string `json:"annotations"`
	Reason      kplan.Reason      `json:"reason"`
}

// DeleteIngress deletes the canary Ingress.
type DeleteIngress struct {
	Name   string       `json:"name"`
	Reason kplan.Reason `json:"reason"`
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

// Actions is a list of actions. In JSON each action is an object with one key, the name of the
// action in lower camel case, such as "setRoute".
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
		union.Of[SetFinalizer]("setFinalizer"),
		union.Of[PatchRollout]("patchRollout"),
		union.Of[PatchWorkload]("patchWorkload"),
		union.Of[CreateBatchRelease]("createBatchRelease"),
		union.Of[UpdateBatchRelease]("updateBatchRelease"),
		union.Of[PatchBatchRelease]("patchBatchRelease"),
		union.Of[DeleteBatchRelease]("deleteBatchRelease"),
		union.Of[SelectPods]("selectPods"),
		union.Of[CreateService]("createService"),
		union.Of[DeleteService]("deleteService"),
		union.Of[SetRoute]("setRoute"),
		union.Of[SetIngress]("setIngress"),
		union.Of[DeleteIngress]("deleteIngress"),
	}
}

// String returns one line with the reason.
func (a SetFinalizer) String() string {
	verb := "Added"
	if a.Remove {
		verb = "Removed"
	}
	return fmt.Sprintf("%s finalizer %s of %s %s (%s)", verb, a.Finalizer, a.Kind, a.Name, a.Reason)
}

// String returns one line with the reason.
func (a PatchRollout) String() string {
	return fmt.Sprintf("Annotated rollout %s: %s (%s)", a.Name, keys(a.Annotations), a.Reason)
}

// String returns one line with the patch and the reason.
func (a PatchWorkload) String() string {
	return fmt.Sprintf("Patched %s %s: %s (%s)", strings.ToLower(a.Workload.Kind), a.Workload.Name, a.Patch.Body(a.Workload), a.Reason)
}

// String returns one line with the reason.
func (a CreateBatchRelease) String() string {
	return fmt.Sprintf("Created batch release %s up to batch %s (%s)", a.Name, upTo(a.ReleasePlan), a.Reason)
}

// String returns one line with the reason.
func (a UpdateBatchRelease) String() string {
	return fmt.Sprintf("Updated batch release %s up to batch %s (%s)", a.Name, upTo(a.ReleasePlan), a.Reason)
}

func upTo(p batchrelease.ReleasePlan) string {
	if p.BatchPartition == nil {
		return "last"
	}
	return fmt.Sprint(int64(*p.BatchPartition) + 1)
}

// String returns one line with the reason.
func (a PatchBatchRelease) String() string {
	return fmt.Sprintf("Patched batch release %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a DeleteBatchRelease) String() string {
	return fmt.Sprintf("Deleted batch release %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SelectPods) String() string {
	if a.Value == "" {
		return fmt.Sprintf("Removed %s from the selector of service %s (%s)", a.Key, a.Service, a.Reason)
	}
	return fmt.Sprintf("Set %s to %s in the selector of service %s (%s)", a.Key, a.Value, a.Service, a.Reason)
}

// String returns one line with the reason.
func (a CreateService) String() string {
	return fmt.Sprintf("Created service %s from %s (%s)", a.Name, a.Stable, a.Reason)
}

// String returns one line with the reason.
func (a DeleteService) String() string {
	return fmt.Sprintf("Deleted service %s (%s)", a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SetRoute) String() string {
	return fmt.Sprintf("Set %d rules of route %s (%s)", len(a.Rules), a.Name, a.Reason)
}

// String returns one line with the reason.
func (a SetIngress) String() string {
	return fmt.Sprintf("Set ingress %s: %s (%s)", a.Name, keys(a.Annotations), a.Reason)
}

// String returns one line with the reason.
func (a DeleteIngress) String() string {
	return fmt.Sprintf("Deleted ingress %s (%s)", a.Name, a.Reason)
}

// keys returns the keys of a map in order, separated by commas.
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
