// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"maps"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
)

var agonesFiles = []file{{"Agones", "agones_fleet", fleet}}

func fleet(t *testing.T, r recorded.Recording) answer {
	in := read[struct {
		Fleet
		Op, Strategy string
	}](t, r)
	out := result[struct {
		Active int32
		Rest   map[string]int32
		Error  bool
	}](t, r)
	if in.Op == "rolling" && (in.MaxSurge.IsZero() || in.MaxUnavailable.IsZero()) {
		return answer{want: out.Error, got: true}
	}
	active, rest := in.Scale(in.Strategy)
	if in.Op == "rolling" {
		active, rest = in.Grow(), in.Shrink()
	}
	a := answer{want: []any{out.Active, out.Rest, out.Error}, got: []any{max(0, active), rest, false}}
	if out.Active < 0 && active <= 0 && maps.Equal(out.Rest, rest) {
		a.policy = "none below 0"
	}
	return a
}
