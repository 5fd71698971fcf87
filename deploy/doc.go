// SPDX-License-Identifier: Apache-2.0

// Package deploy plans the next step of a Deployment.
//
// Start with [Snapshot], a Deployment and the ReplicaSets of its namespace, and with
// [Reconcile], which returns a [Plan] for it: the ReplicaSets to create, annotate, scale
// and delete, the status to report, the writes that are held back and why, and when to look
// again. It performs nothing. [Finish] takes the outcomes of the actions, and returns the
// status to write and whether to retry. One call is one pass of the Deployment controller:
// a rollout that takes eleven passes takes eleven calls.
//
// A pass goes like this:
//
//	Snapshot, now, Options
//	    |
//	  admit     check, default, claim ReplicaSets, find the new one; errors name each field
//	    |
//	  count     sum up the pods that all of them want and have
//	    |
//	  decide    how the new ReplicaSet follows the Deployment, unless the selector is empty;
//	    |       and the first that applies:
//	    |          being deleted      no sizes
//	    |          paused             scale, clean up history
//	    |          rollback           back to a former template
//	    |          replicas changed   scale in proportion
//	    |          Recreate           remove all, then start all
//	    |          RollingUpdate      create or grow the new one, or shrink the old ones, or
//	    |                             clean up; a creation may shrink others in the same pass
//	    |
//	  report    status, conditions, holds of a rollout that waits
//	    |
//	  write     the actions in order, holds, events
//	    |
//	  Plan  --carried out-->  Finish  --status, events, retry
//
// Each of these phases makes a value that nothing later writes to.
//
// [Effects] returns the Deployments that an event affects. [Apply] is the effect of an action on a
// snapshot, for simulators and tests. A [Tracker] plans after each event without reading all
// ReplicaSets and pods again.
//
// Two bounds of a rolling update hold in any order of passes: no more pods are wanted than
// replicas and surge, and no pod is removed that the minimum of available pods needs. The
// arithmetic over counts is in package rollout.
//
// By default plans are equal to those of Kubernetes 1.37, defects included: its quirks,
// which [Options].Repair repairs one by one or all at once. The other options are policies,
// which change the desired behaviour.
//
// A Deployment with the field Partitioned is rolled by partition, as OpenKruise Rollouts
// does: a controller of batches sets how many pods may have the new template, and the rest
// stays. See [PartitionedBy] and [ParsePartitioned].
//
// All rules by name, with the upstream functions that they mirror, the invariants, and the
// deviations from upstream are in rules.md of this folder.
package deploy
