// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// A Phase is the phase of a pod. The empty Phase counts as Pending.
type Phase string

// The phases of a pod.
const (
	Pending   Phase = "Pending"
	Running   Phase = "Running"
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
	Unknown   Phase = "Unknown"
)

// A Pod holds the fields of a pod that the planners read. Names are unique in a namespace,
// and a snapshot holds the pods of one namespace.
type Pod struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Labels          map[string]string `json:"labels,omitzero"`
	Annotations     map[string]string `json:"annotations,omitzero"`

	// The controller of the pod: the first owner reference whose field controller is true. All
	// three fields are empty for an orphan.
	ControllerKind string `json:"controllerKind,omitzero"`
	ControllerName string `json:"controllerName,omitzero"`
	ControllerUID  string `json:"controllerUID,omitzero"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	DeletionTimestamp time.Time `json:"deletionTimestamp,omitzero"` // zero unless the pod is being deleted

	NodeName string `json:"nodeName,omitzero"` // "" until scheduled
	Phase    Phase  `json:"phase,omitzero"`

	// Ready indicates whether the first condition of type Ready is True. ReadySince is the
	// lastTransitionTime of this condition; it may be zero even for a ready pod.
	Ready      bool      `json:"ready,omitzero"`
	ReadySince time.Time `json:"readySince,omitzero"`

	// Restarts is the highest restart count of the containers, and SidecarRestarts of the
	// sidecars, the init containers with restartPolicy Always.
	Restarts        int32 `json:"restarts,omitzero"`
	SidecarRestarts int32 `json:"sidecarRestarts,omitzero"`
}

// Finished reports whether the pod has ended and will not run again.
func (p *Pod) Finished() bool { return p.Phase == Succeeded || p.Phase == Failed }

// Active reports whether the pod counts as a replica: not finished and not being
// deleted. It mirrors IsPodActive of the controller package of Kubernetes.
func (p *Pod) Active() bool { return !p.Finished() && p.DeletionTimestamp.IsZero() }

// Terminating reports whether the pod is being deleted and is not finished. It mirrors
// IsPodTerminating of the controller package of Kubernetes.
func (p *Pod) Terminating() bool { return !p.Finished() && !p.DeletionTimestamp.IsZero() }
