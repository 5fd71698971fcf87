// SPDX-License-Identifier: Apache-2.0

package replicaset

import "time"

// Observe returns the status of the plan that [Reconcile] returns, and its error, without
// deciding anything: for those who report what there is while something else decides how many
// pods there are to be. Since nothing is done about the pods, those that cannot be told apart
// are no error, and count one by one. [NeedsWrite] says whether it is to be written.
//
// It mirrors calculateStatus of the replicaset package of Kubernetes, with the claiming of
// pods before it.
func Observe(s Snapshot, now time.Time, opts Options) (next Status, err error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return Status{}, err
	}
	if in.unseen() {
		return in.ReplicaSet.Status.clone(), nil
	}
	var c counts
	for from := 0; from < len(in.Pods); from += batch {
		in.countBatch(&c.totals, in.Pods[from:min(from+batch, len(in.Pods))], nil)
	}
	in.writeStatus(&next, &c)
	return next, nil
}

// ObserveFrom is [Observe] for the pods of r in place of those of s: the status of
// [ReconcileFrom]. No pod is copied.
//
// If r is nil there are no pods.
func ObserveFrom(s Snapshot, r PodReader, now time.Time, opts Options) (next Status, err error) {
	s.Pods = nil
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return Status{}, err
	}
	if in.unseen() {
		return in.ReplicaSet.Status.clone(), nil
	}
	var c counts
	if r != nil {
		c = in.countEach(r, nil)
	}
	in.writeStatus(&next, &c)
	return next, nil
}

// unseen reports whether nothing is known of the pods, so that the status stays as it is.
func (in *input) unseen() bool {
	_, stale := in.stale()
	return stale || in.unusable != nil
}
