// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"time"

	"github.com/kplan-go/kplan/replicaset/expect"
)

// An Expecting holds a controller's expectations after a plan.
type Expecting struct {
	Pass  ReplicaSetPass
	After expect.Expectations // the stored expectations
	// Observe returns the expectations after a creation, or the deletion of the named pod, was
	// observed. Nil means the methods of Expectations.
	Observe func(e expect.Expectations, deleted string) expect.Expectations
}

func expectationsCountDown(c *Expecting) []string {
	creates, names, l := created(&c.Pass.Plan), deletedNames(&c.Pass.Plan), list(nil)
	if creates == 0 && len(names) == 0 {
		l.addIf(!c.After.Equal(c.Pass.Snapshot.Expectations), "nothing is written, but %+v is expected", c.After)
		return l
	}
	observe := c.Observe
	if observe == nil {
		observe = func(e expect.Expectations, deleted string) expect.Expectations {
			if deleted == "" {
				return e.CreationObserved()
			}
			return e.DeletionObserved(deleted)
		}
	}
	e := c.After
	l.addIf(e.Creations != creates || e.Deletions != int64(len(names)), "%d creations and %d deletions are expected, not %d and %d", e.Creations, e.Deletions, creates, len(names))
	for i := range creates {
		l.addIf(!waiting(&e, c.Pass.Now), "nothing is expected any more after %d of %d creations", i, creates)
		e = observe(e, "")
	}
	for i, name := range names {
		l.addIf(!waiting(&e, c.Pass.Now), "nothing is expected any more after %d of %d deletions", i, len(names))
		e = observe(observe(e, name), name) // an event may come twice
	}
	l.addIf(waiting(&e, c.Pass.Now) || len(e.Pending) > 0, "%d creations and %d deletions are left of what was seen", e.Creations, e.Deletions)
	return l
}

// waiting reports whether writes are outstanding according to the expectations.
func waiting(e *expect.Expectations, now time.Time) bool {
	return (e.Creations > 0 || e.Deletions > 0) && !now.After(e.At.Add(5*time.Minute))
}
