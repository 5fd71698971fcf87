package selector

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/internal/zero"
)

// ErrNotChecked is the error of adoptions that are resolved without a live check.
var ErrNotChecked = errors.New("the owner has not been read from the API server")

// A Live is the outcome of reading the owner from the API server before the first
// adoption of a pass. It holds for all adoptions of the pass. The zero Live is that
// it has not been read, and no adoption is allowed.
type Live struct {
	OK  bool  // the owner is there, the same, and not being deleted, or the caller vouches for it
	Err error // why not
}

// A Fresh is the owner as just read from the API server.
type Fresh struct {
	UID               string
	DeletionTimestamp time.Time // zero unless being deleted
	Err               error     // why it could not be read
}

// CheckLive compares the owner with what the API server has. A cache may not yet
// know that the owner is gone and its children are meant to stay behind; adopting
// them would get them deleted.
//
// It mirrors RecheckDeletionTimestamp of the controller package of Kubernetes
// 1.36.3, and the functions that its callers pass.
func CheckLive(o *Owner, f Fresh) Live {
	o = zero.Or(o)
	switch {
	case f.Err != nil:
		return Live{Err: fmt.Errorf("can't recheck DeletionTimestamp: %w", f.Err)}
	case f.UID != o.UID:
		return Live{Err: fmt.Errorf("can't recheck DeletionTimestamp: original %s %s/%s is gone: got uid %s, wanted %s",
			o.Kind, o.Namespace, o.Name, f.UID, o.UID)}
	case !f.DeletionTimestamp.IsZero():
		return Live{Err: fmt.Errorf("%s/%s has just been deleted at %v", o.Namespace, o.Name, f.DeletionTimestamp)}
	}
	return Live{OK: true}
}

// err returns why nothing may be adopted, or nil.
func (l Live) err() error {
	switch {
	case l.Err != nil:
		return l.Err
	case !l.OK:
		return ErrNotChecked
	}
	return nil
}
