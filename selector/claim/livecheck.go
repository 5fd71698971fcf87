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

// A LiveCheck is the result of reading the owner from the API server before the first
// adoption of a pass. It holds for all adoptions of the pass. The zero LiveCheck means that
// the owner has not been read, and forbids adoptions.
type LiveCheck struct {
	OK  bool  // the owner exists with the same UID and is not being deleted, or the caller guarantees it
	Err error // the reason if not OK
}

// An OwnerNow is the owner as just read from the API server.
type OwnerNow struct {
	UID               string
	DeletionTimestamp time.Time // zero unless being deleted
	Err               error     // the error of the read
}

// CheckLive compares the owner with its state in the API server. A cache may not show yet
// that the owner was deleted and its children orphaned on purpose; if the owner adopted them,
// they would be deleted.
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

// err returns the error that forbids adoptions, or nil.
func (l LiveCheck) err() error {
	switch {
	case l.Err != nil:
		return l.Err
	case !l.OK:
		return ErrNotChecked
	}
	return nil
}
