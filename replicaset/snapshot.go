// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// A Snapshot is the input of [Reconcile]. Reconcile does not change a Snapshot and keeps no
// part of it.
//
// The least snapshot. Each of the first four fields is required: without it there is an error
// that names the field. All other fields are optional, with these effects.
//
//	now                           decides which pods are available, and when to look again
//	ReplicaSet.Name               actions and events name it
//	ReplicaSet.UID                decides which pods belong to it
//	Pods[].Name                   actions name it
//	Pods[].ControllerUID          without it, the selector adopts the pod, or it is ignored
//	ReplicaSet.Replicas           without it, 1 pod is wanted
//	ReplicaSet.Selector           without it, no pod is adopted or released
//	ReplicaSet.MinReadySeconds    without it, a ready pod is available
//	ReplicaSet.TemplateLabels     without them, each pod has all labels
//	Pods[].Labels                 without them, a selector releases the pod
//	Pods[].Phase                  without it, a finished pod counts
//	Pods[].DeletionTimestamp      without it, a pod that is being deleted counts
//	Pods[].Ready                  without it, the pod is not ready
//	Pods[].ReadySince             without it and with MinReadySeconds, the pod is never available
//	Pods[].NodeName               without it, the pod is the first to be deleted
//	Pods[].UID                    without it, a deletion may hit another pod with the same name
//	Pods[].Annotations            without a deletion cost, the cost is 0
//	Siblings                      without them, their pods on a node do not count as neighbours
//	Expectations                  without them, pods that were just created are created again
//
// Times and restarts also decide which pods are deleted, see package podorder.
// ReplicaSet.Generation and Status are read for the next status.
type Snapshot struct {
	ReplicaSet ReplicaSet `json:"replicaSet"`
	// Pods are, in any order, all pods that the ReplicaSet controls, with any labels and
	// phase and even if they are being deleted, and all pods without a controller that its
	// selector selects, to be adopted. If there are more pods than wanted, add all pods that
	// the ReplicaSet and the Siblings with its controller select, with any controller: as
	// neighbours they decide which pods are deleted. Other pods of the namespace are ignored,
	// and may be left out. With [Kubernetes15WithoutGarbageCollector], Pods are all pods that
	// the selector selects.
	Pods []podorder.Pod `json:"pods,omitempty"`
	// Siblings are the other ReplicaSets of the namespace, in any order. Pods of siblings
	// with the same controller count as neighbours when pods are to be deleted; all other
	// siblings are ignored. Read: Name, UID, ControllerUID, Selector.
	Siblings []ReplicaSet `json:"siblings,omitempty"`
	// Expectations are the writes that Pods may not show yet. Read them before Pods, or a pod
	// could be missing from both.
	Expectations Expectations `json:"expectations,omitzero"`
	// Written are the versions that earlier passes have written, from [Result.Written], and
	// Read the versions up to which the caches had read when Pods and ReplicaSet were taken
	// from them. While Read is older than Written, nothing is planned. If a cache cannot tell
	// how far it has read, leave Read empty: then no plan waits for it.
	Written Versions `json:"written,omitzero"`
	Read    Versions `json:"read,omitzero"`
	// Domains are the failure domains of the nodes; only Options.Spread reads them. An empty
	// map puts all nodes into one domain, and with nil each node is its own domain.
	Domains podorder.Domains `json:"domains,omitzero"`
}

// A ReplicaSet is the desired state of a set of equal pods, and the last written status. Kind
// makes it a ReplicationController or another kind of yours; both are planned in the same
// way. Kinds decide nothing: a pod belongs to the ReplicaSet with the UID of its controller.
// The planner of this package does not read ResourceVersion, Labels, Annotations and
// Template; the planner of package deploy does.
type ReplicaSet struct {
	Kind            string            `json:"kind,omitzero"`       // "" means ReplicaSet
	APIVersion      string            `json:"apiVersion,omitzero"` // "" is the version of a ReplicaSet or ReplicationController
	PodKind         string            `json:"podKind,omitzero"`    // of its pods, for texts; "" means Pod
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
	// controlled pods that it no longer selects are released. With nil the pods are the
	// controlled pods, and none is adopted or released.
	Selector        *selector.LabelSelector `json:"selector,omitempty"`
	MinReadySeconds int32                   `json:"minReadySeconds,omitzero"`
	Template        revision.Template       `json:"template,omitzero"`
	TemplateLabels  map[string]string       `json:"templateLabels,omitempty"` // labels of new pods

	Status Status `json:"status,omitzero"`
}

// A Status is the reported status of a ReplicaSet. Counts are of active pods.
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

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 with its default
// feature gates.
type Options struct {
	// Burst is the number of pods that one plan may create or delete; 0 means 500.
	Burst int32 `json:"burst,omitzero"`
	// InitialBatch is the size of the first batch of creations; 0 means 1.
	InitialBatch int32 `json:"initialBatch,omitzero"`
	// Dialect selects the release of Kubernetes whose rules decide.
	Dialect Dialect `json:"dialect,omitzero"`
	// Repair selects the quirks of Kubernetes to repair.
	Repair quirk.Set `json:"repair,omitzero"`
	// Terminating determines whether pods that are being deleted hold back new pods.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// OmitTerminating leaves terminatingReplicas out of the status, as Kubernetes does
	// without the feature gate DeploymentReplicaSetTerminatingReplicas.
	OmitTerminating bool `json:"omitTerminating,omitzero"`
	// Order decides which pods are deleted first. Its Now, Neighbours and Related are
	// replaced, and so is Domains if unset.
	Order podorder.Order `json:"order,omitzero"`
	// Spread deletes from the fullest of Snapshot.Domains first and counts again after each
	// victim, instead of counting neighbours on nodes once. It has no effect if Order has
	// stages.
	Spread bool `json:"spread,omitzero"`
}

// A TerminatingPolicy determines when pods that are being deleted are replaced.
type TerminatingPolicy string

// ReplaceTerminated creates the replacement of a pod that is being deleted only after the pod
// has ended. The empty policy replaces it at once, so that both run for a while.
const ReplaceTerminated TerminatingPolicy = "TerminationComplete"

// A Dialect is a release of Kubernetes with different rules.
type Dialect string

// Kubernetes15 decides as Kubernetes 1.5. Pods are created all at once, and a pod becomes
// available after minReadySeconds and not at that instant. Victims are chosen by
// [podorder.Legacy15] unless Order sets another chain. Pods that are not selected are
// released even by a ReplicaSet that is being deleted, and no live check comes before an
// adoption. A pod that is gone before its deletion is an error, and terminating pods are not
// reported.
//
// A failed adoption does not end the pass: the rest of the pass is planned without the pod,
// see [Result].Again. [Effects15] gives the effects of events.
const Kubernetes15 Dialect = "v1.5"

// Kubernetes15WithoutGarbageCollector decides as Kubernetes 1.5 with the flag
// --enable-garbage-collector=false: like [Kubernetes15], but all active pods that the
// selector selects belong to the ReplicaSet, with any controller. None is adopted or
// released, and new pods have no controller. Without a selector, or with one that cannot be
// used, nothing is planned.
const Kubernetes15WithoutGarbageCollector Dialect = "v1.5-without-garbage-collector"

// is15 reports whether the rules of Kubernetes 1.5 apply.
func (d Dialect) is15() bool { return d == Kubernetes15 || d == Kubernetes15WithoutGarbageCollector }

// Entry returns the ReplicaSet as an entry in the history of its Deployment. It shares the
// annotations and the pointer to the size with rs. It leaves the annotations of the template,
// which no planner reads, to the caller. Entry(nil) is the zero Entry.
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

// A PodReader reads pods in place, such as objects of the API in a cache. No two pods have
// the same name or UID. See [ReconcileFrom].
type PodReader interface {
	// Len returns the number of pods.
	Len() int
	// At returns the fields of a pod that counting needs: Labels, ControllerKind, ControllerName,
	// ControllerUID, DeletionTimestamp, NodeName, Phase, Ready and ReadySince. Other fields are
	// not read. It returns nil if there is no such pod. The result is valid until the next call,
	// so the reader may use the same memory again.
	At(i int) *podorder.Pod
	// Read copies all fields of a pod into p, which is zero. It is called only for pods that At
	// has returned, and only if the plan adopts, releases or deletes pods.
	Read(i int, p *podorder.Pod)
}

// podList reads the pods of a snapshot, in which a name or a UID may occur twice.
type podList []podorder.Pod

func (l podList) Len() int { return len(l) }

func (l podList) At(i int) *podorder.Pod { return &l[i] }

func (l podList) Read(i int, p *podorder.Pod) { *p = l[i] }
