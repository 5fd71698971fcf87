// SPDX-License-Identifier: Apache-2.0

package argo

import "time"

// Reconcile returns the next step of the Argo Rollout in s as of now: a whole pass of a
// canary or of a blue-green update. It performs nothing. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each field that cannot be used.
//
// It mirrors the reconciliation of Argo Rollouts. The results of analyses and experiments
// are given ([Runs]), and so is whether weights are verified.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	in, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	c := in.count()
	d := c.decide()
	return c.write(&d), nil
}
