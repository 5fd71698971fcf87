// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/rollout"

// A CloneSet holds the wanted sizes of a CloneSet of OpenKruise and the counts of its pods.
type CloneSet struct {
	Budget rollout.Budget `json:"budget"` // see [CloneSetBudget]
	// KeptOld is the number of pods to keep at the old revision, at most the replicas: see
	// [Limit] and [LimitOfShare].
	KeptOld int32 `json:"keptOld"`
	// ScaleUnavailable limits the number of unavailable pods while pods are added. Unset means
	// no limit.
	ScaleUnavailable rollout.IntOrPercent `json:"scaleUnavailable,omitzero"`
	// Back means that updated pods go back to the old revision if there are fewer than KeptOld
	// old pods. Do not set it if both revisions are the same.
	Back bool `json:"back,omitzero"`
	// ReplaceLeaving means that a pod is replaced even while a lifecycle hook delays its
	// deletion.
	ReplaceLeaving bool         `json:"replaceLeaving,omitzero"`
	Old            CloneSetPods `json:"old"`
	New            CloneSetPods `json:"new"` // the pods of the update revision
}

// CloneSetPods are the pods of one revision. A pod counts as at most one of Marked, Leaving
// and Unavailable.
type CloneSetPods struct {
	Count       int32 `json:"count"`                // all pods
	Marked      int32 `json:"marked,omitzero"`      // pods that a user has selected for deletion
	Leaving     int32 `json:"leaving,omitzero"`     // pods whose deletion a lifecycle hook delays
	Unavailable int32 `json:"unavailable,omitzero"` // other pods that are not available
}

// A CloneSetDiff holds the changes of a pass of a CloneSet. A pass either scales or
// updates: updates wait until no pod is to be added or deleted.
type CloneSetDiff struct {
	Up      int64 `json:"up,omitzero"`      // pods to add
	UpOld   int64 `json:"upOld,omitzero"`   // missing pods of the old revision, to add first
	UpLimit int64 `json:"upLimit,omitzero"` // how many of Up may be added now

	Down        int64 `json:"down,omitzero"`        // pods to delete in addition to the marked ones
	DownOld     int64 `json:"downOld,omitzero"`     // surplus pods of the old revision, to delete first
	DeleteReady int64 `json:"deleteReady,omitzero"` // how many ready pods may be deleted now

	Surge    int64 `json:"surge,omitzero"`    // pods wanted above the replicas
	SurgeOld int64 `json:"surgeOld,omitzero"` // how many of Surge are of the old revision

	Update            int64 `json:"update,omitzero"`            // pods to update; if below 0, pods to return to the old revision
	UpdateUnavailable int64 `json:"updateUnavailable,omitzero"` // pods that may be unavailable during the update
}

// CloneSetBudget resolves the limits of a CloneSet. The surge is rounded up; it is 0 while the
// CloneSet is paused. An unset maxUnavailable means 20%. Unavailable is rounded up if the surge
// is 0, and otherwise down. If ru is nil, there is no surge, and unavailable is 20%, rounded
// down. Unavailable may exceed the replicas.
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

// Diff returns the changes that a CloneSet needs to get its wanted sizes.
//
//	too many old = old - leaving(old) - kept            too many new = new - leaving(new) - (replicas - kept)
//	update       = too many old or -(too many new), whichever is closer to 0
//	wanted       = replicas + surge                     of the old revision: kept + surgeOld
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

// useSurge returns the fields Surge and SurgeOld. The surge replaces pods to update, or marked pods
// beyond those that may be unavailable.
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

// spread holds the counts of pods in 64 bits: sums do not wrap around.
type spread struct{ count, marked, leaving, unavailable int64 }

func (p CloneSetPods) spread() spread {
	return spread{int64(p.Count), int64(p.Marked), int64(p.Leaving), int64(p.Unavailable)}
}

// gone returns the number of pods that are leaving or unavailable.
func (s spread) gone() int64 { return s.leaving + s.unavailable }

func distance(n int64) int64 { return max(n, -n) }
