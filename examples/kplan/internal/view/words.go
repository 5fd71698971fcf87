// SPDX-License-Identifier: Apache-2.0

// Package view writes plans and simulations as text and as JSON.
package view

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// An actionWords holds the words for the reasons of actions. Like [holdWords] it is a plain map,
// because the linker drops maps that nothing reads: the playground only contains the words that it
// shows.
type actionWords map[kplan.Reason]string

// A holdWords holds the words for the reasons of holds.
type holdWords map[kplan.Reason]Advice

// An Advice explains a hold to people.
type Advice struct {
	Text  string // a comparison; its verbs stand for the numbers Have and Limit, in this order
	Means string
	Ends  string // what ends it
	Stuck bool   // it does not end by itself
}

// why returns the words for the reason of an action.
func (w actionWords) why(r kplan.Reason) string {
	if text, ok := w[r]; ok {
		return text
	}
	return string(r)
}

// advice returns the advice on a hold. Without words for the reason it returns a general one.
func (w holdWords) advice(r kplan.Reason) Advice {
	if a, ok := w[r]; ok {
		return a
	}
	return Advice{
		Text: string(r) + ": %d of %d", Means: "The planner holds this back.",
		Ends: "See the documentation of the reason " + string(r) + ".",
	}
}

// whyNot returns the comparison of a hold, with its numbers.
func (w holdWords) whyNot(r kplan.Reason, have, limit int64) string {
	return w.advice(r).of(have, limit)
}

// of returns the comparison of a hold, with its numbers.
func (a Advice) of(have, limit int64) string { return formatted(a.Text, []any{have, limit}) }

// formatted formats as many of the numbers as the format has verbs.
func formatted(format string, numbers []any) string {
	return fmt.Sprintf(format, numbers[:strings.Count(format, "%d")]...)
}

// reasonOf returns the reason of an action. The actions of all planners are structs with a string
// field Reason.
func reasonOf(action any) kplan.Reason {
	return kplan.Reason(reflect.ValueOf(action).FieldByName("Reason").String())
}

// cut returns a text as one line of at most so many characters.
func cut(text string, most int) string {
	return terminal.Cut(strings.Join(strings.Fields(text), " "), most)
}

func plural(n int32, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// help returns the meaning of a hold, and what ends it.
func help(a Advice) string {
	if a.Stuck {
		return a.Means + " Time alone does not end it. " + a.Ends
	}
	return a.Means + " What ends it: " + a.Ends
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// count returns a number with a noun in the singular or plural.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// oneLine returns a text as one line of limited length.
func oneLine(text string) string { return cut(text, 160) }

func clock(d time.Duration) string { return terminal.Clock(d) }

// maxPods is the maximum number of pods of the same kind that a table names.
const maxPods = 10

// words returns a kind in words, such as batch release for BatchRelease.
func words(kind string) string {
	var b strings.Builder
	for i, r := range kind {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// maxNames is the number of names that a folded list shows.
const maxNames = 3

// Folded returns names in one line, of a long list only the first ones.
func Folded(names []string) string {
	switch n := len(names); {
	case n > maxNames+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
