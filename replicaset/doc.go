// Package replicaset plans the next step of a ReplicaSet or a ReplicationController.
//
// [Reconcile] takes a [Snapshot] of a ReplicaSet and the pods of its namespace and
// returns a [Plan]: the pods to adopt, release, create or delete, the status to
// report, and when to look again. It performs nothing. [Finish] takes what became of
// the plan and returns the expectations that are left, the status to write and whether
// to try again.
//
// # Rules
//
// Each rule names what it mirrors in the replicaset package of Kubernetes 1.36.3.
//
//  1. Candidates are the active pods that have no controller or one with the
//     ReplicaSet's UID (FilterPodsByOwner, FilterActivePods). Those that
//     the selector selects are kept or adopted, and those that it does not are
//     released; a ReplicaSet that is being deleted only keeps (claimPods).
//  2. A pod counts if it is active: neither finished nor being deleted. A failed
//     pod is neither counted nor deleted, only replaced.
//  3. With fewer active pods than wanted, the difference is created; with more, it
//     is deleted. No more than the burst changes at once, 500 by default
//     (manageReplicas). Creations are made in batches that double, and stop at the
//     first that fails: [SlowStart] (slowStartBatch).
//  4. Which pods are deleted is decided by package podorder (getPodsToDelete); [Order]
//     returns its order.
//  5. If the ReplicaSet has a controller, the active pods that it or another one with
//     that controller selects count as neighbours on their nodes, whoever owns them
//     (getPodsRankedByRelatedPodsOnSameNode).
//  6. The status counts the pods as they were before the actions
//     (calculateStatus). Unset TemplateLabels are carried by every pod.
//  7. The condition ReplicaFailure is removed by a plan, which has not failed, and set
//     by Finish if pods could not be created or deleted.
//  8. If some ready pod is not available yet, the plan says when the next one will
//     be (FindMinNextPodAvailabilityCheck).
//  9. A ReplicaSet that is being deleted keeps its pods.
//  10. While [Expectations] are not met, nothing is created or deleted, for five
//     minutes at most (SatisfiedExpectations). They are raised before the calls are
//     made, and lowered by those that fail.
//  11. A failed adoption or release ends the pass, without a status. Pods that are
//     gone, and releases that another has made, are no failures (ClaimPods).
//  12. A selector that cannot be used ends the pass without an error.
//  13. The status is written if a count or a condition differs, or the generation
//     (updateReplicaSetStatus): [NeedsWrite].
//  14. [PodEffects] says whom an event concerns (addPod, updatePod, deletePod), and
//     [Versions] whether the cache is as new as the own writes.
//  15. A ReplicationController is planned in the same way, but has no neighbours and
//     does not report terminating pods (package replication).
//
// # Invariants
//
//   - A plan creates or deletes, never both, and exactly the difference up to the
//     burst.
//   - Every deleted pod is active and belongs to the ReplicaSet, and none is
//     deleted twice.
//   - After executing a plan of no more than the burst, the next plan has no
//     actions.
//   - The counts satisfy available ≤ ready ≤ replicas and fullyLabeled ≤ replicas.
//   - A plan does not depend on the order of Pods and Siblings.
//   - If a plan has no actions, the plans for the same snapshot have none either until
//     RecheckAt.
//   - After a pass in which all went well, the expectations are met as soon as each pod
//     was seen, in any order and any number of times.
//   - What Corrected repairs changes nothing where its defect does not show.
//
// # Defects
//
// Kept, unless Options.Corrected is set:
//
//   - D-1: a ReplicaFailure that is there already keeps its old reason and text
//     (kubernetes/kubernetes#127081).
//   - D-2: a pass that waits for expectations removes ReplicaFailure.
//   - D-5: creations in a namespace that goes away raise expectations that are never
//     met.
//   - D-6: a selector that cannot be used is ignored for ever; corrected, it is an
//     error.
//   - D-12: a ready pod without a ready time is looked at every minReadySeconds, though
//     it never becomes available.
//   - D-18: an error of one claim keeps the status of all other pods from being written.
//
// Always repaired:
//
//   - The UID alone says whose a pod is. Upstream ignores a pod with the ReplicaSet's UID
//     under another kind or name, and creates another in its place.
//   - D-3, D-4: expectations that run out say so, and RecheckAt includes that instant.
//     Upstream sleeps until some other event.
//   - D-7: negative replicas are an error; upstream panics. Unset replicas are 1, as the
//     API server would have set.
//   - D-9: deletions carry the UID and the resource version as preconditions.
//   - D-16: the caller's slices are not reordered.
//
// # Deviations
//
//   - Without a selector the pods are those that the ReplicaSet controls, and none is
//     adopted or released. Upstream's nil selector selects nothing, and so would
//     release everything. For neighbours ownership then decides, too.
//   - The plan counts on its adoptions. If one of them finds that the pod is gone, plan
//     anew.
//   - If all pods are to be deleted, they are still listed in deletion order;
//     upstream lists them in the order of its cache. So does 1.5 whenever replicas
//     are 0.
//   - No conditions and an empty list of conditions are the same.
//
// # Complexity
//
// O(N) for N pods, and O(n log n) more for n of them to be deleted; see package
// podorder. A plan that finds nothing to do allocates a constant number of times.
package replicaset
