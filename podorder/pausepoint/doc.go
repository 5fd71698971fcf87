// SPDX-License-Identifier: Apache-2.0

// Package pausepoint decides at which pods a rollout pauses. A pause point is a pod with the
// annotation [Annotation]: when a rolling update reaches the pod, the Deployment is paused
// until a user resumes it.
//
// Start with [Decide]: it decides how many pods of old ReplicaSets may be deleted in one pass,
// and whether to pause the Deployment now. [Parse] reads the annotation of a pod, and
// [ParseToken] the annotation of the Deployment.
//
// One decision:
//
//	pods, scale-downs, order of deletion
//	   │   victims of each scale-down, in the order of package podorder
//	   v
//	the first victim with a point at which no user has resumed yet
//	   │   without such a victim, all may be deleted
//	   v
//	Plan: Delete (the number of pods before the victim), Pause (one write), Warnings
//
// The caller sets spec.paused and [AnnotationHit] in one write. A user resumes the rollout by
// clearing spec.paused. The named rules and invariants are in rules.md. Kubernetes has no such
// feature.
package pausepoint
