// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/internal/base/ptr"

// NextCollision returns the collision count of a Deployment or DaemonSet after one
// more collision: 1 after none. It never returns nil, and wraps around at the end of
// the int32 range.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func NextCollision(count *int32) *int32 {
	if count == nil {
		return ptr.To(int32(1))
	}
	return ptr.To(*count + 1)
}

// Collides reports whether an existing ReplicaSet with the name of a new one has another
// owner or template, so that the next hash must be tried. Otherwise it is the
// ReplicaSet that was to be created. It reads ControllerUID and Template.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes.
func Collides(deploymentUID string, t Template, existing Entry) bool {
	return existing.ControllerUID != deploymentUID || !existing.Template.Same(t)
}
