// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// A Snapshot is everything that [Reconcile] looks at. Reconcile does not change a
// Snapshot and keeps no part of it.
//
// The least snapshot. Without the first four there is an error that names the field;
// without any of the others, there is a plan that does without.
//
//	now                           what is available, and when to look again
//	ReplicaSet.Name               actions and events name it
//	ReplicaSet.UID                says which pods are its own
//	Pods[].Name                   actions name it
//	Pods[].ControllerUID          without it, it is adopted by a selector, or not looked at
//	ReplicaSet.Replicas           without it, it wants 1 pod
//	ReplicaSet.Selector           without it, no pod is adopted or released
//	ReplicaSet.MinReadySeconds    without it, a ready pod is available
//	ReplicaSet.TemplateLabels     without them, each pod has all labels
//	Pods[].Labels                 without them, a selector releases it
//	Pods[].Phase                  without it, one that has ended counts
//	Pods[].DeletionTimestamp      without it, one that is being deleted counts
//	Pods[].Ready                  without it, it is not ready
//	Pods[].ReadySince             without it and with MinReadySeconds, it is never available
//	Pods[].NodeName               without it, it is the first to be deleted
//	Pods[].UID                    without it, a deletion may hit another pod of its name
//	Pods[].Annotations            without the cost of its deletion, that is 0
//	Siblings                      without them, their pods on its node do not count
//	Expectations                  without them, what was just created is created again
//
// Of pods to be deleted, times and restarts decide as well, see package podorder.
// ReplicaSet.Generation and Status are read for the next status.
type Snapshot struct {
	ReplicaSet ReplicaSet `json:"replicaSet"`
	// Pods are, in any order, all that the ReplicaSet controls, whatever their labels and
	// phase and even if they are being deleted, and all that nobody controls and its
	// selector selects, to be adopted. If it has more of them than it wants, those that it
	// and the Siblings with its controller select have to be there as well, whoever
	// controls them: as neighbours they decide which pods go. Others of the namespace may
	// be there or be left out: they are not looked at. With
	// [Kubernetes15WithoutGarbageCollector] they are all that its selector selects.
	Pods []podorder.Pod `json:"pods,omitempty"`
	// Siblings are the other ReplicaSets of the namespace, in any order. The pods of
	// those with the same controller count as neighbours when pods are to be deleted;
	// all others are ignored. Read: Name, UID, ControllerUID, Selector.
	Siblings []ReplicaSet `json:"siblings,omitempty"`
	// Expectations are the writes that Pods may not show yet. They must have been
	// read before Pods were, or a pod could be missing from both.
	Expectations Expectations `json:"expectations,omitzero"`
	// Written are the versions that earlier passes have left, from [Result.Written], and
	// Read those up to which the caches had read when Pods and ReplicaSet were taken from
	// them. While what was read is older, nothing is planned. A cache that cannot tell how
	// far it has read leaves Read empty, and then nothing waits for it.
	Written Versions `json:"written,omitzero"`
	Read    Versions `json:"read,omitzero"`
	// Domains are the failure domains of the nodes; only Options.Spread reads them. Empty ones
	// put all nodes into one, nil ones make each node one of its own.
	Domains podorder.Domains `json:"domains,omitzero"`
}

// A ReplicaSet is the desired state of a set of equal pods, and the last written
// status; or, as its Kind says, a ReplicationController or a kind of one's own, which
// are planned in the same way. Kinds decide nothing: whose a pod is, its controller's UID
// says. The planner of this package does not read ResourceVersion, Labels, Annotations
// and Template; that of package deploy does.
type ReplicaSet struct {
	Kind            string            `json:"kind,omitzero"`       // "" means ReplicaSet
	APIVersion      string            `json:"apiVersion,omitzero"` // "" is that of a ReplicaSet or ReplicationController
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
	// Selector selects the pods: those that it selects and that have no controller are
	// adopted, and those that it no longer selects are released. With nil the pods are
	// those that the ReplicaSet controls, and none is adopted or released.
	Selector        *selector.LabelSelector `json:"selector,omitempty"`
	MinReadySeconds int32                   `json:"minReadySeconds,omitzero"`
	Template        revision.Template       `json:"template,omitzero"`
	TemplateLabels  map[string]string       `json:"templateLabels,omitempty"` // labels of new pods

	Status Status `json:"status,omitzero"`
}

// A Status is what a ReplicaSet reports. Counts are of active pods.
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

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 does
// with its default feature gates.
type Options struct {
	// Burst is how many pods one plan may create or delete; 0 means 500.
	Burst int32 `json:"burst,omitzero"`
	// InitialBatch is the size of the first batch of creations; 0 means 1.
	InitialBatch int32 `json:"initialBatch,omitzero"`
	// Dialect is the release whose rules decide.
	Dialect Dialect `json:"dialect,omitzero"`
	// Repair is which quirks of Kubernetes are repaired.
	Repair Quirks `json:"repair,omitzero"`
	// Terminating is what pods that are being deleted count for.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// OmitTerminating leaves terminatingReplicas out of the status, as Kubernetes does
	// without the feature gate DeploymentReplicaSetTerminatingReplicas.
	OmitTerminating bool `json:"omitTerminating,omitzero"`
	// Order is how the pods to be deleted are chosen. Its Now and Neighbours are
	// replaced, and so are Related and, if it has none, Domains.
	Order podorder.Order `json:"order,omitzero"`
	// Spread deletes from the fullest of Snapshot.Domains first, counted anew after
	// each victim, in place of counting neighbours on nodes once. Of no effect if Order
	// has stages.
	Spread bool `json:"spread,omitzero"`
}

// A TerminatingPolicy is what pods that are being deleted count for.
type TerminatingPolicy string

// ReplaceTerminated creates a pod in place of one that is being deleted only when
// that one has ended. The empty policy replaces it at once, so that both run for a
// while.
const ReplaceTerminated TerminatingPolicy = "TerminationComplete"
