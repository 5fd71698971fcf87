// SPDX-License-Identifier: Apache-2.0

package kplan

import "fmt"

// A Reason is the reason of an action or of a hold, a word such as "MinAvailable". Each planner
// has its own, in a package named reason beside it.
type Reason string

// A Hold is a change that a planner considered and held back. The comment of its Reason defines
// Have and Limit.
type Hold struct {
	Node   string `json:"node,omitzero"` // the node of the change; "" is none or all
	Name   string `json:"name,omitzero"` // the object of the change; "" is the object of the plan
	Reason Reason `json:"reason"`
	Have   int64  `json:"have,omitzero"`  // the number that Reason compares
	Limit  int64  `json:"limit,omitzero"` // the limit of Have
}

// String returns one line such as "web-1 held back: MinAvailable (8 of 8)" or "web-x on n1
// held back: NotReady". For the object of the plan it is "held back: Paused".
func (h Hold) String() string {
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
