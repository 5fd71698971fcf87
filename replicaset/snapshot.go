// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// A Snapshot is the input of [Reconcile]. Reconcile does not change a Snapshot and keeps no
// part of it.
//
// The most important fields are these. The first four are required: without one of them there is an
// error that names the field. The others are optional, with these effects. Further fields are documented
// where they are declared.
//
//	now                           decides which pods are available, and when to plan again
//	ReplicaSet.Name               actions and events name the ReplicaSet
//	ReplicaSet.UID                decides which pods belong to the ReplicaSet
//	Pods[].Name                   actions name the pod
//	Pods[].ControllerUID          without it, the pod is adopted if selected, otherwise ignored
//	ReplicaSet.Replicas           without it, 1 pod is wanted
//	ReplicaSet.Selector           without it, no pod is adopted or released
//	ReplicaSet.DeletionTimestamp  without it, one that is being deleted still creates and deletes pods
//	ReplicaSet.MinReadySeconds    without it, a ready pod is available
//	ReplicaSet.TemplateLabels     without them, each pod counts as fully labeled
//	Pods[].Labels                 without them, a selector releases the pod
//	Pods[].Phase                  without it, a finished pod counts
//	Pods[].DeletionTimestamp      without it, a pod that is being deleted counts
//	Pods[].Ready                  without it, the pod is not ready
//	Pods[].ReadySince             without it and with MinReadySeconds, the pod is never available
//	Pods[].NodeName               without it, the pod is deleted before pods with a node
//	Pods[].UID                    without it, a newer pod with the same name may be deleted
//	Pods[].Annotations            without a deletion cost, the cost is 0
//	Siblings                      without them, their pods do not count as neighbours
//	Expectations                  without them, pods that were just created are created again
//
// Times and restarts also decide which pods are deleted, see package podorder. The next
// status depends on ReplicaSet.Generation and Status.
type Snapshot struct {
	ReplicaSet ReplicaSet `json:"replicaSet"`
	// Pods are pods of the namespace, in any order:
	//
	//   - All pods that the ReplicaSet controls, with any labels and phase, and even if they
	//     are being deleted.
	//   - All orphans that its selector selects. They may be adopted.
	//   - If there are more pods than wanted, all pods that the ReplicaSet or a sibling with
	//     the same controller selects, no matter which controller these pods have. They count
	//     as neighbours and so influence which pods are deleted.
	//
	// Other pods are ignored and may be left out. With [Kubernetes15WithoutGarbageCollector],
	// Pods are all pods that the selector selects.
	Pods []podorder.Pod `json:"pods,omitempty"`
	// Siblings are the other ReplicaSets of the namespace, in any order. Only siblings with
	// the same controller matter: their pods count as neighbours when pods are deleted.
	// The fields UID, ControllerUID and Selector are read.
	Siblings []ReplicaSet `json:"siblings,omitempty"`
	// Expectations are the writes that Pods may not show yet. Read them before you read Pods
	// from the cache: an event in between would lower them although Pods lack the new pod.
	Expectations expect.Expectations `json:"expectations,omitzero"`
	// Written are the versions that earlier passes have written, from [Result.Written]. Read
	// are the versions up to which the caches had read when Pods and ReplicaSet were taken
	// from them. While Read is older than Written, the plan has no actions. If a cache does
	// not know its version, leave Read empty: then Written has no effect.
	Written expect.Versions `json:"written,omitzero"`
	Read    expect.Versions `json:"read,omitzero"`
	// Domains are the failure domains of the nodes. They have an effect with Options.Spread
	// and with stages of Options.Order that have [podorder.RuleSpread]. An empty map puts all
	// nodes into one domain; with nil each node is its own domain.
	Domains podorder.Domains `json:"domains,omitzero"`
}

// A ReplicaSet is the desired state of a set of equal pods, and the last written status. With
// another Kind it is a ReplicationController or a kind of your own, and is planned in the same
// way; but a ReplicationController never has neighbours and reports no terminating pods. A pod
// belongs to the ReplicaSet with the UID in the pod's controller reference; the kind in that
// reference is ignored. Reconcile does not read ResourceVersion, Labels, Annotations or Template;
// [Entry] and package deploy do.
type ReplicaSet struct {
	Kind            string            `json:"kind,omitzero"`       // "" means ReplicaSet
	APIVersion      string            `json:"apiVersion,omitzero"` // "" means apps/v1, or v1 for a ReplicationController; required for any other Kind
	PodKind         string            `json:"podKind,omitzero"`    // kind of its pods, in actions and messages; "" means Pod
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Generation      int64             `json:"generation,omitzero"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`

	// The controlling owner, such as a Deployment; all empty for an orphan.
	ControllerKind string `json:"controllerKind,omitzero"`
	ControllerName string `json:"controllerName,omitzero"`
	ControllerUID  string `json:"controllerUID,omitzero"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	Replicas *int32 `json:"replicas,omitzero"` // nil means 1
	// Selector selects the pods: selected pods without a controller are adopted, and
	// controlled pods that are not selected are released. With nil the pods are the controlled
	// pods, and no pod is adopted or released.
	Selector        *selector.LabelSelector `json:"selector,omitempty"`
	MinReadySeconds int32                   `json:"minReadySeconds,omitzero"`
	Template        revision.Template       `json:"template,omitzero"`
	TemplateLabels  map[string]string       `json:"templateLabels,omitempty"` // labels of new pods

	Status Status `json:"status,omitzero"`
}

// A Status is the reported status of a ReplicaSet. All counts are of active pods, except
// TerminatingReplicas, which counts unfinished pods that are being deleted.
type Status struct {
	ObservedGeneration   int64             `json:"observedGeneration,omitzero"`
	Replicas             int32             `json:"replicas"`
	FullyLabeledReplicas int32             `json:"fullyLabeledReplicas,omitzero"` // pods with all template labels
	ReadyReplicas        int32             `json:"readyReplicas,omitzero"`
	AvailableReplicas    int32             `json:"availableReplicas,omitzero"`
	TerminatingReplicas  *int32            `json:"terminatingReplicas,omitzero"` // nil if not reported
	Conditions           []kplan.Condition `json:"conditions,omitempty"`
}

// ConditionReplicaFailure is the type of the condition that is True while pods
// cannot be created or deleted.
const ConditionReplicaFailure = "ReplicaFailure"

// Options adjusts [Reconcile]. With the zero Options it decides as Kubernetes 1.37 does with
// its default feature gates.
type Options struct {
	// Burst is the number of pods that one plan may create or delete; 0 means 500.
	Burst int32 `json:"burst,omitzero"`
	// InitialBatch is the size of the first batch of creations; 0 means 1.
	InitialBatch int32 `json:"initialBatch,omitzero"`
	// Dialect selects the release of Kubernetes whose rules apply; "" is Kubernetes 1.37.
	Dialect Dialect `json:"dialect,omitzero"`
	// Repair selects the quirks, defects of Kubernetes, to repair; 0 repairs none.
	Repair quirk.Set `json:"repair,omitzero"`
	// Terminating determines whether pods that are being deleted hold back new pods; "" means
	// that they do not.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// OmitTerminating leaves terminatingReplicas out of the status, as Kubernetes does
	// without the feature gate DeploymentReplicaSetTerminatingReplicas.
	OmitTerminating bool `json:"omitTerminating,omitzero"`
	// Order decides which pods are deleted first. Reconcile sets its Now, Neighbours and
	// Related, and its Domains if they are nil.
	Order podorder.Order `json:"order,omitzero"`
	// Spread puts [podorder.RuleSpread] in place of [podorder.RuleNeighbours], or last if the
	// chain of Order does not have that rule: of pods that are equal by the rules before it, the
	// pods in the domain with the most pods are deleted first. The pods are counted again after
	// each victim. It has no effect if Order has stages.
	Spread bool `json:"spread,omitzero"`
}

// A TerminatingPolicy determines when pods that are being deleted are replaced.
type TerminatingPolicy string

// ReplaceTerminated creates the replacement of a pod that is being deleted only after the pod
// has ended. The empty policy creates the replacement at once: both pods run for a while.
const ReplaceTerminated TerminatingPolicy = "TerminationComplete"

// A Dialect selects the rules of another release of Kubernetes, or of a release with certain flags.
// The empty Dialect is Kubernetes 1.37.
type Dialect string

// Kubernetes15 decides as Kubernetes 1.5 does. It differs from 1.37:
//
//   - All pods are created in one batch.
//   - A ready pod is not available at minReadySeconds exactly, but 1 ns later.
//   - Victims are chosen by [podorder.Legacy15] unless Options.Order sets another chain.
//   - Even a ReplicaSet that is being deleted releases pods that it does not select.
//   - There is no live check before an adoption, and the owner reference has no
//     blockOwnerDeletion.
//   - A failed adoption does not end the pass: see [Result].Again.
//   - It is an error if a pod to delete is gone.
//   - The status does not report terminating pods.
//
// [Effects15] returns the effects of events.
const Kubernetes15 Dialect = "v1.5"

// Kubernetes15WithoutGarbageCollector decides as Kubernetes 1.5 with the flag
// --enable-garbage-collector=false: like [Kubernetes15], but all active pods that the
// selector selects belong to the ReplicaSet, whatever their controller. No pod is adopted or
// released, and new pods have no controller. If the selector is unset or invalid, the plan
// has no actions.
const Kubernetes15WithoutGarbageCollector Dialect = "v1.5-without-garbage-collector"

// is15 reports whether the rules of Kubernetes 1.5 apply.
func (d Dialect) is15() bool { return d == Kubernetes15 || d == Kubernetes15WithoutGarbageCollector }

// Entry returns the ReplicaSet as an entry in the revision history of its Deployment. The
// entry shares Annotations, Template and the pointer Replicas with rs. Entry(nil) returns the
// zero Entry.
func Entry(rs *ReplicaSet) revision.Entry {
	if rs == nil {
		return revision.Entry{}
	}
	return revision.Entry{
		Name: rs.Name, UID: rs.UID, ControllerUID: rs.ControllerUID, Annotations: rs.Annotations, Template: rs.Template,
		CreationTimestamp: rs.CreationTimestamp, DeletionTimestamp: rs.DeletionTimestamp,
		Generation: rs.Generation, Replicas: rs.Replicas,
		Status: revision.EntryStatus{ObservedGeneration: rs.Status.ObservedGeneration, Replicas: rs.Status.Replicas},
	}
}

// A PodReader gives access to pods without copying them, for example to objects of the API in a
// cache. No two pods have
// the same name or UID. See [ReconcileFrom].
type PodReader interface {
	// Len returns the number of pods.
	Len() int
	// At returns pod i, from 0, with the fields that counting needs: Labels, ControllerKind,
	// ControllerName, ControllerUID, DeletionTimestamp, NodeName, Phase, Ready and ReadySince.
	// Other fields may be unset. At returns nil if the pod is gone. The caller reads the result
	// only until its next call of At, so At may use the same memory again.
	At(i int) *podorder.Pod
	// Read copies all fields of pod i into p, which is zero. It is called only for pods that At
	// has returned, and only if there are pods to adopt or release or more pods than wanted.
	Read(i int, p *podorder.Pod)
}

// podList reads the pods of a snapshot. It may have equal names or UIDs: count checks them.
type podList []podorder.Pod

func (l podList) Len() int { return len(l) }

func (l podList) At(i int) *podorder.Pod { return &l[i] }

func (l podList) Read(i int, p *podorder.Pod) { *p = l[i] }
