// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMermaid(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return Mermaid(b, []*Timeline{example("web")}) })
	require.Equal(t, "```mermaid"+`
gantt
    title Deployment shop/web. Complete after 1m
    dateFormat YYYY-MM-DD HH:mm:ss.SSS
    axisFormat %H:%M:%S
    tickInterval 10second
    section ready
    1 :2001-01-01 00:00:00.000, 80000ms
    section steps
    rev 2#58; create with 1 :milestone, 2001-01-01 00:00:00.000, 0ms
    deployment#58; rev 2 :milestone, 2001-01-01 00:00:00.000, 0ms
    rev 1#58; 1 -#62; 0 :milestone, 2001-01-01 00:00:10.000, 0ms
    complete :milestone, 2001-01-01 00:01:00.000, 0ms
`+"```\n", text)
	for length, want := range map[time.Duration]string{
		time.Second: "1second", 8 * time.Second: "1second", time.Minute: "10second", time.Hour: "10minute", 24 * time.Hour: "3hour",
		10 * 24 * time.Hour: "2day", 365 * 24 * time.Hour: "3month", 100 * 365 * 24 * time.Hour: "12month",
	} {
		require.Equal(t, want, ticks(length), length)
	}
	long := example("web")
	for range 100 {
		long.Steps = append(long.Steps, Step{time.Hour, nil, []Occurrence{{What: "x"}}})
	}
	text = written(t, func(b *strings.Builder) error { return Mermaid(b, []*Timeline{long}) })
	require.Contains(t, text, "    and 45 more :milestone,")
	require.Less(t, strings.Count(text, "\n"), 80)
}
