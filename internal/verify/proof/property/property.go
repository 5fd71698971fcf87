// SPDX-License-Identifier: Apache-2.0

// Package property says what is proved of the arithmetic of rolling updates, in Go.
package property

// assume ends a case that the property does not speak of.
func assume(holds bool) {
	if !holds {
		panic(outside{})
	}
}

// prove says what holds.
func prove(what string, holds bool) {
	if !holds {
		panic(broken(what))
	}
}

// outside is a case that a property does not speak of.
type outside struct{}

// broken is what a property says, and does not hold.
type broken string
