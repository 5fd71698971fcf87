// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A WatchKey names an object to reconcile again.
type WatchKey struct {
	Kind string `json:"kind"` // Rollout: [Reconcile]; BatchRelease: [batchrelease.Reconcile]; Deployment: its own controller
	Name string `json:"name"`
}

// A WatchedWorkload is a workload that was created, changed or deleted, and the objects that
// may have to follow it.
type WatchedWorkload struct {
	Old *workload.Workload `json:"old,omitempty"` // nil if it was created
	New *workload.Workload `json:"new,omitempty"` // nil if it was deleted
	// Rollouts and BatchReleases are the objects of the namespace, in the order of the list: the
	// first Rollout counts, and the last BatchRelease.
	Rollouts []Rollout              `json:"rollouts,omitempty"`
	Releases []batchrelease.Release `json:"releases,omitempty"`
}

// Keys returns the objects to reconcile after an event of a workload:
//
//   - the Rollout that names it;
//   - its BatchRelease if the generation or the status has changed, or the workload was
//     created or deleted;
//   - a Deployment itself if it is updated by partition and its generation or an annotation
//     has changed.
func (e WatchedWorkload) Keys() []WatchKey {
	w := e.New
	if w == nil {
		w = e.Old
	}
	if w == nil {
		return nil
	}
	var keys []WatchKey
	for i := range e.Rollouts {
		if e.Rollouts[i].WorkloadRef.Same(w.Ref) {
			keys = append(keys, WatchKey{Kind: "Rollout", Name: e.Rollouts[i].Name})
			break
		}
	}
	if e.observed() {
		if name := releaseOf(w, e.Releases); name != "" {
			keys = append(keys, WatchKey{Kind: "BatchRelease", Name: name})
		}
	}
	if e.New != nil && w.Traits().Paused && w.UnderPartition() && e.written() {
		keys = append(keys, WatchKey{Kind: "Deployment", Name: w.Name})
	}
	return keys
}

// observed reports whether a BatchRelease would see a difference.
func (e WatchedWorkload) observed() bool {
	a, b := e.Old, e.New
	if a == nil || b == nil {
		return true
	}
	return a.Generation != b.Generation || a.Status != b.Status || a.StableRevision != b.StableRevision || a.UpdateRevision != b.UpdateRevision
}

// written reports whether the workload changed, and not only its status.
func (e WatchedWorkload) written() bool {
	return e.Old == nil || e.Old.Generation != e.New.Generation || !maps.Equal(e.Old.Annotations, e.New.Annotations)
}

// releaseOf returns the name of the BatchRelease of a workload: the one that drives it, else
// the last that names it.
func releaseOf(w *workload.Workload, releases []batchrelease.Release) string {
	if name := w.DrivenBy(); name != "" {
		return name
	}
	for i := range slices.Backward(releases) {
		if releases[i].WorkloadRef.Same(w.Ref) {
			return releases[i].Name
		}
	}
	return ""
}

// A WatchedPod is a pod that was created, changed or deleted.
type WatchedPod struct {
	Old *workload.Pod `json:"old,omitempty"` // nil if it was created
	New *workload.Pod `json:"new,omitempty"` // nil if it was deleted
	// Owner is the workload at the top of its owners, or nil.
	Owner *workload.Workload `json:"owner,omitempty"`
}

// Keys returns the objects to reconcile after an event of a pod: the BatchRelease that drives
// its workload, if the pod was created, or its revision or readiness has changed.
func (e WatchedPod) Keys() []WatchKey {
	if e.New == nil || e.Owner == nil {
		return nil
	}
	if a, b := e.Old, e.New; a != nil && a.Ready == b.Ready && a.Labels[workload.LabelPodTemplateHash] == b.Labels[workload.LabelPodTemplateHash] &&
		a.Labels[workload.LabelControllerRevision] == b.Labels[workload.LabelControllerRevision] {
		return nil
	}
	if name := e.Owner.DrivenBy(); name != "" {
		return []WatchKey{{Kind: "BatchRelease", Name: name}}
	}
	return nil
}

// WatchedRelease returns the objects to reconcile after an update of a BatchRelease: the
// Rollout of the same name, and the BatchRelease.
func WatchedRelease(br batchrelease.Release) []WatchKey {
	return []WatchKey{{Kind: "Rollout", Name: br.Name}, {Kind: "BatchRelease", Name: br.Name}}
}

// WatchedReplicaSet returns the objects to reconcile after an event of a ReplicaSet: the
// Deployment that controls it, if it is updated by partition.
func WatchedReplicaSet(owner *workload.Workload) []WatchKey {
	if owner == nil || !owner.Traits().Paused || !owner.UnderPartition() {
		return nil
	}
	return []WatchKey{{Kind: "Deployment", Name: owner.Name}}
}
