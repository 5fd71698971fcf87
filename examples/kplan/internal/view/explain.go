// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A State is how a Deployment stands.
type State string

// The states.
const (
	StateComplete    State = "complete"
	StateProgressing State = "progressing" // something is to be done at once
	StateWaiting     State = "waiting"     // for pods, for time, or for being resumed
	StateStuck       State = "stuck"       // for someone to do something
)

// text returns the word in the colour of what it means.
func (s State) text() terminal.Text {
	styles := map[State]terminal.Style{
		StateComplete: terminal.Good, StateProgressing: terminal.Busy, StateWaiting: terminal.Warn, StateStuck: terminal.Bad,
	}
	return terminal.Text{Style: styles[s], Text: string(s)}
}

// An Explanation is why one Deployment moves, or does not.
type Explanation struct {
	Plan
	Report   Report
	Sets     []Set
	Idle     []Pod     // those that do not serve
	HasPods  bool      // whether the input holds any pods of the Deployment
	Instants []Instant // when time alone changes something, in order
	Refused  []Refused // what events quote that no condition does
	Caveats  []Caveat
}

// A Report is what kubectl rollout status prints.
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

// A Set is a ReplicaSet of the tree.
type Set struct {
	Name      string `json:"name"`
	New       bool   `json:"new"`
	Revision  int64  `json:"revision,omitzero"` // 0 if it has none
	Wanted    int32  `json:"wanted"`
	Pods      int32  `json:"pods"`
	Ready     int32  `json:"ready"`
	Available int32  `json:"available"`
	Images    string `json:"images,omitzero"`
	Failure   string `json:"failure,omitzero"` // what its condition ReplicaFailure says
	Adopted   bool   `json:"adopted,omitzero"` // it has no controller yet, and the plan adopts it
	Former    string `json:"former,omitzero"`  // the Deployment that it has its name from, if that is another one
}

func (s *Set) empty() bool { return s.Wanted == 0 && s.Pods == 0 && !s.New && s.Failure == "" }

// A Pod is one that does not serve.
type Pod struct {
	Name       string         `json:"name"`
	ReplicaSet string         `json:"replicaSet,omitzero"`
	Node       string         `json:"node,omitzero"`
	Phase      string         `json:"phase,omitzero"`
	Age        *time.Duration `json:"-"` // nil if it is unknown
	Reason     string         `json:"reason"`
	Message    string         `json:"message,omitzero"`
	Ending     *Ending        `json:"ending,omitzero"` // nil unless it is being deleted
}

// An Instant is when something changes without anybody doing anything.
type Instant struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// State returns how the Deployment stands, and one sentence that says why.
func (e *Explanation) State() (State, string) {
	state, why := e.planned()
	return withCaveats(state, why, e.Caveats)
}

// planned is State by the plan alone.
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

// blocked is State for a rollout that is not complete and does nothing.
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

// firstMeaning returns what the first hold means.
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

// wanted returns how many pods the ReplicaSets want.
func (e *Explanation) wanted() int32 {
	n := int32(0)
	for i := range e.Sets {
		n += e.Sets[i].Wanted
	}
	return n
}

// Text writes the explanation for people.
func (e Explanation) Text(w *terminal.Writer) {
	state, why := e.State()
	name := e.Snapshot.Deployment.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + name
	}
	writeStanding(w, "Deployment "+name, e.Unapplied, state, why)
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

// writeStanding says how a workload stands, and why. A manifest has done nothing yet.
func writeStanding(w *terminal.Writer, of string, unapplied bool, state State, why string) {
	if unapplied && state == StateProgressing {
		w.Printf("%s will start. Once it is applied, %s\n\n", of, strings.Replace(why, "The c", "the c", 1))
		return
	}
	w.Printf("%s is %v. %s\n\n", of, state.text(), why)
}

// budget writes the numbers that bound the rollout.
func (e *Explanation) budget(w *terminal.Writer) {
	b := e.Plan.Plan.Budget
	w.Printf("Budget:                  %s, surge %d, unavailable %d\n", plural(b.Replicas, "replica"), b.Surge, b.Unavailable)
	w.Printf("                         wanted %d, at most %d; available %d, at least %d\n",
		e.wanted(), b.MaxTotal(), e.Plan.Plan.Status.AvailableReplicas, b.MinAvailable())
}

// writeInstants writes when time alone changes something.
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

// reasons writes what is held back: in numbers, in words, and what ends it.
func (e *Explanation) reasons(w *terminal.Writer) {
	for i, h := range byCause(e.Plan.Plan.Holds) {
		if i == 0 {
			w.Printf("\nHeld back:\n")
		}
		writeAdvice(w, e.held(h), whyNot(h), string(h.Reason), adviceOn(h), e.failure(h))
	}
}

// writeAdvice writes what is held back: in numbers, in words, what an object quotes about it,
// if anything, and what ends it. If another system has refused something, its words are told
// from ours, and what to change goes by them.
func writeAdvice(w *terminal.Writer, what, text, reason string, a Advice, quotes string) {
	w.Printf("  %s: %s (%s)\n", what, text, reason)
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

// failure returns what a ReplicaSet says that cannot create or delete pods.
func (e *Explanation) failure(h kplan.Hold[deploy.Reason]) string {
	for i := range e.Sets {
		if s := &e.Sets[i]; s.Name == h.Name && h.Reason == deploy.ReasonReplicaFailure {
			return s.Failure
		}
	}
	return ""
}
