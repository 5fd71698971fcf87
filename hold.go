// SPDX-License-Identifier: Apache-2.0

package kplan

import "fmt"

// A Hold is something that a planner considered and held back. Each planner gives it
// reasons of its own, with a comment for each that says what Have and Limit count.
type Hold[R ~string] struct {
	Node   string `json:"node,omitzero"` // the node it concerns; "" is none or all
	Name   string `json:"name,omitzero"` // the object it concerns; "" is the one that the plan is for
	Reason R      `json:"reason"`
	Have   int64  `json:"have,omitzero"`  // the number that Reason compares
	Limit  int64  `json:"limit,omitzero"` // and what it is compared with
}

// String returns one line such as "web-1 held back: MinAvailable (8 of 8)" or "web-x on n1
// held back: NotReady". Of the object that the plan is for it says "held back: Paused".
func (h Hold[R]) String() string {
	text := "held back: " + string(h.Reason)
	switch {
	case h.Name != "" && h.Node != "":
		text = h.Name + " on " + h.Node + " " + text
	case h.Name != "" || h.Node != "":
		text = h.Name + h.Node + " " + text
	}
	if h.Have == 0 && h.Limit == 0 {
		return text
	}
	return fmt.Sprintf("%s (%d of %d)", text, h.Have, h.Limit)
}
