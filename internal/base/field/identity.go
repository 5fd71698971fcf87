// SPDX-License-Identifier: Apache-2.0

package field

import "github.com/kplan-go/kplan"

// An Element returns the name and UID of element i of a list, and whether it counts. An element that
// does not count may have any name and UID.
type Element func(i int) (name, uid string, counts bool)

// Unique records an error if an element of a list of n has no name, if two have the same name, and
// if two have the same UID. Each error occurs once, for the smallest name or UID.
func Unique(errs *kplan.FieldErrors, list string, n int, at Element) {
	var s Identities
	s.Begin(n)
	for i := range n {
		s.Add(at(i))
	}
	s.Check(errs, list, n, at)
}

// Identities checks the same as [Unique] for elements that the caller reads anyway: a [Sieve] of
// their names and another one of their UIDs. The zero Identities finds no errors.
type Identities struct {
	names, uids     Sieve
	begun, nameless bool
}

// Begin prepares the zero Identities for n elements.
func (s *Identities) Begin(n int) {
	s.names.Begin(n)
	s.uids.Begin(n)
	s.begun = true
}

// Add adds the next element.
func (s *Identities) Add(name, uid string, counts bool) {
	if !s.begun {
		return
	}
	if !counts {
		name, uid = "", ""
	}
	s.names.Add(name)
	s.uids.Add(uid)
	s.nameless = s.nameless || counts && name == ""
}

// Check records the errors of the n elements that were added.
func (s *Identities) Check(errs *kplan.FieldErrors, list string, n int, at Element) {
	if !s.begun {
		return
	}
	name := func(i int) string {
		if name, _, counts := at(i); counts {
			return name
		}
		return ""
	}
	uid := func(i int) string {
		if _, uid, counts := at(i); counts {
			return uid
		}
		return ""
	}
	if s.nameless {
		errs.Add(kplan.ElementPath(list, "")+".Name", "", "must be set")
	}
	if i, _, found := s.names.Duplicate(n, name); found {
		errs.Add(kplan.ElementPath(list, name(i))+".Name", name(i), "must be unique")
	}
	if k, _, found := s.uids.Duplicate(n, uid); found {
		least := name(k)
		for i := range n {
			if uid(i) == uid(k) {
				least = min(least, name(i))
			}
		}
		errs.Add(kplan.ElementPath(list, least)+".UID", uid(k), "must be unique")
	}
}
