// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Reconcile returns the next step of the Deployment in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
//
// It has four phases, each of which returns a value that nothing later writes to.
func Reconcile(s Snapshot, now time.Time, opts Options) (p Plan, err error) {
	var in input
	if err = in.admit(&s, now, &opts); err == nil {
		p = in.plan()
	}
	return p, err
}

// plan is what follows once a snapshot is admitted.
func (in *input) plan() (p Plan) {
	c := count(in)
	f := in.follow()
	d := in.decide(&c, &f)
	r := d.report(in, &c, &f)
	p = d.write(in, &f, &r)
	clear(in.memory.sets[:])
	return p
}
