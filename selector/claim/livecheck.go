// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/internal/base/zero"
)

// ErrNotChecked is the error of adoptions that are resolved without a live check.
var ErrNotChecked = errors.New("the owner has not been read from the API server")

// A LiveCheck is the outcome of reading the owner from the API server before the first
// adoption of a pass. It holds for all adoptions of the pass. The zero LiveCheck is that
// it has not been read, and no adoption is allowed.
type LiveCheck struct {
	OK  bool  // the owner is there, the same, and not being deleted, or the caller vouches for it
	Err error // why not
}

// An OwnerNow is the owner as just read from the API server.
type OwnerNow struct {
	UID               string
	DeletionTimestamp time.Time // zero unless being deleted
	Err               error     // why it could not be read
}

// CheckLive compares the owner with what the API server has. A cache may not yet
// know that the owner is gone and its children are meant to stay behind; adopting
// them would get them deleted.
//
// It mirrors RecheckDeletionTimestamp of the controller package of Kubernetes,
// and the functions that its callers pass.
func CheckLive(o *Owner, now OwnerNow) LiveCheck {
	o = zero.Or(o)
	switch {
	case now.Err != nil:
		return LiveCheck{Err: fmt.Errorf("can't recheck DeletionTimestamp: %w", now.Err)}
	case now.UID != o.UID:
		return LiveCheck{Err: fmt.Errorf("can't recheck DeletionTimestamp: original %s %s/%s is gone: got uid %s, wanted %s",
			o.Kind, o.Namespace, o.Name, now.UID, o.UID)}
	case !now.DeletionTimestamp.IsZero():
		return LiveCheck{Err: fmt.Errorf("%s/%s has just been deleted at %v", o.Namespace, o.Name, now.DeletionTimestamp)}
	}
	return LiveCheck{OK: true}
}

// err returns why nothing may be adopted, or nil.
func (l LiveCheck) err() error {
	switch {
	case l.Err != nil:
		return l.Err
	case !l.OK:
		return ErrNotChecked
	}
	return nil
}
