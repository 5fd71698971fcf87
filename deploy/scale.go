package deploy

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// scalingEvent reports whether the Deployment's replicas have changed since some
// active ReplicaSet was last scaled, as the annotations of the ReplicaSets tell. Inactive ones and unusable annotations tell nothing.
//
// It mirrors isScalingEvent of the deployment controller of Kubernetes 1.36.3.
func (st *state) scalingEvent() bool {
	for i := range st.sets {
		if _, changed := st.desiredBefore(&st.sets[i]); changed {
			return true
		}
	}
	return false
}

// desiredBefore returns the Deployment's replicas when an active set was last
// scaled, and whether they have changed since.
func (st *state) desiredBefore(s *set) (desired int32, changed bool) {
	if s.from == 0 {
		return 0, false
	}
	desired, ok := st.size(s.rs.Annotations, revision.AnnotationDesired)
	return desired, ok && desired != st.replicas
}

// scalesFirst reports whether the rollout has to wait because sizes are to be
// adapted to changed replicas.
func (st *state) scalesFirst() bool {
	switch {
	case !st.scalingEvent():
		return false
	case st.opts.RolloutFirst && st.newest < 0:
		st.refresh = true // or else the next pass scales
		return false
	case st.d.Strategy == Recreate && len(st.activeSets()) > 1 && !st.saturated():
		return !st.opts.Repair.Has(RecreateStuckAfterScaling)
	}
	return true
}

// syncPaused plans a pass of a paused Deployment: it scales, by the policy, and
// cleans up its history.
func (st *state) syncPaused() {
	if st.waitsAtPoint() {
		st.wait()
		return
	}
	st.explainPaused()
	switch st.opts.Paused {
	case PausedFreeze:
		st.hold("", ReasonFrozen, 0, 0)
		return
	case PausedScale:
		if st.scalingEvent() {
			st.scale()
		}
	default:
		st.scale()
	}
	if _, requested := revision.RollbackRequest(st.d.Annotations); !requested { // history is about to be needed
		st.cleanUpHistory()
	}
}

// scale distributes the Deployment's replicas over its ReplicaSets without going
// on with the rollout. It is all that happens to the sizes of a paused
// Deployment.
//
// It mirrors scale of the deployment controller of Kubernetes 1.36.3.
func (st *state) scale() {
	active := st.activeSets()
	switch {
	case len(active) <= 1:
		st.scaleOnly(active)
	case st.saturated():
		for _, i := range slices.Backward(active) {
			if i != st.newest {
				st.setScale(i, 0, ReasonSaturated, false)
			}
		}
	case st.d.Strategy == Recreate:
		st.holdScaling()
	case st.partitioned():
		st.scalePartitioned(active)
	case st.exactly():
		st.scaleExactly(active)
	default:
		st.scaleProportionally(active)
	}
}

// exactly reports whether differences are shared out exactly.
func (st *state) exactly() bool {
	return st.opts.Repair.Has(ScalingLosesShares) || st.opts.WeighByAvailable || st.opts.Leftover != LeftoverDefault
}

// activeSets returns the numbers of the sets that want pods, oldest first.
func (st *state) activeSets() []int {
	active := make([]int, 0, len(st.sets))
	for i := range st.sets {
		if st.sets[i].spec > 0 {
			active = append(active, i)
		}
	}
	return active
}

// scaleOnly gives all replicas to the one active set or, if none is active, to the
// new one or else to the latest. If the size is right already, the annotations stay
// as they are by default, and with them what they tell: see [StaleAnnotationBlocksRollout].
func (st *state) scaleOnly(active []int) {
	i := st.newest
	switch {
	case len(active) == 1:
		i = active[0]
	case i < 0:
		i = st.latest()
	}
	if i < 0 {
		return
	}
	_, stale := st.desiredBefore(&st.sets[i])
	refresh := stale && st.opts.Repair.Has(StaleAnnotationBlocksRollout)
	if !st.setScale(i, st.replicas, ReasonScaling, refresh) && !refresh {
		st.holdScaling()
	}
}

// latest returns the youngest set, which by default need not be the one that ran
// last, or -1 if there is none.
func (st *state) latest() int {
	latest := len(st.sets) - 1
	if !st.opts.Repair.Has(ScaleFromZeroStartsYoungest) {
		return latest
	}
	highest := int64(-1)
	for i := range st.sets {
		if n, err := revision.Number(st.sets[i].rs.Annotations); err == nil && n >= highest {
			latest, highest = i, n
		}
	}
	return latest
}

// holdScaling records that annotations tell of a change of replicas although no
// size has to change. The annotations stay as they are, so that every later pass
// ends here: kubernetes/kubernetes#102551.
func (st *state) holdScaling() {
	for i := range st.sets {
		if desired, changed := st.desiredBefore(&st.sets[i]); changed {
			st.hold(st.sets[i].rs.Name, ReasonNothingToScale, desired, st.replicas)
		}
	}
}

// saturated reports whether the new ReplicaSet serves alone: all replicas are its
// own, available, and were so wanted when it was last scaled. By default its
// annotation is read more leniently than elsewhere, as upstream reads it: see
// [LenientSizeAnnotations].
func (st *state) saturated() bool {
	s := st.newSet()
	if s == nil {
		return false
	}
	if st.opts.Repair.Has(LenientSizeAnnotations) {
		desired, ok := size(s.rs.Annotations, revision.AnnotationDesired)
		return ok && rollout.Saturated(s.count(), desired, st.replicas)
	}
	desired, err := strconv.ParseInt(s.rs.Annotations[revision.AnnotationDesired], 10, 64)
	return err == nil && rollout.Saturated(s.count(), int32(desired), st.replicas)
}

// scaleProportionally shares out the difference between what may be wanted and
// what is, so that each active set keeps its share. The first of them, the largest,
// gets what rounding leaves over.
//
//	10 -> 15 replicas, surge 3; old 8, new 5: 5 to add
//	old + round(8*18/13) - 8 = +3, new + round(5*18/13) - 5 = +2
func (st *state) scaleProportionally(active []int) {
	total := int64(0)
	for _, i := range active {
		total += int64(st.sets[i].spec)
	}
	total = st.asInt32Sum(total)
	allowed := int32(0)
	if st.replicas > 0 {
		allowed = st.writtenMaxTotal()
	}
	if st.partitioned() {
		allowed = st.replicas
	}
	toAdd := st.asInt32Sum(st.leaveRoom(int64(allowed), total) - total)
	st.orderBySize(active, cmp.Compare(toAdd, 0))
	sizes := rollout.Proportional(st.shares(active), st.budget, toAdd, st.policy())
	for k, i := range active {
		st.setScale(i, sizes[k], ReasonScaling, true)
	}
}

// shares returns the counts of sets that keep their shares.
func (st *state) shares(active []int) []rollout.Set {
	sets := make([]rollout.Set, len(active))
	for k, i := range active {
		s := &st.sets[i]
		sets[k] = s.count()
		sets[k].Before = st.before(s)
	}
	return sets
}

// before returns how many pods the Deployment wanted at most when a set was last scaled.
func (st *state) before(s *set) int32 {
	before, ok := st.size(s.rs.Annotations, revision.AnnotationMax)
	if s.cleaned > 0 { // which has updated it
		before, ok = st.writtenMaxTotal(), true
	}
	if !ok || before == 0 {
		return st.d.Status.Replicas
	}
	return before
}

// orderBySize puts the largest sets first; among equals the youngest if pods are
// to be added and the oldest if they are to be removed. If neither, the order is
// that of upstream's writes: old ones youngest first, then the new one.
func (st *state) orderBySize(active []int, direction int) {
	// The new set is written last, as if it were the oldest.
	age := func(i int) int {
		if i == st.newest {
			return -1
		}
		return i
	}
	slices.SortFunc(active, func(i, j int) int {
		switch {
		case direction > 0:
			return cmp.Or(cmp.Compare(st.sets[j].spec, st.sets[i].spec), cmp.Compare(j, i))
		case direction < 0:
			return cmp.Or(cmp.Compare(st.sets[j].spec, st.sets[i].spec), cmp.Compare(i, j))
		}
		return cmp.Compare(age(j), age(i))
	})
}

// size reads a size from an annotation: decimal digits within 31 bits.
func size(annotations map[string]string, key string) (int32, bool) {
	text := annotations[key]
	if text == "" {
		return 0, false // the common case, for which an error need not be allocated
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int32(n), err == nil
}
