// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// stranger is what somebody may put into a name: it ends strings, rows, blocks and comments.
const stranger = "=cmd|' /C calc'!a\n```\n</script><img src=x onerror=alert(1)>\"} 1\\\",\u202e;#%%:, ]]>&amp;\x00\x1b[31m\xff"

// TestStranger: each format holds the text of a stranger as one text.
func TestStranger(t *testing.T) {
	line := example(stranger)
	line.Steps[0].Events = append(line.Steps[0].Events, Occurrence{What: stranger, Why: stranger, More: stranger})
	line.Columns[2].Name, line.Verdict, line.Chart.Pods[0].Name = stranger, stranger, stranger
	list := []*Timeline{line}
	text := written(t, func(b *strings.Builder) error { return Trace(b, list) })
	require.NotContains(t, text, "</script>")
	require.Len(t, slicesOf(t, text), 5)

	text = written(t, func(b *strings.Builder) error { return CSV(b, list) })
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 5)
	require.Equal(t, "'=cmd", rows[1][2][:5], "no formula")

	text = written(t, func(b *strings.Builder) error { return Mermaid(b, list) })
	require.Equal(t, 2, strings.Count(text, "`````````"[:3]), "one block")
	for text := range strings.Lines(text) {
		require.NotContains(t, text, "alert(1)>")
		require.LessOrEqual(t, strings.Count(text, ":20"), 1)
	}
	text = written(t, func(b *strings.Builder) error {
		return Metrics(b, list, Scrape{Every: time.Minute, After: time.Minute})
	})
	for line := range strings.Lines(text) {
		require.True(t, strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "kube_"), line)
		if _, rest, ok := strings.Cut(line, `,deployment=`); ok {
			value, err := strconv.QuotedPrefix(rest)
			require.NoError(t, err)
			value, err = strconv.Unquote(value)
			require.NoError(t, err)
			require.Equal(t, terminal.Escape(stranger), value)
		}
	}
}
