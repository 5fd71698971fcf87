// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Stalled reports whether a Deployment that has once been complete no longer has all its
// pods available. The condition Progressing does not show this: a deadline applies to
// rollouts only (kubernetes/kubernetes#106697). A Deployment that is paused, or has not
// observed its spec, is not stalled.
func Stalled(d Deployment) bool {
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	c := findCondition(d.Status.Conditions, ConditionProgressing)
	return c != nil && c.Reason == progressAvailable && !d.Paused &&
		d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas < replicas
}

// OldPodsRunning reports whether some old pod has not ended yet, by the rule of Recreate. A
// controller should plan again when it turns false. Upstream plans again after each deletion
// of a pod of a Recreate Deployment (until 1.36 only after the last one, see
// kubernetes/kubernetes#128798). If a pod ends before it is deleted, the status of its
// ReplicaSet changes: [Effects]. The error is the error of [Reconcile].
func OldPodsRunning(s Snapshot, now time.Time, opts Options) (bool, error) {
	var in input
	if err := in.admit(&s, now, &opts); err != nil {
		return false, err
	}
	left, _ := in.oldPods()
	return left > 0, nil
}
