// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout"
)

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

// Verdict returns the verdict on the Deployment.
func (e Explanation) Verdict() Verdict { return verdictOf(&e, e.Unapplied) }

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

// refusing returns the refusal, such as by a quota or a webhook, that keeps a ReplicaSet or pods
// from being created.
func (e *Explanation) refusing() (why string, ok bool) {
	for _, h := range e.Plan.Plan.Holds {
		if h.Reason == reason.ReplicaFailure || h.Reason == reason.CreateFailed {
			return refusedIn(adviceOn(h).Means, e.failure(h)), true
		}
	}
	return "", false
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
	writeState(w, "Deployment "+e.Subject().label(), e.Unapplied, state, why)
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

// budget writes the limits of the rollout.
func (e *Explanation) budget(w *terminal.Writer) {
	b := e.Plan.Plan.Budget
	w.Printf("Budget:                  %s, surge %d, unavailable %d\n", plural(b.Replicas, "replica"), b.Surge, b.Unavailable)
	w.Printf("                         wanted %d, at most %d; available %d, at least %d\n",
		e.wanted(), b.MaxTotal(), e.Plan.Plan.Status.AvailableReplicas, b.MinAvailable())
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

// failure returns the failure message of the ReplicaSet of a hold, or "".
func (e *Explanation) failure(h kplan.Hold) string {
	for i := range e.Sets {
		if s := &e.Sets[i]; s.Name == h.Name && h.Reason == reason.ReplicaFailure {
			return s.Failure
		}
	}
	return ""
}

// tree writes the Deployment and its ReplicaSets. It only counts empty old ones.
func (e *Explanation) tree(w *terminal.Writer) {
	var shown []Set
	empty, hasNew := 0, false
	for _, s := range e.Sets {
		hasNew = hasNew || s.New
		if s.empty() {
			empty++
			continue
		}
		shown = append(shown, s)
	}
	var rows [][]string
	if !hasNew {
		rows = append(rows, []string{"(none yet)", "new"})
	}
	for _, s := range shown {
		rows = append(rows, s.cells())
	}
	if empty > 0 {
		rows = append(rows, []string{fmt.Sprintf("(%d without pods)", empty), "old"})
	}
	d := &e.Plan.Plan.Status
	t := terminal.NewTable("NAME", "REVISION", "WANTED", "PODS", "READY", "AVAIL", "IMAGES")
	t.Row(e.Snapshot.Deployment.Name, "", fmt.Sprint(e.Plan.Plan.Budget.Replicas), fmt.Sprint(d.Replicas),
		fmt.Sprint(d.ReadyReplicas), fmt.Sprint(d.AvailableReplicas), "")
	for i, cells := range rows {
		branch := "├─ "
		if i == len(rows)-1 {
			branch = "└─ "
		}
		cells[0] = branch + cells[0]
		t.Row(cells...)
	}
	t.WriteTo(w)
}

func (s *Set) cells() []string {
	revision := "old"
	if s.New {
		revision = "new"
	}
	if s.Revision > 0 {
		revision = fmt.Sprintf("%d, %s", s.Revision, revision)
	}
	if s.Adopted {
		revision += ", to be adopted"
	}
	if s.Former != "" {
		revision += " from " + s.Former
	}
	return []string{
		s.Name, revision, fmt.Sprint(s.Wanted), fmt.Sprint(s.Pods), fmt.Sprint(s.Ready), fmt.Sprint(s.Available), s.Images,
	}
}

// idle writes the pods that do not serve.
func (e *Explanation) idle(w *terminal.Writer) {
	if len(e.Idle) == 0 && !e.HasPods && e.Plan.Plan.Status.Replicas > 0 {
		w.Printf("\nThe input holds no pods; with them, those that are not ready would be listed here.\n")
	}
	writeIdle(w, e.Idle)
}

// byCause returns the holds of a Deployment, causes first and an exceeded deadline last.
func byCause(holds []kplan.Hold) []kplan.Hold {
	rank := func(h kplan.Hold) int {
		switch {
		case h.Reason == reason.DeadlineExceeded:
			return 2
		case adviceOn(h).Stuck:
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(holds), func(a, b kplan.Hold) int { return rank(a) - rank(b) })
}

type explainedBudget struct {
	rollout.Budget
	bounds
	Wanted    int32 `json:"wanted"`
	Available int32 `json:"available"`
}

type bounds struct {
	MaxTotal     int32 `json:"maxTotal"`
	MinAvailable int32 `json:"minAvailable"`
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e Explanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	b := e.Plan.Plan.Budget
	return marshal(struct {
		head
		Policies    []string                `json:"policies,omitempty"`
		State       State                   `json:"state"`
		Why         string                  `json:"why"`
		Report      Report                  `json:"rolloutStatus"`
		Budget      explainedBudget         `json:"budget"`
		Actions     deploy.Actions          `json:"actions"`
		Holds       []explained[kplan.Hold] `json:"holds"`
		ReplicaSets []Set                   `json:"replicaSets"`
		Pods        []Pod                   `json:"pods"` // pods that do not serve
		Instants    []Instant               `json:"instants"`
		Ties        []tieOfSet              `json:"ties,omitempty"`
		Refused     []Refused               `json:"refused,omitempty"`
		Caveats     []Caveat                `json:"caveats,omitempty"`
	}{
		headOf(e.Subject()), e.Policies, state, why, e.Report,
		explainedBudget{b, bounds{b.MaxTotal(), b.MinAvailable()}, e.wanted(), e.Plan.Plan.Status.AvailableReplicas},
		e.Plan.Plan.Actions, explain(e.Plan.Plan.Holds, adviceOn), notNil(e.Sets), notNil(e.Idle), notNil(e.Instants), tiesOf(e.Plan.Pods), e.Refused, e.Caveats,
	})
}
