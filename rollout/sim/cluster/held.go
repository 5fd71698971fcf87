// SPDX-License-Identifier: Apache-2.0

package cluster

// A PodHold keeps a pod from going on by itself, as the cluster of the snapshot shows it. It does
// not end with time. The rest of the pod's life is the same as for any other pod.
type PodHold struct {
	// Unready keeps the pod in its phase and not ready, for instance in ImagePullBackOff. An update
	// in place to another template ends it.
	Unready bool `json:"unready,omitzero"`
	// Unplaced keeps the pod without a node, even with room on nodes, for instance with scheduling
	// gates.
	Unplaced bool `json:"unplaced,omitzero"`
	// Kept lets the pod stay after it was deleted and its containers have ended, like a finalizer. It
	// then takes no room.
	Kept bool `json:"kept,omitzero"`
}
