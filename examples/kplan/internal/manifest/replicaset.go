package manifest

import (
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaSet is the input of its planner.
type ReplicaSet struct {
	File      string
	Namespace string
	Snapshot  replicaset.Snapshot
}

// Invalid returns err as an error of the ReplicaSet.
func (r *ReplicaSet) Invalid(err error) error {
	return &Error{File: r.File, Object: describe("ReplicaSet", r.Snapshot.ReplicaSet.Name), Err: err}
}

// LoadReplicaSets reads the ReplicaSets of a source whose pods it holds, in the
// order of the source, with Deployments or without. The set tells what was passed over,
// and the latest time.
func LoadReplicaSets(s Source) (sets []ReplicaSet, set *Set, err error) {
	l, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	if len(l.replicaSets) == 0 {
		return nil, nil, errors.New("no ReplicaSet in the input")
	}
	if len(l.pods) == 0 {
		return nil, nil, errors.New("no Pod in the input")
	}
	set = &Set{Notes: l.notes, Latest: l.latest}
	namespaces, seen := l.namespaces(), map[string]string{}
	for _, rs := range l.replicaSets {
		r := kube.ReplicaSet(rs.object)
		n := namespaces[rs.object.Namespace]
		loaded := ReplicaSet{File: rs.file, Namespace: rs.object.Namespace, Snapshot: n.snapshot(r)}
		if err := checkReplicaSet(rs.object); err != nil {
			return nil, nil, loaded.Invalid(err)
		}
		key := rs.object.Namespace + "/" + r.Name
		if first, ok := seen[key]; ok {
			return nil, nil, loaded.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		seen[key] = rs.file
		if !n.hasPodsOf(&r) {
			set.Notes = append(set.Notes, fmt.Sprintf("%s: skipped %s: its pods are not in the input", rs.file, describe("ReplicaSet", r.Name)))
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

// wanted reports whether a ReplicaSet or its controller has one of the UIDs.
func wanted(rs *appsv1.ReplicaSet, only []types.UID) bool {
	owner := metav1.GetControllerOfNoCopy(rs)
	return slices.Contains(only, rs.UID) || owner != nil && slices.Contains(only, owner.UID)
}
