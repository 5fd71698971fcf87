// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Change is the effect of applied manifests on a workload.
type Change struct {
	Of      Subject
	What    []Difference
	Answer  Verdict
	Why     string         // why it is rejected, does not finish or is unknown, or ""
	Takes   *time.Duration // at most, with the assumed pods; nil if unknown
	Reaches []Reach
	How     string // how it rolls, if the bounds are unknown
}

// A Difference is a part of a workload before and after. "" means that the part does not exist.
type Difference struct {
	Part   string `json:"part"`
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
}

// A Reach is how close a rollout comes to a bound.
type Reach struct {
	Bound   string `json:"bound"` // such as pods wanted
	Limit   int32  `json:"limit"`
	Least   bool   `json:"least"` // the limit is a minimum, not a maximum
	Reached int32  `json:"reached"`
}

// Touched reports whether the rollout reaches the bound.
func (r *Reach) Touched() bool {
	if r.Least {
		return r.Reached <= r.Limit
	}
	return r.Reached >= r.Limit
}

func (r *Reach) text() string {
	sign := "at most"
	if r.Least {
		sign = "at least"
	}
	text := fmt.Sprintf("%d %s, %s %d", r.Reached, r.Bound, sign, r.Limit)
	if r.Touched() {
		text += ": touched"
	}
	return text
}

// A Diff is the effect of applied manifests on all workloads.
type Diff struct {
	Changes   []Change
	Unchanged int
	Gone      []Subject // missing in the new manifests
	Pace      string    // the assumed speed of pods
	Notes     []string  // further remarks, as sentences
}

// result returns the words for the result.
func (c *Change) result() string {
	text := verdicts[c.Answer].one
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

// wrong reports whether Why is the reason for a missing result.
func (c *Change) wrong() bool { return c.Answer == Rejected || c.Answer == Unknown }

func (c *Change) takes() string {
	if c.Takes == nil {
		return "-"
	}
	return clock(*c.Takes)
}

// text returns the difference. Part and quote convert the names of parts, and texts of other
// people.
func (d *Difference) text(part, quote func(string) string) string {
	switch {
	case d.Before == "" && d.After == "":
		return part(d.Part)
	case d.Before == "":
		return part(d.Part) + ": " + quote(d.After)
	}
	return fmt.Sprintf("%s: %s -> %s", part(d.Part), quote(d.Before), quote(dash(d.After)))
}

// texts returns the table cells of a change, converted in the same way.
func (c *Change) texts(part, quote func(string) string) (what, bounds []string) {
	for i := range c.What {
		what = append(what, c.What[i].text(part, quote))
	}
	for i := range c.Reaches {
		bounds = append(bounds, c.Reaches[i].text())
	}
	if c.How != "" {
		bounds = append(bounds, c.How)
	}
	return what, bounds
}

func plain(text string) string { return text }

// Text writes the changes as a table.
func (d Diff) Text(w *terminal.Writer) {
	d.summary(w)
	if len(d.Changes) > 0 {
		t := terminal.NewTable("WORKLOAD", "CHANGES", "RESULT", "AT MOST", "BOUNDS")
		for i := range d.Changes {
			c := &d.Changes[i]
			what, bounds := c.texts(plain, plain)
			result := c.result()
			if c.wrong() {
				result = verdicts[c.Answer].one // the reason stands below, where there is room
			}
			t.Row(c.Of.Kind+" "+c.Of.label(), strings.Join(what, "; "), result, c.takes(), strings.Join(bounds, "; "))
		}
		t.WriteTo(w)
		w.Printf("\n")
		for i := range d.Changes {
			if c := &d.Changes[i]; c.wrong() {
				w.Printf("%s %s %s\n\n", c.Of.Kind, c.Of.label(), c.result())
			}
		}
	}
	w.Printf("%s\n", d.rest(plain, plain))
}

// summary writes the number of changes of each kind.
func (d Diff) summary(w *terminal.Writer) {
	var subjects []Subject
	var answers []Verdict
	for i := range d.Changes {
		subjects, answers = append(subjects, d.Changes[i].Of), append(answers, d.Changes[i].Answer)
	}
	if len(subjects) == 0 {
		w.Printf("Nothing will roll.\n\n")
		return
	}
	Summarise(w, subjects, answers)
}

// rest returns all other sentences of the diff.
func (d Diff) rest(part, quote func(string) string) string {
	text := d.Pace + " " + count(d.Unchanged, "workload stays", "workloads stay") + " as they are."
	if d.Unchanged == 1 {
		text = d.Pace + " 1 workload stays as it is."
	}
	if len(d.Gone) > 0 {
		var names []string
		for _, s := range d.Gone {
			names = append(names, s.Kind+" "+quote(s.label()))
		}
		text += " No longer in the manifests, which kubectl apply leaves alone: " + strings.Join(names, ", ") + "."
	}
	for _, note := range d.Notes {
		text += " " + part(note)
	}
	return text
}

// MarshalJSON encodes the changes. Times are in seconds.
func (d Diff) MarshalJSON() ([]byte, error) {
	type change struct {
		Kind      string       `json:"kind"`
		Name      string       `json:"name"`
		Namespace string       `json:"namespace,omitempty"`
		Changes   []Difference `json:"changes"`
		Result    string       `json:"result"`
		Why       string       `json:"why,omitempty"`
		Time      *float64     `json:"time"` // null if unknown, or if it does not finish
		Bounds    []Reach      `json:"bounds"`
		How       string       `json:"how,omitempty"`
	}
	list := []change{}
	for _, c := range d.Changes {
		var takes *float64
		if c.Takes != nil {
			takes = new(c.Takes.Seconds())
		}
		list = append(list, change{c.Of.Kind, c.Of.Name, c.Of.Namespace, notNil(c.What), verdicts[c.Answer].one, c.Why, takes, notNil(c.Reaches), c.How})
	}
	gone := []string{}
	for _, s := range d.Gone {
		gone = append(gone, s.Kind+" "+s.label())
	}
	return marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Changes    []change `json:"changes"`
		Unchanged  int      `json:"unchanged"`
		Gone       []string `json:"gone"`
		Notes      []string `json:"notes,omitempty"`
	}{Version1, "Diff", list, d.Unchanged, gone, d.Notes})
}

// Subjects returns the changed workloads.
func (d Diff) Subjects() []Subject {
	var list []Subject
	for i := range d.Changes {
		list = append(list, d.Changes[i].Of)
	}
	return list
}

// Markdown writes the changes as a Markdown table, for pull requests.
func (d Diff) Markdown(w *terminal.Writer) {
	var line strings.Builder
	d.summary(terminal.NewWriter(&line))
	w.Printf("**kplan:** %s\n", escapeMarkdown(strings.TrimSpace(line.String())))
	if len(d.Changes) > 0 {
		w.Printf("\n| Workload | Changes | Result | At most | Bounds |\n|---|---|---|---|---|\n")
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		what, bounds := c.texts(escapeMarkdown, code) // names of parts are not trusted either
		w.Printf("| %s %s | %s | %s | %s | %s |\n", c.Of.Kind, code(c.Of.label()),
			strings.Join(what, "<br>"), escapeMarkdown(c.result()), c.takes(), strings.Join(bounds, "<br>"))
	}
	w.Printf("\n%s\n", d.rest(escapeMarkdown, code))
}

// code returns an untrusted text as code, with all Markdown escaped.
func code(text string) string { return "<code>" + escapeMarkdown(text) + "</code>" }

// begins matches texts in which GitHub finds links, mentions and references without Markdown.
var begins = regexp.MustCompile(`(?i)www\.|://|@|#|\bGH-\d|\b[0-9a-f]{7,40}\b`)

// escapeMarkdown escapes characters with a meaning in Markdown, HTML or GitHub as numeric
// references. It also escapes control characters, because people look at raw Markdown on terminals.
func escapeMarkdown(text string) string {
	text = terminal.Escape(text)
	var b strings.Builder
	last := 0
	number := func(from, to int) {
		for _, r := range text[from:to] {
			if strings.ContainsRune("&<>\"'`*_[]()|\\~!{}+", r) {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	for _, at := range begins.FindAllStringIndex(text, -1) {
		number(last, at[0])
		for i, r := range text[at[0]:at[1]] {
			if i == 0 || r == '.' || r == '@' || r == '#' {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
		last = at[1]
	}
	number(last, len(text))
	return b.String()
}
