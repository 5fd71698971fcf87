// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Scrape determines when a monitoring system reads metrics.
type Scrape struct {
	Every time.Duration
	// After is how long scrapes continue after the end of the rollout: alerts wait before they
	// fire.
	After time.Duration
}

// mostSamples is the largest number of samples to write.
const mostSamples = 3_000_000

// Metrics writes timelines as OpenMetrics with timestamps, under the names of kube-state-metrics.
func Metrics(w io.Writer, list []*Timeline, scrape Scrape) error {
	e := &exposition{out: bufio.NewWriter(w)}
	for _, t := range list {
		if samples := int(t.end()+scrape.After) / int(scrape.Every) * 12 * (len(t.History.Pods) + 1); samples > mostSamples {
			return fmt.Errorf("%s: about %d samples are too many: choose a larger --scrape-every", t.Title(), samples)
		}
		e.scrapes = append(e.scrapes, t.scrapes(scrape))
	}
	families := concat(deploymentFamilies(), replicaSetFamilies(), daemonSetFamilies(), podFamilies())
	for i := range families {
		f := &families[i]
		e.head = fmt.Sprintf("# TYPE %s gauge\n# HELP %[1]s %s\n", f.name, f.help)
		for j, t := range list {
			e.times = e.scrapes[j]
			f.write(e, t)
		}
	}
	e.printf("# EOF\n")
	return errors.Join(e.err, e.out.Flush())
}

// scrapes returns the times of all scrapes.
func (t *Timeline) scrapes(s Scrape) (list []time.Time) {
	for d := time.Duration(0); d < t.end()+s.After+s.Every; d += s.Every {
		list = append(list, t.History.Start.Add(d))
	}
	return list
}

// A family is all metrics with the same name.
type family struct {
	name, help string
	write      func(*exposition, *Timeline)
}

func concat(lists ...[]family) (all []family) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// An exposition is the state of the output.
type exposition struct {
	out     *bufio.Writer
	scrapes [][]time.Time
	times   []time.Time // of the current timeline
	head    string      // of the family, unless it has been written
	err     error
}

func (e *exposition) printf(format string, values ...any) {
	if _, err := fmt.Fprintf(e.out, format, values...); err != nil && e.err == nil {
		e.err = err
	}
}

// series writes a metric: its value at each scrape where it exists.
func (e *exposition) series(name string, labels []string, value func(time.Time) (float64, bool)) {
	var b strings.Builder
	b.WriteString(name + "{")
	labels = append([]string{"job", "kube-state-metrics"}, labels...)
	for i := 0; i < len(labels); i += 2 {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(labels[i] + `="` + quoted(labels[i+1]) + `"`)
	}
	b.WriteString("} ")
	for _, at := range e.times {
		if v, ok := value(at); ok {
			e.printf("%s%s%s %s\n", e.head, b.String(), strconv.FormatFloat(v, 'f', -1, 64), seconds(at))
			e.head = ""
		}
	}
}

// mostLabel is the longest value of a label, in characters, because each sample repeats it. Names
// in the API are shorter.
const mostLabel = 1000

// quoted escapes the value of a label. Line breaks are escaped already.
func quoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(terminal.Escape(terminal.Cut(text, mostLabel)))
}

// seconds writes a timestamp.
func seconds(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', -1, 64)
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
