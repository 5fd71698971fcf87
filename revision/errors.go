// SPDX-License-Identifier: Apache-2.0

package revision

import "errors"

// ErrNoCollisionCount is the error of [FirstAttempt] without a collision count. Its text
// is upstream's, and so is that of the errors that wrap [ErrStaleCollisions].
var ErrNoCollisionCount = errors.New("collisionCount should not be nil")

// ErrStaleCollisions is wrapped by the error of [DaemonSetTaken] if the name of a revision
// was made with another collision count than the one there is.
var ErrStaleCollisions = errors.New("stale collision count")
