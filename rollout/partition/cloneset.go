// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/rollout"

// A CloneSet holds the wanted sizes of a CloneSet and the counts of its pods.
type CloneSet struct {
	Budget rollout.Budget `json:"budget"` // see [CloneSetBudget]
	// KeptOld is how many pods stay of the old revision, at most the replicas: see [Limit] and
	// [LimitOfShare].
	KeptOld int32 `json:"keptOld"`
	// ScaleUnavailable is how many pods may be unavailable while pods are added. Unset does
	// not limit it.
	ScaleUnavailable rollout.IntOrPercent `json:"scaleUnavailable,omitzero"`
	// Back means that updated pods are made old again if fewer old pods are there than
	// KeptOld. If both revisions are the same there is no old one to go back to.
	Back bool `json:"back,omitzero"`
	// ReplaceLeaving means that pods whose deletion a hook delays are replaced already.
	ReplaceLeaving bool         `json:"replaceLeaving,omitzero"`
	Old            CloneSetPods `json:"old"`
	New            CloneSetPods `json:"new"` // the pods of the update revision
}

// CloneSetPods are the pods of one revision. A pod counts as at most one of Marked, Leaving
// and Unavailable.
type CloneSetPods struct {
	Count       int32 `json:"count"`                // all of them
	Marked      int32 `json:"marked,omitzero"`      // to be deleted, because a user has named them
	Leaving     int32 `json:"leaving,omitzero"`     // a hook delays their deletion
	Unavailable int32 `json:"unavailable,omitzero"` // others that are not available
}

// A CloneSetDiff holds the changes of a pass of a CloneSet. A pass either scales or
// updates: updates wait until no pod is to be added or deleted.
type CloneSetDiff struct {
	Up      int64 `json:"up,omitzero"`      // pods to add
	UpOld   int64 `json:"upOld,omitzero"`   // missing pods of the old revision, which come first
	UpLimit int64 `json:"upLimit,omitzero"` // how many of Up may be added now

	Down        int64 `json:"down,omitzero"`        // pods to delete in addition to the marked ones
	DownOld     int64 `json:"downOld,omitzero"`     // surplus pods of the old revision, which go first
	DeleteReady int64 `json:"deleteReady,omitzero"` // how many ready pods may be deleted now

	Surge    int64 `json:"surge,omitzero"`    // pods wanted above the replicas
	SurgeOld int64 `json:"surgeOld,omitzero"` // the old ones among them

	Update            int64 `json:"update,omitzero"`            // pods to update, though fewer may be there; below 0 to be made old again
	UpdateUnavailable int64 `json:"updateUnavailable,omitzero"` // how many may be unavailable while some are updated
}

// CloneSetBudget resolves the limits of a CloneSet. The surge is rounded up, and 0 while
// the CloneSet is paused. Unavailable is 20% unless it is set, and rounded up without a
// surge, otherwise down. Without a RollingUpdate there is no surge, and the 20% are rounded
// down. Unavailable is not capped.
//
//	CloneSetBudget(9, &RollingUpdate{}, false)                             // 2 unavailable
//	CloneSetBudget(9, &RollingUpdate{MaxSurge: rollout.Int(1)}, false)     // 1 unavailable, surge 1
//	CloneSetBudget(9, nil, false)                                          // 1 unavailable
//
// It mirrors a part of calculateDiffsWithExpectation of OpenKruise (commit 07169cfa).
func CloneSetBudget(replicas int32, ru *RollingUpdate, paused bool) rollout.Budget {
	share := rollout.Percent(20)
	if ru == nil {
		return rollout.Budget{Replicas: replicas, Unavailable: share.Of(replicas)}
	}
	if !ru.MaxUnavailable.IsZero() {
		share = ru.MaxUnavailable
	}
	b := rollout.Budget{Replicas: replicas}
	if !paused {
		b.Surge = ru.MaxSurge.OfUp(replicas)
	}
	b.Unavailable = share.Of(replicas)
	if b.Surge == 0 {
		b.Unavailable = share.OfUp(replicas)
	}
	return b
}

// Diff returns the difference of a CloneSet to its wanted sizes.
//
//	too many old = old - leaving(old) - kept            too many new = new - leaving(new) - (replicas - kept)
//	update       = the one that is closer to 0, as a number of pods to update
//	wanted       = replicas + surge                     the old ones: kept + surgeOld
//	up           = wanted - there                       down = there - marked - wanted
//
// Unless Back is set, "too many old" is at least 0, and "too many new" at most 0. It
// mirrors calculateDiffsWithExpectation of OpenKruise (commit 07169cfa).
func (c CloneSet) Diff() CloneSetDiff {
	old, fresh := c.Old.spread(), c.New.spread()
	replicas, kept := int64(c.Budget.Replicas), int64(c.KeptOld)
	tooOld, tooNew := old.count-old.leaving-kept, fresh.count-fresh.leaving-(replicas-kept)
	if !c.Back {
		tooOld, tooNew = max(tooOld, 0), min(tooNew, 0)
	}
	d := c.useSurge(tooOld, tooNew)
	wanted, wantedOld := replicas+d.Surge, kept+d.SurgeOld
	total, unavailable, marked := old.count+fresh.count, old.gone()+fresh.gone(), old.marked+fresh.marked
	there, thereOld := total, old.count
	if c.ReplaceLeaving {
		there, thereOld = there-old.leaving-fresh.leaving, thereOld-old.leaving
	}
	if n := wanted - there; n > 0 {
		d.Up, d.UpOld, d.UpLimit = n, max(wantedOld-thereOld, 0), n
		if limit := c.ScaleUnavailable; !limit.IsZero() {
			d.UpLimit = min(n, max(limit.OfUp64(c.Budget.Replicas)-unavailable, 0))
		}
	}
	if n := there - marked - wanted; n > 0 {
		d.Down, d.DownOld = n, max(thereOld-old.marked-wantedOld, 0)
	}
	spare := int64(c.Budget.Unavailable) + total - replicas
	if marked > 0 || d.Down > 0 {
		d.DeleteReady = max(spare-unavailable, 0)
	}
	if d.Update = -tooNew; distance(tooOld) <= distance(tooNew) {
		d.Update = tooOld
	}
	if d.Update != 0 {
		d.UpdateUnavailable = spare
	}
	return d
}

// useSurge returns how many pods are wanted above the replicas, and how many of these are
// old: for pods to update, or for marked ones that exceed the pods that may be unavailable.
func (c CloneSet) useSurge(tooOld, tooNew int64) (d CloneSetDiff) {
	if c.Budget.Surge <= 0 {
		return d
	}
	old, fresh := c.Old.spread(), c.New.spread()
	marked := old.marked + fresh.marked
	deleting := min(max(old.gone()+fresh.gone()+marked-int64(c.Budget.Unavailable), 0), marked)
	if tooOld > 0 && tooNew < 0 || tooOld < 0 && tooNew > 0 {
		d.Surge = min(distance(tooOld), distance(tooNew))
		if tooOld < 0 {
			d.SurgeOld = d.Surge
		}
	}
	if deleting >= d.Surge {
		d.Surge, d.SurgeOld = deleting, max(deleting-fresh.marked, 0)
	}
	d.Surge = min(int64(c.Budget.Surge), d.Surge)
	d.SurgeOld = min(d.Surge, d.SurgeOld)
	return d
}

// spread holds the counts of pods in 64 bits, so that sums do not wrap around.
type spread struct{ count, marked, leaving, unavailable int64 }

func (p CloneSetPods) spread() spread {
	return spread{int64(p.Count), int64(p.Marked), int64(p.Leaving), int64(p.Unavailable)}
}

// gone returns how many pods do not serve and are not marked.
func (s spread) gone() int64 { return s.leaving + s.unavailable }

func distance(n int64) int64 { return max(n, -n) }
