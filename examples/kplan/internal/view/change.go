// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Change is what becomes of one workload when manifests are applied.
type Change struct {
	Of      Subject
	What    []Difference
	Answer  Verdict
	Why     string         // it is rejected, does not finish or cannot be told, or ""
	Takes   *time.Duration // at most, with the pods as they are taken to be, nil if that is not known
	Reaches []Reach
	How     string // it rolls, where bounds are not known
}

// A Difference is a part of a workload before and after. "" is that there is none.
type Difference struct {
	Part   string `json:"part"`
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
}

// A Reach is how near a rollout comes to a bound.
type Reach struct {
	Bound   string `json:"bound"` // such as pods wanted
	Limit   int32  `json:"limit"`
	Least   bool   `json:"least"` // the limit is the least, and not the most
	Reached int32  `json:"reached"`
}

// Touched reports whether there is no room left to the bound.
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

// A Diff is what becomes of all workloads when manifests are applied.
type Diff struct {
	Changes   []Change
	Unchanged int
	Gone      []Subject // that the new manifests lack
	Pace      string    // how pods are taken to be
	Notes     []string  // what else is to be known, as sentences
}

// result says what happens in words.
func (c *Change) result() string {
	text := verdicts[c.Answer].one
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

// wrong reports whether it is told why nothing is known of it.
func (c *Change) wrong() bool { return c.Answer == Rejected || c.Answer == Unknown }

func (c *Change) takes() string {
	if c.Takes == nil {
		return "-"
	}
	return clock(*c.Takes)
}

// text returns the difference with the names of parts and what strangers wrote in them as
// two functions have it.
func (d *Difference) text(part, quote func(string) string) string {
	switch {
	case d.Before == "" && d.After == "":
		return part(d.Part)
	case d.Before == "":
		return part(d.Part) + ": " + quote(d.After)
	}
	return fmt.Sprintf("%s: %s -> %s", part(d.Part), quote(d.Before), quote(dash(d.After)))
}

// texts returns the cells of a change, in the same way.
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
				result = verdicts[c.Answer].one // and why below, where there is room
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

// summary writes how many change, and into what.
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

// rest says what the table does not.
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
		Time      *float64     `json:"time"` // null if that is not known, or it does not finish
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

// Subjects returns the workloads that change.
func (d Diff) Subjects() []Subject {
	var list []Subject
	for i := range d.Changes {
		list = append(list, d.Changes[i].Of)
	}
	return list
}
