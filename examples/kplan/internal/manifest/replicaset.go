// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaSet is one, or a ReplicationController in its form, with the input of its
// planner.
type ReplicaSet struct {
	File      string
	Namespace string
	Kind      string
	Snapshot  replicaset.Snapshot
	// Workload is what a Deployment would be that had this ReplicaSet alone: what depends
	// on pods, nodes and limits does so for both in the same way.
	Workload Workload
}

// Name returns what messages call the ReplicaSet.
func (r *ReplicaSet) Name() string { return describe(r.Kind, r.Snapshot.ReplicaSet.Name) }

// Key tells ReplicaSets and ReplicationControllers apart.
func (r *ReplicaSet) Key() string { return r.Kind + "/" + key(r.Workload.Deployment) }

// Invalid returns err as an error of the ReplicaSet.
func (r *ReplicaSet) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// fromController returns a ReplicationController with its defaults in the form of a
// ReplicaSet, which keeps the kind.
func fromController(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rs := kube.FromReplicationController(kube.Default(rc))
	rs.Kind = replicaset.KindController
	return rs
}

// snapshotOf returns the ReplicaSet as its planner reads it.
func snapshotOf(rs *appsv1.ReplicaSet) replicaset.ReplicaSet {
	r := kube.ReplicaSet(rs)
	if rs.Kind == replicaset.KindController {
		r.Kind = replicaset.KindController
	}
	return r
}

// A Listed ReplicaSet is one of [LoadReplicaSets], of which there may be thousands.
type Listed struct {
	File      string
	namespace *namespace
	held      *heldSet
}

// Namespace returns the namespace of the ReplicaSet.
func (r *Listed) Namespace() string { return r.held.namespace }

// Kind returns the kind of the ReplicaSet.
func (r *Listed) Kind() string { return r.held.kind.Value().Kind }

// Name returns the name of the ReplicaSet.
func (r *Listed) Name() string { return r.held.name }

// Invalid returns err as an error of the ReplicaSet.
func (r *Listed) Invalid(err error) error {
	return &Error{File: r.File, Object: r.held.describe(), Err: err}
}

// Full returns the input of the planner of the ReplicaSet.
func (r *Listed) Full() replicaset.Snapshot {
	return r.namespace.snapshot(snapshotOf(r.held.open()))
}

// Drop gives away the ReplicaSet behind the last use of it, and its siblings until they are
// asked for.
func (r *Listed) Drop() { r.namespace.forget(r.held.controller) }

// LoadReplicaSets reads the ReplicaSets and ReplicationControllers of a source whose pods it
// holds, in the order of the source, with Deployments or without. [Listed.Full] has their
// snapshots. The set tells what was
// passed over, and the latest time.
func LoadReplicaSets(s Source) (sets []Listed, set *Set, err error) {
	l, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	all := slices.Concat(l.replicaSets, l.controllers)
	if len(all) == 0 {
		return nil, nil, l.errNoSets()
	}
	if len(l.pods) == 0 {
		return nil, nil, errors.New("no Pod in the input; kubectl get replicaset,pod -o yaml prints all that is needed")
	}
	set = &Set{Notes: l.notes, Latest: l.latest}
	namespaces, seen := l.namespaces(), map[string]string{}
	for _, rs := range all {
		h := rs.object
		n := namespaces[h.namespace]
		loaded := Listed{rs.file, n, h}
		if h.wrong != nil {
			return nil, nil, loaded.Invalid(h.wrong)
		}
		key := loaded.Kind() + "/" + h.key()
		if first, ok := seen[key]; ok {
			return nil, nil, loaded.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		seen[key] = rs.file
		if !n.hasPodsOf(h) {
			set.Notes = append(set.Notes, fmt.Sprintf("%s: skipped %s: %v", loaded.File, h.describe(), noPods.Err(loaded.Kind())))
			continue
		}
		if s.Objects == nil || h.wanted(s.Only) {
			sets = append(sets, loaded)
		}
	}
	if s.Objects != nil {
		set.Notes = nil
	}
	return sets, set, nil
}

// wanted reports whether a ReplicaSet or its controller has one of the UIDs.
func (h *heldSet) wanted(only []types.UID) bool {
	return slices.Contains(only, h.uid) || h.controlled && slices.Contains(only, h.controller)
}

// assignAlone puts together the ReplicaSets and ReplicationControllers that are planned by
// themselves: those that nobody controls and no Deployment of the input would adopt, and
// those that were asked for by name.
func (l *loader) assignAlone(s *Set, from Source) error {
	namespaces, files, deployments := l.namespaces(), map[string]string{}, s.byUID()
	adopts := s.adopter()
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if h := source.object; !slices.Contains(from.Only, h.uid) && (h.controlled || !h.isController() && adopts(h)) {
			s.noteOwned(source, deployments)
			continue
		}
		rs := source.object.pin()
		r := ReplicaSet{File: source.file, Namespace: rs.Namespace, Kind: rs.Kind}
		n := namespaces[rs.Namespace]
		r.Workload = l.asWorkload(source, s) // which an autoscaler may have changed
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

// adopter returns a function that reports whether a Deployment of the input adopts a
// ReplicaSet that nobody controls.
func (s *Set) adopter() func(*heldSet) bool {
	var selectors map[string][]labels.Selector // by namespace, once they are asked for
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

// noteOwned notes a ReplicaSet of something that is not in the input.
func (s *Set) noteOwned(source source[heldSet], deployments map[owner]int) {
	h := source.object
	if _, planned := deployments[h.owner()]; !h.controlled || planned && !h.isController() {
		return
	}
	owner := metav1.GetControllerOfNoCopy(h.open())
	h.close()
	s.Notes = append(s.Notes, fmt.Sprintf("%s: skipped %s: its %s is not in the input", source.file, h.describe(), owner.Kind))
}

// asWorkload returns what a Deployment would be that had the ReplicaSet alone.
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

// validateReplicaSet reports what the API server would reject as far as a plan depends on
// it.
func validateReplicaSet(rs *appsv1.ReplicaSet) error {
	if err := checkReplicaSet(rs); err != nil {
		return err
	}
	return kube.ValidateReplicaSet(rs)
}

// identifyReplicaSets gives manifests the UID and the generation that they lack.
func (l *loader) identifyReplicaSets() {
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if h := source.object; h.uid == "" && !h.controlled {
			h.uid, h.made = madeUID(h.kind.Value().Kind+"/", h.namespace, h.name), true
		}
	}
}
