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
	if s == nil || s.spec != st.replicas || s.status().AvailableReplicas != st.replicas {
		return false
	}
	if st.opts.Repair.Has(LenientSizeAnnotations) {
		desired, ok := size(s.rs.Annotations, revision.AnnotationDesired)
		return ok && desired == st.replicas
	}
	desired, err := strconv.ParseInt(s.rs.Annotations[revision.AnnotationDesired], 10, 64)
	return err == nil && int32(desired) == st.replicas
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
	sizes := st.proportionalSizes(active, toAdd)
	for k, i := range active {
		st.setScale(i, sizes[k], ReasonScaling, true)
	}
}

// proportionalSizes returns the sizes of the sets, given largest first, that keep their
// shares when toAdd pods are added.
func (st *state) proportionalSizes(active []int, toAdd int64) []int32 {
	sizes, added := make([]int32, len(active)), int64(0)
	for k, i := range active {
		p := st.proportion(&st.sets[i], toAdd, added)
		sizes[k] = st.clampInt32(int64(st.sets[i].spec) + p)
		added = st.asInt32Sum(added + p)
	}
	if toAdd != 0 {
		sizes[0] = max(0, st.clampInt32(int64(sizes[0])+toAdd-added))
	}
	return sizes
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

// proportion returns how many of the toAdd pods, of which some are added already,
// a set gets. It mirrors GetReplicaSetProportion of the deployment util package of
// Kubernetes 1.36.3.
func (st *state) proportion(s *set, toAdd, added int64) int64 {
	if s.spec == 0 || added == toAdd {
		return 0
	}
	before, ok := st.size(s.rs.Annotations, revision.AnnotationMax)
	if s.cleaned > 0 { // which has updated it
		before, ok = st.writtenMaxTotal(), true
	}
	if !ok || before == 0 {
		before = st.d.Status.Replicas
	}
	fraction, left := st.fraction(s.spec, before), st.asInt32Sum(toAdd-added)
	if toAdd > 0 {
		return min(fraction, left)
	}
	return max(fraction, left)
}

// fraction is [Fraction], in which the product may be computed exactly.
func (st *state) fraction(size, before int32) int64 {
	b := st.budget
	if !st.opts.Repair.Has(ProductsWrapAround) || b.Replicas == 0 || before == 0 {
		return int64(Fraction(b, size, before))
	}
	return roundedQuotient(int64(size)*(int64(b.Replicas)+int64(b.Surge)), int64(before)) - int64(size)
}

// Fraction returns by how much a ReplicaSet of the given size has to change to
// keep its share when the Deployment, which wanted before pods at most, is scaled
// to b.
//
//	Fraction(rollout.Budget{Replicas: 15, Surge: 3}, 8, 13) // round(8*18/13) - 8 = 3
//
// If b wants no pods, it is all of size; if before is 0, it is 0. The product is
// computed in 32 bits, as upstream does, and wraps around beyond 2 billion:
// kubernetes/kubernetes#128535. It mirrors getReplicaSetFraction of the deployment
// util package of Kubernetes 1.36.3.
func Fraction(b rollout.Budget, size, before int32) int32 {
	switch {
	case b.Replicas == 0:
		return -size
	case before == 0:
		return 0
	}
	return int32(roundedQuotient(int64(size*(b.Replicas+b.Surge)), int64(before))) - size
}

// roundedQuotient divides, rounding half away from zero. The divisor is not 0.
func roundedQuotient(a, b int64) int64 { return a/b + 2*(a%b)/b }

// size reads a size from an annotation: decimal digits within 31 bits.
func size(annotations map[string]string, key string) (int32, bool) {
	text := annotations[key]
	if text == "" {
		return 0, false // the common case, for which an error need not be allocated
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int32(n), err == nil
}
