// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/internal/base/ptr"

// NextCollision returns the status.collisionCount of a Deployment or DaemonSet after one more
// collision: *count + 1, or 1 if count is nil. The largest int32 wraps around. The result is never
// nil.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func NextCollision(count *int32) *int32 {
	if count == nil {
		return ptr.To(int32(1))
	}
	return ptr.To(*count + 1)
}

// Collides reports whether an existing ReplicaSet with the name of a new one has another controller
// or template. The new one then needs a hash with the [NextCollision]. If Collides returns false,
// existing is the ReplicaSet that was to be created. Of existing it reads ControllerUID and
// Template.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func Collides(deploymentUID string, t Template, existing Entry) bool {
	return existing.ControllerUID != deploymentUID || !existing.Template.Same(t)
}
