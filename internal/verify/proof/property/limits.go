// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// LimitsMove: the limits of a rolling update always let something move, and never let more
// pods than the replicas be unavailable.
func LimitsMove(replicas int32, surge, unavailable rollout.IntOrPercent) {
	assume(replicas >= 0 && share(surge) && share(unavailable))
	b := rollout.Resolve(replicas, surge, unavailable)
	prove("a valid budget", valid(b))
	prove("not both are 0", replicas == 0 || b.Surge > 0 || b.Unavailable > 0)
}

// LimitsRound: surge is rounded up and unavailable down, each by less than one pod.
func LimitsRound(replicas int32, surge, unavailable rollout.IntOrPercent) {
	assume(replicas >= 0 && share(surge) && share(unavailable) && surge.IsPercent() && unavailable.IsPercent())
	up, down := rollout.Fenceposts(replicas, surge, unavailable)
	above, below := int64(surge.Value())*int64(replicas), int64(unavailable.Value())*int64(replicas)
	prove("surge up", 100*int64(up) >= above && 100*int64(up) < above+100)
	prove("unavailable down, or one", down == 1 && up == 0 || 100*int64(down) <= below && 100*int64(down) > below-100)
}

// PercentRounds: a percentage of a total is rounded down or up, by less than one pod, also
// if it is below 0; a number does not change.
func PercentRounds(p rollout.IntOrPercent, total int32) {
	assume(total >= 0 && -100 <= p.Value() && p.Value() <= 100)
	down, up := int64(p.Of(total)), int64(p.OfUp(total))
	if !p.IsPercent() {
		prove("a number is itself", down == int64(p.Value()) && up == down)
		return
	}
	exact := int64(p.Value()) * int64(total) // in hundredths of a pod
	prove("down", 100*down <= exact && exact < 100*down+100)
	prove("up", 100*up >= exact && exact > 100*up-100)
}

// LimitsExact: limits of any size resolve to numbers within the range of int32.
func LimitsExact(replicas int32, surge, unavailable rollout.IntOrPercent) {
	assume(replicas >= 0 && surge.Value() >= 0 && unavailable.Value() >= 0)
	b := rollout.ResolveExact(replicas, surge, unavailable)
	prove("a valid budget", valid(b))
	prove("not both are 0", replicas == 0 || b.Surge > 0 || b.Unavailable > 0)
}

// SpareWithoutOverflow: the number of spare pods is exact, with any number of pods.
func SpareWithoutOverflow(b rollout.Budget, available int64) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && 0 <= available && available < 1<<62)
	spare := rollout.Spare(b, available, p)
	prove("not below 0", spare >= 0)
	prove("enough stay", available-spare >= min(available, int64(b.Replicas)-int64(b.Unavailable)))
	prove("the minimum is reached", spare == 0 || available-spare == int64(b.Replicas)-int64(b.Unavailable))
	assume(available < 1<<31)
	prove("Kubernetes reckons the same below 2^31", spare == rollout.Spare(b, available, rollout.Counting{}))
}

// ReadyShareStays: if the limit is a share of the ready pods, no more of these may go than
// that share, or one.
func ReadyShareStays(replicas, ready int32, surge, unavailable rollout.IntOrPercent) {
	assume(0 <= ready && ready <= replicas && share(surge) && share(unavailable))
	b := rollout.Policy{OfReady: true}.Resolve(replicas, ready, surge, unavailable)
	lost := int64(ready) - int64(b.Replicas) + int64(b.Unavailable)
	prove("no more than the share, or one", lost <= max(1, int64(unavailable.Of(ready))))
	prove("one may go", replicas == 0 || replicas >= 1<<30 || lost >= 1)
}

// KeptWithinWanted: a set keeps no more than it wants, and the lower bound or the protected
// pods if it wants as many.
func KeptWithinWanted(s rollout.Set, p rollout.Counting) {
	assume(s.Wanted >= 0 && s.Least >= 0 && s.Protected >= 0)
	kept := p.Keeps(s)
	prove("from none to what is wanted", 0 <= kept && kept <= s.Wanted)
	prove("the lower bound, or all", kept == s.Wanted || kept >= s.Least)
	prove("what is protected, or all", p.ProtectedApart || kept == s.Wanted || kept >= s.Protected)
}
