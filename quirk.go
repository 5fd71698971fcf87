// SPDX-License-Identifier: Apache-2.0

package kplan

// A Quirk is a defect of the original that a planner keeps by default, to plan the same,
// and that its options can repair. QuirkTable of each planner lists its quirks.
type Quirk struct {
	Name     string `json:"name"`           // such as StaleAnnotationBlocksRollout
	Upstream string `json:"upstream"`       // the behaviour of the original
	Source   string `json:"source"`         // its function and release
	Issue    string `json:"issue,omitzero"` // its issue, such as kubernetes/kubernetes#102551
	Input    string `json:"input"`          // the smallest input that shows it
	Repair   string `json:"repair"`         // the behaviour with the repair
}
