// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An ArgoRollout is a Rollout of Argo with what belongs to it.
type ArgoRollout struct {
	File        string
	Object      *kubeargo.RolloutObject // with the template of the workload that it names
	ReplicaSets []*appsv1.ReplicaSet
	Services    []*corev1.Service
	Pods        []*corev1.Pod // of the ReplicaSets
	Snapshot    argo.Snapshot
	Scaled      Scaling // by an autoscaler
	// Workload is a Deployment that stands for it, with its pods and what there is around them.
	Workload Workload
}

// Name returns what messages call the Rollout.
func (r *ArgoRollout) Name() string { return describe("Rollout", r.Object.Name) }

// Key tells Rollouts apart.
func (r *ArgoRollout) Key() string { return key(r.Object) }

// Invalid returns err as an error of the Rollout.
func (r *ArgoRollout) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// At returns the snapshot as of an instant: which pods are available depends on it.
func (r *ArgoRollout) At(now time.Time) argo.Snapshot {
	s := r.Snapshot
	s.Pods = kubeargo.Pods(r.Object, r.ReplicaSets, r.Pods, now)
	return s
}

// Placed returns what notes call the Rollout, with its namespace.
func (r *ArgoRollout) Placed() string { return placed("Rollout", headOf(r.Object)) }

// ID returns that of the Rollout.
func (r *ArgoRollout) ID() ID {
	return ID{"Rollout", "argoproj.io", r.Object.Namespace, r.Object.Name}
}
