// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"maps"
)

// RevisionHash returns the hash of a ControllerRevision of a DaemonSet: its label [LabelRevision].
// If it does not have the label, labelled is false and the hash is its name, which the DaemonSet
// controller then sets as the label.
//
// It mirrors constructHistory of the DaemonSet controller of Kubernetes.
func RevisionHash(r ControllerRevision) (hash string, labelled bool) {
	if hash, labelled = r.Labels[LabelRevision]; labelled {
		return hash, true
	}
	return r.Name, false
}

// Partition returns the indices of the current revisions of a DaemonSet, which have the given data
// (see [SameData]), and the indices of all others, which are old. Both are in ascending order. The
// number of the current revision must be [Next] of the numbers of the old revisions.
//
// It mirrors Match and constructHistory of the DaemonSet controller of Kubernetes.
func Partition(revisions []ControllerRevision, data []byte, opts Options) (current, old []int) {
	data = comparedData(data, opts)
	for i := range revisions {
		if SameData(revisions[i].Data, data, opts) {
			current = append(current, i)
			continue
		}
		old = append(old, i)
	}
	return current, old
}

// NewDaemonSetRevision returns a new ControllerRevision of the DaemonSet p. The argument hash is
// the [Hash] of the pod template, and annotations are the annotations of the DaemonSet, which are
// all copied. The labels are the labels of the template and [LabelRevision]. The name is the
// [DaemonSetRevisionName].
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes.
func NewDaemonSetRevision(p Parent, hash string, templateLabels, annotations map[string]string, data []byte, number int64, opts Options) ControllerRevision {
	r := ControllerRevision{
		Name: DaemonSetRevisionName(p.Name, hash, opts), Labels: labelled(templateLabels, LabelRevision, hash),
		ControllerKind: p.Kind, ControllerName: p.Name, ControllerUID: p.UID,
		Data: append([]byte(nil), data...), Revision: number,
	}
	if len(annotations) > 0 {
		r.Annotations = maps.Clone(annotations)
	}
	return r
}

// DaemonSetTaken decides how to go on if a ControllerRevision existing has the name of a new one
// with the given data. If it has the same data, use existing: the result is nil. Otherwise the
// result is the status.collisionCount to write before the next attempt.
//
// The argument used is the collision count that the name was computed with, and stored is
// status.collisionCount as read from the API server. If they differ, the error wraps
// [ErrStaleCollisions]: try again with the stored count.
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes. The error shows the counts, 0 for
// nil, in place of the addresses in upstream's error.
func DaemonSetTaken(daemonSet string, data []byte, existing ControllerRevision, used, stored *int32, opts Options) (collisions *int32, err error) {
	if SameData(data, existing.Data, opts) {
		return nil, nil
	}
	if (used == nil) != (stored == nil) || value(used) != value(stored) {
		return nil, fmt.Errorf("found a %w (%d, expected %d) of DaemonSet %q while processing; will retry until it is updated",
			ErrStaleCollisions, value(used), value(stored), daemonSet)
	}
	return NextCollision(stored), nil
}

// value returns *p, or 0 if p is nil.
func value(p *int32) int32 {
	if p == nil {
		return 0
	}
	return *p
}

// A Deduped is the decision of [Dedupe] about the current revisions of a DaemonSet.
type Deduped struct {
	Keep   int    `json:"keep"`             // the index of the revision to keep, or -1
	Hash   string `json:"hash"`             // its RevisionHash
	Delete []int  `json:"delete,omitempty"` // the indices of the others
	// Relabel means that the label [LabelRevision] of the DaemonSet's pods is set to Hash before
	// revisions are deleted. It is false with a single revision: upstream then relabels no pods.
	Relabel bool `json:"relabel,omitzero"`
	// Renumber is the new number of the revision to keep, or 0 for no change. Upstream uses the
	// former number until the next pass.
	Renumber int64 `json:"renumber,omitzero"`
}

// Dedupe chooses the current revision of a DaemonSet to keep if there are several: the last by
// [CompareRevisions], which has the highest number. The argument next is [Next] of the numbers of
// the old revisions. Without current revisions Keep is -1.
//
// It mirrors dedupCurHistories and constructHistory of the DaemonSet controller of Kubernetes. Of
// equal numbers upstream keeps the last in its cache. It panics if all numbers are negative.
func Dedupe(current []ControllerRevision, next int64) Deduped {
	d := Deduped{Keep: newest(current), Relabel: len(current) > 1}
	if d.Keep < 0 {
		return d
	}
	kept := &current[d.Keep]
	d.Hash, _ = RevisionHash(*kept)
	for _, i := range sorted(current) {
		if current[i].Name != kept.Name {
			d.Delete = append(d.Delete, i)
		}
	}
	if kept.Revision < next {
		d.Renumber = next
	}
	return d
}

// CleanUpRevisions returns the indices of the old revisions of a DaemonSet to delete, first by
// [CompareRevisions] first. They are as many as there are more than limit, but never a revision in
// use. The argument live has the labels [LabelRevision] of all its pods, also of pods that have
// ended. A limit of nil is [DefaultLimit] (upstream panics), and a negative limit is 0.
//
// It mirrors cleanupHistory of the DaemonSet controller of Kubernetes, which does not define the
// order of equal numbers.
func CleanUpRevisions(old []ControllerRevision, live []string, limit *int32) []int {
	surplus := len(old) - max(historyLimit(limit), 0)
	if surplus <= 0 {
		return nil
	}
	used := make(map[string]bool, len(live))
	for _, hash := range live {
		used[hash] = hash != ""
	}
	var remove []int
	for _, i := range sorted(old) {
		if len(remove) == surplus {
			break
		}
		if hash, _ := RevisionHash(old[i]); !used[hash] {
			remove = append(remove, i)
		}
	}
	return remove
}
