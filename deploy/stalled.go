// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Stalled reports whether a Deployment that has once been complete no longer has all
// its pods available. The condition Progressing does not tell: a deadline counts for
// rollouts only (kubernetes/kubernetes#106697). A paused Deployment and one whose
// spec has not been observed are not stalled.
func Stalled(d Deployment) bool {
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	c := findCondition(d.Status.Conditions, ConditionProgressing)
	return c != nil && c.Reason == progressAvailable && !d.Paused &&
		d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas < replicas
}

// OldPodsRunning reports whether a pod of an old template has not ended yet, by the
// rule that Recreate waits by. A controller should plan again when it turns false. Upstream
// plans again after each deletion of a pod of a Recreate Deployment (until 1.36 after the last
// one only, see kubernetes/kubernetes#128798), and when a pod ends that is there for a while
// yet, its ReplicaSet's status changes: [Effects]. The error is that of [Reconcile].
func OldPodsRunning(s Snapshot, now time.Time, opts Options) (bool, error) {
	var in input
	if err := in.admit(&s, now, &opts); err != nil {
		return false, err
	}
	left, _ := in.oldPods()
	return left > 0, nil
}
