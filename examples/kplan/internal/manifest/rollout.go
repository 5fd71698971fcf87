// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Rollout is a Rollout of OpenKruise with its BatchRelease, its workload and the objects that
// route traffic to it.
type Rollout struct {
	File      string
	Namespace string

	Snapshot kruise.Snapshot
	Workload workload.Workload
	Batch    *batchrelease.Snapshot // nil if there is no BatchRelease
	Pods     []*corev1.Pod          // of the workload

	Deployment *Workload  // the workload, if it is a Deployment
	Set        *PodSet    // the workload, if it is a CloneSet or a StatefulSet
	DaemonSet  *DaemonSet // the workload, if it is a DaemonSet
	Canaries   []Workload // canary Deployments that the Rollout has made

	*surroundings
}

// Nodes returns the nodes of the input, or the assumed nodes of a DaemonSet.
func (r *Rollout) Nodes() []*corev1.Node {
	if r.DaemonSet != nil {
		return r.DaemonSet.Nodes
	}
	return r.surroundings.Nodes
}

// Around returns the other objects of a cluster that affect the Rollout and its workload.
func (r *Rollout) Around() Around {
	if r.DaemonSet != nil {
		return r.DaemonSet.Around(r.Namespace)
	}
	return r.surroundings.Around(r.Namespace)
}

// Name returns the kind and name of the Rollout, for messages.
func (r *Rollout) Name() string { return describe("Rollout", r.Snapshot.Rollout.Name) }

// Invalid returns err as an error of the Rollout.
func (r *Rollout) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// Releases reports whether a Deployment is the workload of the Rollout or its canary.
func (r *Rollout) Releases(w *Workload) bool {
	ref, o := r.Workload.Ref, w.head()
	return ref.Group() == "apps" && ref.Kind == "Deployment" && r.Namespace == o.namespace &&
		(ref.Name == o.name || w.held != nil && ref.Name == w.held.canaryOf)
}

// Runs reports whether a DaemonSet is the workload of the Rollout.
func (r *Rollout) Runs(d *DaemonSet) bool {
	ref := r.Workload.Ref
	return ref.Kind == daemonset.Kind && (ref.Group() != "apps") == (d.Advanced != nil) && r.Namespace == d.Object.Namespace && ref.Name == d.Object.Name
}

// ID returns the ID of the Rollout.
func (r *Rollout) ID() ID {
	return ID{"Rollout", kruiseRollouts, r.Namespace, r.Snapshot.Rollout.Name}
}

// WorkloadID returns the ID of the workload of the Rollout.
func (r *Rollout) WorkloadID() ID {
	ref := &r.Workload.Ref
	return ID{ref.Kind, ref.Group(), r.Namespace, ref.Name}
}

// Leaving reports whether the workload is being deleted.
func (r *Rollout) Leaving() bool {
	switch {
	case r.Deployment != nil:
		return r.Deployment.Deployment.DeletionTimestamp != nil
	case r.Set != nil:
		return r.Set.Object.GetDeletionTimestamp() != nil
	case r.DaemonSet != nil:
		return r.DaemonSet.Object.DeletionTimestamp != nil
	}
	return false
}
