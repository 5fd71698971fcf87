// SPDX-License-Identifier: Apache-2.0

package kubectl

import "time"

// AnnotationRestartedAt is the annotation that kubectl rollout restart sets on a pod template.
const AnnotationRestartedAt = "kubectl.kubernetes.io/restartedAt"

// Pause returns the error of kubectl rollout pause, a [Refusal], or nil.
func Pause(paused bool) error {
	if paused {
		return &Refusal{Reason: RefusedPaused}
	}
	return nil
}

// Resume returns the error of kubectl rollout resume, a [Refusal], or nil.
func Resume(paused bool) error {
	if !paused {
		return &Refusal{Reason: RefusedNotPaused}
	}
	return nil
}

// Restart returns the annotations that kubectl rollout restart adds to the pod
// template of a Deployment, or a [Refusal]. The time is written in its own zone, without
// fractions of a second, so two restarts within one second are one.
func Restart(paused bool, now time.Time) (set map[string]string, err error) {
	if paused {
		return nil, &Refusal{Reason: RefusedRestartPaused}
	}
	return map[string]string{AnnotationRestartedAt: now.Format(time.RFC3339)}, nil
}
