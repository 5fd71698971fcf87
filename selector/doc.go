// Package selector tells who belongs to whom.
//
// A [Selector] is a compiled label selector. [Parse] reads one from text,
// [FromLabelSelector] from the form of the Kubernetes API, and [Selector.Matches]
// asks it about labels. [Overlap], [Implies], [Compare] and their neighbours answer
// questions about selectors themselves, with examples. A [NodeMatcher] does the
// same work for node selectors.
//
// [Decide] tells what becomes of a child of a controller: kept, adopted, released
// or ignored, and why. [Classify], [Resolve] and [ApplyOutcome] make a pass over
// all children of it, and the others look at many controllers at once.
//
// # Rules
//
// Each rule names what it mirrors: apimachinery (A) and component-helpers (H)
// 0.36.3, Kubernetes (K) 1.36.3 and 1.5.
//
//  1. A nil [LabelSelector] selects nothing, an empty one everything, and so does a
//     nil or empty map (A LabelSelectorAsSelector, SelectorFromSet).
//  2. A key is a name of up to 63 bytes, possibly behind a DNS subdomain of up to
//     253 bytes and a slash; a value is a name or empty (A IsLabelKey,
//     IsValidLabelValue).
//  3. The values must suit the operator, and those of gt and lt be an int64; all
//     that is wrong is reported, key before number before values (A NewRequirement).
//  4. A missing label satisfies notin, != and ! and nothing else. gt and lt are
//     strict, and refuse a value that is no int64 (A Requirement.Matches).
//  5. Text is sorted by key and, within a list, by value, and reads back as the same
//     selector (A Selector.String, Parse).
//  6. A node satisfies a node selector if it satisfies a term, and a term if it
//     satisfies all of its expressions; empty terms and terms that are wrong select
//     nothing (H nodeaffinity).
//  7. A pod may run where its nodeSelector and its required affinity allow
//     (H GetRequiredNodeAffinity), and scores the weights of the preferred terms
//     that hold (H NewPreferredSchedulingTerms).
//  8. The first row of the table below that fits decides about a child. Only the
//     UID tells whether a controller is the owner, and a child matches if the
//     selector selects its labels and the caller does not reject it (K ClaimObject).
//  9. Before the first adoption of a pass the owner is read from the API server;
//     the answer holds for all adoptions (K RecheckDeletionTimestamp). See [Live].
//  10. A child that is gone is no failure, neither is a release that the server
//     finds invalid; every other failure is reported, after all children have had
//     their turn (K ClaimPods). See [ApplyOutcome].
//  11. ReplicaSets and ReplicationControllers look at active pods of their own only
//     (K FilterPodsByOwner, FilterActivePods). See [DecideReplica].
//  12. Kubernetes 1.5 releases even while the owner is being deleted, does not check
//     it, and passes over adoptions that fail. See [ClassifyV15].
//
// # Decisions
//
//	controlled by                  matches  owner deleting  then
//	another                        -        -               Ignore (OwnedByOther)
//	the owner                      yes      -               Keep (Owned)
//	the owner                      no       yes             Ignore (ControllerDeleting)
//	the owner                      no       no              Release (NoMatch, Rejected)
//	none                           -        yes             Ignore (ControllerDeleting)
//	none                           no       no              Ignore (NoMatch, Rejected)
//	none, and it is being deleted  yes      no              Ignore (ObjectDeleting)
//	none, in another namespace     yes      no              Ignore (OtherNamespace)
//	none                           yes      no              Adopt (Orphan)
//
// # Invariants
//
//   - The order of expressions and of map iteration changes no text, error or match.
//   - What Parse accepts prints to a text that it reads as an equal selector, and no
//     word of it is lost.
//   - Adding a requirement never enlarges what a selector selects.
//   - Overlap is symmetric, and both selectors select its example. Implies is
//     transitive, and its counter-example is selected by a and not by b.
//   - Normalize changes nothing about what is selected, and is its own normal form.
//   - No requirement of a [Contradiction] can be left out.
//   - Each child gets exactly one decision, whatever the order of the children.
//   - Adopt means an orphan that matches, is not being deleted, and is in the
//     owner's namespace. Release means a child of the owner that does not match.
//   - An owner that is being deleted changes nothing.
//   - Claimed children match.
//   - After all actions a second classification has nothing to change, and keeps
//     what the first one claimed.
//   - The owner of a child that is not [Contested] does not depend on the order of
//     the controllers.
//   - For active children and an owner that is not being deleted the lists of
//     Kubernetes 1.5 are those of today.
//
// # Deviations
//
//   - A NUL byte in a selector's text is an error. Upstream drops what is behind it,
//     in most places; [ParseOptions] has that too.
//   - Requirements with equal keys stay in order, labels before expressions. Upstream
//     sorts more than 12 of them unstably, and their text is random.
//   - With several bad entries of matchLabels the error names the first in the order
//     of the keys. Upstream names a random one. [Error] lists all of them.
//   - [LabelSelector.Map] and [ParseMap] return nothing along with an error.
//   - [LabelSelector.WithLabel] leaves nil alone, where upstream panics.
//
// Upstream's surprises that are kept: the text of Nothing and Everything is empty
// ([Selector.Describe] tells them apart), a list () in a text is one empty value
// while an empty list of the API is an error, contradictions are accepted
// ([Selector.Contradictions] finds them), [Selector.ExactMatch] looks at one
// requirement, a node without a name satisfies every condition on its name, and a
// field that no node has is empty.
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
