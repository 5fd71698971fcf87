// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"fmt"
	"maps"
)

// RevisionHash returns the hash of a revision of a DaemonSet: its label, or if it
// has none its name, which it then gets as label.
//
// It mirrors constructHistory of the DaemonSet controller of Kubernetes.
func RevisionHash(r ControllerRevision) (hash string, labelled bool) {
	if hash, labelled = r.Labels[LabelRevision]; labelled {
		return hash, true
	}
	return r.Name, false
}

// Partition divides the revisions of a DaemonSet into those that have its data and
// the others, in the order given. Data is compared byte by byte, and in its normal form
// if SerialisationIsVersion is repaired. The number of the newest is
// [Next] of the old ones' numbers.
//
// It mirrors Match and constructHistory of the DaemonSet controller of Kubernetes.
func Partition(revisions []ControllerRevision, data []byte, opts Options) (current, old []int) {
	data = prepared(data, opts)
	for i := range revisions {
		if SameData(revisions[i].Data, data, opts) {
			current = append(current, i)
			continue
		}
		old = append(old, i)
	}
	return current, old
}

// NewDaemonSetRevision returns a new revision of a DaemonSet. The hash is that of
// the pod template, see [Hash]. All annotations of the DaemonSet are copied.
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

// DaemonSetTaken is what to do if the name of a new revision is taken by existing.
// With the same data that is used, and the result is nil. Otherwise the result is
// the collision count to write, unless the count that the name was made with (used)
// is no longer the one there is (stored): that wraps [ErrStaleCollisions].
//
// It mirrors snapshot of the DaemonSet controller of Kubernetes, whose error
// shows addresses where this one shows the counts, an unset one as 0.
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

// A Deduped is what becomes of several revisions with the data of a DaemonSet.
type Deduped struct {
	Keep   int    `json:"keep"` // the index of the one that stays, -1 if there is none
	Hash   string `json:"hash"` // its hash: pods that have another get this one
	Delete []int  `json:"delete,omitempty"`
	// Relabel tells that pods with another hash are relabelled, before
	// anything is deleted. With one revision upstream leaves them alone.
	Relabel bool `json:"relabel,omitzero"`
	// Renumber is the number that the kept one gets, 0 if it keeps its own.
	// Until the next pass upstream goes on with the own one.
	Renumber int64 `json:"renumber,omitzero"`
}

// Dedupe decides which of the current revisions of a DaemonSet stays: the one with
// the highest number, and of those the last by [CompareRevisions]. Next is one more
// than the highest number of the old ones.
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
// delete, lowest first, so that limit are left. Live are the hashes of its pods, the
// finished ones included. A revision in use stays, and a later one goes in its
// place. A limit of nil is [DefaultLimit], where upstream panics, and a negative one
// deletes all that can be.
//
// It mirrors cleanupHistory of the DaemonSet controller of Kubernetes, which
// leaves the order of equal numbers to chance; here it is that of
// [CompareRevisions].
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
