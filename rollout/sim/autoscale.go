// SPDX-License-Identifier: Apache-2.0

package sim

import "time"

// An Autoscaler says how many replicas workloads want, again and again.
type Autoscaler struct {
	Name  string        // as what it writes
	Every time.Duration // at least a millisecond; 0 means 15 seconds
	// Desired returns replicas by name: of Deployments, of ReplicaSets that nothing controls, of
	// Sets and of ArgoRollouts. Other workloads stay as they are, and numbers below
	// 0 and unknown names are passed over.
	Desired func(View) map[string]int32
}
