// SPDX-License-Identifier: Apache-2.0

package podorder

import "time"

// AvailableAt returns when the pod is, or will be, available if it stays ready:
// minReadySeconds after it became ready. It returns false for a pod that is not ready, and
// for a pod without a ready time if minReadySeconds is not 0. With minReadySeconds 0 the time
// is the ready time, even if unset.
func (p *Pod) AvailableAt(minReadySeconds int32) (time.Time, bool) {
	if !p.Ready || (minReadySeconds != 0 && p.ReadySince.IsZero()) {
		return time.Time{}, false
	}
	return p.ReadySince.Add(time.Duration(minReadySeconds) * time.Second), true
}

// Available reports whether the pod has been ready for minReadySeconds at now.
// The boundary counts: ready at t with 10 seconds, available at exactly t+10s.
//
// It mirrors IsPodAvailable of the pod util package of Kubernetes.
func (p *Pod) Available(minReadySeconds int32, now time.Time) bool {
	if minReadySeconds == 0 {
		return p.Ready
	}
	at, ok := p.AvailableAt(minReadySeconds)
	return ok && !at.After(now)
}
