// SPDX-License-Identifier: Apache-2.0

// Package inplace updates pods in place, as the Advanced DaemonSet of OpenKruise does: new
// images, metadata and resources go into pods that stay.
//
// Start with [CalculateSpec], which decides whether one template can become another in place,
// and how: a [Spec]. [FirstBatch] turns the Spec into the first write to a pod, a [Put], with
// a [State] for an annotation of the pod. [Continue] reads that annotation in later passes and
// returns the next [Step]:
//
//	old and new template
//	   │  CalculateSpec ── more than images, metadata and resources: the pod is replaced
//	   v
//	Spec ──FirstBatch──> Put: metadata, containers without launch priority and of the highest
//	                      │  the pod runs them, and those of the batch are ready
//	                      v
//	Pod ───Continue────> Step: wait, or write the next Put, or end a grace period, or nothing:
//	                           the gate opens, the update is Completed
//
// All are functions of plain values. Package daemonset decides which pods are updated, and
// when, and also closes and opens the readiness gate [Gate].
//
// The answers follow OpenKruise at 07169cfac7b9; [Options] change some of them. The rules by
// name are in rules.md.
package inplace
