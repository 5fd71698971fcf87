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
	// on pods, nodes and limits does so for both in the same way. [LoadReplicaSets] leaves
	// it out.
	Workload Workload

	namespace *namespace
	object    *appsv1.ReplicaSet
}

// Full returns the snapshot of a ReplicaSet of [LoadReplicaSets], whose own holds its name
// alone: the siblings of all would take much memory.
func (r *ReplicaSet) Full() replicaset.Snapshot { return r.namespace.snapshot(snapshotOf(r.object)) }

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

// LoadReplicaSets reads the ReplicaSets and ReplicationControllers of a source whose pods it
// holds, in the order of the source, with Deployments or without. [ReplicaSet.Full] has their
// snapshots. The set tells what was
// passed over, and the latest time.
func LoadReplicaSets(s Source) (sets []ReplicaSet, set *Set, err error) {
	l, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	all := slices.Concat(l.replicaSets, l.controllers)
	if len(all) == 0 {
		return nil, nil, passedOver("no ReplicaSet or ReplicationController in the input", l.notes)
	}
	if len(l.pods) == 0 {
		return nil, nil, errors.New("no Pod in the input")
	}
	set = &Set{Notes: l.notes, Latest: l.latest}
	namespaces, seen := l.namespaces(), map[string]string{}
	for _, rs := range all {
		r := snapshotOf(rs.object)
		n := namespaces[rs.object.Namespace]
		loaded := ReplicaSet{File: rs.file, Namespace: rs.object.Namespace, Kind: rs.object.Kind, namespace: n, object: rs.object}
		loaded.Snapshot.ReplicaSet.Name = r.Name
		if err := checkReplicaSet(rs.object); err != nil {
			return nil, nil, loaded.Invalid(err)
		}
		key := rs.object.Kind + "/" + key(rs.object)
		if first, ok := seen[key]; ok {
			return nil, nil, loaded.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		seen[key] = rs.file
		if !n.hasPodsOf(&r) {
			set.Notes = append(set.Notes, loaded.podsMissing())
			continue
		}
		if s.Objects == nil || wanted(rs.object, s.Only) {
			sets = append(sets, loaded)
		}
	}
	if s.Objects != nil {
		set.Notes = nil
	}
	return sets, set, nil
}

func (r *ReplicaSet) podsMissing() string {
	return fmt.Sprintf("%s: skipped %s: its pods are not in the input", r.File, r.Name())
}

// wanted reports whether a ReplicaSet or its controller has one of the UIDs.
func wanted(rs *appsv1.ReplicaSet, only []types.UID) bool {
	owner := metav1.GetControllerOfNoCopy(rs)
	return slices.Contains(only, rs.UID) || owner != nil && slices.Contains(only, owner.UID)
}

// assignAlone puts together the ReplicaSets and ReplicationControllers that are planned by
// themselves: those that nobody controls and no Deployment of the input would adopt, and
// those that were asked for by name.
func (l *loader) assignAlone(s *Set, from Source) error {
	namespaces, files, deployments := l.namespaces(), map[string]string{}, s.byUID()
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		rs := source.object
		if !slices.Contains(from.Only, rs.UID) && !s.isAlone(rs) {
			s.noteOwned(source, deployments)
			continue
		}
		r := ReplicaSet{File: source.file, Namespace: rs.Namespace, Kind: rs.Kind}
		n := namespaces[rs.Namespace]
		r.Workload = l.asWorkload(source, s) // which an autoscaler may have changed
		r.Snapshot = n.snapshot(snapshotOf(rs))
		if err := validateReplicaSet(rs); err != nil {
			return r.Invalid(err)
		}
		if first, ok := files[r.Key()]; ok {
			return r.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[r.Key()] = r.File
		if n.owned[string(rs.UID)] == 0 && rs.Status.Replicas > 0 {
			s.Notes = append(s.Notes, r.podsMissing())
			continue
		}
		s.ReplicaSets = append(s.ReplicaSets, r)
	}
	return nil
}

// isAlone reports whether nobody controls a ReplicaSet, or will as soon as a Deployment of
// the input adopts it.
func (s *Set) isAlone(rs *appsv1.ReplicaSet) bool {
	if metav1.GetControllerOfNoCopy(rs) != nil {
		return false
	}
	return rs.Kind == replicaset.KindController || !slices.ContainsFunc(s.Workloads, func(w Workload) bool {
		selector, err := metav1.LabelSelectorAsSelector(w.Deployment.Spec.Selector)
		return err == nil && w.Deployment.Namespace == rs.Namespace && selector.Matches(labels.Set(rs.Labels))
	})
}

// noteOwned notes a ReplicaSet of something that is not in the input.
func (s *Set) noteOwned(source source[appsv1.ReplicaSet], deployments map[owner]int) {
	rs := source.object
	owner := metav1.GetControllerOfNoCopy(rs)
	if _, planned := deployments[ownerOf(rs)]; owner == nil || planned && rs.Kind != replicaset.KindController {
		return
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s: skipped %s: its %s is not in the input", source.file, describe(rs.Kind, rs.Name), owner.Kind))
}

// asWorkload returns what a Deployment would be that had the ReplicaSet alone.
func (l *loader) asWorkload(from source[appsv1.ReplicaSet], s *Set) Workload {
	rs, d := from.object, &appsv1.Deployment{}
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
	s := rs.Spec.Selector
	switch err := checkReplicaSet(rs); {
	case rs.Name == "":
		return &kube.FieldError{Path: "metadata.name", Value: "", Detail: "must be set"}
	case err != nil:
		return err
	case s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0:
		return &kube.FieldError{Path: "spec.selector", Value: "", Detail: "must be set and not empty"}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return &kube.FieldError{Path: "spec.selector", Value: s.String(), Detail: "must be a label selector: " + err.Error(), Err: err}
	}
	if l := labels.Set(rs.Spec.Template.Labels); !selector.Matches(l) {
		return &kube.FieldError{Path: "spec.template.metadata.labels", Value: l.String(), Detail: "must match the selector " + selector.String()}
	}
	return nil
}

// identifyReplicaSets gives manifests the UID and the generation that they lack.
func (l *loader) identifyReplicaSets() {
	for _, source := range slices.Concat(l.replicaSets, l.controllers) {
		if o := source.object; o.UID == "" && metav1.GetControllerOfNoCopy(o) == nil {
			identify(&o.ObjectMeta, o.Kind+"/")
		}
	}
}
