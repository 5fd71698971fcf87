// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// A Relation is how what two selectors select lies to each other.
type Relation string

// The relations of a and b.
const (
	RelationEqual       Relation = "Equal"       // the same, possibly nothing
	RelationInside      Relation = "Inside"      // all that a selects, b selects as well
	RelationContains    Relation = "Contains"    // all that b selects, a selects as well
	RelationOverlapping Relation = "Overlapping" // some is common, and each has some of its own
	RelationDisjoint    Relation = "Disjoint"    // nothing is common
)

// A Comparison is a relation with examples. An example is nil if there is none; it
// may well be empty, since no labels at all are labels too.
type Comparison struct {
	Relation Relation          `json:"relation"`
	Common   map[string]string `json:"common"` // selected by both
	OnlyA    map[string]string `json:"onlyA"`  // selected by a and not by b
	OnlyB    map[string]string `json:"onlyB"`  // selected by b and not by a
}

// Compare tells how what a selects lies to what b selects. A selector that selects
// nothing is Disjoint with every one that selects something.
func Compare(a, b selector.Selector) Comparison {
	common, overlap := Overlap(a, b)
	onlyA, inside := Implies(a, b)
	onlyB, contains := Implies(b, a)
	c := Comparison{Common: common, OnlyA: onlyA, OnlyB: onlyB}
	switch {
	case inside && contains:
		c.Relation = RelationEqual
	case !overlap:
		c.Relation = RelationDisjoint
	case inside:
		c.Relation = RelationInside
	case contains:
		c.Relation = RelationContains
	default:
		c.Relation = RelationOverlapping
	}
	return c
}
