// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// slices returns the slices of a trace, by process and lane.
func slicesOf(t require.TestingT, text string) map[string][]string {
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			Pid, Tid int
			Ts, Dur  int64
			Args     map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &trace))
	names, lanes, numbers := map[int]string{}, map[string][]string{}, map[int]bool{}
	for _, e := range trace.TraceEvents {
		switch e.Ph {
		case "M":
			number, of := e.Pid, ""
			switch e.Name {
			case "process_sort_index":
				continue
			case "thread_name":
				number, of = e.Tid, names[e.Pid]+": "
			}
			require.False(t, number == 0 || numbers[number], "%d is the number of nothing else", number)
			numbers[number] = true
			names[number] = of + e.Args["name"].(string)
		case "X":
			require.GreaterOrEqual(t, e.Dur, int64(0))
			lanes[names[e.Tid]] = append(lanes[names[e.Tid]], fmt.Sprintf("%s %d+%d", e.Name, e.Ts/1000, e.Dur/1000))
		case "C":
			require.Contains(t, e.Args, "pods")
		default:
			require.Fail(t, "unknown phase", e.Ph)
		}
	}
	return lanes
}

// TestTrace: both pods are seen with their owners, and on the node in two lanes, where the new
// one begins when it gets there. The trace ends a 25th behind the last step.
func TestTrace(t *testing.T) {
	text := written(t, func(b *strings.Builder) error { return Trace(b, []*Timeline{example("web")}) })
	require.Equal(t, map[string][]string{
		"Deployment shop/web: steps":         {"steps 1-2 0+10000", "step 3 10000+50000", "step 4 60000+2400"},
		"ReplicaSet web-old (rev 1): pods 1": {"web-old-x 0+15000", "ready 0+10000", "terminating 10000+5000"},
		"ReplicaSet web-new: pods 1":         {"web-new-x 0+62400", "waits for a node 0+2000", "starting 2000+8000", "ready 10000+52400"},
		"Node node-1: pods 1":                {"web-old-x 0+15000", "ready 0+10000", "terminating 10000+5000"},
		"Node node-1: pods 2":                {"web-new-x 2000+60400", "starting 2000+8000", "ready 10000+52400"},
	}, slicesOf(t, text))
	require.Contains(t, text, `"start":"Deployment shop/web begins at 2026-01-02T15:04:05Z"`)
}

// TestLanes: whenever pods come and go, slices of a lane nest or follow each other.
func TestLanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := example("web")
		line.History = &record.History{Start: start}
		for i := range rapid.IntRange(1, 12).Draw(t, "pods") {
			p := &podorder.Pod{Name: itoa(i), UID: itoa(i), ControllerName: "web", NodeName: "node"}
			at := 0
			for _, stage := range []record.Life{record.Unscheduled, record.Scheduled, record.Ready, record.Terminating, record.Gone}[rapid.IntRange(0, 2).Draw(t, "first"):] {
				at += rapid.IntRange(0, 20).Draw(t, "at")
				line.History.Saw(after(at), p, stage)
			}
		}
		var b strings.Builder
		require.NoError(t, Trace(&b, []*Timeline{line}))
		for lane, list := range slicesOf(t, b.String()) {
			var open []int
			for _, s := range list {
				times := strings.Split(s[strings.LastIndex(s, " ")+1:], "+")
				from, _ := strconv.Atoi(times[0])
				long, _ := strconv.Atoi(times[1])
				for len(open) > 0 && open[len(open)-1] <= from {
					open = open[:len(open)-1]
				}
				if len(open) > 0 {
					require.LessOrEqual(t, from+long, open[len(open)-1], "%s: %v", lane, list)
				}
				open = append(open, from+long)
			}
		}
	})
}
