// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaSet is a ReplicaSet, or a ReplicationController converted to one, with the input of its
// planner.
type ReplicaSet struct {
	File      string
	Namespace string
	Kind      string
	Snapshot  replicaset.Snapshot
	// Workload is a Deployment with only this ReplicaSet, so that pods, nodes and limits are
	// handled the same way for both.
	Workload Workload
}

// Name returns the kind and name of the ReplicaSet, for messages.
func (r *ReplicaSet) Name() string { return describe(r.Kind, r.Snapshot.ReplicaSet.Name) }

// Key identifies the ReplicaSet or ReplicationController.
func (r *ReplicaSet) Key() string { return r.Kind + "/" + key(r.Workload.Deployment) }

// Invalid returns err as an error of the ReplicaSet.
func (r *ReplicaSet) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// ID returns the ID of the ReplicaSet or ReplicationController.
func (r *ReplicaSet) ID() ID { return setID(r.Kind, r.Namespace, r.Snapshot.ReplicaSet.Name) }

// loadAlone returns the ReplicaSets and ReplicationControllers that are planned on their own:
// without a controller or a Deployment of the input that would adopt them, or asked for by name.
func (l *loader) loadAlone(deployments []Workload, only []types.UID, around *surroundings) (list []ReplicaSet, err error) {
	namespaces, taken, places := l.namespaces(), names{}, byUID(deployments)
	adopts := adopter(deployments)
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if h := source.object; !slices.Contains(only, h.uid) && !l.selected.byName(h) && (h.controlled || !h.isController() && adopts(h)) {
			if l.selected.Selection == nil {
				l.noteOwned(source, places)
			}
			continue
		}
		rs := source.object.pin()
		r := ReplicaSet{File: source.file, Namespace: rs.Namespace, Kind: rs.Kind}
		n := namespaces[rs.Namespace]
		r.Workload = l.asWorkload(source, around) // an autoscaler may change its replicas
		r.Snapshot = n.snapshot(snapshotOf(rs))
		if err := validateReplicaSet(rs); err != nil {
			if err = l.reject(r.ID(), r.Invalid(err)); err != nil {
				return nil, err
			}
			withdraw(deployments, source.object)
			continue
		}
		if err := taken.take(r.Key(), r.File); err != nil {
			return nil, r.Invalid(err)
		}
		list = append(list, r)
	}
	return list, nil
}

// adopter returns a function that reports whether a Deployment of a list adopts a ReplicaSet
// without a controller.
func adopter(list []Workload) func(*heldSet) bool {
	var selectors map[string][]labels.Selector // by namespace; nil until the first call
	return func(h *heldSet) bool {
		if selectors == nil {
			selectors = map[string][]labels.Selector{}
			for _, w := range list {
				if selector, err := metav1.LabelSelectorAsSelector(w.held.open().Spec.Selector); err == nil {
					selectors[w.held.namespace] = append(selectors[w.held.namespace], selector)
				}
				w.held.close()
			}
		}
		return slices.ContainsFunc(selectors[h.namespace], func(o labels.Selector) bool { return o.Matches(h.labels) })
	}
}

// noteOwned notes a ReplicaSet if its owner is not in the input.
func (l *loader) noteOwned(source source[heldSet], deployments map[owner]int) {
	h := source.object
	if _, planned := deployments[h.owner()]; !h.controlled || planned && !h.isController() {
		return
	}
	owner := metav1.GetControllerOfNoCopy(h.open())
	h.close()
	l.notes = append(l.notes, fmt.Sprintf("%s: skipped %s: its %s is not in the input", source.file, h.describe(), owner.Kind))
}

// asWorkload returns a Deployment with only this ReplicaSet.
func (l *loader) asWorkload(from source[heldSet], around *surroundings) Workload {
	rs, d := from.object.pin(), &appsv1.Deployment{}
	d.Namespace, d.Name, d.UID = rs.Namespace, rs.Name, rs.UID
	d.Spec.Replicas, d.Spec.Selector, d.Spec.Template, d.Spec.MinReadySeconds = rs.Spec.Replicas, rs.Spec.Selector, rs.Spec.Template, rs.Spec.MinReadySeconds
	w := Workload{File: from.file, Deployment: d, kind: rs.Kind, surroundings: around, scaled: l.autoscale(rs.Kind, rs, &rs.Spec.Replicas)}
	d.Spec.Replicas = rs.Spec.Replicas
	own := rs.DeepCopy()
	own.OwnerReferences = []metav1.OwnerReference{{Kind: "Deployment", Name: d.Name, UID: d.UID, Controller: new(true)}}
	w.ReplicaSets = []*appsv1.ReplicaSet{own}
	for _, p := range l.podsOf(rs.Namespace) {
		if metav1.IsControlledBy(p, rs) {
			w.Pods = append(w.Pods, p)
		}
	}
	return w
}

// validateReplicaSet returns the error for a ReplicaSet that the API server would reject, as far as
// a plan depends on it.
func validateReplicaSet(rs *appsv1.ReplicaSet) error {
	if err := checkReplicaSet(rs); err != nil {
		return err
	}
	return kube.ValidateReplicaSet(rs)
}

// identifyReplicaSets gives manifests without a controller a UID and a generation if they lack
// them.
func (l *loader) identifyReplicaSets() {
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if h := source.object; h.uid == "" && !h.controlled {
			h.uid, h.made = madeUID(h.kind.Value().Kind+"/", h.namespace, h.name), true
		}
	}
}
