// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// DaemonSetOf returns the DaemonSet, or the DaemonSet of the Rollout, nil for other subjects.
func DaemonSetOf(s Subject) *manifest.DaemonSet {
	switch s := s.(type) {
	case DaemonSet:
		return s.DaemonSet
	case Rollout:
		return s.Rollout.DaemonSet
	}
	return nil
}
