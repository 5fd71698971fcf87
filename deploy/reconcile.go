// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Reconcile returns the next step of the Deployment in s as of now. It performs
// nothing. The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each
// field that cannot be used.
//
// It has four phases, each of which makes a value that nothing later writes to.
func Reconcile(s Snapshot, now time.Time, opts Options) (p Plan, err error) {
	var in input
	if err = in.admit(&s, now, &opts); err == nil {
		in.plan(&p)
	}
	return p, err
}

// plan counts, decides and writes, once a snapshot is admitted.
func (in *input) plan(p *Plan) {
	var (
		c counts
		u newSetUpdate
		d decision
		r report
	)
	c.count(in)
	u.decide(in)
	d.decide(in, &c, &u)
	r.report(in, &c, &u, &d)
	p.write(in, &u, &d, &r)
}
