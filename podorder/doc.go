// Package podorder answers which pods die first, and where a rollout stops.
//
// A [Pod] is what the planners read of a pod: whether it counts as a replica
// ([Pod.Active]), whether it serves ([Pod.Available]), and what a scale-down
// compares. [Order.Choose] chooses the pods to delete, [Order.Explain] says why these,
// [Order.Sort] lists all of them, and [Order.Compare] is upstream's own comparison of
// two. [Order.PlanPause] holds a rollout back at pods that are marked for it.
//
// # Rules
//
// The chain [Current] is that of ActivePodsWithRanks in the controller package of
// Kubernetes 1.36.3. Of two pods the first rule that tells them apart decides which
// one is deleted first:
//
//  1. one that is not assigned to a node;
//  2. one that is Pending, then Unknown, then Running; any other phase counts as
//     Pending;
//  3. one that is not ready;
//  4. the one with the lower deletion cost ([AnnotationDeletionCost]);
//  5. the one with more neighbours on its node ([Neighbours]);
//  6. of two ready pods, the one ready for less time, in powers of two, and among
//     equals the one with the smaller UID; a pod whose ready time is unset comes
//     first;
//  7. the one with more restarts of its containers, then of its sidecars;
//  8. the younger one, in powers of two, and among equals the one with the smaller
//     UID; a pod without a creation time comes first.
//
// [Legacy] has no rules 4 and 5 and compares exact times (ActivePods), and [Legacy15]
// knows no sidecars either (ActivePods of Kubernetes 1.5).
//
//  9. A delete priority ([AnnotationDeletePriority]) may be put in front of a chain, or
//     behind readiness: see [Priority]. [Seed] is the order that was proposed with it.
//  10. [Order.Stages] replace rules 1 to 5. Each compares a number of each pod. Put
//     together with [Chain.Stages], slices.Insert and plain assignments, they name
//     pods to delete first, take costs from elsewhere, prefer nodes that are going
//     away, empty nodes or keep zones even.
//  11. [RuleSpread] deletes from the fullest domain and counts anew after each victim:
//     of three pods on one node and two on another, 5 to 2 leaves one on each. Rule 5
//     counts once and empties the node.
//  12. [Order.Protected] pods are never victims; [Choice.Missing] says how many were
//     wanted and not found.
//  13. A rolling update stops at a pod with [AnnotationPausePoint]: what the order puts
//     in front of it may go, and the Deployment is paused. Resuming acknowledges the
//     point. With the mode after, the pod itself goes while the Deployment is paused.
//  14. A point is armed for [CauseRollout] alone, and only on pods of old ReplicaSets.
//     Anything else deletes the pod, with a warning.
//  15. The Deployment remembers in [AnnotationPausePointsHit] where it has paused. The
//     last entry of the current revision is where it waits if it is paused; all others
//     are acknowledged. While the pod of the last entry is not among those of a
//     ReplicaSet, that ReplicaSet loses nothing.
//  16. A pause and its entry are one write, guarded by the resource version. After it
//     nothing else is deleted in the pass, the ReplicaSets behind included.
//
// # Canonical order
//
// Upstream's relations are not always orders: ready pods of one age bucket are
// compared by UID, unless they became ready at the same instant, when restarts decide;
// and priorities count only between two pods that have one. Three pods can then form a
// cycle, and what upstream deletes depends on the order of its cache. Sort and Choose
// are always the same, and agree with the relation where it has no cycle, but for
// PriorityFirst in front of the chain Current, see there:
//
//   - Of a bucket, pods that became ready at one instant form a part, ordered by
//     restarts, creation and UID; the parts are merged by always taking the head with
//     the smallest UID.
//   - With [PriorityFirst], the pods with a priority, in its order, and all others, in
//     that of the chain, are merged by always taking the head that the chain puts in
//     front; ties of a legacy chain go to the pod with a priority. A tie of the chain
//     Current is broken by UID before the merge, and so a pod may stand in front of
//     one that the relation puts first even where that has no cycle.
//
// # Invariants
//
//   - Sort returns a permutation of its input that does not depend on the order of
//     the input.
//   - Victims(pods, c, n) is a prefix of Victims(pods, c, n+1).
//   - On a set of pods where Compare has no cycle, no pod stands in front of one
//     that Compare puts before it; with PriorityFirst this is so for the legacy chains.
//   - Without PriorityFirst, the legacy chains and the chain Current without a time are
//     strict weak orders, whatever the stages.
//   - A stage changes nothing among pods that an earlier one tells apart.
//   - With RuleSpread, no choice that respects the stages in front of it leaves the
//     domains more even.
//   - Two pods with a priority stand in its order, and two without one in that of the
//     chain. The same priority on all pods changes nothing.
//   - Shifting all times and Now together changes nothing.
//   - Nothing behind a pause point that has not been acknowledged is deleted, each
//     point pauses once, and a rollout whose pauses are resumed ends: also if writes
//     are lost, caches are late and planners crash.
//
// # Deviations
//
//   - The canonical order stands in for upstream's answer where that depends on the
//     order of its cache. [Order.SortUpstream] gives upstream's very answer for a
//     given order of the input.
//   - Pods that upstream considers equal are ordered by UID, then by name.
//   - If all pods are deleted, Victims lists them in order as well. Upstream leaves
//     them in the order of its cache.
//   - Times more than 292 years from 1970 are the same time.
//   - A pause point on a pod whose UID a token cannot hold is ignored, with a warning:
//     it would pause for ever.
//
// # Complexity
//
// Sort takes O(N log N) time for N pods. Victims takes O(N + n log n) expected time
// to choose n of N candidates, as long as the pivots are good, and O(N log N) at
// worst. Both allocate a constant number of slices. With RuleSpread, Victims sorts all
// candidates, and allocates with the number of domains; with PriorityFirst, it sorts
// as many more as have a priority.
package podorder
