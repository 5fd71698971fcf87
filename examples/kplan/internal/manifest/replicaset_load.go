// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/kube"
)

// assignAlone completes the ReplicaSets and ReplicationControllers that are planned on their own:
// without a controller or a Deployment of the input that would adopt them, or asked for by name.
func (l *loader) assignAlone(s *Set, from Source) error {
	namespaces, files, deployments := l.namespaces(), map[string]string{}, s.byUID()
	adopts := s.adopter()
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if h := source.object; !slices.Contains(from.Only, h.uid) && !l.selected.byName(h) && (h.controlled || !h.isController() && adopts(h)) {
			if l.selected.Selection == nil {
				s.noteOwned(source, deployments)
			}
			continue
		}
		rs := source.object.pin()
		r := ReplicaSet{File: source.file, Namespace: rs.Namespace, Kind: rs.Kind}
		n := namespaces[rs.Namespace]
		r.Workload = l.asWorkload(source, s) // an autoscaler may change its replicas
		r.Snapshot = n.snapshot(snapshotOf(rs))
		if err := validateReplicaSet(rs); err != nil {
			if err = l.reject(r.ID(), r.Invalid(err)); err != nil {
				return err
			}
			s.withdraw(source.object)
			continue
		}
		if first, ok := files[r.Key()]; ok {
			return r.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[r.Key()] = r.File
		s.ReplicaSets = append(s.ReplicaSets, r)
	}
	return nil
}

// adopter returns a function that reports whether a Deployment of the input adopts a ReplicaSet
// without a controller.
func (s *Set) adopter() func(*heldSet) bool {
	var selectors map[string][]labels.Selector // by namespace; nil until the first call
	return func(h *heldSet) bool {
		if selectors == nil {
			selectors = map[string][]labels.Selector{}
			for _, w := range s.Workloads {
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
func (s *Set) noteOwned(source source[heldSet], deployments map[owner]int) {
	h := source.object
	if _, planned := deployments[h.owner()]; !h.controlled || planned && !h.isController() {
		return
	}
	owner := metav1.GetControllerOfNoCopy(h.open())
	h.close()
	s.Notes = append(s.Notes, fmt.Sprintf("%s: skipped %s: its %s is not in the input", source.file, h.describe(), owner.Kind))
}

// asWorkload returns a Deployment with only this ReplicaSet.
func (l *loader) asWorkload(from source[heldSet], s *Set) Workload {
	rs, d := from.object.pin(), &appsv1.Deployment{}
	d.Namespace, d.Name, d.UID = rs.Namespace, rs.Name, rs.UID
	d.Spec.Replicas, d.Spec.Selector, d.Spec.Template, d.Spec.MinReadySeconds = rs.Spec.Replicas, rs.Spec.Selector, rs.Spec.Template, rs.Spec.MinReadySeconds
	w := Workload{File: from.file, Deployment: d, kind: rs.Kind, limits: l.limitObjects, shared: &s.Shared, scaled: l.autoscale(rs.Kind, rs, &rs.Spec.Replicas)}
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
