// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/revision/quirk"
)

var t0 = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// minute returns a time n minutes after t0.
func minute(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

// entry returns an empty ReplicaSet with a name, a revision ("-" for none), and a
// template of the same name.
func entry(name, number string, changes ...func(*revision.Entry)) revision.Entry {
	e := revision.Entry{
		Name: name, UID: "uid-of-" + name, Template: revision.Template{ID: name},
		Annotations: map[string]string{}, Replicas: ptr.To(int32(0)),
	}
	if number != "-" {
		e.Annotations[revision.AnnotationRevision] = number
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// entries returns one ReplicaSet for each revision, called a, b, c and so on, each a
// minute younger than the one before.
func entries(numbers ...string) []revision.Entry {
	var list []revision.Entry
	for i, number := range numbers {
		list = append(list, entry(string(rune('a'+i)), number, at(i)))
	}
	return list
}

func at(n int) func(*revision.Entry) {
	return func(e *revision.Entry) { e.CreationTimestamp = minute(n) }
}

func template(id string) revision.Template { return revision.Template{ID: id} }

// named turns indices into names, so that results are readable and do not depend on
// the order of the list.
func named(list []revision.Entry, indices []int) string {
	text := ""
	for _, i := range indices {
		if text != "" {
			text += " "
		}
		text += list[i].Name
	}
	return text
}

func nameOf(list []revision.Entry, i int) string {
	if i < 0 {
		return "none"
	}
	return list[i].Name
}

func requireSame(t *testing.T, why string, want, got any) {
	t.Helper()
	require.NotEmpty(t, why)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

func TestSplit(t *testing.T) {
	same := func(id string) func(*revision.Entry) {
		return func(e *revision.Entry) { e.Template.ID = id }
	}
	for _, c := range []struct {
		why         string
		list        []revision.Entry
		newest, old string
	}{
		{"an empty history has neither", nil, "none", ""},
		{"no entry has the template", []revision.Entry{entry("b", "2", at(1)), entry("a", "1", at(0))}, "none", "a b"},
		{"one has it", []revision.Entry{entry("x", "2", at(1)), entry("a", "1", at(0))}, "x", "a"},
		{"of several the oldest", []revision.Entry{entry("x", "2", at(1)), entry("a", "1", same("x"), at(0))}, "a", "x"},
		{"of equally old ones the first by name", []revision.Entry{entry("x", "2"), entry("a", "1", same("x"))}, "a", "x"},
		{"the hash takes no part", []revision.Entry{entry("x", "2", func(e *revision.Entry) { e.Template.Hash = "other" })}, "x", ""},
		{"the revision takes no part", []revision.Entry{entry("a", "9", at(0)), entry("x", "bad", at(1))}, "x", "a"},
	} {
		t.Run(c.why, func(t *testing.T) {
			newest, old := revision.Split(c.list, template("x"))
			requireSame(t, c.why, c.newest, nameOf(c.list, newest))
			requireSame(t, c.why, c.old, named(c.list, old))
		})
	}
}

// What the generators draw.
var (
	numbers   = rapid.SampledFrom([]string{"-", "", "0", "1", "2", "3", "4", "7", "-1", "bad"})
	histories = rapid.SampledFrom([]string{"-", "", "1", "1,2", "1,,x,2,2", "5,6", ",3"})
	templates = rapid.SampledFrom([]string{"x", "y", "z"})
)

// drawEntries draws up to six ReplicaSets with different names.
func drawEntries(t *rapid.T) []revision.Entry {
	n := rapid.IntRange(0, 6).Draw(t, "n")
	var list []revision.Entry
	for i := range n {
		e := entry("rs-"+strconv.Itoa(i), numbers.Draw(t, "number"), at(rapid.IntRange(0, 3).Draw(t, "minute")))
		if h := histories.Draw(t, "history"); h != "-" {
			e.Annotations[revision.AnnotationHistory] = h
		}
		e.Template.ID = templates.Draw(t, "template")
		e.Replicas = ptr.To(rapid.Int32Range(0, 1).Draw(t, "replicas"))
		e.Status.Replicas = rapid.Int32Range(0, 1).Draw(t, "pods")
		e.Generation = rapid.Int64Range(0, 1).Draw(t, "generation")
		if rapid.IntRange(0, 5).Draw(t, "deleting") == 0 {
			e.DeletionTimestamp = t0
		}
		list = append(list, e)
	}
	return list
}

var options = rapid.Custom(func(t *rapid.T) revision.Options {
	return revision.Options{
		Repair:           quirk.Set(rapid.Uint64Range(0, uint64(quirk.All)).Draw(t, "repair")),
		KeepAnnotations:  rapid.Bool().Draw(t, "keep"),
		ExactAnnotations: rapid.Bool().Draw(t, "exact"),
	}
})

// A replicaSetCase is everything that the functions on entries read.
type replicaSetCase struct {
	Entries  []revision.Entry
	Workload revision.Workload
	Request  int64
	Current  string
	Steps    int
	Limit    *int32
	Options  revision.Options
}

// A replicaSetAnswer is what they answer, with names for indices.
type replicaSetAnswer struct {
	Names    []string
	Rows     []kubectl.Row
	Records  []string
	Rollback revision.Rollback
	Undo     kubectl.Undo
	Texts    []string
}

func (c replicaSetCase) answer() (replicaSetAnswer, error) {
	var a replicaSetAnswer
	add := func(indices ...int) {
		for _, i := range indices {
			a.Names = append(a.Names, nameOf(c.Entries, i))
		}
		a.Names = append(a.Names, "/")
	}
	newest, old := revision.Split(c.Entries, c.Workload.Template)
	add(newest)
	add(old...)
	add(revision.ByRevision(c.Entries, c.Options)...)
	remove, held := revision.CleanUp(c.Entries, c.Limit, c.Options)
	add(remove...)
	for _, h := range held {
		a.Texts = append(a.Texts, c.Entries[h.Index].Name+" "+string(h.Reason))
	}
	rows, skipped := kubectl.History(c.Entries, c.Workload.Template)
	add(skipped...)
	for _, row := range rows {
		add(row.Source)
		row.Source = 0
		a.Rows = append(a.Rows, row)
	}
	for _, r := range kubectl.FullHistory(c.Entries) {
		a.Records = append(a.Records, strconv.FormatInt(r.Number, 10)+" "+c.Entries[r.Entry].Name+" "+strconv.FormatBool(r.Former))
	}
	a.Rollback = revision.PlanRollback(c.Workload, c.Entries, c.Request, c.Options)
	add(a.Rollback.Source)
	a.Rollback.Source = 0
	undo, err := kubectl.PlanUndo(c.Workload, c.Entries, c.Request, c.Options)
	add(undo.Source)
	a.Undo, a.Undo.Source = undo, 0
	if err != nil {
		a.Texts = append(a.Texts, err.Error())
	}
	current := -1
	for i := range c.Entries {
		if c.Entries[i].Name == c.Current {
			current = i
		}
	}
	for _, r := range []kubectl.Request{{}, {Number: c.Request}, {Steps: c.Steps}, {Name: c.Current}} {
		i, err := kubectl.Target(c.Entries, current, r)
		add(i)
		if (err == nil) != (i >= 0) {
			a.Texts = append(a.Texts, "an index and an error")
		}
	}
	return a, nil
}

// Property: no function on entries writes to its arguments, shares memory with them,
// panics, or depends on the order of the entries.
func TestEntriesPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := replicaSetCase{
			Entries: drawEntries(t),
			Workload: revision.Workload{
				Name: "web", Template: template(templates.Draw(t, "current template")), Paused: rapid.Bool().Draw(t, "paused"),
				Annotations: rapid.MapOfN(rapid.SampledFrom([]string{"a", revision.AnnotationRollback, revision.AnnotationLastApplied}),
					rapid.Just("v"), 0, 3).Draw(t, "annotations"),
			},
			Request: rapid.Int64Range(-1, 8).Draw(t, "request"),
			Current: "rs-" + strconv.Itoa(rapid.IntRange(0, 7).Draw(t, "current")),
			Steps:   rapid.IntRange(-1, 6).Draw(t, "steps"),
			Limit:   rapid.Ptr(rapid.Int32Range(-2, 4), true).Draw(t, "limit"),
			Options: options.Draw(t, "options"),
		}
		a := purity.Check(t, c, replicaSetCase.answer, "Entries")
		for _, text := range a.Texts {
			if text == "an index and an error" {
				t.Fatal(text)
			}
		}
	})
}
