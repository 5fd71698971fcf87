// SPDX-License-Identifier: Apache-2.0

package tracked

// A Self guards a Tracker, of which it is a field, against copies by value. The copy would share
// memory with the original, and a change of one would break the other. go vet reports such copies,
// and a copy panics when it is used, like a copy of a [strings.Builder]. The zero Self is ready.
type Self struct {
	_    noCopy
	self *Self // nil before the first Check
}

// noCopy has the methods of a lock, by which the check copylocks of go vet knows structs that must
// not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Check panics if the Tracker is a copy by value of one that was in use. Pkg is the package of the
// Tracker, for the message.
func (s *Self) Check(pkg string) {
	if s.self != s {
		s.begin(pkg)
	}
}

func (s *Self) begin(pkg string) {
	if s.self != nil {
		panic(pkg + ": Tracker copied by value; use Clone")
	}
	s.self = s
}
