// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Reconcile returns the next step of the Deployment in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
//
// It has four phases, each of which returns a value that nothing later writes to.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	var in input
	if err := in.admit(&s, now, &opts); err != nil {
		return Plan{}, err
	}
	return in.plan(), nil
}

// plan is what follows once a snapshot is admitted.
func (in *input) plan() Plan {
	c := count(in)
	f := in.follow()
	d := in.decide(&c, &f)
	r := d.report(in, &c, &f)
	return d.write(in, &f, &r)
}
