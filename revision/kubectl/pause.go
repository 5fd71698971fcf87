// SPDX-License-Identifier: Apache-2.0

package kubectl

import "time"

// AnnotationRestartedAt is the annotation that kubectl rollout restart sets on a pod template.
const AnnotationRestartedAt = "kubectl.kubernetes.io/restartedAt"

// Pause returns a [Refusal] if kubectl rollout pause fails because the Deployment is paused, or
// nil.
func Pause(paused bool) error {
	if paused {
		return &Refusal{Reason: RefusedPaused}
	}
	return nil
}

// Resume returns a [Refusal] if kubectl rollout resume fails because the Deployment is not paused,
// or nil.
func Resume(paused bool) error {
	if !paused {
		return &Refusal{Reason: RefusedNotPaused}
	}
	return nil
}

// Restart returns the annotations that kubectl rollout restart adds to the pod template of a
// Deployment, or a [Refusal] if it is paused. The annotation has now in its own time zone, in whole
// seconds: a second restart within the same second changes nothing.
func Restart(paused bool, now time.Time) (set map[string]string, err error) {
	if paused {
		return nil, &Refusal{Reason: RefusedRestartPaused}
	}
	return map[string]string{AnnotationRestartedAt: now.Format(time.RFC3339)}, nil
}
