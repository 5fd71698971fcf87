// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
)

// Where players hold more servers than the fleet is to have, Agones asks for fewer than none
// of the active set, which the API server refuses, in each pass again. Here it is none.
func TestVectorsAgones(t *testing.T) {
	belowZero := 0
	compareAs(t, "agones_fleet", func(r recorded.Recording) (want, got any, missing bool) {
		var in struct {
			Fleet
			Op, Strategy string
		}
		r.Read(t, &in)
		var out struct {
			Active int32
			Rest   map[string]int32
			Error  bool
		}
		recorded.Recording{ID: r.ID, Input: r.Output}.Read(t, &out)
		if in.Op == "rolling" && (in.MaxSurge.IsZero() || in.MaxUnavailable.IsZero()) {
			return out.Error, true, false
		}
		active, rest := in.Scale(in.Strategy)
		if in.Op == "rolling" {
			active, rest = in.Grow(), in.Shrink()
		}
		if out.Active < 0 {
			belowZero++
			out.Active = 0
		}
		return []any{out.Active, out.Rest, out.Error}, []any{max(0, active), rest, false}, false
	})
	t.Logf("%d below zero", belowZero)
	require.Less(t, belowZero, 100)
}
