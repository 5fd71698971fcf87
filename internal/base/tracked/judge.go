// SPDX-License-Identifier: Apache-2.0

package tracked

import "github.com/kplan-go/kplan/internal/base/field"

// A Verdict is what an event does.
type Verdict uint8

// The verdicts.
const (
	Ignore Verdict = iota
	Add
	Replace
	Remove
)

// Judge returns what an event does, and to which object: see the function Judge.
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

// concerned returns what an event is of, or nil.
func concerned[T any](old, now *T) *T {
	if now == nil {
		return old
	}
	return now
}

// Judge returns what an event does: an addition if old is nil, a deletion if now is, and an
// update otherwise. Known is the object of its name, nil if there is none. Events of one object
// may come twice, and late if versions compare. The error, if any, is one field.Error.
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

// judgeKnown is Judge if there is an object of that name.
func judgeKnown[T any, K Kind[T]](k K, known, old, now *T) (Verdict, error) {
	v := concerned(old, now)
	uid, knownUID := k.UID(v), k.UID(known)
	if uid == knownUID && now == nil {
		return Remove, nil // no UID comes back
	}
	age, compare := CompareVersions(k.Version(v), k.Version(known))
	switch {
	case compare && age < 0:
		return Ignore, nil
	case uid == knownUID:
		return Replace, nil
	case compare && age > 0:
		if now == nil {
			return Remove, nil // the known one came before
		}
		return Replace, nil
	case now != nil && old != nil && k.UID(old) == knownUID:
		return Replace, nil // one that was made anew
	}
	return refused(k, now, "UID", uid, "must be that of the "+k.Word()+" of this name, which has not been removed")
}

// refused says what is wrong with a field of what an event is of.
func refused[T any, K Kind[T]](k K, now *T, name string, value any, detail string) (Verdict, error) {
	side := ".New."
	if now == nil {
		side = ".Old."
	}
	var errs field.Errors
	errs.Add(k.Path()+side+name, value, detail)
	return Ignore, errs.Join()
}
