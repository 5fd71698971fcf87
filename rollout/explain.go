package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
)

// An Explanation says where an object stands and why it waits. What it waits for is
// explained in turn: a Rollout waits for its BatchRelease, that for a workload, and that
// for pods.
type Explanation struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	State string `json:"state"` // where the object stands
	// Waits are the reasons for which the object waits; empty if it does not.
	Waits []Wait `json:"waits,omitempty"`
	// RecheckAt is when time alone may end the wait; zero if it cannot.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// Because explains the objects that are waited for.
	Because []Explanation `json:"because,omitempty"`
}

// A Wait is one reason to wait.
type Wait struct {
	Hold
	Text    string   `json:"text"`             // the reason with its numbers
	Remedy  string   `json:"remedy,omitzero"`  // what ends the wait; "" if nobody has to do anything
	Pods    []string `json:"pods,omitempty"`   // those that are responsible
	Failure string   `json:"failure,omitzero"` // the message of the pass, if it fails meanwhile
}

// String returns the tree, one line for each object and reason, those that are waited
// for indented.
func (e Explanation) String() string { return strings.Join(e.lines(""), "\n") }

func (e Explanation) lines(indent string) []string {
	head := fmt.Sprintf("%s%s %s: %s", indent, strings.ToLower(e.Kind), e.Name, e.State)
	if !e.RecheckAt.IsZero() {
		head += ", looked at again at " + e.RecheckAt.Format(time.RFC3339)
	}
	list := []string{head}
	for _, w := range e.Waits {
		line := fmt.Sprintf("%s- %s: %s", indent, w.Reason, w.Text)
		if len(w.Pods) > 0 {
			line += " [" + strings.Join(w.Pods, " ") + "]"
		}
		if w.Remedy != "" {
			line += "; " + w.Remedy
		}
		list = append(list, line)
	}
	for _, b := range e.Because {
		list = append(list, b.lines(indent+"  ")...)
	}
	return list
}

// Explain says why a Rollout waits, as of now. The batch is what [ReconcileBatch] would
// look at; without it the tree ends with the Rollout. It asks the planners themselves,
// so that it never tells another story than they do.
func Explain(s Snapshot, batch *BatchSnapshot, now time.Time, opts Options) (Explanation, error) {
	p, err := Reconcile(s, now, opts)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Kind: "Rollout", Name: s.Rollout.Name, State: rolloutState(&s.Rollout), RecheckAt: p.RecheckAt}
	below := false
	for _, h := range p.Holds {
		e.Waits = append(e.Waits, waitFor(h, p.Failure))
		below = below || h.Name == s.Rollout.Name
	}
	if !below || batch == nil {
		return e, nil
	}
	b, err := explainBatch(*batch, now, opts)
	if err != nil {
		return Explanation{}, err
	}
	e.Because = append(e.Because, b)
	return e, nil
}

func waitFor(h Hold, failure string) Wait {
	return Wait{Hold: h, Text: holdText(h), Remedy: h.Reason.remedy(), Failure: failure}
}

// rolloutState says where a Rollout stands.
func rolloutState(r *Rollout) string {
	state := string(r.Status.Phase)
	if c := condition.Find(r.Status.Conditions, ConditionProgressing); c != nil && r.Status.Phase == PhaseProgressing {
		state += "/" + c.Reason
	}
	if s := r.Status.Sub; s != nil && r.Strategy() != nil {
		state += fmt.Sprintf(", step %d of %d is %s", s.CurrentStepIndex, len(r.Strategy().Steps), s.CurrentStepState)
		if s.FinalisingStep != "" {
			state += ", closing with " + string(s.FinalisingStep)
		}
	}
	return state
}

// explainBatch says why a BatchRelease waits.
func explainBatch(s BatchSnapshot, now time.Time, opts Options) (Explanation, error) {
	p, err := ReconcileBatch(s, now, opts)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Kind: "BatchRelease", Name: s.Release.Name, State: s.Release.Status.String(), RecheckAt: p.RecheckAt}
	holds := p.Holds
	if c := p.Context; c != nil && len(holds) == 0 {
		if h, waits := c.Waiting(opts.Repair); waits {
			holds = append(holds, h) // it is upgrading meanwhile
		}
	}
	for _, h := range holds {
		w := waitFor(h, p.Failure)
		w.Pods = responsible(h.Reason, s, opts.Repair)
		e.Waits = append(e.Waits, w)
	}
	if s.Workload != nil {
		e.Because = append(e.Because, explainWorkload(s))
	}
	return e, nil
}

// explainWorkload says what the controller of a workload still has to do.
func explainWorkload(s BatchSnapshot) Explanation {
	w := s.Workload
	if s.Canary != nil {
		w = s.Canary
	}
	e := Explanation{Kind: w.Kind, Name: w.Name, State: fmt.Sprintf("%d of %d pods, %d updated, %d of them ready",
		w.Status.Replicas, w.replicas(), w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas)}
	if driverOf(w.WorkloadRef, &s.Release.ReleasePlan) != DriverDeployment {
		if w.Status.ObservedGeneration < w.Generation {
			e.Waits = append(e.Waits, waitFor(Hold{Reason: ReasonNotObserved, Have: w.Status.ObservedGeneration, Limit: w.Generation}, ""))
		}
		return e
	}
	strategy, _ := ParseStrategy(w.Annotations[AnnotationStrategy])
	e.State += ", partition " + orZero(strategy.Partition).String()
	progress := PartitionProgress{
		Generation: w.Generation, ObservedGeneration: w.Status.ObservedGeneration, Partition: strategy.Partition, Replicas: w.replicas(),
		StatusReplicas: w.Status.Replicas, UpdatedReplicas: w.Status.UpdatedReplicas,
	}
	if h, waits := progress.Waiting(); waits {
		e.Waits = append(e.Waits, waitFor(h, ""))
	}
	return e
}

// responsible returns the names of the pods for which a batch waits, in order.
func responsible(reason Reason, s BatchSnapshot, repair Quirks) []string {
	revision := s.Release.Status.UpdateRevision
	var names []string
	for i := range s.Pods {
		p := &s.Pods[i]
		updated := p.consistent(revision, repair) || hashes(revision, p.TemplateHash, repair)
		switch {
		case !p.DeletionTimestamp.IsZero():
		case reason == ReasonTooFewUpdated && !updated,
			(reason == ReasonTooFewReady || reason == ReasonNoneReady) && updated && !p.Ready,
			reason == ReasonTooFewLabelled && updated && p.Labels[LabelRolloutID] != s.Release.ReleasePlan.RolloutID:
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
