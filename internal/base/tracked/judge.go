// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/version"
)

// A Verdict is the effect of an event on a table.
type Verdict uint8

// Ignore, Add, Replace and Remove are the verdicts.
const (
	Ignore Verdict = iota
	Add
	Replace
	Remove
)

// Judge returns the verdict on an event and the number of its object, -1 if the name is unknown:
// see the function Judge.
func (t *Table[T, K]) Judge(old, now *T) (Verdict, int, error) {
	var known *T
	slot := -1
	if v := concerned(old, now); v != nil {
		if slot = t.Find(t.kind.Name(v)); slot >= 0 {
			known = t.At(slot)
		}
	}
	what, err := Judge(t.kind, known, old, now)
	return what, slot, err
}

// concerned returns the object of an event: the new version or, of a deletion, the old one.
func concerned[T any](old, now *T) *T {
	if now == nil {
		return old
	}
	return now
}

// Judge returns the verdict on an event: an addition if old is nil, a deletion if now is nil, and
// an update otherwise. Known is the object with the same name, nil if there is no such object. An
// event may come twice, and may come late if resource versions compare. An error is one
// field.Error.
func Judge[T any, K Kind[T]](k K, known, old, now *T) (Verdict, error) {
	v := concerned(old, now)
	switch {
	case v == nil:
		return Ignore, nil
	case k.Name(v) == "":
		return refused(k, now, "Name", "", "must be set")
	case old != nil && k.Name(old) != k.Name(v):
		return refused(k, now, "Name", k.Name(v), "must be that of "+k.Path()+".Old")
	case known != nil:
		return judgeKnown(k, known, old, now)
	case now == nil:
		return Ignore, nil // removed twice
	case old != nil:
		return refused(k, now, "Name", k.Name(v), "must be that of a "+k.Word()+" that has been added and not removed")
	}
	return Add, nil
}

// judgeKnown is Judge for an object whose name is known.
func judgeKnown[T any, K Kind[T]](k K, known, old, now *T) (Verdict, error) {
	v := concerned(old, now)
	uid, knownUID := k.UID(v), k.UID(known)
	if uid == knownUID && now == nil {
		return Remove, nil // a UID is never used again
	}
	age, compare := version.Compare(k.Version(v), k.Version(known))
	switch {
	case compare && age < 0:
		return Ignore, nil
	case uid == knownUID:
		return Replace, nil
	case compare && age > 0:
		if now == nil {
			return Remove, nil // the known object is older
		}
		return Replace, nil
	case now != nil && old != nil && k.UID(old) == knownUID:
		return Replace, nil // deleted and created again
	}
	return refused(k, now, "UID", uid, "must be that of the "+k.Word()+" of this name, which has not been removed")
}

// refused returns the error for a field of the object of an event.
func refused[T any, K Kind[T]](k K, now *T, name string, value any, detail string) (Verdict, error) {
	side := ".New."
	if now == nil {
		side = ".Old."
	}
	var errs kplan.FieldErrors
	errs.Add(k.Path()+side+name, value, detail)
	return Ignore, errs.Join()
}
