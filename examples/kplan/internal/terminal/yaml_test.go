// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// TestYAML: the order stays, and what is hidden is written out.
func TestYAML(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out)
	w.YAML(struct {
		Name  string            `json:"name"`
		Of    []string          `json:"of"`
		None  []int             `json:"none"`
		Empty map[string]string `json:"empty"`
		Text  string            `json:"text"`
		Whole float64           `json:"whole"`
	}{"web", []string{"a: b", "on", "1:30", "8", "\u202eabc\x1b"}, nil, map[string]string{}, "two\nlines", 3})
	require.NoError(t, w.Err())
	require.Equal(t, `name: web
of:
  - 'a: b'
  - "on"
  - "1:30"
  - "8"
  - "\U0000202eabc\e"
none: null
empty: {}
text: "two\nlines"
whole: 3
`, out.String())
	w.YAML(func() {})
	require.Error(t, w.Err())
}

// TestYAMLIsJSON: whoever reads YAML as kubectl does gets what JSON says, of any text, and no
// terminal gets anything hidden.
func TestYAMLIsJSON(t *testing.T) {
	texts := rapid.OneOf(
		rapid.String(), rapid.SampledFrom([]string{"", "~", "null", "yes", "N", "0x1", "1_000", "1:30:00", "2026-01-02", "- a", "#", "? ", ".inf", "=", "<<", "1e3", "!!x", "&a", "*a", "\ufeff", " a ", "a\n"}),
		rapid.StringOf(rapid.RuneFrom([]rune("\u202e\u0085\u2028\u200b\x7f\x1b\n\t\U000e0041\"'\\:# {[-?é漢"))),
	)
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{
			"list": rapid.SliceOf(texts).Draw(t, "list"), "map": rapid.MapOf(texts, texts).Draw(t, "map"),
			"number": rapid.Int32().Draw(t, "number"), "share": rapid.Float64Range(-1e9, 1e9).Draw(t, "share"), "bool": rapid.Bool().Draw(t, "bool"),
		}
		want, err := json.Marshal(value)
		require.NoError(t, err)
		text, err := yamlOf(value)
		require.NoError(t, err)
		for line := range strings.Lines(text) {
			require.Equal(t, strings.TrimSuffix(line, "\n"), Escape(strings.TrimSuffix(line, "\n")))
		}
		got, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err, text)
		var a, b any
		require.NoError(t, json.Unmarshal(want, &a))
		require.NoError(t, json.Unmarshal(got, &b))
		require.Equal(t, a, b, text)
	})
}
