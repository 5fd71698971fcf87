// SPDX-License-Identifier: Apache-2.0

package cluster

// A PodHold is what keeps a pod from going on by itself, as the cluster shows it from which the pod
// comes. No time ends it. The rest of the pod's life is that of any other pod.
type PodHold struct {
	// Unready keeps the pod in the phase in which it is, and not ready, such as one in
	// ImagePullBackOff. An update in place to another template ends it.
	Unready bool `json:"unready,omitzero"`
	// Unplaced keeps the pod without a node, whatever room there is, such as one with scheduling gates.
	Unplaced bool `json:"unplaced,omitzero"`
	// Kept lets the pod stay after it was deleted and its containers have ended, as finalizers do. Then
	// it takes no room any more.
	Kept bool `json:"kept,omitzero"`
}
