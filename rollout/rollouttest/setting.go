// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// settings choose the input and the checks.
type settings struct {
	only, except       []string
	kinds              []random.Kind
	snapshots, options any // generators, nil for ours
	strict             bool
}

// A Setting chooses the input or the checks. Without settings all checks run on snapshots of
// all kinds, with options of any kind.
type Setting func(*settings)

// Only runs the checks of these names, see [Names]. A name of no check of the planner fails the
// test.
func Only(names ...string) Setting {
	return func(s *settings) { s.only = append(s.only, names...) }
}

// Except runs all checks except the checks of these names.
func Except(names ...string) Setting {
	return func(s *settings) { s.except = append(s.except, names...) }
}

// Over tries snapshots of these kinds. [Machine] never begins with Anything.
func Over(kinds Kinds) Setting { return func(s *settings) { s.kinds = kinds.list() } }

// From tries snapshots of the given generator. Snapshots of another planner fail the test.
func From[S Snapshot](snapshots *rapid.Generator[S]) Setting {
	return func(s *settings) { s.snapshots = snapshots }
}

// With tries options of the given generator. Options of another planner fail the test.
func With[O OptionSet](options *rapid.Generator[O]) Setting {
	return func(s *settings) { s.options = options }
}

// Strict also reports cases that a known quirk explains. Our planners pass it with all repairs
// only.
func Strict() Setting { return func(s *settings) { s.strict = true } }

// chosen returns the settings for one planner.
func chosen[S, O any](t rapid.TB, list []Setting) (to properties.Settings[S, O]) {
	t.Helper()
	var s settings
	for _, set := range list {
		set(&s)
	}
	ours := true
	if s.snapshots != nil {
		to.Snapshots, ours = s.snapshots.(*rapid.Generator[S])
	}
	if s.options != nil && ours {
		to.Options, ours = s.options.(*rapid.Generator[O])
	}
	if !ours {
		t.Fatalf("rollouttest: From and With are to draw %T and %T", *new(S), *new(O))
	}
	to.Kinds, to.Only, to.Except, to.Strict = s.kinds, s.only, s.except, s.strict
	return to
}
