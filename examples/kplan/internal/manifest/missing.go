// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
)

// Missing names the objects that a live object has by its own status but that are not in the input,
// such as its pods, or is "". A planner would take them for deleted and create them again, so no
// plan would be right. Nothing is missing of a manifest, or of objects read from a cluster.
type Missing string

const (
	noSets      = Missing("ReplicaSets")
	noRevisions = Missing("ControllerRevisions")
	noPods      = Missing("pods")
)

// together are the types that kubectl has to print for each kind.
var together = map[string]string{
	"Deployment": "deployment,replicaset,pod", "Rollout": "rollout,replicaset,pod,service",
	daemonset.Kind: "daemonset,controllerrevision,pod,node", replicaset.Kind: "replicaset,pod",
	replicaset.KindController: "replicationcontroller,pod", "CloneSet": "rollout,batchrelease,cloneset,pod",
	"StatefulSet": "rollout,batchrelease,statefulset,pod",
}

// Err returns the error about the missing objects of a kind, with the command that prints them.
func (m Missing) Err(kind string) error {
	return fmt.Errorf("its %s are not in the input; kubectl get %s -o yaml prints all that is needed", m, together[kind])
}

// Missing returns the objects missing for the Deployment, or for a ReplicaSet on its own.
func (w *Workload) Missing() Missing {
	switch {
	case w.held == nil && isLive(w.Deployment.UID) && len(w.Pods) == 0 && w.ReplicaSets[0].Status.Replicas > 0:
		return noPods
	case w.held != nil && w.held.hadSets && !slices.ContainsFunc(w.sets, func(rs *heldSet) bool { return rs.controlled }):
		return noSets
	}
	return ""
}

// Missing returns the objects missing for the DaemonSet.
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

// Missing returns the objects missing for the Rollout.
func (r *ArgoRollout) Missing() Missing {
	s := &r.Object.Status
	if isLive(r.Object.UID) && len(r.ReplicaSets) == 0 && (s.Replicas > 0 || s.StableRS != "") {
		return noSets
	}
	return ""
}

// Missing returns the objects missing for the set.
func (s *PodSet) Missing() Missing {
	if isLive(s.Object.GetUID()) && len(s.Pods) == 0 && s.Set.Status.Replicas > 0 {
		return noPods
	}
	return ""
}

// missing returns the objects missing for the workload of the Rollout, with the kind and key of
// that workload. The status of a CloneSet or a StatefulSet has all that a plan needs, so nothing is
// missing of these.
func (r *Rollout) missing() (Missing, string, string) {
	switch {
	case r.Deployment != nil:
		return r.Deployment.Missing(), "Deployment", r.Deployment.Key()
	case r.DaemonSet != nil:
		return r.DaemonSet.Missing(), daemonset.Kind, r.DaemonSet.Key()
	}
	return "", "", ""
}

// dropPartial removes the objects with missing parts and notes that. It keeps objects that only
// describe the running state, and objects that such a state has.
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
