// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPage: the page holds the text of a stranger as text, its policy allows its own script alone,
// and it asks for nothing.
func TestPage(t *testing.T) {
	line := example(stranger)
	line.Steps[0].Events = append(line.Steps[0].Events, Occurrence{What: stranger, Why: stranger, More: stranger})
	line.Columns[2].Name, line.Verdict, line.Facts, line.Chart.Pods[0].Name = stranger, stranger, []string{stranger}, stranger
	text := written(t, func(b *strings.Builder) error { return Page(b, []*Timeline{line, example("web")}) })
	require.NotContains(t, text, "<img")
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Equal(t, 3, strings.Count(text, "<script"))
	require.Equal(t, 3, strings.Count(text, "</script"))
	plain := written(t, func(b *strings.Builder) error { return Page(b, []*Timeline{example("web")}) })
	require.NotRegexp(t, `(src|href)=|url\(|@import|fetch|XMLHttp`, plain)
	sum := sha256.Sum256([]byte(text[strings.LastIndex(text, "<script>")+len("<script>") : strings.LastIndex(text, "</script>")]))
	require.Contains(t, text, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	require.Contains(t, text, "<title>Deployment shop/=cmd|")
	for _, want := range []string{"<td>1/1</td><td>-</td><td>2</td>", "rev 1, ready/<wbr>wanted", "rev 1: 1 -&gt; 0 (enough are available)", `max="4"`, `"clock":"1m"`} {
		require.Contains(t, text, want)
	}
}
