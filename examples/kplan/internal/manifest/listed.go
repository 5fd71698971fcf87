// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/replicaset"
)

// A Listed ReplicaSet is a result of [LoadReplicaSets], of which there may be thousands.
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

// Drop releases the decoded ReplicaSet and its siblings. Call it after the last use of the
// ReplicaSet.
func (r *Listed) Drop() { r.namespace.forget(r.held.controller) }

// LoadReplicaSets reads the ReplicaSets and ReplicationControllers of a source that has their pods,
// in the order of the source, with or without their Deployments. [Listed.Full] returns their
// snapshots. The set has only the notes, the number of skipped manifests, and the latest time.
func LoadReplicaSets(s Source) (sets []Listed, set *Set, err error) {
	l, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	all := slices.Concat(l.replicaSets, l.controllers)
	skipped, err := l.settle(s.Only, len(all) == 0)
	switch {
	case err != nil:
		return nil, nil, err
	case len(all) == 0:
		return nil, nil, l.errNoSets()
	}
	if len(l.pods) == 0 {
		return nil, nil, errors.New("no Pod in the input; kubectl get replicaset,pod -o yaml prints all that is needed")
	}
	set = &Set{Skipped: skipped, Notes: l.notes, Latest: l.latest.time}
	namespaces, taken := l.namespaces(), names{}
	var wrong error // error of the first ReplicaSet that cannot be planned
	for _, rs := range all {
		h := rs.object
		if !l.selected.hasSet(h) {
			continue
		}
		n := namespaces[h.namespace]
		loaded := Listed{rs.file, n, h}
		if h.wrong != nil {
			if h.wanted(s.Only) {
				return nil, nil, loaded.Invalid(h.wrong)
			}
			wrong = cmp.Or(wrong, loaded.Invalid(h.wrong))
			set.Notes = append(set.Notes, fmt.Sprintf("%s: skipped %s: %s", loaded.File, h.describe(), files.Cause(h.wrong)))
			continue
		}
		if err := taken.take(loaded.Kind()+"/"+h.key(), rs.file); err != nil {
			return nil, nil, loaded.Invalid(err)
		}
		if !n.hasPodsOf(h) {
			set.Notes = append(set.Notes, fmt.Sprintf("%s: skipped %s: %v", loaded.File, h.describe(), noPods.Err(loaded.Kind())))
			continue
		}
		if s.Objects == nil || h.wanted(s.Only) {
			sets = append(sets, loaded)
		}
	}
	if err := l.selected.missed(); err != nil {
		return nil, nil, err
	}
	if s.Objects != nil {
		set.Notes = nil
	}
	if len(sets) > 0 {
		wrong = nil
	}
	return sets, set, wrong
}

// errNoSets returns the error for an input without ReplicaSets.
func (l *loader) errNoSets() error {
	text := "no ReplicaSet or ReplicationController in the input"
	if len(l.deployments)+len(l.argo) > 0 {
		text += "; kubectl get replicaset,pod -o yaml prints all that is needed"
	}
	return passedOver(text, l.notes)
}

// wanted reports whether a list has the UID of a ReplicaSet or of its controller.
func (h *heldSet) wanted(only []types.UID) bool {
	return slices.Contains(only, h.uid) || h.controlled && slices.Contains(only, h.controller)
}
