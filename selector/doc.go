// SPDX-License-Identifier: Apache-2.0

// Package selector tells what label and node selectors select.
//
// Start with [Selector], a compiled label selector. [Parse] reads one from text,
// [FromLabelSelector] from the form of the Kubernetes API, and [Selector.Matches] asks it
// about labels. A [NodeMatcher] does the same work for node selectors.
//
//	"app=web,tier in (a,b)" ──Parse──────────────┐
//	LabelSelector of the API ──FromLabelSelector─┴─> Selector ──Matches──> labels: yes or no
//	NodeSelector of the API ──NewNodeMatcher──> NodeMatcher ──Match──> node: yes or no
//	many selectors ──NewIndex──> Index: which of them select these labels
//
// Package selector/algebra compares selectors, and package selector/claim decides which
// controller adopts or releases an object.
//
// The rules by name, with what each mirrors, the invariants, the deviations and upstream's
// surprises are in rules.md.
//
// # Complexity
//
// With r requirements that have v values together, Matches takes r map look-ups
// and time in proportion to r, and to the values of lists with fewer than 16 of
// them; longer lists are searched. It does not allocate, and a set with fewer labels
// than the selector demands costs nothing. Compiling takes O(r log r + v log v) time
// and one or two allocations, and one more for each long list.
package selector
