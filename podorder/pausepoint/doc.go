// SPDX-License-Identifier: Apache-2.0

// Package pausepoint answers where a rollout stops: a pod that carries [Annotation] holds
// back a rolling update until a person resumes it.
//
// Start with [Decide]: of the pods that old ReplicaSets are to lose in one pass it says
// how many may go, and whether the Deployment is to be paused now. [Parse] reads the mark
// of a pod, and [ParseToken] what the Deployment remembers.
//
// One decision:
//
//	pods, scale-downs, order of deletion
//	   │   victims of each scale-down, in the order of package podorder
//	   v
//	the first victim with a point that is not acknowledged
//	   │   none: all may go
//	   v
//	Plan: Delete (what may go in front of it), Pause (the one write), Warnings
//
// The caller writes the pause and the token in one write, and resumes by clearing
// spec.paused. The rules by name, invariants and deviations are in rules.md; upstream has
// nothing like it.
package pausepoint
