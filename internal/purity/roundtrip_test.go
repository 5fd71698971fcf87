package purity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type inner struct {
	Text string
	At   time.Time
	Call func()         `json:"-"`
	Map  map[string]int `json:"map"`
}

type kept struct {
	Inner *inner
	List  []inner
	Any   []any
}

type forgotten struct {
	Kept   kept
	Number int8 `json:"-"`
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		why    string
		value  any
		sample []any
		want   string
	}{
		{"all is kept, functions aside", kept{}, []any{"text"}, ""},
		{"an interface without a sample", kept{}, nil, "kept.Any cannot be filled"},
		{"a field without a name in JSON", forgotten{}, []any{"text"}, "JSON loses forgotten.Number"},
		{"what JSON cannot hold", struct{ C complex64 }{}, nil, "unsupported type: complex64"},
	} {
		got := failure(func(t T) { RoundTrip(t, ".", c.sample, c.value) })
		if c.want == "" {
			require.Empty(t, got, c.why)
		}
		require.Contains(t, got, c.want, c.why)
	}
	require.Contains(t, failure(func(t T) { RoundTrip(t, "../../podorder", nil) }), "has JSON tags, and no value leads to it")
}

func TestConstants(t *testing.T) {
	require.Equal(t, "Neighbours", Constants(t, "../../podorder", "Rule")["RuleNeighbours"])
	require.Contains(t, failure(func(t T) { Constants(t, ".", "Rule") }), "no constants of type Rule")
}
