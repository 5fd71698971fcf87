// SPDX-License-Identifier: Apache-2.0

package viewers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table is what a query of Perfetto gives.
type table [][]any

// An event is one of a trace as it is written.
type event = map[string]any

// perfetto lets its trace processor read traces, and returns what it has of each.
func perfetto(t *testing.T, traces ...string) (seen []map[string]table) {
	t.Helper()
	job, err := json.Marshal(map[string]any{"traces": traces, "queries": map[string]string{
		"errors": `select name, value from stats where severity in ('error', 'data_loss') and value > 0`,
		"slices": `select process.name, thread.name, slice.name, slice.category, ts / 1000, dur / 1000 from slice
			left join thread_track on track_id = thread_track.id left join thread using (utid) left join process using (upid)`,
		"counters": `select process.name, track.name, ts / 1000, value from counter
			left join process_counter_track track on track_id = track.id left join process using (upid)`,
		"tracks": `select (select count(distinct track_id) from slice), (select count(distinct track_id) from counter)`,
		"astray": `select stage.name from slice stage left join slice pod on stage.parent_id = pod.id
			where stage.category = 'stage' and pod.category is not 'pod'`,
	}})
	require.NoError(t, err)
	node := exec.Command("node", "perfetto.mjs", tools(t))
	var stderr bytes.Buffer
	node.Stdin, node.Stderr = bytes.NewReader(job), &stderr
	out, err := node.Output()
	require.NoError(t, err, stderr.String())
	require.NoError(t, json.Unmarshal(out, &seen))
	require.Len(t, seen, len(traces))
	return seen
}

// eventsOf reads the events of a trace.
func eventsOf(t *testing.T, file string) []event {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var trace struct{ TraceEvents []event }
	require.NoError(t, json.Unmarshal(text, &trace))
	return trace.TraceEvents
}

// asWritten returns what Perfetto has of a trace if it loses and confuses nothing.
func asWritten(events []event) map[string]table {
	processes, threads := map[any]any{}, map[string]any{}
	lane := func(e event) string { return fmt.Sprint(e["pid"], " ", e["tid"]) }
	want := map[string]table{"errors": {}, "astray": {}}
	lanes, numbers := map[string]bool{}, map[string]bool{}
	for _, e := range events {
		args, _ := e["args"].(map[string]any)
		switch {
		case e["name"] == "process_name":
			processes[e["pid"]] = args["name"]
		case e["name"] == "thread_name":
			threads[lane(e)] = args["name"]
		case e["ph"] == "X":
			lanes[lane(e)] = true
			want["slices"] = append(want["slices"], []any{processes[e["pid"]], threads[lane(e)], e["name"], e["cat"], e["ts"], e["dur"]})
		case e["ph"] == "C":
			for of, value := range args {
				name := fmt.Sprint(e["name"], " ", of)
				numbers[fmt.Sprint(e["pid"], name)] = true
				want["counters"] = append(want["counters"], []any{processes[e["pid"]], name, e["ts"], value})
			}
		}
	}
	want["tracks"] = table{{float64(len(lanes)), float64(len(numbers))}}
	return want
}

// sorted returns the rows as lines in an order that does not depend on theirs.
func sorted(rows table) (lines []string) {
	for _, row := range rows {
		lines = append(lines, fmt.Sprintf("%#v", row))
	}
	slices.Sort(lines)
	return lines
}

// TestPerfetto: Perfetto's trace processor reads the traces without an error, and has each slice
// and each counter in its process and lane, when it is written and as long.
func TestPerfetto(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	var files []string
	for i, args := range [][]string{
		echoserver,
		{"simulate", "--from", data + "daemonset/agent-v1.yaml", "-f", data + "daemonset/agent-v2.yaml", "--nodes", "10"},
		{"simulate", "-f", "-"},
		{"simulate", "-f", data + "argo/alb.yaml"},
	} {
		files = append(files, filepath.Join(dir, fmt.Sprint(i)))
		kplan(t, forged(t), append(args, "--trace", files[i])...)
	}
	for i, seen := range perfetto(t, files...) {
		want := asWritten(eventsOf(t, files[i]))
		require.NotEmpty(t, want["slices"])
		require.NotEmpty(t, want["counters"])
		if i == 3 {
			require.Contains(t, fmt.Sprint(want["counters"]), "traffic to new percent")
		}
		for name := range want {
			require.Equal(t, sorted(want[name]), sorted(seen[name]), "%s of %d", name, i)
			require.NotContains(t, fmt.Sprint(seen[name]), "<nil>", "every process and lane has a name")
		}
	}
}

// TestPerfettoTells: what is wrong with a trace is told, or shows in what is read of it.
func TestPerfettoTells(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	kplan(t, nil, append(echoserver, "--trace", good)...)
	want := asWritten(eventsOf(t, good))
	wrongs := []struct {
		name, told string
		do         func(pod, stage, counter event)
	}{
		{"a slice ends before it begins", "slice_negative_duration", func(pod, _, _ event) { pod["dur"] = -5 }},
		{"a stage goes on after its pod", "slice_drop_overlapping_complete_event", func(_, stage, _ event) { stage["ts"], stage["dur"] = 1, 1e12 }},
		{"no time", "json_tokenizer_failure", func(pod, _, _ event) { delete(pod, "ts") }},
		{"a counter of words", "json_parser_failure", func(_, _, counter event) { counter["args"] = event{"pods": "many"} }},
		{"no process", "", func(pod, _, _ event) { delete(pod, "pid") }},
		{"the lane has the number of its process", "", func(pod, _, _ event) { pod["tid"] = pod["pid"] }},
	}
	var files []string
	for _, w := range wrongs {
		events := eventsOf(t, good)
		first := func(key, value string) event {
			for _, e := range events {
				if e[key] == value {
					return e
				}
			}
			require.Fail(t, "none", value)
			return nil
		}
		w.do(first("cat", "pod"), first("cat", "stage"), first("ph", "C"))
		text, err := json.Marshal(map[string]any{"traceEvents": events})
		require.NoError(t, err)
		files = append(files, filepath.Join(dir, w.name))
		require.NoError(t, os.WriteFile(files[len(files)-1], text, 0o644))
	}
	for i, seen := range perfetto(t, files...) {
		require.Contains(t, fmt.Sprint(seen["errors"]), wrongs[i].told, wrongs[i].name)
		if wrongs[i].told == "" {
			require.NotEqual(t, sorted(want["slices"]), sorted(seen["slices"]), wrongs[i].name)
		}
	}
}
