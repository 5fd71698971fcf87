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
// changes or at RecheckAt has the controller. [Preview] goes through all steps of a
// Rollout beforehand, and the Holds of a plan say what is waited for, each with its
// numbers. [ArgoRollout] counts the pods of the other dialect.
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
//     Rollout finishes its release, unless [Options].KeepPaused is set.
//   - A batch is ready if enough pods are updated, ready and labelled
//     ([BatchContext.Waiting]). The newest batch is labelled first ([BatchLabels]).
//   - Stable traffic returns before pods do ([RouteRestore]); each change of traffic
//     waits for its [Grace].
//
// # Corrections
//
// The zero [Options] decides as upstream does, defects included. [Options].Corrected
// repairs them one by one:
//
//	D2  number behind percentage never ends   D12 traffic of a workload that is gone
//	D3  rollback leaves the workload paused   D14 rules of an HTTPRoute
//	D4  CloneSet keeps more pods than meant   D16 pause of a last step of 100%
//	D5  rollback while initializing           D19 victims of a native DaemonSet
//	D6  a new pod at partition 0              D23 messages, and next steps that do not exist
//	D7  rollout id as annotation or label     D24 grace of 0
//	D8  default of the surge                  D30 first step that updates all pods, with traffic
//	D9  no canary Service, blue-green
//	D10 Recreate is not restored
//	D11 failure threshold
//
// D30 and the second half of D3, a rollback before the workload is taken over, were
// found by the properties of this package. The other numbers name defects that are not
// corrected here: D1, D17, D18, D21, D22 and D26 belong to the controller of the
// Deployment, D13 is a policy, D15 cannot be written (below), D20 is corrected always,
// and D25, D27, D28 and D29 are as upstream. [Warnings] names what admission accepts
// although it will do harm.
//
// # Deviations
//
//   - Nothing panics. Where upstream crashes the result is an error or what an absent
//     block means: 0.
//   - Text that is no percentage is an error of [Parse]; upstream reads it as 0. 0100%
//     is 100%; upstream takes it for less.
//   - A canary Service that does not exist is not deleted.
//   - When the last finalizer is removed the pass ends.
//   - Times of conditions never change once they are set. This is what upstream does,
//     though its comments say otherwise.
//   - Percentages are computed with integers. Upstream computes them in float64, which
//     agrees as long as p*total is below 2^53; a cluster of 2 billion pods with a surge of
//     4,194,304 % is the smallest that is not.
//   - A percentage outside the range of int32 is an error of [Parse]; upstream wraps
//     around.
//   - [Budget.MinAvailable] and [Budget.MaxTotal] saturate at the range of int32.
//
// Not here: the controller of the Deployment under a partition (package deploy), custom
// network scripts, classes of Ingress other than nginx, the stand-alone TrafficRouting
// controller, the mapping from watch events to objects, and whole passes of an Argo
// Rollout: of that dialect only counts, the end of steps, promotion, weights and delays.
//
// # Invariants
//
//   - No partition is ever lowered while a workload is driven, and no canary shrinks.
//   - With all corrections, a rollout whose pauses are approved ends in a cluster where
//     pods become available, and leaves no annotation, selector or weight behind.
//   - A plan is a pure function of its arguments and comes through JSON unchanged.
//
// # Complexity
//
// Budgets are constant in time and allocate nothing, text and JSON aside. A pass takes
// O(S) for S steps, and a batch pass O(P) for P pods; labelling is the only part that
// allocates in proportion to what it writes.
package rollout
