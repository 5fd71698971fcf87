// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// A Snapshot is everything that [Reconcile] looks at. Reconcile does not change a
// Snapshot and keeps no part of it.
//
// The least snapshot. Without the first five there is an error that names the field;
// without any of the others, there is a plan that does without.
//
//	now                                   the time of conditions
//	Deployment.Name                       new ReplicaSets are named after it
//	Deployment.UID                        says which ReplicaSets are its own
//	ReplicaSets[].Name                    actions name it
//	ReplicaSets[].UID                     actions name it, and it says which pods are its own
//	ReplicaSets[].ControllerUID           without it, it is not looked at, or adopted by a selector
//	ReplicaSets[].Template.ID             says which ReplicaSet is the new one
//	ReplicaSets[].Replicas                without it, it wants 1 pod
//	ReplicaSets[].Status                  without available pods, no old ones go
//	ReplicaSets[].Annotations             without the desired replicas, a change of Replicas is not shared
//	Deployment.Template.Hash              without it, names of new ReplicaSets collide
//	Deployment.Replicas                   without it, it wants 1 pod
//	Deployment.MaxSurge                   without it and MaxUnavailable, 1 pod may be unavailable
//	Deployment.ProgressDeadlineSeconds    without it, there is no condition Progressing
//	Pods                                  without them, Recreate waits for the statuses alone
//
// Deployment.Generation and Status show whether the rollout is complete.
type Snapshot struct {
	Deployment Deployment `json:"deployment"`
	// ReplicaSets are all ReplicaSets of the namespace, in any order.
	ReplicaSets []replicaset.ReplicaSet `json:"replicaSets,omitempty"`
	// Pods are, in any order, all pods that the Deployment's ReplicaSets control, including
	// ReplicaSets that it adopts. The Recreate strategy reads their phase and the
	// controller's UID, and Options.PausePoints the fields that decide the order of
	// deletion; without both, leave out all pods. Pods of other owners are not read. While an
	// old ReplicaSet wants pods, pause points need a name for each pod, and no two pods with
	// one name or UID.
	Pods []podorder.Pod `json:"pods,omitempty"`
}

// A Strategy is how a Deployment replaces pods of an old template.
type Strategy string

// The strategies of a Deployment. The empty Strategy is RollingUpdate.
const (
	RollingUpdate Strategy = "RollingUpdate"
	Recreate      Strategy = "Recreate"
)

// NoLimit as ProgressDeadlineSeconds means no deadline, and as
// RevisionHistoryLimit that no old ReplicaSet is deleted.
const NoLimit = 1<<31 - 1

// A Deployment is the desired state and the last written status. An unset field means the
// same as to the Deployment controller. The API server sets the defaults of the API, such
// as limits of 25%, before the controller sees them; Default of package kube does the same.
// If neither limit is more than 0, MaxUnavailable is 1.
//
// Kinds are written to actions, owner references and texts. They decide nothing: the
// controller's UID identifies the Deployment of a ReplicaSet, and the ReplicaSet of a pod.
// Reasons of conditions keep Kubernetes' words, because later passes read them.
type Deployment struct {
	Kind            string            `json:"kind,omitzero"`           // a kind of your own; "" means Deployment
	ReplicaSetKind  string            `json:"replicaSetKind,omitzero"` // of its ReplicaSets; "" means ReplicaSet
	Name            string            `json:"name"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion,omitzero"` // read by pause points only
	Generation      int64             `json:"generation,omitzero"`
	Annotations     map[string]string `json:"annotations,omitempty"`

	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	// Selector finds the ReplicaSets by their labels. A Deployment without one has
	// the ReplicaSets that it controls, and neither adopts nor releases any.
	Selector *selector.LabelSelector `json:"selector,omitempty"`

	Replicas                *int32               `json:"replicas,omitzero"` // nil means 1
	Template                revision.Template    `json:"template"`
	TemplateLabels          map[string]string    `json:"templateLabels,omitempty"`
	Strategy                Strategy             `json:"strategy,omitzero"`       // "" means RollingUpdate
	MaxSurge                rollout.IntOrPercent `json:"maxSurge,omitzero"`       // unset means 0
	MaxUnavailable          rollout.IntOrPercent `json:"maxUnavailable,omitzero"` // unset means 0
	MinReadySeconds         int32                `json:"minReadySeconds,omitzero"`
	ProgressDeadlineSeconds *int32               `json:"progressDeadlineSeconds,omitzero"` // nil means none
	RevisionHistoryLimit    *int32               `json:"revisionHistoryLimit,omitzero"`    // nil means all are kept
	Paused                  bool                 `json:"paused,omitzero"`

	// Partitioned asks for the rules of partitioned Deployments; see [PartitionedBy].
	// It replaces Strategy, MaxSurge, MaxUnavailable and Paused. Nil is a plain
	// Deployment.
	Partitioned *partition.Strategy `json:"partitioned,omitzero"`

	Status Status `json:"status,omitzero"`
}

// A Status is the status of a Deployment.
type Status struct {
	ObservedGeneration  int64             `json:"observedGeneration,omitzero"`
	Replicas            int32             `json:"replicas,omitzero"`            // pods of all its ReplicaSets
	UpdatedReplicas     int32             `json:"updatedReplicas,omitzero"`     // pods of the new ReplicaSet
	ReadyReplicas       int32             `json:"readyReplicas,omitzero"`       // ready pods of all
	AvailableReplicas   int32             `json:"availableReplicas,omitzero"`   // available pods of all
	UnavailableReplicas int32             `json:"unavailableReplicas,omitzero"` // pods wanted but not available
	TerminatingReplicas *int32            `json:"terminatingReplicas,omitzero"` // nil if some ReplicaSet does not report it
	CollisionCount      *int32            `json:"collisionCount,omitzero"`      // hash collisions so far, nil means none
	Conditions          []kplan.Condition `json:"conditions,omitempty"`
}
