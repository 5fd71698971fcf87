package podorder

import "math"

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

// aged says that a time that is not set, and no other, has no bucket.
func aged(k key) bool { return (k.created == math.MinInt64) == (k.createdAge == noAge) }

// sameAge says that the same time is in the same bucket.
func sameAge(a, b key) bool { return a.created != b.created || a.createdAge == b.createdAge }

// VictimsInStrictWeakOrder: of any three pods, whatever their times, buckets and names are, the
// canonical order, in which victims are chosen, is one: no two are both first, none is first
// in a ring of three, and what is in a tie with both ends of a chain leaves them in one.
func VictimsInStrictWeakOrder(a, b, c key, uidA, uidB, uidC, nameA, nameB, nameC string, chain Chain, exact bool) {
	order := Order{Chain: chain}
	assume(exact || !chain.legacy())
	assume(exact || aged(a) && aged(b) && aged(c) && sameAge(a, b) && sameAge(b, c) && sameAge(a, c))
	a.index, b.index, c.index = 0, 1, 2
	r := ranking{order: &order, exact: exact, pods: []Pod{{UID: uidA, Name: nameA}, {UID: uidB, Name: nameB}, {UID: uidC, Name: nameC}}}
	ab, bc, ac := r.compareBase(&a, &b), r.compareBase(&b, &c), r.compareBase(&a, &c)
	ba := r.compareBase(&b, &a)
	prove("of two pods not both are first, and a tie is one from both ends", (ab < 0) == (ba > 0) && (ab == 0) == (ba == 0))
	prove("first before first is first", ab >= 0 || bc >= 0 || ac < 0)
	prove("a tie is in the place of the other", ab != 0 || (bc < 0) == (ac < 0) && (bc == 0) == (ac == 0))
	prove("only pods of one name and UID are in a tie", ab != 0 || uidA == uidB && nameA == nameB)
}
