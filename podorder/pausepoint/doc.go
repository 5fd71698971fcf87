// SPDX-License-Identifier: Apache-2.0

// Package pausepoint decides where a rollout stops: a pod with the annotation [Annotation]
// holds back a rolling update until a user resumes it.
//
// Start with [Decide]: it decides how many of the pods that old ReplicaSets are to lose in one
// pass may go, and whether to pause the Deployment now. [Parse] reads the annotation of a
// pod, and [ParseToken] the annotation of the Deployment.
//
// One decision:
//
//	pods, scale-downs, order of deletion
//	   │   victims of each scale-down, in the order of package podorder
//	   v
//	the first victim with a point that is not acknowledged
//	   │   none: all may go
//	   v
//	Plan: Delete (the pods before it), Pause (the one write), Warnings
//
// The caller writes the pause and the token in one write, and resumes by clearing
// spec.paused. The named rules, invariants and deviations are in rules.md; upstream has no
// such feature.
package pausepoint
