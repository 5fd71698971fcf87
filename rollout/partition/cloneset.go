// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/rollout"

// A CloneSet is what one is to be, and how its pods stand, in numbers.
type CloneSet struct {
	Budget rollout.Budget `json:"budget"` // see [CloneSetBudget]
	// KeptOld is how many pods stay of the old revision, at most the replicas: see [Limit] and [LimitOfShare].
	KeptOld int32 `json:"keptOld"`
	// ScaleUnavailable is how many pods may be unavailable while pods are added. Unset does not
	// limit it.
	ScaleUnavailable rollout.IntOrPercent `json:"scaleUnavailable,omitzero"`
	// Back says that pods are made old again where fewer are than are to stay old. There is
	// nothing to go back to if both revisions are the same.
	Back bool `json:"back,omitzero"`
	// ReplaceLeaving says that pods whose deletion a hook holds back are replaced already.
	ReplaceLeaving bool         `json:"replaceLeaving,omitzero"`
	Old            CloneSetPods `json:"old"`
	New            CloneSetPods `json:"new"` // those of the update revision
}

// CloneSetPods are pods of one revision. None counts as more than one of Marked, Leaving and
// Unavailable.
type CloneSetPods struct {
	Count       int32 `json:"count"`                // all of them
	Marked      int32 `json:"marked,omitzero"`      // to be deleted, because somebody has named them
	Leaving     int32 `json:"leaving,omitzero"`     // whose deletion a hook holds back
	Unavailable int32 `json:"unavailable,omitzero"` // others that are not available
}

// A CloneSetDiff is what a pass of a CloneSet has to do. It either scales or updates: what it
// has to update waits until nothing is added or deleted.
type CloneSetDiff struct {
	Up      int64 `json:"up,omitzero"`      // pods to add
	UpOld   int64 `json:"upOld,omitzero"`   // pods that are missing of the old revision, which come first
	UpLimit int64 `json:"upLimit,omitzero"` // how many of Up may be added now

	Down        int64 `json:"down,omitzero"`        // pods to delete beside those that are marked
	DownOld     int64 `json:"downOld,omitzero"`     // pods that are too many of the old revision, which go first
	DeleteReady int64 `json:"deleteReady,omitzero"` // how many ready pods may be deleted now

	Surge    int64 `json:"surge,omitzero"`    // pods that there are to be beside the replicas
	SurgeOld int64 `json:"surgeOld,omitzero"` // those of them that are old

	Update            int64 `json:"update,omitzero"`            // pods to update, though fewer may be there; below 0 to be made old again
	UpdateUnavailable int64 `json:"updateUnavailable,omitzero"` // how many may be unavailable while some are updated
}

// CloneSetBudget resolves the limits of a CloneSet. The surge is rounded up, and there is none
// while it is paused. Unavailable is 20% unless it is set, and rounded up where there is no
// surge; without a RollingUpdate there is none, and it is rounded down. It is not capped.
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

// Diff returns by how much a CloneSet differs from what it is to be.
//
//	too many old = old - leaving(old) - kept            too many new = new - leaving(new) - (replicas - kept)
//	update       = the one that is nearer to 0, as a number of pods to update
//	wanted       = replicas + surge                     of which old: kept + surgeOld
//	up           = wanted - there                       down = there - marked - wanted
//
// Unless pods are made old again, too many old are no fewer than 0, and too many new no more.
// It mirrors calculateDiffsWithExpectation of OpenKruise (commit 07169cfa).
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

// useSurge returns how many pods there are to be beside the replicas, and how many of these
// old: for pods that are to be updated, or for marked ones that take too much of what may be
// unavailable.
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

// spread are the counts of pods in numbers whose sums do not wrap around.
type spread struct{ count, marked, leaving, unavailable int64 }

func (p CloneSetPods) spread() spread {
	return spread{int64(p.Count), int64(p.Marked), int64(p.Leaving), int64(p.Unavailable)}
}

// gone are the pods that do not serve and are not marked.
func (s spread) gone() int64 { return s.leaving + s.unavailable }

func distance(n int64) int64 { return max(n, -n) }
