// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// A Relation is the relation between the selections of two selectors.
type Relation string

// The relations of a and b.
const (
	RelationEqual       Relation = "Equal"       // both select the same, possibly nothing
	RelationInside      Relation = "Inside"      // b selects everything that a selects, and more
	RelationContains    Relation = "Contains"    // a selects everything that b selects, and more
	RelationOverlapping Relation = "Overlapping" // both select some labels, and each selects others
	RelationDisjoint    Relation = "Disjoint"    // no labels are selected by both
)

// A Comparison is a relation with examples. An example is nil if none exists; an empty
// example is valid, since a selector may select the empty set of labels.
type Comparison struct {
	Relation Relation          `json:"relation"`
	Common   map[string]string `json:"common"` // selected by both
	OnlyA    map[string]string `json:"onlyA"`  // selected by a and not by b
	OnlyB    map[string]string `json:"onlyB"`  // selected by b and not by a
}

// Compare compares the selections of a and b. A selector that selects nothing is Disjoint
// from every selector that selects something.
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
