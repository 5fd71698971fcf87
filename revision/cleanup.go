// SPDX-License-Identifier: Apache-2.0

package revision

// A HoldReason says why an old ReplicaSet beyond the history limit stays.
type HoldReason string

// Why an old ReplicaSet stays.
const (
	HoldNotEmpty  HoldReason = "HistoryNotEmpty"  // it wants or has pods
	HoldNotSynced HoldReason = "HistoryNotSynced" // its status is older than its spec
)

// A Held is an entry that the limit would delete and that stays.
type Held struct {
	Index  int        `json:"index"`
	Reason HoldReason `json:"reason"`
}

// Hold returns why e may not be deleted, or "" if it may.
func (e Entry) Hold() HoldReason {
	switch {
	case e.Replicas == nil || *e.Replicas != 0 || e.Status.Replicas != 0:
		return HoldNotEmpty
	case e.Generation > e.Status.ObservedGeneration:
		return HoldNotSynced
	}
	return ""
}

// CleanUp returns which of the old ReplicaSets of a Deployment are deleted because
// there are more than limit, lowest revision first as [ByRevision] has them, and
// which are beyond the limit but stay. One that is being deleted already does not
// count. A limit of nil or [NoLimit] deletes nothing, and a negative one is 0.
//
// A ReplicaSet in use counts against the limit like any other, so that fewer idle
// ones than limit may be left to go back to. If UsedSetsFillHistory is repaired, idle
// ones alone are counted, and as many as limit are left. Those are never replaced: one whose
// status is older than its spec, and that stays for that, is looked at again.
//
// It mirrors cleanupDeployment of the deployment controller of Kubernetes,
// which panics if the limit is negative.
func CleanUp(old []Entry, limit *int32, opts Options) (remove []int, held []Held) {
	if limit == nil || *limit == NoLimit {
		return nil, nil
	}
	candidates := numberedByAge(old, opts)
	n := 0
	for _, c := range candidates {
		e := &old[c.index]
		if inUse := e.Hold() == HoldNotEmpty; e.DeletionTimestamp.IsZero() && !(inUse && opts.Repair.Has(UsedSetsFillHistory)) {
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
