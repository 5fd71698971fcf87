// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"math"
)

// A Budget holds the limits of a rolling update around the wanted number of pods.
type Budget struct {
	Replicas    int32 `json:"replicas"`    // pods wanted
	Surge       int32 `json:"surge"`       // pods allowed above Replicas
	Unavailable int32 `json:"unavailable"` // pods allowed to be unavailable, at most Replicas
}

// Resolve turns the two limits of a rolling update into numbers of pods: surge is rounded up
// and unavailable down. An unset limit is 0. If both resolve to 0, unavailable is 1. Then
// unavailable is limited to replicas. For a DaemonSet, which rounds both up, see
// [ResolveNodes].
//
//	Resolve(10, Percent(25), Percent(25)) // 3 above, 2 unavailable
//	Resolve(3, Percent(25), Percent(25))  // 1 above, 0 unavailable
//	Resolve(5, Int(0), Int(0))            // 0 above, 1 unavailable
//
// It mirrors MaxSurge and MaxUnavailable of the deployment util package of
// Kubernetes.
func Resolve(replicas int32, surge, unavailable IntOrPercent) Budget {
	up, down := Fenceposts(replicas, surge, unavailable)
	return budget(replicas, up, down)
}

// ResolveExact is [Resolve] for limits of any size: a number beyond the range of int32 becomes
// the largest or smallest int32. In Resolve it wraps around, as in Kubernetes.
func ResolveExact(replicas int32, surge, unavailable IntOrPercent) Budget {
	above, below := fenceposts(replicas, surge, unavailable)
	return budget(replicas, saturate(above), saturate(below))
}

// budget limits unavailable to replicas. Without replicas unavailable is 0, even if the limit
// has wrapped around to a negative number.
func budget(replicas, surge, unavailable int32) Budget {
	if replicas == 0 {
		unavailable = 0
	}
	return Budget{Replicas: replicas, Surge: surge, Unavailable: min(unavailable, replicas)}
}

// Fenceposts resolves surge, rounded up, and unavailable, rounded down. If both resolve to 0,
// unavailable is 1: otherwise the update could not begin. Unlike [Resolve], it does not limit
// unavailable to replicas.
//
// It mirrors ResolveFenceposts of the deployment util package of Kubernetes.
func Fenceposts(replicas int32, surge, unavailable IntOrPercent) (up, down int32) {
	above, below := fenceposts(replicas, surge, unavailable)
	return int32(above), int32(below)
}

func fenceposts(replicas int32, surge, unavailable IntOrPercent) (above, below int64) {
	above, below = surge.OfUp64(replicas), unavailable.of(replicas)
	if above == 0 && below == 0 { // tested in 64 bits: later one may wrap around to 0
		below = 1
	}
	return above, below
}

// MinAvailable returns the number of pods that must stay available.
func (b Budget) MinAvailable() int32 { return saturate(int64(b.Replicas) - int64(b.Unavailable)) }

// MaxTotal returns the number of pods that all sets may want together, at most the largest
// int32.
func (b Budget) MaxTotal() int32 { return saturate(int64(b.Replicas) + int64(b.Surge)) }

// String returns the budget as bounds, such as "at most 13, at least 8 available".
func (b Budget) String() string {
	return fmt.Sprintf("at most %d, at least %d available", b.MaxTotal(), b.MinAvailable())
}

func saturate(n int64) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }
