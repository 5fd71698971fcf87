// SPDX-License-Identifier: Apache-2.0

// Package deploy plans the next step of a Deployment.
//
// Start with [Snapshot], which holds a Deployment and the ReplicaSets of its namespace, and with
// [Reconcile], which returns a [Plan] for a snapshot. A plan has the ReplicaSets to create,
// annotate, scale and delete, the next status, the changes that are held back with the reasons,
// and the time of the next call. Reconcile writes nothing to the API server. A controller makes a
// [Pass] instead, which is a plan with its input: [Pass.Finish] takes the outcomes of the writes, and
// returns the status to write and whether to retry. A rollout of eleven passes takes eleven calls.
//
// The new ReplicaSet is the one with the Deployment's template, and all others are old. The size of
// a ReplicaSet is its spec.replicas: the number of pods that it wants. Upstream is the controller
// that this package reproduces.
//
// A pass goes like this:
//
//	Snapshot, now, Options
//	    |
//	  admit     check fields, set defaults, claim ReplicaSets, find the new one
//	    |
//	  count     sum up the pods that all ReplicaSets want and have
//	    |
//	  decide    copy annotations and minReadySeconds to the new ReplicaSet, unless the selector
//	    |       is empty; and the first that applies:
//	    |          being deleted      no change of sizes
//	    |          paused             scale, delete old ReplicaSets beyond the history limit
//	    |          rollback           restore a former template
//	    |          replicas changed   scale in proportion
//	    |          Recreate           remove all old pods, then start all new pods
//	    |          RollingUpdate      create or grow the new ReplicaSet, or shrink old ones, or
//	    |                             delete old ones; after a creation old ones may shrink too
//	    |
//	  report    status, conditions, holds of a rollout that waits for its pods
//	    |
//	  write     actions in order, holds, events
//	    |
//	  Plan  --carried out-->  Pass.Finish  --status, events, retry
//
// Each phase makes a value that later phases do not change.
//
// [Effects] returns the Deployments that an event affects. [Apply] returns the snapshot after an
// action, for simulators and tests. A [Tracker] plans after each event without reading all
// ReplicaSets and pods again.
//
// In a rolling update two bounds hold in any order of passes: no step lets the ReplicaSets want
// more pods than replicas + surge, and no step removes available pods below
// replicas - unavailable. The computations with numbers of pods are in package rollout.
//
// By default plans are equal to the decisions of Kubernetes 1.37. They include its defects, which
// are called quirks: [Options].Repair repairs them one by one or all at once. The other options
// are policies, which change intended behaviour.
//
// A Deployment with the field Partitioned is rolled by the rules of OpenKruise Rollouts: another
// controller sets the partition, which is how many pods may have the new template, and the other
// pods keep the old one. See [PartitionedBy] and [ParsePartitioned].
//
// The file rules.md has all rules by name with their upstream functions, the invariants, and the
// deviations from upstream.
package deploy
