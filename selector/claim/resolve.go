// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// A Resolution holds the writes of a [Claim], after the live check.
type Resolution struct {
	Keep     []int     // the children that are claimed in any case
	Actions  Actions   // in the order of the children
	Failures []Failure // adoptions that must not be tried
}

// A Failure is a child that could not be adopted or released.
type Failure struct {
	Child int
	Err   error
}

// Error returns the text of Err.
func (f Failure) Error() string {
	if f.Err == nil {
		return "no error"
	}
	return f.Err.Error()
}

// Unwrap returns Err.
func (f Failure) Unwrap() error { return f.Err }

// Resolve turns a claim of o into writes. The live check allows or forbids all adoptions of
// the pass; keeping and releasing do not depend on it. Resolve calls child only for children
// that are written.
//
// It mirrors AdoptPod and ReleasePod of the controller package of Kubernetes.
func Resolve(o *Owner, claim Claim, child func(i int) Child, live LiveCheck) Resolution {
	o = zero.Or(o)
	r := Resolution{Keep: slices.Clone(claim.Keep)}
	refused := live.err()
	adopt, release := claim.Adopt, claim.Release
	for len(adopt)+len(release) > 0 {
		if len(release) == 0 || len(adopt) > 0 && adopt[0] < release[0] {
			c := child(adopt[0])
			if refused != nil {
				err := fmt.Errorf("can't adopt %s %s/%s (%s): %w", o.childKind(), c.Namespace, c.Name, c.UID, refused)
				r.Failures = append(r.Failures, Failure{adopt[0], err})
			} else {
				r.Actions = append(r.Actions, o.adoption(adopt[0], &c))
			}
			adopt = adopt[1:]
			continue
		}
		c := child(release[0])
		r.Actions = append(r.Actions, o.release(release[0], &c))
		release = release[1:]
	}
	return r
}

func (o *Owner) adoption(i int, c *Child) AdoptChild {
	return AdoptChild{
		Child: i, Kind: o.childKind(), Namespace: c.Namespace, Name: c.Name, UID: c.UID,
		Reference: o.Reference(), Finalizers: slices.Clone(o.Finalizers), Reason: ReasonOrphan,
	}
}

func (o *Owner) release(i int, c *Child) ReleaseChild {
	return ReleaseChild{
		Child: i, Kind: o.childKind(), Namespace: c.Namespace, Name: c.Name, UID: c.UID,
		OwnerUID: o.UID, Finalizers: slices.Clone(o.Finalizers), Reason: o.mismatch(c),
	}
}
