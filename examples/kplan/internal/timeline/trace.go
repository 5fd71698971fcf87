// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A traceEvent is an event in the trace event format, which Perfetto and chrome://tracing read.
// Times are in microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     int64          `json:"ts"`
	Length   *int64         `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// A tracer writes events. Every ReplicaSet and every node is a process, and its threads are
// lanes: a pod takes the first free lane, so that slices of a lane never overlap. Processes and
// threads share one sequence of numbers, as on a machine: Perfetto merges two threads with the
// same number, and merges thread 0 with the thread that has the number of its process.
type tracer struct {
	events  []traceEvent
	numbers int
}

// Trace writes timelines as a trace: the steps of the controllers, the numbers as counters, and a
// slice for each pod, once under its owner and once under its node.
func Trace(w io.Writer, list []*Timeline) error {
	t := &tracer{}
	for _, line := range list {
		t.steps(line)
		t.owners(line)
	}
	t.nodes(list)
	var start []string
	for _, line := range list {
		start = append(start, terminal.Escape(line.Title())+" begins at "+line.History.Start.UTC().Format(time.RFC3339))
	}
	out, err := json.Marshal(struct {
		Events []traceEvent      `json:"traceEvents"`
		Unit   string            `json:"displayTimeUnit"`
		Other  map[string]string `json:"otherData"`
	}{t.events, "ms", map[string]string{"start": strings.Join(start, ", ")}})
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

func micros(d time.Duration) int64 { return d.Microseconds() }

// process begins a process and sets its position in the order of processes. It returns its
// number.
func (t *tracer) process(name string) int {
	t.numbers++
	t.events = append(t.events,
		traceEvent{Name: "process_name", Phase: "M", Process: t.numbers, Args: map[string]any{"name": terminal.Escape(name)}},
		traceEvent{Name: "process_sort_index", Phase: "M", Process: t.numbers, Args: map[string]any{"sort_index": t.numbers}})
	return t.numbers
}

// thread begins a thread and returns its number.
func (t *tracer) thread(process int, name string) int {
	t.numbers++
	t.events = append(t.events, traceEvent{Name: "thread_name", Phase: "M", Process: process, Thread: t.numbers, Args: map[string]any{"name": terminal.Escape(name)}})
	return t.numbers
}

func (t *tracer) slice(process, thread int, category, name string, from, to time.Duration, args map[string]any) {
	length := micros(to) - micros(from)
	t.events = append(t.events, traceEvent{
		Name: terminal.Escape(name), Category: category, Phase: "X", Time: micros(from), Length: &length, Process: process, Thread: thread, Args: args,
	})
}

// steps writes the steps of the controller and the numbers that it depends on.
func (t *tracer) steps(line *Timeline) {
	process := t.process(line.Title())
	thread := t.thread(process, "steps")
	for _, i := range line.instants() {
		args := map[string]any{"verdict": terminal.Escape(terminal.Cut(line.Verdict, mostLabel))} // in each slice
		for n, e := range i.events {
			args["event "+itoa(n+1)] = e.String()
		}
		t.slice(process, thread, "step", i.name(), i.at, i.until, args)
	}
	for n := range line.Chart.Pods {
		s := &line.Chart.Pods[n]
		for _, p := range s.Points {
			t.count(process, s.Name, "pods", p.At, p.Value)
		}
	}
	if s := line.Chart.Traffic; s != nil {
		for _, p := range s.Points {
			t.count(process, strings.TrimSuffix(s.Name, ", %"), "percent", p.At, p.Value)
		}
	}
	for _, b := range line.Chart.Bounds {
		t.count(process, b.Name, "pods", 0, b.Value)
		t.count(process, b.Name, "pods", line.end(), b.Value)
	}
}

// count writes a counter with its unit, which Perfetto shows after the name.
func (t *tracer) count(process int, name, of string, at time.Duration, value float64) {
	t.events = append(t.events, traceEvent{
		Name: terminal.Escape(name), Phase: "C", Time: micros(at), Process: process, Args: map[string]any{of: value},
	})
}

// A life is the time of a pod in a timeline.
type life struct {
	line     *Timeline
	pod      *record.Pod
	from, to time.Duration
}

// lives returns the lives of the pods of a timeline. Each begins with the first stage for which
// counts returns true.
func (t *Timeline) lives(counts func(record.Life) bool) (list []life) {
	for i := range t.History.Pods {
		p := &t.History.Pods[i]
		l := life{line: t, pod: p, from: -1, to: t.end()}
		for _, s := range p.Stages {
			at := s.Time.Sub(t.History.Start)
			switch {
			case s.Is == record.Gone:
				l.to = min(l.to, at)
			case l.from < 0 && counts(s.Is):
				l.from = at
			}
		}
		if l.from >= 0 && l.from < l.to {
			list = append(list, l)
		}
	}
	return list
}

// owners writes a process for each ReplicaSet, or for a DaemonSet that owns pods itself.
func (t *tracer) owners(line *Timeline) {
	by := map[string][]life{}
	var order []string
	for _, l := range line.lives(func(record.Life) bool { return true }) {
		name := l.pod.Pod.ControllerKind + " " + line.label(l.pod.Pod.ControllerName)
		if l.pod.Pod.ControllerKind == line.Kind {
			name = "Pods of " + name // the process named after the workload has the steps
		}
		if by[name] == nil {
			order = append(order, name)
		}
		by[name] = append(by[name], l)
	}
	for _, name := range order {
		t.lanes(t.process(name), by[name])
	}
}

// nodes writes a process for each node that runs pods.
func (t *tracer) nodes(list []*Timeline) {
	by := map[string][]life{}
	for _, line := range list {
		for _, l := range line.lives(func(s record.Life) bool { return s != record.Unscheduled }) {
			if l.pod.Pod.NodeName != "" {
				by[l.pod.Pod.NodeName] = append(by[l.pod.Pod.NodeName], l)
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(by), natural) {
		t.lanes(t.process("Node "+name), by[name])
	}
}

// natural compares names so that node-2 comes before node-10.
func natural(a, b string) int {
	head := func(s string) string { return strings.TrimRight(s, "0123456789") }
	if head(a) == head(b) && len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Compare(a, b)
}

// lanes writes the pods of a process.
func (t *tracer) lanes(process int, pods []life) {
	slices.SortStableFunc(pods, func(a, b life) int { return cmp.Compare(a.from, b.from) })
	var free, busy lanes
	var threads []int
	for _, l := range pods {
		for len(busy) > 0 && busy[0].until <= l.from {
			heap.Push(&free, lane{number: heap.Pop(&busy).(lane).number})
		}
		n := len(threads)
		if len(free) > 0 {
			n = heap.Pop(&free).(lane).number
		} else {
			threads = append(threads, t.thread(process, "pods "+itoa(n+1)))
		}
		heap.Push(&busy, lane{l.to, n})
		t.pod(process, threads[n], l)
	}
}

// A lane has one pod at a time. It is busy until an instant.
type lane struct {
	until  time.Duration
	number int
}

// lanes is a [heap.Interface] in order of the time when lanes become free, then by number.
type lanes []lane

func (l lanes) Len() int      { return len(l) }
func (l lanes) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *lanes) Push(x any)   { *l = append(*l, x.(lane)) }
func (l lanes) Less(i, j int) bool {
	return l[i].until < l[j].until || l[i].until == l[j].until && l[i].number < l[j].number
}

func (l *lanes) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// pod writes a slice for a pod, and within it a slice for each stage.
func (t *tracer) pod(process, thread int, l life) {
	p := &l.pod.Pod
	args := map[string]any{"owner": terminal.Escape(terminal.Cut(p.ControllerKind+" "+p.ControllerName, mostLabel))}
	if p.NodeName != "" {
		args["node"] = terminal.Escape(terminal.Cut(p.NodeName, mostLabel))
	}
	t.slice(process, thread, "pod", p.Name, l.from, l.to, args)
	for i, s := range l.pod.Stages {
		from, to := max(s.Time.Sub(l.line.History.Start), l.from), l.to
		if i+1 < len(l.pod.Stages) {
			to = min(to, l.pod.Stages[i+1].Time.Sub(l.line.History.Start))
		}
		if from < to && s.Is != record.Gone {
			t.slice(process, thread, "stage", stages[s.Is], from, to, nil)
		}
	}
}

// stages are the names of stages.
var stages = map[record.Life]string{
	record.Unscheduled: "waits for a node", record.Scheduled: "starting", record.Ready: "ready", record.Failed: "ended", record.Terminating: "terminating",
}
