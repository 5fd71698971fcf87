// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout/workload"
)

// An Action is one write. It is one of
//
//   - [SetFinalizer]
//   - [PatchWorkload]
//   - [CreateCanary]
//   - [PatchReplicaSet]
//   - [RetargetAutoscaler]
//   - [LabelPod]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isBatchAction()
}

var (
	_ Action = SetFinalizer{}
	_ Action = PatchWorkload{}
	_ Action = CreateCanary{}
	_ Action = PatchReplicaSet{}
	_ Action = RetargetAutoscaler{}
	_ Action = LabelPod{}
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

// PatchWorkload changes a workload.
type PatchWorkload struct {
	Workload workload.Ref   `json:"workload"`
	UID      string         `json:"uid,omitzero"`
	Patch    workload.Patch `json:"patch"`
	Reason   kplan.Reason   `json:"reason"`
}

// CreateCanary creates the extra Deployment of style Canary: a copy of the stable Deployment
// with 0 replicas, not paused, owned by the BatchRelease. If Name is empty, it also gets the
// finalizer [workload.FinalizerCanaryDeployment].
type CreateCanary struct {
	Name          string                     `json:"name,omitzero"` // in place of GenerateName, see [quirk.CanaryCreatedTwice]
	GenerateName  string                     `json:"generateName"`
	Stable        string                     `json:"stable"` // the Deployment to copy
	Labels        map[string]string          `json:"labels"`
	Annotations   map[string]string          `json:"annotations"`
	PatchTemplate *workload.TemplateMetadata `json:"patchTemplate,omitempty"` // added to the pods
	Reason        kplan.Reason               `json:"reason"`
}

// PatchReplicaSet sets minReadySeconds of a ReplicaSet.
type PatchReplicaSet struct {
	Name            string       `json:"name"`
	MinReadySeconds int32        `json:"minReadySeconds"`
	Reason          kplan.Reason `json:"reason"`
}

// RetargetAutoscaler changes the name of the target of an autoscaler.
type RetargetAutoscaler struct {
	Name   string       `json:"name"`
	From   string       `json:"from"`
	To     string       `json:"to"`
	Reason kplan.Reason `json:"reason"`
}

// LabelPod sets labels of a pod.
type LabelPod struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid,omitzero"`
	Labels map[string]string `json:"labels"`
	Reason kplan.Reason      `json:"reason"`
}

func (SetFinalizer) isBatchAction()       {}
func (PatchWorkload) isBatchAction()      {}
func (CreateCanary) isBatchAction()       {}
func (PatchReplicaSet) isBatchAction()    {}
func (RetargetAutoscaler) isBatchAction() {}
func (LabelPod) isBatchAction()           {}

// Actions is a list of actions. In JSON each action is an object with one key, the name of the
// action in lower camel case, such as "setFinalizer".
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
		union.Of[PatchWorkload]("patchWorkload"),
		union.Of[CreateCanary]("createCanary"),
		union.Of[PatchReplicaSet]("patchReplicaSet"),
		union.Of[RetargetAutoscaler]("retargetAutoscaler"),
		union.Of[LabelPod]("labelPod"),
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

// String returns one line with the patch and the reason.
func (a PatchWorkload) String() string {
	return fmt.Sprintf("Patched %s %s: %s (%s)", strings.ToLower(a.Workload.Kind), a.Workload.Name, a.Patch.Body(a.Workload), a.Reason)
}

// String returns one line with the reason.
func (a CreateCanary) String() string {
	return fmt.Sprintf("Created canary deployment of %s (%s)", a.Stable, a.Reason)
}

// String returns one line with the reason.
func (a PatchReplicaSet) String() string {
	return fmt.Sprintf("Set minReadySeconds of replica set %s to %d (%s)", a.Name, a.MinReadySeconds, a.Reason)
}

// String returns one line with the reason.
func (a RetargetAutoscaler) String() string {
	return fmt.Sprintf("Retargeted autoscaler %s from %s to %s (%s)", a.Name, a.From, a.To, a.Reason)
}

// String returns one line with the labels and the reason.
func (a LabelPod) String() string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(a.Labels)) {
		pairs = append(pairs, key+"="+a.Labels[key])
	}
	return fmt.Sprintf("Labelled pod %s: %s (%s)", a.Name, strings.Join(pairs, ", "), a.Reason)
}
