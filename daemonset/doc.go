// Package daemonset plans the next step of a DaemonSet: the one of Kubernetes, and the
// Advanced DaemonSet of OpenKruise.
//
// [Reconcile] takes a [Snapshot] of a DaemonSet, all nodes, and the pods and revisions
// of its namespace and returns a [Plan]: the pods and revisions to create, delete,
// adopt, release and update, the status to report, what is held back and why, and when
// to look again. It performs nothing. One call is one pass of the controller.
// [Explain] tells the same node by node.
//
// # Rules
//
// They mirror the daemon controller of Kubernetes 1.36.3 and the daemonset controller of
// OpenKruise at 07169cfac7b9. Letters name the groups that comments refer to. Fields
// that only OpenKruise has work in both dialects; [Options].Dialect chooses where the
// two differ on the same input, and such rules are marked (differs).
//
// Pods and values (V).
//
//  1. Limits are numbers or percentages ([rollout.IntOrPercent]).
//  2. A pod is ready if its Ready condition is True, whatever its phase.
//  3. It is available once it has been ready for minReadySeconds, the boundary
//     included (differs: excluded). Without a ready time it never is.
//  4. The status of OpenKruise also wants an update in place to be over.
//  5. The template generation is an annotation with a decimal number.
//  6. A pod is new if its label has the current hash, or the template generation.
//  7. The oldest pod is a bound one before an unbound one, then the one created first,
//     then the first by name ([ComparePods]).
//  8. A pod belongs to the node that it is bound or pinned to ([TargetNode]).
//
// Placement (P): [Placer].
//
//  1. A node should run a pod, or only keep one, or neither.
//  2. What is placed is the template, with default tolerations.
//  3. A template that names another node, a label of nodeSelector that differs, and a
//     required affinity of which no term holds exclude a node; so does a taint
//     NoExecute that is not tolerated. One with NoSchedule lets pods stay. Conditions,
//     cordons, resources and ports do not matter.
//  4. Defaults ([DefaultTolerations]) tolerate not-ready and unreachable (NoExecute),
//     the three pressures, unschedulable and, on the host network, network-unavailable
//     (NoSchedule).
//  5. A term that is wrong holds nowhere, and does not disturb the others.
//  6. A toleration covers a taint as [Toleration.Tolerates] says.
//
// Created pods (C).
//
//  1. They are of the current revision, and carry its hash and the template generation.
//  2. They are pinned to their node ([Pin]), which replaces the required affinity.
//  3. With InPlaceIfPossible they have the readiness gate InPlaceUpdateReady.
//  4. With BindDirectly they are bound instead of pinned.
//
// Ownership and nodes (O, G). Package selector decides what is kept, adopted and
// released. Kubernetes leaves out pods that have ended and are being deleted (differs).
//
// One node (N): [NodeRules.Decide].
//
//  1. A node that should run a pod and has none gets one.
//  2. Where pods may stay they are sorted out by 4 to 7.
//  3. Elsewhere all go that are not going yet.
//  4. A failed pod goes, one per node and pass, unless the last one went too recently.
//     A succeeded pod goes (differs: it runs). One in state PreparingDelete goes
//     (OpenKruise).
//  5. Without surge all but the oldest go.
//  6. With surge a node without a running pod gets one at once.
//  7. With surge the oldest of the current hash and the oldest of the others stay; the
//     latter until it is not ready or the former is available.
//  8. Delays after a failed pod double from 1 second to 15 minutes and are forgotten
//     after 30, or when the observed generation changes ([Backoff]).
//
// Managing (M) and writing (W).
//
//  1. Every node is decided on its own.
//  2. Unbound pods of nodes that do not exist go.
//  3. With Progressive, only as many nodes get pods as the partition has released
//     ([NodesNeedingPods]).
//  4. The burst limits creations and deletions, 250 of each by default ([Burst]).
//  5. Creations start slowly: 1, 2, 4 and so on at once ([SlowStart]). That is up to who
//     executes the plan.
//
// Budgets (B): [Resolve]. Both limits are shares of the desired nodes, rounded up. If
// both are 0, one node may be unavailable. Surge comes first.
//
// Update without surge (R).
//
//  1. Of the pods that are not being deleted, a node has at most one new and one old
//     one; otherwise it is not in order.
//  2. All nodes with pods count, and desired ones without (differs: missing nodes do
//     not).
//  3. A node that is not in order, has no pod, has both, or whose only pod is not
//     available, counts as unavailable (differs: an old pod alone does not).
//  4. One whose old pod is about to go counts as well, and a new pod about to go beside
//     an old one counts once more if it is not available (OpenKruise).
//  5. Old pods that are not available all go. Of the others as many go as the budget
//     leaves, in the order of the names.
//
// With maxUnavailable 2 and n1 new and unready, n2 old and unready, n3 and n4 old and
// available, Kubernetes counts 2 and deletes on n2 alone; OpenKruise counts 1 and
// deletes on n2 and n3 or n4.
//
// Update with surge (S).
//
//  1. Nodes that are not in order or whose new pod is not available beside an old one
//     surge. An old pod beside an available new one goes.
//  2. OpenKruise does not look at whether the node should run a pod.
//  3. A node whose only pod is old gets a new one: at once if the old one is not
//     available, and otherwise as far as the surge allows, in the order of the names.
//  4. On a node that is not desired an old pod goes if it is not available, or as far
//     as more nodes are available than desired (Kubernetes).
//
// Which nodes (K).
//
//  1. Paused stops the update, and nothing else.
//  2. Prune leaves out missing nodes and those that are not desired.
//  3. The partition, a share of the desired nodes of the last status, rounded down,
//     keeps nodes as they are. Nodes that have been updated take their place first, then
//     empty ones, then the others, each from the last name; with NodeSelector only
//     selected ones.
//  4. Surging is Standard with a surge of 1.
//  5. OnDelete never deletes.
//
// In place (I): [InPlace], [FirstBatch], [NextBatch], [InPlaceCompleted].
//
//  1. With InPlaceIfPossible and no surge, pods that the update would delete are updated
//     in place where possible.
//  2. The pod must have the gate, and its revision must still exist.
//  3. No more than the burst; further ones wait.
//  4. Only images of containers and metadata may differ.
//  5. Metadata that the environment of a container refers to goes with the container.
//  6. The gate closes, the hash is set, and a batch is written.
//  7. A batch is the containers without launch priority and of the highest one.
//  8. Every plan opens gates, ends grace periods and writes next batches (differs: with
//     InPlaceIfPossible only).
//  9. An update is over when all its containers run something else than before.
//
// Hook (L): with PreDelete, a pod that the hook holds is marked instead of deleted, and
// deleted when it is let go. Marks are not limited, and the update goes on after them. A
// plan marks a pod once, even if several of its steps want it deleted.
//
// Revisions (H). Package revision decides. The current one has the data of the
// template, byte by byte; if there is none it is created, and of several the highest
// stays and all pods get its hash. Old ones beyond the limit go, unless a pod of some node
// has them.
//
// Status (T). Each desired node counts by its oldest pod alone, even one that is being
// deleted. Percentages of a later plan are shares of the desired nodes of this status.
//
// A pass (Y).
//
//  1. Unseen writes allow only a status. A plan that creates or deletes pods to keep
//     them in place does not update; OpenKruise does not clean up history nor
//     report the generation as observed then either (differs).
//  2. An empty selector stops everything, with an event.
//  3. A DaemonSet that is being deleted is left alone, even if its selectors are unusable.
//
// [Trigger] tells which events must start a pass.
//
// # Invariants
//
//   - Placement equals the truth table of rule P-3 (S1).
//   - After manage plans have been executed, no node has more than one running pod, or
//     two with surge (S2).
//   - Without surge, a plan never takes more available pods away than maxUnavailable
//     less the nodes that count as unavailable (S3). With surge, the nodes with a new
//     pod that is not available beside an old one are at most the surge, or those that
//     were so before and those whose old pod is not available (S4).
//   - Old pods that are not available go first; with StrictUnavailable the nodes
//     without an available pod never exceed maxUnavailable on account of the update
//     (S5). No more than SkipDeadNodes dead nodes are skipped (S6).
//   - A failed pod is not deleted before its delay is over, and the delays of one node
//     do not shrink until they are forgotten (S7).
//   - Pods on nodes that should not keep them go (S8).
//   - An update ends with max(0, desired − partition) nodes updated (S9), touches only
//     selected nodes (S10), and while paused none (S11).
//   - A pod that the hook holds is never deleted, and is marked (S12).
//   - At most one revision has the template after a plan, and no more than the limit
//     are old and unused (S13).
//   - A cordon changes nothing (S14). The counts of the status are those of a recount
//     (S15). Creations and deletions are at most the burst each (S16).
//   - An update of healthy nodes ends, and then nothing is planned any more.
//   - If a plan has no actions, the plans for the same snapshot have none either until
//     RecheckAt.
//   - A plan does not depend on the order of nodes, pods and revisions.
//   - Every object that is written belongs to the DaemonSet or is being adopted.
//
// # Deviations
//
//   - Upstream walks maps where it chooses pods to update; here the first by name are
//     chosen, or by the caller's [Node].Rank. In OpenKruise it is the order of K-3.
//     Pods of a node are looked at in the order of their names, not of a cache.
//   - Limits are read before they enter a snapshot. Unset ones have the defaults of
//     the API, where upstream fails or crashes; a revisionHistoryLimit does too.
//   - A limit that comes to more than 2147483647 nodes, which takes more than 100 %, wraps
//     around as that of a Deployment does. Upstream counts these nodes with 64 bits.
//   - A selector that is not set is an error, unless the DaemonSet is being deleted.
//     Upstream releases all pods.
//   - Events name pods without their namespace if the snapshot does not give it.
//   - A revision of another owner with the same template and no hash gives its name to
//     pods; upstream labels them with nothing.
//   - Pods that the plan relabels count by their new label at once; upstream sees them
//     a pass later.
//   - A pass does either managing or updating, and says so with the hold ManageFirst.
//     Upstream manages, and updates in the same pass if by then nothing that it has
//     written is still to be seen: its watch has been fast enough, or all writes have
//     failed. Plan again once the writes are seen to do the same: an update takes up to
//     one more pass for each wave.
//   - The status counts the snapshot, before the writes of the plan. Upstream reads its
//     cache again after its writes, and counts what the watch has shown of them by then;
//     a pass later both are the same.
//   - With surge, an old pod on a missing node makes upstream fail before it updates or
//     cleans up anything. So it does here, but the plan is no error: a hold says so.
//   - A duplicate revision without a hash is deleted without being labelled first.
//   - A pod that a hook holds loses its readiness once, with the mark; upstream repeats
//     it.
//   - RecheckAt is the exact instant at which a pod becomes available or a delay ends.
//     Upstream looks again after fixed times.
//   - Events about single writes (SuccessfulCreate and its like) come from [Finish].
//
// With [Options.VerticalScaling] new values of cpu and memory in the limits and requests
// of containers, not of init containers, go to the pod in place. A value that is added or
// removed, another resource, a quantity that cannot be read, or another quality of
// service replaces the pod; without the option any change of resources does. Amounts
// count for the quality of service, texts for whether a value changes. A request that
// the template leaves out is the limit and changes with it; upstream leaves it behind,
// so that the API server refuses the resize. The readiness gate closes unless only
// resources change and none of them restarts its container.
//
// Left to the caller is the resize itself: it goes to a subresource of the pod that may
// refuse it, as for want of room, and then the rest of the update should not be
// written. A plan does not see what resources containers run with: an update in place is
// completed without waiting for the kubelet to resize them. After a grace period of
// another writer images and metadata are written, and no resources.
//
// Not there: container hashes that the node agent reports (they are fields of [Pod]),
// and pre-download of images, which changes no decision.
//
// # Defects
//
// By default the defects of upstream are kept. [Options.Corrected] repairs the
// following; where a defect does not show, it changes nothing.
//
//   - D-3: nodes outside the DaemonSet use up the budget. Repaired: they do not count.
//   - D-5: OpenKruise does not count unavailable old pods. Repaired: it does.
//   - D-6: an old pod on a missing node stops an update with surge. Repaired: it is
//     left to the collector.
//   - D-7: of several revisions with the template, pods of older templates are
//     relabelled as well. Repaired: only those of the revisions that go.
//   - D-8: a template generation hides an old hash. Repaired: only hashes count.
//   - D-9: the status counts a node by a pod that is being deleted. Repaired: by its
//     best pod.
//   - D-11: with surge, failing pods are created without delay. Repaired: not while a
//     failed one waits.
//   - D-14: percentages are shares of the last status. Repaired: of the nodes that are
//     desired now, and a burst is at least 1.
//   - D-15: OpenKruise never raises the collision count. Repaired.
//   - D-19: a pod about to go counts twice. Repaired: once.
//   - D-20: OpenKruise never removes succeeded pods. Repaired.
//   - D-24: a readiness gate of the template is added again. Repaired.
//   - D-28: unbound pods of missing nodes are deleted again and again. Repaired.
//   - D-29: an update in place to a template without any annotations, or labels, removes
//     all that the pod has. Repaired: those of the old template.
//   - D-30: an update in place that is under way when the type changes is left with its
//     gate closed, so that the pod is never ready again (the Kubernetes dialect, which has
//     no such updates). Repaired: it is taken further whatever the type.
//   - D-31: OpenKruise surges on nodes that should not run a pod, and then deletes the new
//     pod as misplaced, or waits for it for ever. Repaired: as in Kubernetes (S-4).
//
// Others are wishes, and have policies in [Options]: D-2 SkipDeadNodes, D-4
// StrictUnavailable, D-10 KeepHealthyDuplicate, D-12 FiniteTolerationMeansNo and
// KeepUserTolerations, D-13 PartitionCreatesOld. D-1, the order, is [Node].Rank. D-16
// and D-18 do not arise: owners are known by UID, and nothing panics. D-17, D-21 to
// D-23 and D-25 are as upstream. D-26: nothing is cached. D-27: times are exact.
//
// # Complexity
//
// O(N + P) for N nodes and P pods while nothing changes, and O(N log B) during an update
// of which the burst lets B pods through at once, or O(N log N) where it is in place or
// has a partition. Selectors, affinity and tolerations are compiled once per call, and
// then a node costs a few look-ups; pods are looked at twice, and after that only what
// was found out about them. A plan allocates a constant number of times, and once for
// each action.
package daemonset
