// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// mostBars is the largest number of bars in a diagram; more are not legible.
const mostBars = 60

// mostWords is the longest text of a step, in characters.
const mostWords = 60

// Mermaid writes timelines as Gantt diagrams, each in a separate Markdown block. GitHub, GitLab
// and others draw such blocks in comments and files.
func Mermaid(w io.Writer, list []*Timeline) error {
	var b strings.Builder
	for i, t := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		t.gantt(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// gantt writes a section for each series of pods, with a bar for each period with the same
// number, and a section with the events.
func (t *Timeline) gantt(b *strings.Builder) {
	last := t.Steps[len(t.Steps)-1].At
	end := max(last+last/3, time.Second) // with room for the last words
	axis := "%H:%M:%S"
	if end >= 24*time.Hour {
		axis = "day %j %H:%M"
	}
	fmt.Fprintf(b, "```mermaid\ngantt\n    title %s. %s\n    dateFormat YYYY-MM-DD HH:mm:ss.SSS\n", entities(t.Title()), entities(t.Verdict))
	fmt.Fprintf(b, "    axisFormat %s\n    tickInterval %s\n", axis, ticks(end))
	bars, left := 0, 0
	bar := func(name, tag string, from, to time.Duration) {
		if bars++; bars > mostBars {
			left++
			return
		}
		fmt.Fprintf(b, "    %s :%s%s, %dms\n", entities(name), tag, date(from), (to - from).Milliseconds())
	}
	for i := range t.Chart.Pods {
		s := &t.Chart.Pods[i]
		fmt.Fprintf(b, "    section %s\n", entities(s.Name))
		for j := 0; j < len(s.Points); {
			p, to := s.Points[j], end
			for j++; j < len(s.Points) && s.Points[j].Value == p.Value; {
				j++ // back to the same number at the same instant
			}
			if j < len(s.Points) {
				to = s.Points[j].At
			}
			if p.Value > 0 && to > p.At {
				bar(fmt.Sprint(p.Value), "", p.At, to)
			}
		}
	}
	fmt.Fprintf(b, "    section %s\n", "steps")
	for _, i := range t.instants() {
		for _, e := range i.events {
			if e.Detail {
				continue
			}
			tag := "milestone, "
			if !t.Done && i.at == last {
				tag = "crit, milestone, "
			}
			bar(terminal.Cut(e.What, mostWords), tag, i.at, i.at)
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "    and %d more :milestone, %s, 0ms\n", left, date(end))
	}
	b.WriteString("```\n")
}

// ticks returns the interval of the labels on the axis, so that they do not overlap.
func ticks(length time.Duration) string {
	const labels, day = 8, 24 * time.Hour
	for _, t := range []struct {
		unit  string
		long  time.Duration
		times []int
	}{{"second", time.Second, []int{1, 2, 5, 10, 15, 30}}, {"minute", time.Minute, []int{1, 2, 5, 10, 15, 30}}, {"hour", time.Hour, []int{1, 2, 3, 6, 12}}, {"day", day, []int{1, 2}}, {"week", 7 * day, []int{1, 2}}, {"month", 31 * day, []int{1, 3}}} {
		for _, n := range t.times {
			if length <= labels*time.Duration(n)*t.long {
				return itoa(n) + t.unit
			}
		}
	}
	return "12month"
}

// date returns the time since the start as a date, the same for readers in all time zones: the
// dates have no zone.
func date(d time.Duration) string {
	return time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format("2006-01-02 15:04:05.000")
}

// entities escapes a text from outside so that Mermaid does not interpret it: all characters
// except letters, digits and some harmless ones become character references.
func entities(text string) string {
	var b strings.Builder
	for _, r := range terminal.Escape(text) {
		switch {
		case r == ' ', r == '.', r == '-', r == '/', r == '_', r == '(', r == ')',
			r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
