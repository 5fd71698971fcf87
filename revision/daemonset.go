// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"maps"
)

// RevisionHash returns the hash of a revision of a DaemonSet: the label, or without one
// the name, which the controller then sets as the label.
//
// It mirrors constructHistory of the DaemonSet controller of Kubernetes.
func RevisionHash(r ControllerRevision) (hash string, labelled bool) {
	if hash, labelled = r.Labels[LabelRevision]; labelled {
		return hash, true
	}
	return r.Name, false
}

// Partition divides the revisions of a DaemonSet into current ones, with its data, and
// old ones, in the order of the list. Data is compared byte by byte, and in its normal
// form if quirk.SerialisationIsVersion is repaired. The number of the current revision is
// [Next] of the numbers of the old ones.
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

// NewDaemonSetRevision returns a new revision of a DaemonSet. The argument hash is the
// hash of the pod template, see [Hash]. All annotations of the DaemonSet are copied.
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes. See
// [DaemonSetRevisionName].
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

// DaemonSetTaken decides what follows if existing has the name of a new revision already.
// If the data is the same, existing is used and the result is nil. Otherwise the result
// is the collision count to write. If the count in the name (used) differs from the
// count in the status (stored), the error wraps [ErrStaleCollisions].
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes. Upstream's error shows
// addresses; this one shows the counts, an unset one as 0.
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

// value returns *p, 0 for nil.
func value(p *int32) int32 {
	if p == nil {
		return 0
	}
	return *p
}

// A Deduped is the decision about several revisions with the data of a DaemonSet.
type Deduped struct {
	Keep   int    `json:"keep"` // the index of the revision that stays, or -1
	Hash   string `json:"hash"` // its hash
	Delete []int  `json:"delete,omitempty"`
	// Relabel means that pods with another hash get Hash as their label, before any
	// revision is deleted. With a single revision upstream does not change them.
	Relabel bool `json:"relabel,omitzero"`
	// Renumber is the new number of the revision that stays, 0 for no change.
	// Upstream uses the former number until the next pass.
	Renumber int64 `json:"renumber,omitzero"`
}

// Dedupe chooses the current revision of a DaemonSet that stays: the last by
// [CompareRevisions], and so one with the highest number. The argument next is one more
// than the highest number of the old revisions.
//
// It mirrors dedupCurHistories and constructHistory of the DaemonSet controller of
// Kubernetes, which takes the last of its cache and panics if all numbers are
// negative.
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

// CleanUpRevisions returns the indices of the old revisions of a DaemonSet to
// delete, lowest first, so that limit are left. The argument live has the hashes of its
// pods, finished ones included. A revision in use stays, and a later one is deleted
// instead. A limit of nil is [DefaultLimit] (upstream panics), and a negative one deletes
// all revisions that are not in use.
//
// It mirrors cleanupHistory of the DaemonSet controller of Kubernetes, which has no
// defined order of equal numbers; here it is the order of [CompareRevisions].
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
