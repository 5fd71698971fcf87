// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
)

// compare runs the cases of a file through an adapter. Those that ask for what kplan has no
// adapter for are counted: the count is what is known to be missing.
func compare(t *testing.T, name string, decide func(r recorded.Recording) (got any, missing bool)) {
	t.Helper()
	compareAs(t, name, func(r recorded.Recording) (want, got any, missing bool) {
		got, missing = decide(r)
		return r.Output, got, missing
	})
}

// compareAs compares that part of what is recorded which an adapter is for.
func compareAs(t *testing.T, name string, decide func(r recorded.Recording) (want, got any, missing bool)) {
	t.Helper()
	equal, missing, failed := 0, 0, 0
	for _, r := range recorded.All(t, "adopters/"+name) {
		want, got, without := decide(r)
		if without {
			missing++
			continue
		}
		diff := cmp.Diff(recorded.Plain(t, recorded.Marshal(t, want)), recorded.Plain(t, recorded.Marshal(t, got)))
		if diff == "" {
			equal++
			continue
		}
		if failed++; failed <= 3 {
			t.Errorf("%s %s (-recorded +got):\n%s", r.ID, r.Input, diff)
		}
	}
	t.Logf("%s: %d equal, %d without an adapter, %d differ", name, equal, missing, failed)
	require.Positive(t, equal)
}
