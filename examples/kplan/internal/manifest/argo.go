// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An ArgoRollout is a Rollout of Argo with its ReplicaSets, Services and pods.
type ArgoRollout struct {
	File        string
	Object      *kubeargo.RolloutObject // with the template of the workload that it names
	ReplicaSets []*appsv1.ReplicaSet
	Services    []*corev1.Service
	Pods        []*corev1.Pod // of the ReplicaSets
	Snapshot    argo.Snapshot
	Scaled      Scaling // by an autoscaler
	// Workload is an equivalent Deployment, with the same pods, nodes and limits.
	Workload Workload
}

// Name returns the kind and name of the Rollout, for messages.
func (r *ArgoRollout) Name() string { return describe("Rollout", r.Object.Name) }

// Key identifies the Rollout among all Rollouts.
func (r *ArgoRollout) Key() string { return key(r.Object) }

// Invalid returns err as an error of the Rollout.
func (r *ArgoRollout) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// At returns the snapshot at a time, which decides the pods that are available.
func (r *ArgoRollout) At(now time.Time) argo.Snapshot {
	s := r.Snapshot
	s.Pods = kubeargo.Pods(r.Object, r.ReplicaSets, r.Pods, now)
	return s
}

// Placed returns the kind, namespace and name of the Rollout, for notes.
func (r *ArgoRollout) Placed() string { return placed("Rollout", headOf(r.Object)) }

// ID returns the ID of the Rollout.
func (r *ArgoRollout) ID() ID {
	return ID{"Rollout", "argoproj.io", r.Object.Namespace, r.Object.Name}
}
