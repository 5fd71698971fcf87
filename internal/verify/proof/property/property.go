// SPDX-License-Identifier: Apache-2.0

// Package property states, in Go, the proved properties of the arithmetic of rolling
// updates.
package property

// assume ends a case in which the condition does not hold.
func assume(holds bool) {
	if !holds {
		panic(outside{})
	}
}

// prove states that a condition holds.
func prove(what string, holds bool) {
	if !holds {
		panic(broken(what))
	}
}

// outside is the panic of a case that a property does not cover.
type outside struct{}

// broken is the panic of a statement that does not hold.
type broken string
