// SPDX-License-Identifier: Apache-2.0

package kplan

// A Quirk is a behaviour of the original that a planner keeps by default, because its
// plans are those of the original, and that its options can repair. Each planner has a
// table of them, QuirkTable.
type Quirk struct {
	Name     string `json:"name"`           // such as StaleAnnotationBlocksRollout
	Upstream string `json:"upstream"`       // what the original does
	Source   string `json:"source"`         // where it does so: function and release
	Issue    string `json:"issue,omitzero"` // where it is known, such as kubernetes/kubernetes#102551
	Input    string `json:"input"`          // the smallest input that shows it
	Repair   string `json:"repair"`         // what is done instead
}
