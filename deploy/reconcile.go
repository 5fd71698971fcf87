// SPDX-License-Identifier: Apache-2.0

package deploy

import "time"

// Reconcile returns the plan for the Deployment in s at the time now. It writes nothing to the API
// server, and does not change s. An error wraps [kplan.ErrInvalid] and one [kplan.FieldError] for
// each invalid field; the plan is then the zero Plan.
func Reconcile(s Snapshot, now time.Time, opts Options) (p Plan, err error) {
	var in input
	if err = in.admit(&s, now, &opts); err == nil {
		in.plan(&p)
	}
	return p, err
}

// plan sets the plan for an admitted snapshot.
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
