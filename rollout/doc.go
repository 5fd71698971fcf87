// Package rollout answers how many pods may change now, and plans progressive
// rollouts: which batch comes next, with which traffic, and what it waits for.
//
// [IntOrPercent] is a number of pods or a share of a total, and [Resolve] turns the two
// limits of a rolling update into a [Budget]. The planners of packages deploy and
// daemonset are built on them.
//
// The progressive planner mirrors OpenKruise Rollouts (commit 9dd6279d). Three
// decisions have one shape, a pure function of a snapshot:
//
//   - [Admit] decides whether an update of a workload enters a rollout.
//   - [Reconcile] drives a [Rollout] through its steps.
//   - [ReconcileBatch] drives a workload through the batch that a step asks for.
//
// Whoever executes the actions, writes the status and calls again when something
// changes or at RecheckAt has the controller; [WatchedWorkload], [WatchedPod],
// [WatchedRelease] and [WatchedReplicaSet] say what has changed for whom. [Preview] goes
// through all steps of a Rollout beforehand. The Holds of a plan say what is waited for,
// each with its numbers, and [Explain] follows them from the Rollout to the pods.
//
// [ArgoReconcile] plans a whole pass of the other dialect, Argo Rollouts (commit
// 9f8d111d), and [ArgoRollout] counts its pods, with and without traffic routing.
//
// # Rules of budgets
//
// Each names what it mirrors in Kubernetes 1.36.3.
//
//  1. A number is itself; a percentage p of a total is p*total/100, rounded up for a
//     surge and down for unavailability (intstr.GetScaledValueFromIntOrPercent).
//  2. If both limits of a rolling update come out as 0, one pod may be unavailable
//     (deployment util, ResolveFenceposts).
//  3. No more pods may be unavailable than are wanted, and none if none is wanted
//     (deployment util, MaxUnavailable).
//
// # Rules of rollouts
//
//   - A step asks for so many new pods ([BatchSize]). The new ReplicaSet of a Deployment
//     gets at most [PartitionLimit]: a percentage other than 100% leaves an old pod.
//   - The first matching Rollout lets an update in if the template or the rollout id
//     changes ([EffectiveChange]); with traffic routing only one version may be running.
//   - The states of a step are passed in order, one or two in a pass: pin the stable
//     traffic, upgrade, lead traffic, pause. A pause counts from the end of what came
//     before, ends strictly behind its instant, and never by itself without a duration
//     ([PauseOf]).
//   - In the middle the first of these wins: rollback, pause by spec, rollback in
//     batches, another new template, changed steps ([RecalculateStep]), jump
//     ([JumpStep]).
//   - Closing takes one step in a pass ([ClosingSequence]). Deleting or disabling a
//     Rollout finishes its release, unless [Options].KeepPaused is set or [DeletionFinishesRelease] is
//     corrected.
//   - A batch is ready if enough pods are updated, ready and labelled
//     ([BatchContext.Waiting]). The newest batch is labelled first ([BatchLabels]).
//   - Stable traffic returns before pods do ([RouteRestore]); each change of traffic
//     waits for its [Grace]. An Ingress is told by annotations, which [IngressClass]
//     holds as data.
//
// # Rules of Argo Rollouts
//
//   - A pass first notes that a pause has begun or ended, and stops there. Then it
//     follows a new size of the Rollout, without taking a step. Then it starts anew with
//     another template or other steps. Else it scales, pauses and steps.
//   - A canary scales the stable ReplicaSet, else the new one, else the others: one of
//     them in a pass ([ArgoRollout.Basic]). A step that is over ([ArgoStep.Completed])
//     leads to the next; behind the last the new ReplicaSet is the stable one
//     ([ArgoRollout.Promoted]).
//   - A blue-green update scales the stable ReplicaSet and the new one
//     ([ArgoBlueGreen.PreviewSize]), pauses unless it promotes itself, and switches the
//     active Service when all new pods are available. The others keep their pods for a
//     while ([ArgoScaleDownDelay]), and so does a new one that was aborted
//     ([ArgoAbortDelay]).
//   - An update that is aborted goes back to the stable pods and its first step. What is
//     promoted has nothing to abort. A rollback within the window takes no step.
//   - Nothing moved within the deadline: the Rollout is degraded, or aborted if it asks
//     for that. Pauses and analyses do not count.
//
// # Quirks
//
// The zero [Options] decides as upstream does, defects included. [Options].Repair
// repairs them one by one:
//
//	[MiddleTemplatesOutOfOrder]  order of middle templates (Preview)   [TrafficLeftBehind] traffic of a workload that is gone
//	[MixedPartitionsNeverEnd]  number behind percentage never ends   [DeletionFinishesRelease] deletion finishes the release
//	[RollbackLeavesPaused]  rollback leaves the workload paused   [HTTPRouteRulesLost] rules of an HTTPRoute
//	[CloneSetKeepsExtraPods]  CloneSet keeps more pods than meant   [LastPauseSkipped] pause of a last step of 100%
//	[ReleaseOfWhatIsThere]  release of what is there              [DeletingPodsListed] victims of a native DaemonSet
//	[NewPodAtPartitionZero]  a new pod at partition 0              [StepMessagesLost] messages, and next steps that do not exist
//	[RolloutIDReadDifferently]  rollout id as annotation or label     [ZeroGraceIgnored] grace of 0
//	[UnsetLimitDefaultsBoth]  default of the surge                  [DeadlineNotReported] no deadline, no analysis
//	[CanaryServiceAssumed]  no canary Service, blue-green         [CanaryLabelsNotAwaited] labels and shrinking of a canary
//	[RecreateNotRestored] Recreate is not restored              [OrdinalsLabelledByList] labels in the order of ordinals
//	[FailureThresholdMisread] failure threshold                     [HashSuffixMatches] hash that ends another one
//	                                          [StableServicePinnedForEver] steps that update all pods, with traffic
//	                                          [OtherTemplateReleased] another template in the middle, or before
//	                                              a Deployment is taken over
//	                                          [TakenBackTemplateUnlabelled] labels after a template is taken back
//	                                          [NextReleaseUnmarked] update while the release before is closed
//	                                          [CanaryCreatedTwice] canary Deployments that are created twice
//	                                          [LastStepNotAwaited] old pods behind a last step below 100%
//	                                          ExactLimits: limits beyond 32 bits
//
// [StableServicePinnedForEver] to [LastStepNotAwaited], the second half of [RollbackLeavesPaused], a rollback before the workload is taken over, and of
// [CanaryServiceAssumed], a canary Service that is gone when the release closes, were found by the properties
// of this package, by its simulation and in its small scope. Of the other numbers [MiddleTemplatesOutOfOrder],
// D17, D18, D21, D22 and D26 belong to the controller of the Deployment, and are those of
// package deploy (P1, and its notes on partitioned Deployments); here only [Preview]
// looks at [MiddleTemplatesOutOfOrder]. D15 cannot be written (below), and D20 is corrected always. [Warnings]
// names what admission accepts although it will do harm.
//
// # Deviations
//
//   - Nothing panics. Where upstream crashes the result is an error or what an absent
//     block means: 0.
//   - Text that is no percentage is an error of [Parse]; upstream reads it as 0. 0100%
//     is 100%; upstream takes it for less.
//   - A canary Service that does not exist is not deleted.
//   - A workload that no driver knows, see [DriverOf], is an error of every planner.
//     Upstream drives whatever it is told as a StatefulSet: [Validate] lets a ReplicaSet
//     through, and labels any kind.
//   - When the last finalizer is removed the pass ends.
//   - Times of conditions never change once they are set. This is what upstream does,
//     though its comments say otherwise. Those of Argo change as Kubernetes has it.
//   - A batch, a partition and a step of an absurd percentage saturate, where upstream
//     wraps around.
//   - Percentages are computed with integers. Upstream computes them in float64, which
//     agrees as long as p*total is below 2^53; a cluster of 2 billion pods with a surge of
//     4,194,304 % is the smallest that is not.
//   - A percentage outside the range of int32 is an error of [Parse]; upstream wraps
//     around.
//   - [Budget.MinAvailable] and [Budget.MaxTotal] saturate at the range of int32.
//   - The annotations of Ingresses of class higress are taken to be those of nginx.
//   - An Ingress of a class that is not known is a failure of the pass.
//
// Not here: the controller of the Deployment under a partition (package deploy), custom
// network scripts, the stand-alone TrafficRouting controller; and of an Argo Rollout
// whole passes with traffic routing, analyses, experiments, restarts of pods, and the
// numbers of its revisions (package revision).
//
// # Invariants
//
//   - The batch of a step grows with it, and is all pods only for 100%, a number that
//     large, or a single pod (P1, P2, P4).
//   - In no pass of a preview are there more pods than the surge allows, or fewer
//     available than may be unavailable (P3). Its sizes are those that package deploy
//     reaches.
//   - A pause ends exactly behind its instant, and never by itself without one (P5, P11).
//   - A rollback in batches leaves as many bad pods as a release of only those would
//     leave (P6). Steps are passed one by one and forwards unless somebody says otherwise
//     (P8). Another template starts anew, and nothing of it is released before (P9).
//   - Traffic is led to new pods only by a step whose pods are ready (P10).
//   - No partition is ever lowered while a workload is driven, and no canary shrinks
//     unless [CanaryLabelsNotAwaited] is corrected.
//   - With all corrections, a rollout whose pauses are approved ends in a cluster where
//     pods become available, with all pods of the template that is wanted, and leaves no
//     annotation, selector or weight behind (P7, P12). It is a success only then, if a
//     Deployment is updated by partition. So does one of Argo. A Rollout that
//     is deleted before its controller has put its finalizer there is gone at once, and
//     nobody plans for a workload that admission has paused for it: a person resumes that.
//   - An explanation names exactly the holds of the plan.
//   - A plan is a pure function of its arguments and comes through JSON unchanged.
//
// # Complexity
//
// Budgets are constant in time and allocate nothing, text and JSON aside. A pass takes
// O(S) for S steps, and a batch pass O(P) for P pods; labelling is the only part that
// allocates in proportion to what it writes. A batch of a StatefulSet that is labelled by
// ordinals, and an explanation that names pods, sort them: O(P log P). A pass of Argo
// takes O(N log N) for N ReplicaSets. A preview takes as many passes as the rollout.
package rollout
