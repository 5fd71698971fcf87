// SPDX-License-Identifier: Apache-2.0

// Package deploy plans the next step of a Deployment.
//
// Start with [Snapshot], a Deployment and the ReplicaSets of its namespace, and with
// [Reconcile], which returns a [Plan] for it: the ReplicaSets to create, annotate, scale
// and delete, the status to report, what is held back and why, and when to look again. It
// performs nothing. [Finish] tells what follows from how the plan went. One call is one
// pass of the Deployment controller: a rollout that takes eleven passes takes eleven calls.
//
// A pass goes like this:
//
//	Snapshot, now, Options
//	    |
//	  admit     check, default, claim ReplicaSets, find the new one; errors name each field
//	    |
//	  count     what all of them together want and have
//	    |
//	  decide    how the new ReplicaSet follows the Deployment, unless the selector is empty;
//	    |       and the first that applies:
//	    |          being deleted      no sizes
//	    |          paused             scale, clean up history
//	    |          rollback           back to a former template
//	    |          replicas changed   scale in proportion
//	    |          Recreate           remove all, then start all
//	    |          RollingUpdate      create or grow the new one, or shrink the old ones, or
//	    |                             clean up; what is created may shrink others at once
//	    |
//	  report    status, conditions, what a rollout waits for
//	    |
//	  write     the actions in order, holds, events
//	    |
//	  Plan  --carried out-->  Finish  --status, events, retry
//
// Each of these phases makes a value that nothing later writes to.
//
// [Effects] says which Deployments an event concerns. [Apply] is the effect of an action on a
// snapshot, for simulators and tests. [Tracker] plans after each event without looking at all
// ReplicaSets and pods anew, for those who plan often.
//
// Of a rolling update, two bounds hold whatever the order of passes: no more pods are
// wanted than replicas and surge, and no pod is removed that is needed for the minimum that
// must be available. The arithmetic alone, over counts, is in package rollout.
//
// By default plans are those of Kubernetes 1.37, with what hardly anybody wants: its
// [Quirks], which [Options].Repair takes out one by one or all at once. The other options
// are policies, which change what is wanted.
//
// A Deployment with the field Partitioned is rolled by partition, as OpenKruise Rollouts
// does: a controller of batches says how many pods may have the new template, and the rest
// stays. See [PartitionedBy] and [ParsePartitioned].
//
// All rules by name, with the upstream functions that they mirror, the invariants, and the
// deviations from upstream are in rules.md beside this file.
package deploy
