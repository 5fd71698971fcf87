// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
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

// An Explanation explains why a Deployment makes progress or not.
type Explanation struct {
	Plan
	Report   Report
	Sets     []Set
	Idle     []Pod     // pods that do not serve
	HasPods  bool      // whether the input holds pods of the Deployment
	Instants []Instant // times of changes without events, in order
	Refused  []Refused // failures in events that no condition reports
	Caveats  []Caveat
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

// A Set is a ReplicaSet of the Deployment.
type Set struct {
	Name      string `json:"name"`
	New       bool   `json:"new"`
	Revision  int64  `json:"revision,omitzero"` // 0 if unset
	Wanted    int32  `json:"wanted"`
	Pods      int32  `json:"pods"`
	Ready     int32  `json:"ready"`
	Available int32  `json:"available"`
	Images    string `json:"images,omitzero"`
	Failure   string `json:"failure,omitzero"` // message of its condition ReplicaFailure
	Adopted   bool   `json:"adopted,omitzero"` // it has no controller, and the plan adopts it
	Former    string `json:"former,omitzero"`  // the Deployment in its name, if that is another one
}

func (s *Set) empty() bool { return s.Wanted == 0 && s.Pods == 0 && !s.New && s.Failure == "" }

// A Pod is a pod that does not serve: it is not ready, has finished or is being deleted.
type Pod struct {
	Name       string         `json:"name"`
	ReplicaSet string         `json:"replicaSet,omitzero"`
	Node       string         `json:"node,omitzero"`
	Phase      string         `json:"phase,omitzero"`
	Age        *time.Duration `json:"-"` // nil if unknown
	Reason     string         `json:"reason"`
	Message    string         `json:"message,omitzero"`
	Ending     *Ending        `json:"ending,omitzero"` // nil unless it is being deleted
}

// An Instant is the time of a change without any event.
type Instant struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// State returns the state of the Deployment, and one sentence that explains it.
func (e *Explanation) State() (State, string) {
	state, why := e.planned()
	return withCaveats(state, why, e.Caveats)
}

// planned is State without caveats.
func (e *Explanation) planned() (State, string) {
	actions := e.Plan.Plan.Actions
	switch {
	case e.complete() && len(actions) == 0:
		return StateComplete, e.completeText() + "." + e.endings()
	case e.complete():
		return StateComplete, fmt.Sprintf("%s; %s left to do.", e.completeText(), count(len(actions), "write is", "writes are")) + e.endings()
	case len(actions) == 1:
		return StateProgressing, "The controller will act at once: " + phraseOf(actions[0]).long + "."
	case len(actions) > 1:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %d writes.", len(actions))
	case e.Snapshot.Deployment.Paused && e.Snapshot.Deployment.Partitioned == nil:
		return StateWaiting, "It is paused, and its rollout rests until it is resumed."
	}
	if why, ok := e.refusing(); ok {
		return StateStuck, strings.TrimSpace(why + " " + causes(e.Idle, e.Now, nil, ""))
	}
	state, why := e.blocked()
	return state, causes(e.Idle, e.Now, e.Plan.Plan.Status.TerminatingReplicas, why)
}

func (e *Explanation) endings() string {
	return endings(e.Idle, e.Now, e.Plan.Plan.Status.TerminatingReplicas)
}

// blocked is State for an incomplete rollout without actions.
func (e *Explanation) blocked() (State, string) {
	holds := e.Plan.Plan.Holds
	for _, h := range holds {
		if a := adviceOn(h); a.Stuck {
			return StateStuck, a.Means
		}
	}
	available, wanted := e.Plan.Plan.Status.AvailableReplicas, e.wanted()
	if len(holds) < 2 || available >= wanted {
		return StateWaiting, e.firstMeaning()
	}
	return StateWaiting, fmt.Sprintf("It goes on when more pods are available than %d of %d.", available, wanted)
}

// firstMeaning returns the meaning of the first hold.
func (e *Explanation) firstMeaning() string {
	if len(e.Plan.Plan.Holds) == 0 {
		return "Nothing will happen, and the planner does not say why."
	}
	return adviceOn(e.Plan.Plan.Holds[0]).Means
}

func (e *Explanation) completeText() string {
	text := "All " + plural(e.Plan.Plan.Budget.Replicas, "pod") + " are new and available"
	if n := e.Plan.Plan.Budget.Replicas; n < 2 {
		text = [...]string{"No pod is wanted, and none is left", "The pod is new and available"}[max(0, n)]
	}
	if e.Snapshot.Deployment.Paused {
		text += ", and it is paused"
	}
	return text
}

// wanted returns the number of pods that all ReplicaSets want.
func (e *Explanation) wanted() int32 {
	n := int32(0)
	for i := range e.Sets {
		n += e.Sets[i].Wanted
	}
	return n
}

// Text writes the explanation as text.
func (e Explanation) Text(w *terminal.Writer) {
	state, why := e.State()
	name := e.Snapshot.Deployment.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + name
	}
	writeState(w, "Deployment "+name, e.Unapplied, state, why)
	writePolicies(w, e.Policies, ofKubernetes)
	w.Printf("kubectl rollout status:  %s\n", e.Report.line())
	e.budget(w)
	writeInstants(w, e.Instants, e.Now)
	w.Printf("\n")
	e.tree(w)
	e.idle(w)
	writeTies(w, e.Plan.Pods)
	if !e.Plan.Plan.Empty() {
		w.Printf("\n")
		e.actionTable().WriteTo(w)
	}
	e.reasons(w)
	writeCaveats(w, e.Caveats)
	writeRefused(w, e.Refused)
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

// budget writes the limits of the rollout.
func (e *Explanation) budget(w *terminal.Writer) {
	b := e.Plan.Plan.Budget
	w.Printf("Budget:                  %s, surge %d, unavailable %d\n", plural(b.Replicas, "replica"), b.Surge, b.Unavailable)
	w.Printf("                         wanted %d, at most %d; available %d, at least %d\n",
		e.wanted(), b.MaxTotal(), e.Plan.Plan.Status.AvailableReplicas, b.MinAvailable())
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

// reasons writes the holds: numbers, words, and what ends each of them.
func (e *Explanation) reasons(w *terminal.Writer) {
	for i, h := range byCause(e.Plan.Plan.Holds) {
		if i == 0 {
			w.Printf("\nHeld back:\n")
		}
		writeAdvice(w, e.held(h), whyNot(h), h.Reason, adviceOn(h), e.failure(h))
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

// failure returns the failure message of the ReplicaSet of a hold, or "".
func (e *Explanation) failure(h kplan.Hold) string {
	for i := range e.Sets {
		if s := &e.Sets[i]; s.Name == h.Name && h.Reason == reason.ReplicaFailure {
			return s.Failure
		}
	}
	return ""
}
