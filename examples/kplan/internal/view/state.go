// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A State is the state of a workload in one word.
type State string

// StateComplete, StateProgressing, StateWaiting and StateStuck are the states.
const (
	StateComplete    State = "complete"
	StateProgressing State = "progressing" // some action is due
	StateWaiting     State = "waiting"     // for pods, for time, or to be resumed
	StateStuck       State = "stuck"       // until a user intervenes
)

// text returns the word in its color.
func (s State) text() terminal.Text {
	styles := map[State]terminal.Style{
		StateComplete: terminal.Good, StateProgressing: terminal.Busy, StateWaiting: terminal.Warn, StateStuck: terminal.Bad,
	}
	return terminal.Text{Style: styles[s], Text: string(s)}
}

// verdict returns the verdict of the state.
func (s State) verdict() Verdict {
	return map[State]Verdict{StateComplete: Completed, StateProgressing: Progresses, StateWaiting: Waits, StateStuck: Stuck}[s]
}

// A stated explanation has a state.
type stated interface{ State() (State, string) }

func verdictOf(e stated, unapplied bool) Verdict {
	state, _ := e.State()
	if unapplied && state == StateProgressing {
		return Starts
	}
	return state.verdict()
}

// writeState writes the state of a workload and the explanation. For a manifest it says "will
// start".
func writeState(w *terminal.Writer, of string, unapplied bool, state State, why string) {
	if unapplied && state == StateProgressing {
		w.Printf("%s will start. Once it is applied, %s\n\n", of, strings.Replace(why, "The c", "the c", 1))
		return
	}
	w.Printf("%s is %v. %s\n\n", of, state.text(), why)
}

// A Report is the output of kubectl rollout status.
type Report struct {
	Text string `json:"text,omitzero"`
	Done bool   `json:"done"`
	Err  string `json:"error,omitzero"` // instead of Text
}

func (r *Report) line() string {
	if r.Err != "" {
		return "error: " + r.Err
	}
	return r.Text
}

// An Instant is the time of a change without any event.
type Instant struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// writeInstants writes the changes that need no event.
func writeInstants(w *terminal.Writer, instants []Instant, now time.Time) {
	label := "By time alone:"
	if len(instants) == 0 {
		w.Printf("%-24s nothing changes\n", label)
	}
	for _, i := range instants {
		w.Printf("%-24s %s, in %s: %s\n", label, i.At.Format(time.RFC3339), clock(i.At.Sub(now)), i.What)
		label = ""
	}
}

// writeAdvice writes a hold: numbers, words, a quotation from an object, if any, and what ends it.
// For a refusal by another system it marks the words of that system, and gives advice on the
// refusal.
func writeAdvice(w *terminal.Writer, what, text string, why kplan.Reason, a Advice, quotes string) {
	w.Printf("  %s: %s (%s)\n", what, text, why)
	w.Printf("    %s\n", a.Means)
	ends := a.Ends
	if r, ok := refusal.Of(quotes); ok {
		w.Printf("    In the words of %s: \"%s\"\n", r.By, oneLine(quotes))
		ends = r.Ends
	} else if quotes != "" {
		w.Printf("    It quotes: \"%s\"\n", oneLine(quotes))
	}
	w.Printf("    What ends it: %s\n", ends)
}

// refusedIn returns the meaning of a refusal, with a quotation if there is one.
func refusedIn(means, quotes string) string {
	if quotes == "" {
		return means
	}
	return strings.TrimSuffix(means, ".") + ": \"" + oneLine(quotes) + "\"."
}

// A Refused is an event about pods that could not be created. It may be in the past.
type Refused struct {
	Object  string        `json:"object"`
	Age     time.Duration `json:"-"`
	Count   int32         `json:"count"`
	Message string        `json:"message"`
}

// writeRefused writes events with their quotations, and what ends each of them.
func writeRefused(w *terminal.Writer, list []Refused) {
	for i, r := range list {
		if i == 0 {
			w.Printf("\nCreations that failed, as events tell:\n")
		}
		w.Printf("  %s: %s, last %s ago\n", r.Object, count(int(r.Count), "time", "times"), clock(r.Age))
		if by, ok := refusal.Of(r.Message); ok {
			w.Printf("    In the words of %s: \"%s\"\n", by.By, oneLine(r.Message))
			w.Printf("    What ends it: %s\n", by.Ends)
		} else {
			w.Printf("    It quotes: \"%s\"\n", oneLine(r.Message))
		}
	}
}
