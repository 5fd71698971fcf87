// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/revision/quirk"

// A HoldReason is the reason why an old ReplicaSet beyond the history limit is not deleted.
type HoldReason string

// The reasons why an old ReplicaSet is not deleted.
const (
	HoldNotEmpty  HoldReason = "HistoryNotEmpty"  // it wants or has pods
	HoldNotSynced HoldReason = "HistoryNotSynced" // its status has not observed its generation
)

// A Held is an entry beyond the history limit that is not deleted.
type Held struct {
	Index  int        `json:"index"` // of the entry
	Reason HoldReason `json:"reason"`
}

// Hold returns the reason why e may not be deleted, or "" if it may.
func (e Entry) Hold() HoldReason {
	switch {
	case e.Replicas == nil || *e.Replicas != 0 || e.Status.Replicas != 0:
		return HoldNotEmpty
	case e.Generation > e.Status.ObservedGeneration:
		return HoldNotSynced
	}
	return ""
}

// CleanUp returns the old ReplicaSets of a Deployment to delete: the first of [ByRevision], as many
// as there are more than limit. Those that may not be deleted (see [Entry.Hold]) are returned in
// held instead; no other ReplicaSet is deleted in their place. ReplicaSets that are being deleted
// are not counted. A limit of nil or [NoLimit] deletes nothing, and a negative limit is 0.
//
// By default ReplicaSets that want or have pods count against the limit. Fewer ReplicaSets without
// pods than limit may then be left to roll back to. If quirk.UsedSetsFillHistory is repaired, only
// ReplicaSets without pods are counted, and limit of them are left.
//
// It mirrors cleanupDeployment of the deployment controller of Kubernetes, which panics if the
// limit is negative.
func CleanUp(old []Entry, limit *int32, opts Options) (remove []int, held []Held) {
	if limit == nil || *limit == NoLimit {
		return nil, nil
	}
	candidates := numberedByAge(old, opts)
	n := 0
	for _, c := range candidates {
		e := &old[c.index]
		if inUse := e.Hold() == HoldNotEmpty; e.DeletionTimestamp.IsZero() && !(inUse && opts.Repair.Has(quirk.UsedSetsFillHistory)) {
			candidates[n], n = c, n+1
		}
	}
	surplus := n - int(max(*limit, 0))
	if surplus <= 0 {
		return nil, nil
	}
	for _, i := range order(candidates[:n], 1)[:surplus] {
		if reason := old[i].Hold(); reason != "" {
			held = append(held, Held{Index: i, Reason: reason})
			continue
		}
		remove = append(remove, i)
	}
	return remove, held
}
