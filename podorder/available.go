// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// AvailableAt returns the time at which the pod becomes available if it stays ready:
// minReadySeconds after it became ready. The time may be in the past. AvailableAt returns
// false for a pod that is not ready, and for a pod without a ready time if minReadySeconds is
// not 0. With minReadySeconds 0 it returns the ready time, even an unset one.
func (p *Pod) AvailableAt(minReadySeconds int32) (time.Time, bool) {
	if !p.Ready || (minReadySeconds != 0 && p.ReadySince.IsZero()) {
		return time.Time{}, false
	}
	return p.ReadySince.Add(time.Duration(minReadySeconds) * time.Second), true
}

// Available reports whether the pod is ready and has been for at least minReadySeconds at
// now. A pod that became ready at t is available at t+minReadySeconds exactly.
//
// It mirrors IsPodAvailable of the pod util package of Kubernetes.
func (p *Pod) Available(minReadySeconds int32, now time.Time) bool {
	if minReadySeconds == 0 {
		return p.Ready
	}
	at, ok := p.AvailableAt(minReadySeconds)
	return ok && !at.After(now)
}
