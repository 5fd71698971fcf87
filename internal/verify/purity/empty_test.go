// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A planner to which an empty list or map means something else than nil must say so in JSON.
func TestEmpties(t *testing.T) {
	type part struct {
		Lost map[string]string `json:"lost,omitempty"`
		Kept map[string]string `json:"kept,omitzero"`
		None map[string]string `json:"-"`
	}
	type snapshot struct {
		Lost  []int `json:"lost,omitempty"`
		Kept  []int `json:"kept,omitzero"`
		Parts []part
		ByKey map[string]part
		Any   any
	}
	s := snapshot{Parts: []part{{}}, ByKey: map[string]part{"a": {Lost: map[string]string{}}}, Any: part{}}
	for _, c := range []struct {
		path string
		lost bool
		plan func(s snapshot) (any, error)
	}{
		{"Lost", true, func(s snapshot) (any, error) { return s.Lost == nil, nil }},
		{"Parts[0].Lost", true, func(s snapshot) (any, error) { return s.Parts[0].Lost == nil, nil }},
		{"ByKey[a].Lost", true, func(s snapshot) (any, error) { return s.ByKey["a"].Lost == nil, nil }},
		{"Any.Lost", true, func(s snapshot) (any, error) { return s.Any.(part).Lost == nil, nil }},
		{"Kept", false, func(s snapshot) (any, error) {
			return s.Kept == nil && s.Parts[0].Kept == nil && s.Parts[0].None == nil, nil
		}},
		{"the same list in the plan", false, func(s snapshot) (any, error) { return part{Lost: Clone(s.Parts[0].Lost)}, nil }},
	} {
		text := failure(func(t T) { Check(t, s, c.plan) })
		require.Equal(t, c.lost, text != "", "%s: %s", c.path, text)
		if c.lost {
			require.Contains(t, text, "which JSON does not tell")
		}
	}
}
