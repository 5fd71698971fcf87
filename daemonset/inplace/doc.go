// SPDX-License-Identifier: Apache-2.0

// Package inplace updates pods in place, as the Advanced DaemonSet of OpenKruise does: new
// images, metadata and resources go into pods that stay.
//
// Start with [CalculateSpec], which says whether one template can become another in place,
// and how: a [Spec]. [FirstBatch] turns it into what is written to one pod first, a [Put],
// whose [State] goes to an annotation of the pod. [Continue] reads that annotation in later
// passes and says what comes next, a [Step]:
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
// All are functions of plain values. Which pods are updated, and when, is what package
// daemonset decides, which also closes and opens the readiness gate [Gate].
//
// The answers are those of OpenKruise at 07169cfac7b9; [Options] name what may differ. The
// rules by name are in rules.md.
package inplace
