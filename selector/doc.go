// SPDX-License-Identifier: Apache-2.0

// Package selector matches label selectors and node selectors.
//
// Start with [Selector], a compiled label selector. [Parse] reads one from text,
// [FromLabelSelector] converts one from the form of the Kubernetes API, and
// [Selector.Matches] matches it against labels. A [NodeMatcher] does the same for node
// selectors.
//
//	"app=web,tier in (a,b)" ──Parse──────────────┐
//	LabelSelector of the API ──FromLabelSelector─┴─> Selector ──Matches──> labels: yes or no
//	NodeSelector of the API ──NewNodeMatcher──> NodeMatcher ──Match──> node: yes or no
//	many selectors ──NewIndex──> Index: which of them select these labels
//
// Package selector/algebra compares selectors, and package selector/claim decides which
// controller adopts or releases an object.
//
// The named rules, the functions that they mirror, the invariants, the deviations and the
// surprises of upstream are in rules.md.
//
// # Complexity
//
// With r requirements that have v values in total, Matches takes r map look-ups and time in
// proportion to r and to the number of values in lists of fewer than 16; longer lists are
// searched. It does not allocate, and returns at once if there are fewer labels than the
// selector requires. Compiling takes O(r log r + v log v) time and one or two allocations,
// and one more for each long list.
package selector
