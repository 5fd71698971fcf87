// Package revision answers which template is which, what it is called, and how to
// get back to an earlier one.
//
// A [Template] is the identity of a pod template. A Deployment keeps its history in
// its ReplicaSets, each an [Entry] here: it carries a revision number ([Number],
// [Next]) and the numbers that it had before ([AppendHistory]). [Sync] keeps the
// annotations of the newest one up to date, [CleanUp] deletes old ones, and [Hash]
// and [ReplicaSetName] name a new one. StatefulSets and DaemonSets keep theirs in
// objects of their own, each a [ControllerRevision]. What kubectl rollout does is
// here as well: [History], [Table], [PlanUndo], [UndoRevision], [Rollout.Report].
//
// # Rules
//
// Each rule names what it mirrors in Kubernetes 1.36.3 or kubectl 0.36.3.
//
// Templates and names:
//
//  1. Two templates are the same if they are equal without their pod-template-hash
//     label (deployment util, EqualIgnoreHash). The caller compares once, when it
//     chooses the ID of a [Template].
//  2. The hash of a template is the 32-bit FNV-1a sum of its dump, followed by the
//     collision count in 8 bytes if there is one, in decimal, with each digit
//     replaced so that no word can appear (controller, ComputeHash;
//     rand.SafeEncodeString).
//  3. A ReplicaSet is called "deployment-hash", and the Deployment's name is cut to
//     253 bytes less the rest (deployment controller, getNewReplicaSet).
//
// Numbers and annotations of ReplicaSets:
//
//  4. A missing revision is 0, and one that is not a decimal int64 is an error
//     (deployment util, Revision).
//  5. A new revision is one more than the highest of the old ReplicaSets, those
//     without a usable number left out (deployment util, MaxRevision).
//  6. A rollback to revision 0 goes to the second highest number, equal ones
//     counted twice (deployment util, LastRevision).
//  7. The newest ReplicaSet gets the annotations of the Deployment, those of rule 8
//     aside, and none is ever removed. Its revision is raised but never lowered,
//     and the former one is appended to its history (deployment util,
//     SetNewReplicaSetAnnotations).
//  8. Bookkeeping is not copied: revision, history, desired and highest replicas,
//     the request for a rollback, and what kubectl last applied (deployment util,
//     skipCopyAnnotation).
//  9. A history longer than its limit loses its oldest entries, and one whose first
//     entry is empty starts anew (deployment util, SetNewReplicaSetAnnotations).
//  10. The new ReplicaSet is the oldest with the template, by creation and then by
//     name; all others are old ([Split]; deployment util, FindNewReplicaSet,
//     FindOldReplicaSets).
//  11. A new ReplicaSet gets the copied annotations, its revision, and the two
//     numbers of proportional scaling ([CreationAnnotations]; deployment util,
//     SetNewReplicaSetAnnotations).
//  12. If its name is taken by another owner or template, the collision count goes
//     up by one, from unset to 1 ([Collides], [NextCollision]; deployment
//     controller, getNewReplicaSet).
//
// Rollback and cleanup by the controller:
//
//  13. An annotation that is a decimal int64 asks for a rollback; anything else
//     does not ([RollbackRequest]; deployment controller, getRollbackTo).
//  14. The first ReplicaSet with the revision is the target, old ones by age and the
//     new one last. The Deployment gets its template and annotations, unless the
//     template is the same; the request is cleared in any case ([PlanRollback];
//     deployment controller, rollback).
//  15. A Deployment that goes back keeps its own bookkeeping and takes all else from
//     the ReplicaSet ([RollbackAnnotations]; deployment util,
//     SetDeploymentAnnotationsTo).
//  16. Of more old ReplicaSets than the limit, the lowest revisions are deleted as
//     far as they are empty and observed; one that is not stays and is not replaced
//     ([CleanUp], [ByRevision]; deployment controller, cleanupDeployment).
//
// kubectl:
//
//  17. The history has one row for each revision, the last of equal ones, and
//     leaves out what does not parse. The cause is the ReplicaSet's or else its
//     template's ([History], [Table], [Show]; rollout history).
//  18. Undo goes to the second highest revision, for which none counts as 0, or to
//     the first with the number; not while paused; not to the same template
//     ([PlanUndo]; rollout undo).
//  19. The status waits for the spec to be observed, for new pods, for old ones to
//     end, and for available ones, in this order ([Rollout.Report]; rollout status).
//  20. A paused Deployment cannot be paused or restarted, and only a paused one can
//     be resumed ([Pause], [Resume], [Restart]).
//
// ControllerRevisions:
//
//  21. The hash is the 32-bit FNV-1 sum of the data, or of the dump of the decoded
//     data if there is one, and of the collision count in decimal ([HashRevision];
//     history, HashControllerRevision). The name has 223 bytes of the parent's
//     ([RevisionName]; history, ControllerRevisionName).
//  22. The order is by number, creation time and name ([CompareRevisions]; history,
//     SortControllerRevisions). Equal are those with the same bytes
//     ([ControllerRevision.SameData]; history, EqualRevision).
//  23. If the name is taken by other data, the collision count goes up and the next
//     name is tried ([Attempt]; history, CreateControllerRevision).
//  24. A StatefulSet is updated to the newest revision if that has its data, to an
//     older one with a new number, to the newest if restoring it gives the data, or
//     to a new one ([ChooseUpdate], [NextRevision]; StatefulSet controller,
//     getStatefulSetRevisions).
//  25. Revisions of a StatefulSet that no pod and no status names are deleted beyond
//     the limit ([Truncate]; StatefulSet controller, truncateHistory).
//  26. A revision of a DaemonSet is current if it has its data, byte by byte; of
//     several the highest stays and gets the highest number ([Partition], [Dedupe];
//     DaemonSet controller, constructHistory). A new one is named after the hash of
//     rule 2 and not cut ([NewDaemonSetRevision], [DaemonSetTaken]; snapshot).
//  27. Old revisions of a DaemonSet that no pod has are deleted beyond the limit,
//     and one that is in use is replaced by the next ([CleanUpRevisions];
//     cleanupHistory).
//  28. Undo goes to the second last revision, or to the first with the number; not
//     to the same data ([UndoRevision]; rollout undo).
//
// A template that is used again moves on: after A, B and A again, the ReplicaSet of
// A has revision 3 and history "1", that of B revision 2, and revision 1 is gone.
//
// # Invariants
//
//   - Next is higher than every old revision below the largest int64.
//   - Max and Last do not depend on the order of the numbers, and Last is at most
//     Max.
//   - Sync has nothing left to do after what it returned was applied, unless the
//     revision does not parse. With Corrected that is no exception.
//   - A history never grows beyond its limit, and ends with the newest entry
//     whenever that fits.
//   - A hash consists of 1 to 10 of the characters 456789bcdf.
//   - No answer depends on the order of the entries or ControllerRevisions, apart
//     from lists of indices that are said to be in the order given.
//   - ByRevision is a permutation, and is upstream's order wherever upstream's
//     comparison has no cycle.
//   - CleanUp, Truncate and CleanUpRevisions delete nothing in use. Truncate leaves
//     exactly the limit of those not in use, if there are as many.
//   - What a ReplicaSet has comes back to the Deployment on a rollback, and is then
//     not copied again.
//   - Undo twice returns to where one started, for Deployments and StatefulSets.
//   - While nothing is deleted, FullHistory has every revision from 1 on once.
//   - A normal form is normal.
//
// # Deviations
//
//   - The dump is an argument of [Hash] and [HashRevision], because its text follows
//     the API types.
//   - [Sync] takes the new revision as a number, so that it cannot be unusable.
//   - Nothing panics: a negative history limit of a Deployment is 0, an unset one of
//     a StatefulSet or DaemonSet is 10, and DaemonSet revisions may be negative (R16).
//   - Where upstream's order is cyclic or left to chance, it is total here: ReplicaSets
//     whose revision does not parse ([ByRevision], R7), and revisions of DaemonSets and
//     in kubectl with equal numbers ([CompareRevisions], R12).
//   - Decoded objects of ControllerRevisions are equal if their dumps are, so that
//     a nil map is not an empty one. Controllers compare bytes alone.
//   - The error of [DaemonSetTaken] shows counts where upstream shows addresses.
//   - Who may adopt or release a ControllerRevision is a matter of its selector and
//     not of this package.
//
// Beyond that, the default is what upstream does, defects included. What repairs
// them:
//
//   - R1: revisions vanish when a template is used again. [FullHistory] has them, and
//     [Target] finds them.
//   - R2: undo only goes back and forth. [Request].Steps goes on.
//   - R3: kubectl and the controller disagree about the previous revision, and
//     kubectl takes the highest for the current one. [Target] is told which is.
//   - R4: annotations only accumulate, and a rollback drops what the old ReplicaSet
//     lacks. [Options].ExactAnnotations, [Options].KeepAnnotations.
//   - R5: a revision that does not parse freezes the ReplicaSet's (#109934).
//     [SyncWith], Corrected.
//   - R6: an empty revision adds an empty entry to the history. The same.
//   - R7: a revision that does not parse has a place by age. [ByRevision], Corrected:
//     it is 0.
//   - R8: negative requests are looked for, and an entry without a revision cannot be
//     asked for. [Target], [Request].Name.
//   - R9: hashes collide and change with the API types. Nothing here identifies by
//     hash; see [Template].
//   - R10: data beside a decoded object is not hashed. [HashRevision], Corrected.
//   - R11: another serialisation is another version (#134773). [Normalize], and
//     Corrected wherever data is compared or hashed.
//   - R12: see above.
//   - R13: long names of DaemonSet revisions are not cut. [DaemonSetRevisionName],
//     Corrected.
//   - R14: after a collision the hash label differs from the name. [Attempt],
//     Corrected.
//   - R15: undo assumes that data is of the API version in use (#55072). Data does
//     not say which it is of, so nothing here can tell.
//   - R16: limits, see above. [FirstAttempt], Corrected: an unset collision count
//     is 0.
//   - D22: an old ReplicaSet in use takes the place of an idle one that the limit would
//     keep (#41145). [CleanUp], Corrected.
//
// # Complexity
//
// Numbers, annotations and hashes are linear in their input. Numbers allocate
// nothing, a hash and a name one string each, and Sync nothing if there is nothing to
// do. What looks at a whole history sorts it: O(N log N) for N entries or
// ControllerRevisions and their former revisions, with a constant number of slices
// beside what it returns. Data is compared once for each
// ControllerRevision, and normalising it takes time and memory in proportion to its
// size.
package revision
