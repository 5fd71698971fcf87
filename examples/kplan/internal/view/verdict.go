// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Verdict is an answer in a word or two. Smaller ones need more attention.
type Verdict int

// Rejected and the following constants are the verdicts.
const (
	Rejected   Verdict = iota // by the API server
	Fails                     // its rollout does not finish
	Unknown                   // for a stated reason
	Stuck                     // until a user intervenes
	Waits                     // for pods, for time, or to be resumed
	Progresses                // some action is due
	Rolls                     // to another template
	Starts                    // from nothing
	Scales                    // keeps its template
	Keeps                     // its pods stay, although it changes
	Unplanned                 // its kind is not simulated
	Stays                     // nothing is done
	Completed                 // nothing is left to do
	numVerdicts
)

// verdicts are the words for one object and for several, with their color.
var verdicts = [numVerdicts]struct {
	one, more string
	style     terminal.Style
}{
	Rejected: {"is rejected", "are rejected", terminal.Bad}, Unknown: {"cannot be told", "cannot be told", terminal.Bad},
	Keeps: {"will not roll", "will not roll", terminal.Plain}, Unplanned: {"is not planned", "are not planned", terminal.Plain},
	Fails: {"does not finish", "do not finish", terminal.Bad}, Stuck: {"is stuck", "are stuck", terminal.Bad},
	Waits: {"waits", "wait", terminal.Warn}, Progresses: {"is progressing", "are progressing", terminal.Busy},
	Rolls: {"will roll", "will roll", terminal.Busy}, Starts: {"will start", "will start", terminal.Busy},
	Scales: {"will scale", "will scale", terminal.Busy}, Stays: {"stays as it is", "stay as they are", terminal.Plain},
	Completed: {"is complete", "are complete", terminal.Good},
}

// mostNames is the maximum number of names in a summary of objects that need attention, and
// mostChanged of objects that change while others stay as they are.
const mostNames, mostChanged = 3, 100

// Summarise writes one line for several answers, such as
//
//	12 Deployments: 1 is stuck (shop/web), 2 will roll (a, b), 9 stay as they are.
func Summarise(w *terminal.Writer, subjects []Subject, answers []Verdict) {
	w.Printf("%s: ", kinds(subjects))
	separator := ""
	for v := range numVerdicts {
		var names []string
		n := 0
		for i, answer := range answers {
			if answer == v {
				n++
				names = append(names, subjects[i].label())
			}
		}
		if n == 0 {
			continue
		}
		words := verdicts[v]
		w.Printf("%s%v", separator, terminal.Text{Style: words.style, Text: count(n, words.one, words.more)})
		switch {
		case words.style == terminal.Bad:
			w.Printf(" (%s)", first(names, mostNames))
		case words.style == terminal.Busy && slices.Contains(answers, Stays):
			w.Printf(" (%s)", first(names, mostChanged))
		}
		separator = ", "
	}
	w.Printf(".\n\n")
}

// Unchanged writes one line for all workloads that stay as they are.
func Unchanged(w *terminal.Writer, subjects []Subject) {
	var names []string
	for _, s := range subjects {
		names = append(names, s.label())
	}
	verb := "Stays as it is"
	if len(names) > 1 {
		verb = "Stay as they are"
	}
	w.Printf("%s: %s.\n", verb, first(names, mostNames))
}

// kinds counts objects by kind, in the order of the first object of each kind.
func kinds(subjects []Subject) string {
	var order []string
	counts := map[string]int{}
	for _, s := range subjects {
		if counts[s.Kind]++; counts[s.Kind] == 1 {
			order = append(order, s.Kind)
		}
	}
	var texts []string
	for _, kind := range order {
		texts = append(texts, count(counts[kind], kind, kind+"s"))
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return strings.Join(texts, "")
}

// first returns the first names of a list, and the number of further ones.
func first(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
