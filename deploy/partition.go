package deploy

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// styleCanary is the rolling style that is not rolled by partition: the pods of the
// new template belong to a Deployment of their own.
const styleCanary = "Canary"

// partitioned reports whether the Deployment is rolled by partition.
func (st *state) partitioned() bool { return st.d.Partitioned != nil }

// admitPartitioned checks the strategy of a partitioned Deployment. From here on the
// Deployment looks like the rolling update that it is: while it is controlled, its
// own strategy is Recreate and it is paused, so that the native controller leaves it
// alone. Its history is not cleaned up.
func (st *state) admitPartitioned(errs *field.Errors) {
	d, p := &st.d, st.d.Partitioned
	switch d.Strategy {
	case "", RollingUpdate, Recreate:
		d.Strategy = RollingUpdate
	default:
		errs.Add("Deployment.Strategy", string(d.Strategy), "must be RollingUpdate or Recreate")
	}
	if p.RollingStyle == styleCanary {
		errs.Add("Deployment.Partitioned.RollingStyle", p.RollingStyle, "must not be Canary: its new pods belong to another Deployment")
	}
	if ru := p.RollingUpdate; ru != nil {
		if ru.MaxSurge.IsNegative() {
			errs.Add("Deployment.Partitioned.RollingUpdate.MaxSurge", ru.MaxSurge.String(), "must not be negative")
		}
		if ru.MaxUnavailable.IsNegative() {
			errs.Add("Deployment.Partitioned.RollingUpdate.MaxUnavailable", ru.MaxUnavailable.String(), "must not be negative")
		}
	}
	d.Paused = p.Paused
	st.historyLimit = NoLimit
	st.budget = st.opts.Repair.budget(st.replicas, p.RollingUpdate)
}

// limit returns how many pods the partition allows the new ReplicaSet.
func (st *state) limit() int32 {
	return partition.Limit(st.d.Partitioned.Partition, st.replicas)
}

// partitionedSize returns the size that the new ReplicaSet may have beside the others.
func (st *state) partitionedSize(total int64, size int32) int32 {
	return partition.NewSize(st.d.Partitioned.Partition, st.budget, total, size)
}

// createdSize returns the size that a new ReplicaSet of the given size is created
// with. Without a surge upstream starts at least one pod, even if the
// partition allows none: see [NewPodAtPartitionZero].
func (st *state) createdSize(size int32) int32 {
	if !st.partitioned() || st.limit() == 0 && st.opts.Repair.Has(NewPodAtPartitionZero) {
		return size
	}
	return max(size, partition.LowerBound(st.budget))
}

// atLimit reports whether the partition is what keeps the new ReplicaSet from
// growing.
func (st *state) atLimit(s *set) bool { return st.partitioned() && s.spec >= st.limit() }

// shrinkToPartition removes pods of old templates, or adds some, so that old sets
// have what the partition leaves to them.
//
//	replicas 6, surge 2, 1 unavailable, partition 20%; old 6, new 2 of which all are
//	available: of 8 pods 3 could go, but the partition leaves 4 to old ones: 2 go
//
// It mirrors reconcileOldReplicaSets of the deployment controller of OpenKruise
// Rollouts.
func (st *state) shrinkToPartition() bool {
	old, places := st.countOld()
	wanted := int64(0)
	for _, s := range old {
		wanted += int64(s.Wanted)
	}
	if st.asInt32Sum(wanted) == 0 {
		return false
	}
	surplus := st.oldSurplus(wanted)
	if surplus <= 0 {
		return st.restoreOld(-surplus)
	}
	counts := st.newSet().count()
	available, serving := rollout.Available(counts, old, st.policy()), rollout.Serving(counts, wanted, st.policy())
	room := st.asInt32Sum(serving - st.minAvailable())
	if room <= 0 {
		st.holdOld(serving)
		return false
	}
	lost, cleaned, ahead := rollout.RemoveUnavailable(old, min(room, surplus), st.policy())
	st.removeUnavailable(places, old, lost)
	if ahead >= 0 {
		st.holdAhead(&st.sets[places[ahead]])
		return false
	}
	order := st.removalOrder()
	sizes, left := make([]int32, len(order)), int64(0)
	for k, i := range order {
		sizes[k] = st.sets[i].spec
		left += int64(sizes[k])
	}
	lost, down := rollout.RemoveAvailable(sizes, min(rollout.Spare(st.budget, available, st.policy()), st.oldSurplus(left)))
	st.removeAvailable(order, lost)
	if cleaned+down < surplus {
		st.holdOld(available - down)
	}
	return cleaned+down > 0
}

// oldSurplus returns how many of the pods that old sets want the partition no longer
// needs, or, below 0, how many it misses.
func (st *state) oldSurplus(wanted int64) int64 {
	return partition.OldLimit(st.d.Partitioned.Partition, st.replicas, st.asInt32Sum(wanted), st.newSet().spec)
}

// restoreOld gives the largest old set what the partition leaves to old ones beyond
// what they have.
func (st *state) restoreOld(missing int64) bool {
	if missing == 0 {
		return false
	}
	i := st.largestOld()
	return st.setScale(i, st.clampInt32(int64(st.sets[i].spec)+missing), ReasonPartitionRestore, false)
}

// largestOld returns the old set that wants most pods, the oldest of several. There
// is one.
func (st *state) largestOld() int {
	largest := -1
	for i, s := range st.activeOld {
		if largest < 0 || s.spec > st.sets[largest].spec {
			largest = i
		}
	}
	return largest
}

// removalOrder returns the active old sets in the order in which they lose pods:
// those of the latest templates first, so that the one that was stable goes last.
//
// Upstream, this order is lost if the list of old sets has spare room behind its
// end: then the new set is put there, and the whole is sorted by age to find it. So
// the oldest go first, and the new one, if it is older than some old one, is taken
// for old, in place of the youngest: see [OldestFirstUnderPartition].
func (st *state) removalOrder() []int {
	order := make([]int, 0, len(st.sets))
	for i := range st.activeOld {
		order = append(order, i)
	}
	n := len(order)
	if !st.opts.Repair.Has(OldestFirstUnderPartition) && appendWouldAlias(n) {
		order = append(order, st.newest)
		slices.Sort(order)
		return order[:n]
	}
	entries := make([]revision.Entry, n)
	for k, i := range order {
		entries[k] = replicaset.Entry(st.sets[i].rs)
	}
	latest := make([]int, n)
	for k, e := range revision.ByLatestRevision(entries, revision.Options{}) {
		latest[k] = order[e]
	}
	return latest
}

// appendWouldAlias reports whether a list that has grown to n elements one by one has
// room for more. Upstream's compiler doubles it whenever it is full, at least up to
// 512.
func appendWouldAlias(n int) bool { return n&(n-1) != 0 }

// size reads a size from an annotation. For a partitioned Deployment upstream takes
// any number, and cuts it to 32 bits.
func (st *state) size(annotations map[string]string, key string) (int32, bool) {
	if st.partitioned() && !st.opts.Repair.Has(LenientSizeAnnotations) {
		n, err := strconv.ParseInt(annotations[key], 10, 64)
		return int32(n), err == nil
	}
	return size(annotations, key)
}
