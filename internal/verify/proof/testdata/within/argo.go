package argo

import "github.com/kplan-go/kplan/rollout"

// assume ends a case that the property does not speak of.
func assume(holds bool) {
	if !holds {
		panic("outside")
	}
}

// prove says what holds.
func prove(what string, holds bool) {
	if !holds {
		panic(what)
	}
}

// few says that counts are those of a cluster, and so small that their sum is within the range of int32.
func few(s Size) bool {
	return 0 <= s.Replicas && s.Replicas < 1<<29 && 0 <= s.AvailableReplicas && s.AvailableReplicas <= s.Replicas
}

// aPass is a pass whose sizes are those that are there.
func aPass(want Counts, b rollout.Budget, canary, stable *Size) *basicPass {
	assume(0 <= b.Replicas && b.Replicas < 1<<29 && 0 <= b.Surge && b.Surge < 1<<29 && 0 <= b.Unavailable && b.Unavailable <= b.Replicas)
	assume(few(*canary) && few(*stable) && 0 <= want.Canary && 0 <= want.Stable && int64(want.Canary)+int64(want.Stable) <= int64(b.Replicas)+int64(b.Surge))
	next := Counts{Canary: canary.Replicas, Stable: stable.Replicas}
	return &basicPass{want: want, next: next, budget: b, canary: canary, stable: stable, named: stable}
}

// ArgoGrowthWithinSurge: a canary without traffic routing grows within the surge, whatever the
// weight asks for, towards what it asks for, and both as far as there is room.
func ArgoGrowthWithinSurge(want Counts, b rollout.Budget, canary, stable Size, others int64) {
	p := aPass(want, b, &canary, &stable)
	assume(0 <= others && others < 1<<40)
	before := int64(canary.Replicas) + int64(stable.Replicas) + others
	most := int64(b.Replicas) + int64(b.Surge)
	p.grow(most - before)
	after := int64(p.next.Canary) + int64(p.next.Stable) + others
	prove("within the surge, or what there was", after <= max(before, most))
	prove("neither shrinks", p.next.Canary >= canary.Replicas && p.next.Stable >= stable.Replicas)
	prove("neither grows beyond what the weight asks for", p.next.Canary <= max(canary.Replicas, want.Canary) && p.next.Stable <= max(stable.Replicas, want.Stable))
	prove("as far as there is room", after >= most || p.next.Canary >= want.Canary && p.next.Stable >= want.Stable)
}

// ArgoPassWithinSurge: nor does a pass that shrinks end above the surge, or what there was.
func ArgoPassWithinSurge(want Counts, b rollout.Budget, canary, stable Size) {
	p := aPass(want, b, &canary, &stable)
	before := int64(canary.Replicas) + int64(stable.Replicas)
	most := int64(b.Replicas) + int64(b.Surge)
	p.grow(most - before)
	p.shrink()
	prove("no size is below 0", p.next.Canary >= 0 && p.next.Stable >= 0)
	prove("within the surge, or what there was", int64(p.next.Canary)+int64(p.next.Stable) <= max(before, most))
}

// ArgoPassKeepsAvailable: a pass leaves the minimum of pods available, or what is.
func ArgoPassKeepsAvailable(want Counts, b rollout.Budget, canary, stable Size) {
	p := aPass(want, b, &canary, &stable)
	before := int64(canary.Replicas) + int64(stable.Replicas)
	p.grow(int64(b.Replicas) + int64(b.Surge) - before)
	p.shrink()
	was := int64(canary.AvailableReplicas) + int64(stable.AvailableReplicas)
	left := int64(min(canary.AvailableReplicas, p.next.Canary)) + int64(min(stable.AvailableReplicas, p.next.Stable))
	prove("enough are available", left >= min(was, int64(b.Replicas)-int64(b.Unavailable)))
}

// ArgoPassDrains: where the surge holds already, a pass takes from the ReplicaSet that is drained
// all that is to spare, as far as the weight asks for, and from the other one nothing. Those that
// the drained one wants count as available, as what is not goes first.
func ArgoPassDrains(want Counts, b rollout.Budget, canary, stable Size) {
	p := aPass(want, b, &canary, &stable)
	before := int64(canary.Replicas) + int64(stable.Replicas)
	most := int64(b.Replicas) + int64(b.Surge)
	assume(before <= most)
	p.grow(most - before)
	grown := p.next
	p.shrink()
	least := int64(b.Replicas) - int64(b.Unavailable)
	if want.Canary >= canary.Replicas {
		spare := max(0, int64(canary.AvailableReplicas)+int64(stable.Replicas)-least)
		prove("the canary stays", p.next.Canary == grown.Canary)
		prove("no more goes than is to spare", int64(stable.Replicas)-int64(p.next.Stable) <= spare)
		prove("not more than the weight asks for", p.next.Stable >= min(grown.Stable, want.Stable))
		prove("all goes that may", p.next.Stable <= want.Stable || int64(stable.Replicas)-int64(p.next.Stable) >= spare)
	} else {
		spare := max(0, int64(canary.Replicas)+int64(stable.AvailableReplicas)-least)
		prove("the stable one stays", p.next.Stable == grown.Stable)
		prove("no more of the canary goes than is to spare", int64(canary.Replicas)-int64(p.next.Canary) <= spare)
		prove("not more of the canary than the weight asks for", p.next.Canary >= want.Canary)
		prove("all of the canary goes that may", p.next.Canary <= want.Canary || int64(canary.Replicas)-int64(p.next.Canary) >= spare)
	}
}

// ArgoPassEndsWithinSurge: where there are more than the surge allows, a pass that may shrink ends
// within it. The one that is not drained gives up only what is above it then, and none
// while the other one has pods to give up that the minimum does not need.
func ArgoPassEndsWithinSurge(want Counts, b rollout.Budget, canary, stable Size) {
	p := aPass(want, b, &canary, &stable)
	before := int64(canary.Replicas) + int64(stable.Replicas)
	most, least := int64(b.Replicas)+int64(b.Surge), int64(b.Replicas)-int64(b.Unavailable)
	assume(before > most)
	p.grow(most - before)
	prove("nothing grows", p.next.Canary == canary.Replicas && p.next.Stable == stable.Replicas)
	p.shrink()
	after := int64(p.next.Canary) + int64(p.next.Stable)
	left := int64(min(canary.AvailableReplicas, p.next.Canary)) + int64(min(stable.AvailableReplicas, p.next.Stable))
	if want.Canary >= canary.Replicas {
		may := int64(canary.AvailableReplicas)+int64(stable.Replicas) > least
		prove("it ends within the surge", after <= most || !may)
		prove("else nothing goes", after == before || may)
		prove("the canary gives up only what is above the surge, and needed", p.next.Canary == canary.Replicas || after == most && left >= least || after == most && p.next.Canary >= canary.AvailableReplicas)
	} else {
		may := int64(stable.AvailableReplicas)+int64(canary.Replicas) > least
		prove("the canary ends it within the surge", after <= most || !may)
		prove("else nothing of the canary goes", after == before || may)
		prove("the stable one gives up only what is above the surge, and needed", p.next.Stable == stable.Replicas || after == most && left >= least || after == most && p.next.Stable >= stable.AvailableReplicas)
	}
}
