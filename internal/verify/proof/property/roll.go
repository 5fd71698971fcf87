// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// valid reports whether b is a budget that Resolve returns for a valid rolling update.
func valid(b rollout.Budget) bool {
	return b.Replicas >= 0 && b.Surge >= 0 && b.Unavailable >= 0 && b.Unavailable <= b.Replicas
}

// counts assumes that no set has more available pods than it wants.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Available && old[k].Available <= old[k].Wanted)
func counts(old []rollout.Set) {
	//proof:keeps all(k, 0, done, 0 <= old[k].Available && old[k].Available <= old[k].Wanted)
	for _, s := range old {
		assume(0 <= s.Available && s.Available <= s.Wanted)
	}
}

func count(s rollout.Set) bool { return 0 <= s.Available && s.Available <= s.Wanted }

// wanted returns the pods that sets want.
//
//proof:requires all(k, 0, len(old), 0 <= old[k].Wanted)
//proof:ensures result == sum(k, len(old), old[k].Wanted)
//proof:ensures 0 <= result && result <= 2147483647*len(old)
func wanted(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps total == sum(k, done, old[k].Wanted)
	//proof:keeps 0 <= total && total <= 2147483647*done
	for _, s := range old {
		total += int64(s.Wanted)
	}
	return total
}

func at(list []int32, i int) int32 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// StepWithinSurge: after any prefix of the writes of a step no more pods are wanted than
// replicas plus surge, or than before.
func StepWithinSurge(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32, together, capOld bool) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true, CapOld: capOld}, Together: together}
	assume(valid(b) && count(newSet) && terminating >= 0)
	counts(old)
	r := rollout.Roll(b, newSet, old, int64(terminating), p)
	before := int64(newSet.Wanted) + wanted(old)
	total := before + int64(r.Size) - int64(newSet.Wanted)
	most := max(before, p.MaxTotal(b))
	prove("after the new set has grown", total <= most)
	//proof:keeps -4294967296*done <= total && total <= most
	for i, s := range old {
		lost := int64(at(r.Shrinking.Unavailable, i)) + int64(at(r.Shrinking.Available, i))
		prove("old sets never grow", lost >= 0)
		prove("no size is below 0", int64(s.Wanted)-lost >= 0)
		total -= lost
	}
}

// StepLeavesRoom: terminating pods take up room, so that a growing new set leaves them
// their room within the surge.
func StepLeavesRoom(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32, together, capOld bool) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true, CapOld: capOld}, Together: together}
	assume(valid(b) && count(newSet) && terminating >= 0)
	counts(old)
	r := rollout.Roll(b, newSet, old, int64(terminating), p)
	total := int64(r.Size) + wanted(old) + int64(terminating)
	prove("the new set grows only within the surge", r.Size <= newSet.Wanted || total <= p.MaxTotal(b))
}

// StepKeepsAvailable: enough pods stay available after any prefix of the writes of a step,
// because a set that shrinks loses unavailable pods before others.
func StepKeepsAvailable(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32, together bool) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true}, Together: together}
	assume(valid(b) && count(newSet) && terminating >= 0 && newSet.Wanted <= b.Replicas)
	counts(old)
	r := rollout.Roll(b, newSet, old, int64(terminating), p)
	before := rollout.Available(newSet, old, p.Counting)
	least := min(before, p.MinAvailable(b))
	available, removed := before, int64(0)
	//proof:keeps removed == sum(k, min(done, len(r.Shrinking.Available)), r.Shrinking.Available[k])
	//proof:keeps 0 <= removed && removed <= 2147483647*done
	//proof:keeps before-removed <= available && available <= before
	for i, s := range old {
		prove("what goes was to spare", removed <= max(0, before-p.MinAvailable(b)))
		prove("enough are available", available >= least)
		size := int64(s.Wanted) - int64(at(r.Shrinking.Unavailable, i)) - int64(at(r.Shrinking.Available, i))
		available -= max(0, int64(s.Available)-size)
		removed += int64(at(r.Shrinking.Available, i))
	}
	prove("what goes was to spare, at the end", removed <= max(0, before-p.MinAvailable(b)))
	prove("enough are available at the end", available >= least)
}

// StepMeasureFalls: every change of a step brings it closer to its end: the new set to the
// replicas, and old ones to 0.
func StepMeasureFalls(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32, together bool) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true}, Together: together}
	assume(valid(b) && count(newSet) && terminating >= 0)
	counts(old)
	r := rollout.Roll(b, newSet, old, int64(terminating), p)
	was, is := distance(newSet.Wanted, b.Replicas), distance(r.Size, b.Replicas)
	prove("a new set that changes comes nearer", is < was || r.Size == newSet.Wanted)
	prove("no set is ahead, since none has more available pods than it wants", r.Shrinking.Ahead == -1)
	//proof:keeps true
	for i := range old {
		prove("an old set never gains", at(r.Shrinking.Unavailable, i) >= 0 && at(r.Shrinking.Available, i) >= 0)
	}
}

func distance(a, b int32) int64 { return max(int64(a)-int64(b), int64(b)-int64(a)) }

// ShrinkWithinRoom: unavailable pods go only as far as more pods are wanted than have to be
// available, not counting new pods that are still to come; and if no more are wanted no pod
// goes, available or not.
func ShrinkWithinRoom(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && newSet.Available >= 0)
	notNegative(old)
	room := int64(newSet.Available) + wanted(old) - p.MinAvailable(b)
	lost := rollout.Shrink(b, newSet, old, p)
	gone := int64(0)
	//proof:keeps gone == sum(k, done, lost.Unavailable[k]) && 0 <= gone && gone <= 2147483647*done
	for _, n := range lost.Unavailable {
		prove("none is below 0", n >= 0)
		gone += int64(n)
	}
	prove("within the room", gone <= max(0, room))
	prove("a set with more available pods than it wants ends it", lost.Ahead < 0 || len(lost.Available) == 0)
	prove("without room none goes", room > 0 || lost.Removed == 0)
}

// StepEndsAtReplicas: a new set that wants at least the replicas gets the replicas, or the
// pods that it keeps if they are more.
func StepEndsAtReplicas(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && newSet.Wanted >= b.Replicas && newSet.Available >= 0)
	notNegative(old)
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: p})
	prove("the replicas, or what it keeps", r.Size == max(b.Replicas, min(newSet.Wanted, max(newSet.Least, newSet.Protected))))
}

// StepNeverStuck: while all pods are available, no set has a lower bound, and the update is
// not over, a step changes something.
func StepNeverStuck(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && b.Replicas > 0 && (b.Surge > 0 || b.Unavailable > 0) && newSet.Wanted >= 0)
	assume(newSet.Available == newSet.Wanted && newSet.Least <= 0 && newSet.Protected <= 0)
	allAvailable(old)
	left := wanted(old)
	assume(newSet.Wanted != b.Replicas || left > 0)
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: p})
	removed, none := int64(0), true
	//proof:keeps removed >= 0 && none == (removed == 0) && removed <= 4294967296*done
	//proof:keeps implies(none, all(k, 0, min(done, len(r.Shrinking.Unavailable)), r.Shrinking.Unavailable[k] == 0))
	//proof:keeps implies(none, all(k, 0, min(done, len(r.Shrinking.Available)), r.Shrinking.Available[k] == 0))
	for i := range old {
		lost := int64(at(r.Shrinking.Unavailable, i)) + int64(at(r.Shrinking.Available, i))
		removed += lost
		none = none && lost == 0
	}
	prove("the new set grows or shrinks, or an old one loses pods", r.Size != newSet.Wanted || removed > 0)
}

// allAvailable assumes that each set has as many available pods as it wants, and may lose
// all.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && old[k].Available == old[k].Wanted && old[k].Least <= 0 && old[k].Protected <= 0)
func allAvailable(old []rollout.Set) {
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && old[k].Available == old[k].Wanted && old[k].Least <= 0 && old[k].Protected <= 0)
	for _, s := range old {
		assume(0 <= s.Wanted && s.Available == s.Wanted && s.Least <= 0 && s.Protected <= 0)
	}
}
