// Package deploy plans the next step of a Deployment.
//
// [Reconcile] takes a [Snapshot] of a Deployment and the ReplicaSets of its
// namespace and returns a [Plan]: the ReplicaSets to create, annotate, scale and
// delete, the status to report, what is held back and why, and when to look again.
// It performs nothing. One call is one pass of the Deployment controller: a rollout
// that takes eleven passes takes eleven calls.
//
// # Rules
//
// Each rule names what it mirrors in the deployment controller of Kubernetes
// 1.36.3.
//
//  1. The Deployment claims ReplicaSets as package selector decides: it keeps those
//     that it controls and that match, adopts orphans that match, and releases those
//     that it controls and that no longer match; an empty selector claims nothing
//     (getReplicaSetsForDeployment). Of its ReplicaSets, the oldest with its template
//     is the new one, and all others are old (FindNewReplicaSet,
//     FindOldReplicaSets). A pass takes the first path that applies: being deleted,
//     paused, rollback, scaling event, Recreate, RollingUpdate (syncDeployment).
//  2. While the Deployment is paused, the condition Progressing is Unknown
//     (checkPausedConditions).
//  3. The new ReplicaSet follows the Deployment: annotations are copied, its
//     revision is one more than that of any old one, and minReadySeconds is the
//     same (getExistingNewReplicaSet).
//  4. The Deployment's revision is that of its new ReplicaSet. It follows one pass
//     later if the ReplicaSet itself had to be written.
//  5. A missing new ReplicaSet is created at the size that rule 6 gives
//     (getNewReplicaSet).
//  6. The new ReplicaSet may grow until all ReplicaSets together want replicas plus
//     surge, and not beyond replicas (NewRSNewReplicas). With 10 replicas and a
//     surge of 3, beside an old one of 8 and at a size of 3, it may grow by 2.
//  7. A rolling update grows the new ReplicaSet, or else shrinks the old ones, or
//     else cleans up (rolloutRolling). Creation is not growth: old ones may shrink
//     in the same plan.
//  8. A new ReplicaSet larger than the Deployment is cut down to it
//     (reconcileNewReplicaSet).
//  9. Old ReplicaSets may lose as many pods as are wanted beyond the minimum that
//     must be available, not counting pods of the new one that are not available
//     yet (reconcileOldReplicaSets).
//  10. Of these, pods that are not available go first, oldest ReplicaSet first
//     (cleanupUnhealthyReplicas).
//  11. Then available pods go, oldest ReplicaSet first, while more than the minimum
//     are available (scaleDownOldReplicaSetsForRollingUpdate).
//  12. If replicas have changed since a ReplicaSet was last scaled, or while the
//     Deployment is paused, the rollout rests and sizes are adapted: one active
//     ReplicaSet gets all replicas; beside a new one that serves alone the others
//     go; several share the difference in proportion to their sizes, rounded, with
//     the rest for the largest (isScalingEvent, scale).
//  13. Recreate scales the old ReplicaSets to 0, waits until their last pod has
//     ended, and then creates or grows the new one (rolloutRecreate).
//  14. When a rollout is complete according to the stored status, and in every
//     pass of a paused Deployment that no rollback is requested of, old ReplicaSets
//     beyond revisionHistoryLimit are deleted, lowest revision first; one that is not
//     empty stays (cleanupDeployment).
//  15. The status counts the ReplicaSets as they were before the plan.
//     Available is True if at least the minimum is available (calculateStatus).
//  16. Progressing is NewReplicaSetAvailable when the rollout is complete and
//     ReplicaSetUpdated, with a new update time, whenever it has moved
//     (syncRolloutStatus).
//  17. It is ProgressDeadlineExceeded when the update time is more than
//     progressDeadlineSeconds ago (DeploymentTimedOut).
//  18. ReplicaFailure is that of the new ReplicaSet or else of the oldest that has
//     one.
//  19. An annotation can ask to go back to a revision, or to the one before. The
//     Deployment gets that ReplicaSet's template and annotations, and the request is
//     removed, found or not (rollback).
//  20. With [Options.PausePoints], a rolling update that comes to a pod with a pause
//     point deletes the pods in front of it and pauses. While it waits, nothing is
//     started; resuming acknowledges the point (package podorder; upstream has
//     nothing like it).
//
// # Partitioned Deployments
//
// A Deployment with the field Partitioned is rolled by partition: a controller of
// batches says how many pods may have the new template, and the rest stays. The rules
// above apply, with these in place of some. They mirror the advanced deployment
// controller of OpenKruise Rollouts, commit 9dd6279d.
//
//  21. It is partitioned while a controller of batches holds it, which has set its
//     strategy to Recreate and paused it, so that the native controller leaves it
//     alone ([PartitionedBy]). What counts are the strategy, limits and pause of the
//     partition ([ParsePartitioned]). Rules 2, 13 and 19 do not apply.
//  22. The new ReplicaSet grows as in rule 6, but not beyond the partition of the
//     replicas, rounded up. Only "100%" and a number not below the replicas are
//     everything; another percentage leaves at least one old pod of several. One that
//     has all pods there are gets all replicas. It never shrinks for the partition
//     (NewRSReplicasLimit, NewRSNewReplicas). With 6 replicas and 20% it has 2.
//  23. Without a surge the new ReplicaSet is created with at least one pod
//     (NewRSReplicasLowerBound).
//  24. Old ReplicaSets lose pods as in rules 9 and 10, but together keep what the
//     partition leaves to them: the replicas less what the new one may have, or has if
//     that is more (ScaleDownLimitForOld, reconcileOldReplicaSets). With 6 replicas, 20%
//     and a new one of 2, they keep 4.
//  25. Available pods go by revision, latest first, so that the template that was
//     stable goes last (scaleDownOldReplicaSetsForRollingUpdate).
//  26. If they have fewer pods than that, but some, the largest gets what is missing
//     (scaleUpOldReplicaSets).
//  27. ReplicaSets are neither adopted nor released, and one that is being deleted
//     does not belong to the Deployment. Rule 14 does not apply: no history is cleaned
//     up.
//  28. Scaling, or a paused partition, shares out the replicas without the surge. If
//     pods are to go, those of old ReplicaSets that are not available go first
//     (scale).
//  29. How many new pods are ready, and how many the partition asks for, is reported in
//     an annotation and as Plan.ExtraStatus. Until the stored status shows the
//     partition reached, RecheckAt is at most two seconds away
//     (DeploymentRolloutSatisfied).
//
// # Invariants
//
// With truthful statuses, that is, no ReplicaSet reporting more available pods than
// it wants:
//
//   - After executing any prefix of Actions of a rolling update, the number of pods
//     wanted is at most replicas and surge, or has not increased.
//   - After executing any prefix of Actions of a rolling update, the number of
//     available pods is at least Budget.MinAvailable() or has not decreased, if
//     ReplicaSets remove unavailable pods first.
//   - Each ReplicaSet is scaled at most once in a plan.
//   - A rollout that is complete plans nothing but the cleanup of its history.
//   - A rollout that is not complete and plans nothing has a hold.
//   - If a plan has no actions, the plans for the same snapshot have none either
//     until RecheckAt.
//   - Without a scaling, the new ReplicaSet of a partitioned Deployment wants no more
//     pods than the partition allows, or than before, unless it is created without a
//     surge or no old pod is wanted; and old ones keep what the partition leaves to
//     them, unless P1 shows.
//   - If pods become available, a partitioned Deployment with limits gets under
//     Corrected to what its partition asks for, and then plans nothing.
//   - A plan does not depend on the order of ReplicaSets and Pods.
//   - Under Corrected no size is negative, and scaling in the middle of a rollout
//     reaches its sum exactly, moves no ReplicaSet against the direction of the
//     whole, and keeps each within one pod of its share.
//
// # Deviations
//
//   - Where upstream scales the same old ReplicaSet twice in one pass, first its
//     unavailable pods and then others, the plan does so once.
//   - Of the up to three status writes of one pass the plan has the last, which
//     contains the others.
//   - Without a selector, ReplicaSets are neither adopted nor released. Upstream
//     would release all and then panic.
//   - An unknown strategy, negative numbers and a ReplicaSet without a UID are errors;
//     upstream fails later or panics.
//   - The UID alone says whose a pod is. Upstream does not see a pod with the UID of an
//     old ReplicaSet under another kind or name, and Recreate starts beside it.
//   - A size that wraps around below 0 is not planned, and the ReplicaSet stays as it
//     is. Upstream writes it, which the API server refuses, in each pass again.
//   - What is not set means what it means upstream: no deadline, no limit of the
//     history, limits of 0 and so one unavailable pod. The defaults of the API are not
//     upstream's controller's, and not those of this package. Unset replicas, which
//     upstream panics on, are 1; an unset strategy, which ends upstream's pass with an
//     error, is RollingUpdate; and an unset MaxSurge is 0 also where the new ReplicaSet
//     is created or grows, which upstream gives up with an error.
//   - A plan supposes that its adoptions succeed. What follows if one fails, or if what
//     was to be adopted is gone, is [Finish].
//   - If an old ReplicaSet cannot be shrunk in a rolling update, upstream writes the status
//     and forgets the failure until something changes. [Finish] writes the status as well,
//     and returns the error, so that somebody tries again.
//   - A plan supposes that the ReplicaSet can be created. What follows if it cannot,
//     because its name is taken or for another reason, is [Finish]. If the snapshot
//     shows that the name is taken, the plan ends with the creation, which changes
//     nothing but the count of collisions.
//   - When history is cleaned up, a ReplicaSet whose revision does not parse is
//     placed by its age. Upstream compares it with each other one by age, which can
//     be cyclic; then the plan always decides the same way:
//     kubernetes/kubernetes#109934.
//   - Of a partitioned Deployment, negative limits are an error. A pass that upstream
//     loses to a write conflict with itself is planned as if there were none, and what
//     upstream would do without its webhook, which is to let the native controller
//     take over, is the caller's.
//   - RecheckAt of a partitioned Deployment need not change the plan: upstream looks
//     again while the partition is not reached.
//
// # Defects
//
// By default the defects of upstream are kept, since plans are those of upstream.
// [Options.Corrected] repairs the following; numbers in parentheses are issues of
// kubernetes/kubernetes. Where a defect does not show, it changes nothing.
//
//   - D1: a stale desired-replicas annotation on a ReplicaSet of the right size
//     stops all rollouts (#102551). Repaired: the annotation is refreshed.
//   - D2: Recreate with two active ReplicaSets and changed replicas is stuck
//     (#125568). Repaired: it goes on to recreate.
//   - D3, D4: products and sums wrap around beyond the range of int32 (#128535), and
//     so do limits. Repaired: computed exactly. What is written ends at the largest
//     int32.
//   - D5, D6, D7: scaling in the middle of a rollout moves ReplicaSets against the
//     direction of the whole, loses what a small one cannot give, and gives all that
//     rounding leaves over to one. Repaired: exact sums by largest remainder.
//   - D8: a scaling that was interrupted and then changed ends elsewhere than an
//     uninterrupted one (#44734). Repaired.
//   - D13: an old ReplicaSet whose status is ahead of its spec stops the cleanup of
//     all. Repaired: it counts as having what it wants.
//   - D14: unavailableReplicas lags by one pass. Repaired: it is that of the new
//     sizes.
//   - D16: a Deployment that is being deleted still writes its new ReplicaSet.
//   - D17: a rollout that reuses a ReplicaSet keeps the clock, and the failure, of
//     the progress deadline (#40207). Repaired: FoundNewReplicaSet.
//   - D21: a changed message of ReplicaFailure is not reported, and neither is its
//     end while paused.
//   - D22: when history is cut, an old ReplicaSet in use takes the place of an idle one
//     to go back to (#41145). Repaired: the limit counts idle ones.
//   - D24: an empty map of labels is not recognised as an empty selector, and every
//     orphan of the namespace is adopted.
//   - D26: saturation reads "+3" and numbers beyond 32 bits as sizes.
//   - D27: scaled up from nothing, the youngest ReplicaSet is started and not the
//     one with the highest revision.
//   - D29: available pods of a ReplicaSet beyond what it wants, which are about to
//     go, allow others to go: those of the new one always, those of an old one if
//     the cleanup of unhealthy pods ends before it (then D13 does not stop it).
//     Repaired: a ReplicaSet has no more available pods than it wants.
//   - D31: a name cut behind a dot or dash is invalid (#116447).
//   - D34: a rollback first creates a ReplicaSet for a template that it gives up.
//
// Others are wishes rather than repairs, and have policies in [Options]: D9
// WeighByAvailable, D10 Paused (#115735), D11 RolloutFirst (#105395), D12 Terminating
// (#95498), D20 StrictAvailable (#61205), D36 Adoption (#61433). Some can only be told:
// D18 by [Stalled], D30 by [OldPodsRunning], D19 by a hold. Some cannot occur: D15 (one
// write for each ReplicaSet), D23 and D25 (errors), D33 (no shared memory).
//
// Partitioned Deployments have defects of their own. Numbers in parentheses are those
// of package rollout.
//
//   - P1: the order of rule 25 is lost with 3, 5 to 7 or 9 to 15 active old
//     ReplicaSets, and with most larger numbers (D1). The oldest go first, and a new
//     one older than some old one is taken for old, which may never end. Repaired.
//   - P2: without a surge a pod of the new template is started, and an old one removed,
//     at partition 0 (D6). Repaired: none is started.
//   - P3: scaled up, the new ReplicaSet keeps its share, and stays beyond its partition
//     (D18). Repaired: what would be beyond goes to the largest old one.
//   - P4: an old ReplicaSet whose status is ahead of its spec ends a scaling with an
//     error, and nothing is reported (D21). Repaired as D13.
//   - P5: scaled or paused in the middle of a rollout, sets lose available pods beyond
//     the minimum, since the surge goes whatever is available. Repaired: pods that are
//     not available, or not yet started, go in their place, new ones first.
//
// A share of nothing, which upstream divides by zero for (D17), is always 0. What
// ignores the partition by design stays: a new ReplicaSet that is the only one with
// pods (D22).
//
// # Complexity
//
// O(N log N) for N ReplicaSets and O(P log N) for P pods with Recreate. The number of
// allocations grows with the plan alone: idle ReplicaSets and pods add none, only to the
// length of a few slices.
package deploy
