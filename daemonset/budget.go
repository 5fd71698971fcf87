// SPDX-License-Identifier: Apache-2.0

package daemonset

import "github.com/kplan-go/kplan/rollout"

// A Budget limits the changes of a rolling update at one time. Surge comes first: if it is not
// 0, Unavailable is not looked at.
type Budget struct {
	Desired     int32 `json:"desired"`     // nodes that should run a pod
	Surge       int32 `json:"surge"`       // nodes with a second pod
	Unavailable int32 `json:"unavailable"` // nodes without an available pod
}

// Resolve turns the limits of a DaemonSet into nodes: both are rounded up, and if both
// come out as 0 for any nodes at all, unavailable is 1. Unset limits are 0. With
// [OnDelete] neither counts.
func Resolve(s Strategy, surge, unavailable rollout.IntOrPercent, desired int32) Budget {
	if s != RollingUpdate && s != "" {
		surge, unavailable = rollout.IntOrPercent{}, rollout.IntOrPercent{}
	}
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	return Budget{Desired: desired, Surge: above, Unavailable: below}
}

// SurgeAllowed reports whether a node may have one pod too many during an update: the surge of
// one node is not 0.
func SurgeAllowed(s Strategy, surge rollout.IntOrPercent) bool {
	return (s == RollingUpdate || s == "") && surge.OfUp(1) > 0
}
