// SPDX-License-Identifier: Apache-2.0

package sim

import "time"

// An Autoscaler sets the replicas of workloads, again and again.
type Autoscaler struct {
	Name  string        // the writer of its changes
	Every time.Duration // at least a millisecond; 0 means 15 seconds
	// Desired returns replicas by name: of Deployments, of ReplicaSets without a controller, of
	// Sets and of ArgoRollouts. Other workloads stay as they are. Numbers below 0 and unknown
	// names are ignored.
	Desired func(View) map[string]int32
}
