// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// Missing is what a live object has by its own status and no file holds, such as its pods; ""
// is nothing. A planner would take that for lost and make it anew, and no answer would be true.
// Nothing is missing of manifests, nor of what was read from a cluster.
type Missing string

const (
	noSets      = Missing("ReplicaSets")
	noRevisions = Missing("ControllerRevisions")
	noPods      = Missing("pods")
)

// together are the types that kubectl has to print for an object of a kind.
var together = map[string]string{
	"Deployment": "deployment,replicaset,pod", "Rollout": "rollout,replicaset,pod,service",
	daemonset.Kind: "daemonset,controllerrevision,pod,node", replicaset.Kind: "replicaset,pod",
	replicaset.KindController: "replicationcontroller,pod", "CloneSet": "rollout,batchrelease,cloneset,pod",
	"StatefulSet": "rollout,batchrelease,statefulset,pod",
}

// Err says what is missing of an object of a kind, and who prints it.
func (m Missing) Err(kind string) error {
	return fmt.Errorf("its %s are not in the input; kubectl get %s -o yaml prints all that is needed", m, together[kind])
}

// hadSets reports whether a Deployment has a ReplicaSet by its status.
func hadSets(d *appsv1.Deployment) bool {
	return isLive(d.UID) && (d.Status.Replicas > 0 || d.Annotations[revision.AnnotationRevision] != "")
}

// Missing returns what of the Deployment, or of the ReplicaSet by itself, is missing.
func (w *Workload) Missing() Missing {
	switch {
	case w.held == nil && isLive(w.Deployment.UID) && len(w.Pods) == 0 && w.ReplicaSets[0].Status.Replicas > 0:
		return noPods
	case w.held != nil && w.held.hadSets && !slices.ContainsFunc(w.sets, func(rs *heldSet) bool { return rs.controlled }):
		return noSets
	}
	return ""
}

// Missing returns what of the DaemonSet is missing.
func (d *DaemonSet) Missing() Missing {
	own := func(r *appsv1.ControllerRevision) bool { return metav1.IsControlledBy(r, d.Object) }
	switch s := &d.Object.Status; {
	case !isLive(d.Object.UID):
	case s.ObservedGeneration > 0 && !slices.ContainsFunc(d.Revisions, own):
		return noRevisions
	case s.CurrentNumberScheduled > 0 && len(d.Controlled()) == 0:
		return noPods
	}
	return ""
}

// Missing returns what of the Rollout is missing.
func (r *ArgoRollout) Missing() Missing {
	s := &r.Object.Status
	if isLive(r.Object.UID) && len(r.ReplicaSets) == 0 && (s.Replicas > 0 || s.StableRS != "") {
		return noSets
	}
	return ""
}

// Missing returns what of the set is missing.
func (s *PodSet) Missing() Missing {
	if isLive(s.Object.GetUID()) && len(s.Pods) == 0 && s.Set.Status.Replicas > 0 {
		return noPods
	}
	return ""
}

// missing returns what of the workload of the Rollout is missing, and the kind and key of that.
// Those of OpenKruise, and StatefulSets, tell in their status all that is planned for.
func (r *Rollout) missing() (Missing, string, string) {
	switch {
	case r.Deployment != nil:
		return r.Deployment.Missing(), "Deployment", r.Deployment.Key()
	case r.DaemonSet != nil:
		return r.DaemonSet.Missing(), daemonset.Kind, r.DaemonSet.Key()
	}
	return "", "", ""
}

// dropPartial passes over the objects of which something is missing, and notes that. Those
// stay that only tell what runs before something else, or what follows such an object.
func (l *loader) dropPartial(s *Set, from Source) error {
	if from.Keep || from.Objects != nil || from.Also != nil || from.Only != nil {
		return nil
	}
	var notes []string
	drop := func(file, name string, m Missing, kind, key string) bool {
		if m == "" || from.WithoutNodes && kind == daemonset.Kind && m == noPods || from.Beside.holds(kind, key) {
			return false
		}
		notes = append(notes, fmt.Sprintf("%s: skipped %s: %v", file, name, m.Err(kind)))
		return true
	}
	s.Rollouts = without(s.Rollouts, func(r Rollout) bool {
		m, kind, key := r.missing()
		return drop(r.File, r.Name(), m, kind, key)
	})
	s.Argo = without(s.Argo, func(r ArgoRollout) bool { return drop(r.File, r.Name(), r.Missing(), "Rollout", r.Key()) })
	s.Workloads = without(s.Workloads, func(w Workload) bool { return drop(w.File, w.Name(), w.Missing(), "Deployment", w.Key()) })
	s.ReplicaSets = without(s.ReplicaSets, func(r ReplicaSet) bool { return drop(r.File, r.Name(), r.Workload.Missing(), r.Kind, r.Key()) })
	s.DaemonSets = without(s.DaemonSets, func(d DaemonSet) bool { return drop(d.File, d.Name(), d.Missing(), daemonset.Kind, d.Key()) })
	s.Notes = append(notes, s.Notes...)
	if len(notes) > 0 && s.empty() && !from.Whole {
		return passedOver("nothing to plan in the input", s.Notes)
	}
	return nil
}
