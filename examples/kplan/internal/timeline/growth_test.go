// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// TestManyStepsAtOnce: eight times the steps of one instant copy eight times as much, and not
// sixty-four times.
func TestManyStepsAtOnce(t *testing.T) {
	copied := func(steps int) int {
		line := example("web")
		for range steps {
			line.Steps = append(line.Steps, Step{time.Minute, []string{"0/0", "1/1", "1"}, []Occurrence{{What: "a"}}})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Len(t, line.instants(), 3)
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	require.Less(t, copied(8*500), 16*copied(500))
}

// TestLongNamesInSamples: what every sample and every pod repeats has a limit.
func TestLongNamesInSamples(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	line := example("web")
	line.Done, line.Verdict = false, long
	line.History.Saw(start, &podorder.Pod{Name: "p", UID: "p", ControllerKind: "ReplicaSet", ControllerName: "web-" + long, NodeName: long}, record.Ready)
	metrics := written(t, func(b *strings.Builder) error { return Metrics(b, []*Timeline{line}, Scrape{Every: time.Second}) })
	require.Less(t, len(metrics), 1_000_000)
	require.Contains(t, metrics, `node="`+long[:mostLabel-1]+`…"`)
	trace := written(t, func(b *strings.Builder) error { return Trace(b, []*Timeline{line}) })
	require.Less(t, len(trace), 5*len(long), "the names of processes are whole")
}

// BenchmarkPodsAtOnce draws so many pods that are all there at the same time.
func BenchmarkPodsAtOnce(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(itoa(n), func(b *testing.B) {
			line := example("web")
			for i := range n {
				line.History.Saw(start, &podorder.Pod{Name: itoa(i), UID: "u" + itoa(i), ControllerKind: "ReplicaSet", ControllerName: "web-new", NodeName: "node-1"}, record.Ready)
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, Trace(io.Discard, []*Timeline{line}))
			}
		})
	}
}
