// SPDX-License-Identifier: Apache-2.0

package total

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
)

// A Showcase is the answer to the smallest input that shows a quirk, without and with its repair.
type Showcase[Q any] struct {
	Answer         func(t *testing.T, repair Q) string
	Kept, Repaired string
}

// Quirks fails the test unless each row of a table of quirks says everything and has a showcase: by
// default the quirk shows, its own repair alone mends it, and the repairs of all others leave it.
func Quirks[Q interface {
	~uint64
	fmt.Stringer
}](t *testing.T, table []kplan.Quirk, all Q, cases map[string]Showcase[Q]) {
	t.Helper()
	for i, q := range table {
		t.Run(q.Name, func(t *testing.T) {
			c, ok := cases[q.Name]
			require.True(t, ok, "the quirk has no input that shows it")
			for _, text := range []string{q.Upstream, q.Source, q.Input, q.Repair} {
				require.NotEmpty(t, text)
			}
			own := Q(1) << i
			require.Equal(t, q.Name, own.String())
			for repair, want := range map[Q]string{0: c.Kept, own: c.Repaired, all: c.Repaired, all &^ own: c.Kept} {
				require.Equal(t, want, c.Answer(t, repair), "%v", repair)
			}
		})
	}
	require.Len(t, cases, len(table))
}
