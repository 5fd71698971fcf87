// SPDX-License-Identifier: Apache-2.0

package sim

// The versions of a store count its writes: each has a version of its own.
type versions struct {
	version int64        // of the last write
	touched [kinds]int64 // by kind
	counts  [kinds]func(version int64) int
	numbers [kinds]func(name string) int32
	// Objects that are not versioned keep the resource versions that they came with.
	unversioned bool
	seen        func(Kind) int64 // the version up to which everybody has seen a kind; nil if nobody waits for that
}

// number returns the number of an object, by which those of a kind are in the order of
// their creation.
func (v *versions) number(k Kind, name string) int32 { return v.numbers[k](name) }

// behind returns how many changes of a kind there were behind a version.
func (v *versions) behind(k Kind, version int64) int {
	if v.touched[k] <= version {
		return 0
	}
	return v.counts[k](version)
}
