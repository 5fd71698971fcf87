package rollout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/internal/union"
)

// A BatchAction is one write. It is one of
//
//   - [BatchSetFinalizer]
//   - [BatchPatchWorkload]
//   - [CreateCanary]
//   - [PatchReplicaSet]
//   - [RetargetAutoscaler]
//   - [LabelPod]
//
//sumtype:decl
type BatchAction interface {
	fmt.Stringer
	isBatchAction()
}

var (
	_ BatchAction = BatchSetFinalizer{}
	_ BatchAction = BatchPatchWorkload{}
	_ BatchAction = CreateCanary{}
	_ BatchAction = PatchReplicaSet{}
	_ BatchAction = RetargetAutoscaler{}
	_ BatchAction = LabelPod{}
)

// BatchSetFinalizer adds a finalizer to an object, or removes it.
type BatchSetFinalizer struct {
	Kind      string      `json:"kind"`
	Name      string      `json:"name"`
	UID       string      `json:"uid,omitzero"`
	Finalizer string      `json:"finalizer"`
	Remove    bool        `json:"remove,omitzero"`
	Reason    BatchReason `json:"reason"`
}

// BatchPatchWorkload changes a workload.
type BatchPatchWorkload struct {
	Workload WorkloadRef   `json:"workload"`
	UID      string        `json:"uid,omitzero"`
	Patch    WorkloadPatch `json:"patch"`
	Reason   BatchReason   `json:"reason"`
}

// CreateCanary creates the extra Deployment of style Canary: a copy of the stable one
// of no pods, not paused, owned by the BatchRelease. If it has no name yet it gets the
// finalizer [FinalizerCanaryDeployment] too.
type CreateCanary struct {
	Name          string            `json:"name,omitzero"` // in place of GenerateName, see [CanaryCreatedTwice]
	GenerateName  string            `json:"generateName"`
	Stable        string            `json:"stable"` // the Deployment to copy
	Labels        map[string]string `json:"labels"`
	Annotations   map[string]string `json:"annotations"`
	PatchTemplate *TemplateMetadata `json:"patchTemplate,omitempty"` // added to the pods
	Reason        BatchReason       `json:"reason"`
}

// PatchReplicaSet sets minReadySeconds of a ReplicaSet.
type PatchReplicaSet struct {
	Name            string      `json:"name"`
	MinReadySeconds int32       `json:"minReadySeconds"`
	Reason          BatchReason `json:"reason"`
}

// RetargetAutoscaler changes the name of the target of an autoscaler.
type RetargetAutoscaler struct {
	Name   string      `json:"name"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Reason BatchReason `json:"reason"`
}

// LabelPod sets labels of a pod.
type LabelPod struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid,omitzero"`
	Labels map[string]string `json:"labels"`
	Reason BatchReason       `json:"reason"`
}

func (BatchSetFinalizer) isBatchAction()  {}
func (BatchPatchWorkload) isBatchAction() {}
func (CreateCanary) isBatchAction()       {}
func (PatchReplicaSet) isBatchAction()    {}
func (RetargetAutoscaler) isBatchAction() {}
func (LabelPod) isBatchAction()           {}

// BatchActions is a list of actions. In JSON each is an object with one key, the name of
// the action in lower camel case.
type BatchActions []BatchAction

// MarshalJSON encodes the list.
func (as BatchActions) MarshalJSON() ([]byte, error) { return union.Marshal(as, batchMembers()) }

// UnmarshalJSON decodes what [BatchActions.MarshalJSON] wrote. An unknown action is an
// error.
func (as *BatchActions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal(data, batchMembers())
	return err
}

func batchMembers() []union.Member[BatchAction] {
	return []union.Member[BatchAction]{
		union.Of[BatchAction, BatchSetFinalizer]("setFinalizer"),
		union.Of[BatchAction, BatchPatchWorkload]("patchWorkload"),
		union.Of[BatchAction, CreateCanary]("createCanary"),
		union.Of[BatchAction, PatchReplicaSet]("patchReplicaSet"),
		union.Of[BatchAction, RetargetAutoscaler]("retargetAutoscaler"),
		union.Of[BatchAction, LabelPod]("labelPod"),
	}
}

// String returns one line with the reason.
func (a BatchSetFinalizer) String() string {
	verb := "Added"
	if a.Remove {
		verb = "Removed"
	}
	return fmt.Sprintf("%s finalizer %s of %s %s (%s)", verb, a.Finalizer, a.Kind, a.Name, a.Reason)
}

// String returns one line with the patch and the reason.
func (a BatchPatchWorkload) String() string {
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
