package podorder

import (
	"cmp"
	"math"
)

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

// VictimsInStrictWeakOrder: of any three pods, whatever their times, buckets and names are, the
// canonical order, in which victims are chosen, is one: no two are both first, none is first
// in a ring of three, and what is in a tie with both ends of a chain leaves them in one.
func VictimsInStrictWeakOrder(a, b, c key, uidA, uidB, uidC, nameA, nameB, nameC string, chain Chain, exact bool) {
	order := Order{Chain: chain}
	assume(exact || !chain.legacy())
	assume(exact || aged(a) && aged(b) && aged(c))
	a.index, b.index, c.index = 0, 1, 2
	r := ranking{order: &order, exact: exact, pods: []Pod{{UID: uidA, Name: nameA}, {UID: uidB, Name: nameB}, {UID: uidC, Name: nameC}}}
	ab, bc, ac := r.compareBase(&a, &b), r.compareBase(&b, &c), r.compareBase(&a, &c)
	ba := r.compareBase(&b, &a)
	prove("of two pods not both are first, and a tie is one from both ends", (ab < 0) == (ba > 0) && (ab == 0) == (ba == 0))
	prove("first before first is first", ab >= 0 || bc >= 0 || ac < 0)
	prove("a tie is in the place of the other", ab != 0 || (bc < 0) == (ac < 0) && (bc == 0) == (ac == 0))
	prove("only pods of one name and UID are in a tie", ab != 0 || uidA == uidB && nameA == nameB)
}

// VictimsByTheirKeys: of any two pods that is first which a list of rules says: the lower stage;
// then more neighbours, and the lower bucket of the time since it is ready, which the place has as
// one number; ready for the shorter time, or not known since when; more restarts, of sidecars
// then; the younger bucket, or the younger one where times are compared exactly; with an
// annotation, if that decides ties; the lower UID; the lower name.
func VictimsByTheirKeys(a, b key, uidA, uidB, nameA, nameB string, chain Chain, exact bool) {
	order := Order{Chain: chain}
	assume(exact || !chain.legacy())
	a.index, b.index = 0, 1
	r := ranking{order: &order, exact: exact, pods: []Pod{{UID: uidA, Name: nameA}, {UID: uidB, Name: nameB}}}
	first := r.compareBase(&a, &b) < 0
	prove("stage", a.health == b.health || first == (a.health < b.health))
	assume(a.health == b.health)
	prove("neighbours", a.later == b.later || first == (a.later < b.later))
	assume(a.later == b.later)
	prove("time since ready", a.readySince == b.readySince || first == shorter(a.readySince, b.readySince))
	assume(a.readySince == b.readySince)
	prove("restarts", a.restarts == b.restarts || first == (a.restarts > b.restarts))
	assume(a.restarts == b.restarts)
	prove("restarts of sidecars", a.sidecars == b.sidecars || first == (a.sidecars > b.sidecars))
	assume(a.sidecars == b.sidecars)
	bucketed := !exact && a.createdAge != noAge && b.createdAge != noAge
	prove("age", a.created == b.created || bucketed || first == shorter(a.created, b.created))
	prove("bucket of the age", !bucketed || a.createdAge == b.createdAge || first == (a.createdAge < b.createdAge))
	decides := a.annotated != b.annotated && (chain == Legacy || chain == Legacy15)
	assume(a.created == b.created && (exact || a.createdAge == b.createdAge) || bucketed && a.createdAge == b.createdAge)
	prove("annotation", !decides || first == a.annotated)
	assume(!decides)
	prove("first bytes of the UID", a.prefix == b.prefix || first == (a.prefix < b.prefix))
	assume(a.prefix == b.prefix)
	prove("UID", uidA == uidB || first == (cmp.Compare(uidA, uidB) < 0))
	assume(uidA == uidB)
	prove("name", first == (cmp.Compare(nameA, nameB) < 0))
}

// shorter says that the first time is not set, or is the later one.
func shorter(a, b int64) bool {
	return a != b && (a == math.MinInt64 || b != math.MinInt64 && a > b)
}
