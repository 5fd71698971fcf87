// SPDX-License-Identifier: Apache-2.0

package revision

import "errors"

// ErrNoCollisionCount is the error of [FirstAttempt] without a collision count. Its text is
// upstream's.
var ErrNoCollisionCount = errors.New("collisionCount should not be nil")

// ErrStaleCollisions is wrapped by the error of [DaemonSetTaken] if the collision count that a name
// was computed with differs from the count in the status.
var ErrStaleCollisions = errors.New("stale collision count")
