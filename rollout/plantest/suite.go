// SPDX-License-Identifier: Apache-2.0

package plantest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
)

// A Suite tests functions of type F that decide without a plan, such as the choice of the pods to
// delete. The packages podordertest and selectortest return suites; the zero Suite is not useful.
// A suite never changes: its methods return another one.
type Suite[F any] struct {
	// Decision describes the checks, and Case returns the property of one case. Packages of this
	// module set them.
	Decision properties.Decision
	Case     func(f F, choice properties.Choice) func(*rapid.T)
	choice   properties.Choice
}

// Only returns a suite that runs the checks of these names, see [Suite.Names], and of the names of
// earlier calls. An unknown name fails the test.
func (s Suite[F]) Only(names ...string) Suite[F] {
	s.choice.Only = slices.Concat(s.choice.Only, names)
	return s
}

// Except returns a suite that does not run the checks of these names. An unknown name fails the
// test.
func (s Suite[F]) Except(names ...string) Suite[F] {
	s.choice.Except = slices.Concat(s.choice.Except, names)
	return s
}

// Names returns the names of all checks, in the order of README.md of the suite's package.
func (s Suite[F]) Names() []string { return s.Decision.Names() }

// Check tries a function on random input, as often as rapid says, and fails with the smallest case
// that it finds.
func (s Suite[F]) Check(t rapid.TB, f F) {
	t.Helper()
	rapid.Check(t, s.Property(f))
}

// Property returns the property that [Suite.Check] checks for one case.
func (s Suite[F]) Property(f F) func(*rapid.T) { return s.Case(f, s.choice) }
