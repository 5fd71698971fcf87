// Package selector tells who belongs to whom.
//
// Start with [Selector], a compiled label selector, and [Decide], which tells what
// becomes of a child of a controller: kept, adopted, released or ignored, and why.
// [Parse] reads a selector from text, [FromLabelSelector] from the form of the Kubernetes
// API, and [Selector.Matches] asks it about labels. [Overlap], [Implies], [Compare] and
// their neighbours answer questions about selectors themselves, with examples. A
// [NodeMatcher] does the same work for node selectors.
//
// One pass over the children of a controller:
//
//	Owner, children ──Classify──> Claim: keep, adopt, release
//	                                │
//	owner read from the server ──CheckLive──> LiveCheck
//	                                │
//	                             Resolve──> Resolution: AdoptChild, ReleaseChild, errors
//	                                │          you carry them out
//	                             ApplyOutcome <── an Outcome for each
//	                                │
//	                                v
//	                             the children that are claimed
//
// [DecideReplica] and [ClassifyReplicas] are the same for pods of ReplicaSets. [Simulate], [Strays] and [Conflicts] look at many
// controllers at once, by an [Index].
//
// The rules by name, with what each mirrors, the table of decisions, the invariants, the
// deviations and upstream's surprises are in rules.md.
//
// # Complexity
//
// With r requirements that have v values together, Matches takes r map look-ups
// and time in proportion to r, and to the values of lists with fewer than 16 of
// them; longer lists are searched. It does not allocate, and a set with fewer labels
// than the selector demands costs nothing. Compiling takes O(r log r + v log v) time
// and one or two allocations, and one more for each long list. Analysis takes
// O((r + v) log (r + v)) time; that of node selectors as much for each pair of terms.
//
// Decide takes one Matches at most. Classify takes one Decide for each child, a byte
// for each, and allocates at most five times, whatever their number. Simulate and
// Strays ask an [Index], which tries the selectors that demand the rarest of a
// child's labels. Conflicts compares the controllers that agree on the label that
// most of them demand.
package selector
