// SPDX-License-Identifier: Apache-2.0

// Package argosim runs a Rollout of Argo in a cluster that exists only in memory: the
// planner decides, the pods that it asks for become ready after a while, a person
// approves pauses, and analyses end as they are told to.
package argosim

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/selector"
)

// A Config is how the world goes.
type Config struct {
	ReadyAfter time.Duration // from the creation of a pod until it is available
	// Broken are the hashes of templates whose new pods never are, and Stuck the names of
	// pods that are there and never will be.
	Broken, Stuck map[string]bool
	ApproveAfter  time.Duration // until a person approves a pause; negative is never
	AnalysisAfter time.Duration // how long an analysis takes
	// Analysis is how they end; "" is Successful. One without a result is so once: the
	// next one, when a person has resumed, succeeds.
	Analysis  argo.RunPhase
	TimeLimit time.Duration // 0 means a day
	Repair    argo.Quirks
	Pods      map[string][]argo.Pod // that are there, by the hash of their template
	Recording *sim.Recording        // if set, what becomes of pods is written to it
}

// maxPasses bounds a run that never rests.
const maxPasses = 20_000

// A pod is when it was created, and when it becomes available; never is zero.
type pod struct {
	name        string
	created, at time.Time
}

type world struct {
	config Config
	s      argo.Snapshot
	now    time.Time
	start  time.Time
	pods   map[string][]pod // by hash
	since  map[string]time.Time
	named  int  // how many pods have got a name
	judged bool // an analysis without a result has ended
	result Result
}

// Run goes on from a snapshot until nothing changes any more. A ReplicaSet that cannot
// create pods makes none.
func Run(s argo.Snapshot, now time.Time, config Config) (Result, error) {
	config.TimeLimit = cmp.Or(config.TimeLimit, 24*time.Hour)
	w := &world{config: config, s: s, now: now, start: now, pods: map[string][]pod{}, since: map[string]time.Time{}}
	w.s.Sets = slices.Clone(s.Sets)
	if config.Recording != nil {
		*config.Recording = sim.Recording{Start: now}
	}
	for i := range s.Sets {
		w.populate(&s.Sets[i])
	}
	w.settle()
	for range maxPasses {
		plan, err := argo.Reconcile(w.s, w.now, argo.Options{Repair: config.Repair})
		if err != nil {
			return w.result, err
		}
		before := w.s
		if w.s, err = plan.Apply(w.s, w.now); err != nil {
			return w.result, err
		}
		w.settle()
		w.result.Holds = plan.Holds
		if len(plan.Actions) > 0 || !reflect.DeepEqual(before.Rollout.Status, w.s.Rollout.Status) || len(w.result.Steps) == 0 {
			w.note(plan.Actions)
			continue
		}
		w.result.Steps[len(w.result.Steps)-1].Holds = plan.Holds
		if w.result.Done = w.done(); w.result.Done || !w.wait(plan) {
			w.result.Snapshot, w.result.Now = w.s, w.now
			return w.result, nil
		}
	}
	return w.result, errors.New("it never rests")
}

// started returns a pod of a template that is started now.
func (w *world) started(hash string) pod {
	w.named++
	p := pod{name: fmt.Sprintf("%s-%d", hash, w.named), created: w.now}
	if !w.config.Broken[hash] {
		p.at = w.now.Add(w.config.ReadyAfter)
	}
	return p
}

// populate gives a ReplicaSet the pods that are there, or as many as its status tells of.
func (w *world) populate(set *argo.ReplicaSet) {
	for _, p := range w.config.Pods[set.Hash] {
		there := w.started(set.Hash)
		there.name, there.created = p.Name, p.CreationTimestamp
		switch {
		case p.Available:
			there.at = w.now
		case w.config.Stuck[p.Name]:
			there.at = time.Time{}
		}
		if !p.Deleting {
			w.pods[set.Hash] = append(w.pods[set.Hash], there)
		}
	}
	if len(w.config.Pods[set.Hash]) > 0 {
		return
	}
	for i := range set.StatusReplicas {
		p := w.started(set.Hash)
		if p.created = set.CreationTimestamp; i < set.AvailableReplicas {
			p.at = w.now
		}
		w.pods[set.Hash] = append(w.pods[set.Hash], p)
	}
}

// settle starts and removes pods, those that are not available first, and reports them.
// Those that were evicted are gone at once.
func (w *world) settle() {
	evicted := map[string]bool{}
	for _, p := range w.s.Pods {
		evicted[p.Name] = p.Deleting
	}
	w.s.Pods = nil
	for i := range w.s.Sets {
		set := &w.s.Sets[i]
		pods := slices.DeleteFunc(w.pods[set.Hash], func(p pod) bool { return evicted[p.name] })
		slices.SortStableFunc(pods, func(a, b pod) int {
			if a.at.IsZero() != b.at.IsZero() {
				return cmp.Compare(boolToInt(a.at.IsZero()), boolToInt(b.at.IsZero()))
			}
			return a.at.Compare(b.at)
		})
		for int32(len(pods)) < set.Replicas && !refused(set) {
			pods = append(pods, w.started(set.Hash))
		}
		pods = pods[:min(len(pods), int(set.Replicas))]
		available := int32(0)
		for _, p := range pods {
			there := !p.at.IsZero() && !p.at.After(w.now)
			if there {
				available++
			}
			if !w.s.Rollout.RestartAt.IsZero() {
				w.s.Pods = append(w.s.Pods, argo.Pod{Name: p.name, CreationTimestamp: p.created, Available: there})
			}
		}
		w.record(set, pods)
		w.pods[set.Hash] = pods
		set.StatusReplicas, set.AvailableReplicas, set.ReadyReplicas = int32(len(pods)), available, available
	}
}

// refused reports whether a ReplicaSet says that it cannot create pods. It stays so.
func refused(set *argo.ReplicaSet) bool {
	return slices.ContainsFunc(set.Conditions, func(c argo.Condition) bool {
		return c.Type == argo.ConditionReplicaFailure && c.Status == selector.ConditionTrue && c.Reason == "FailedCreate"
	})
}

// record notes which pods of a ReplicaSet are there now, and which no longer.
func (w *world) record(set *argo.ReplicaSet, pods []pod) {
	r := w.config.Recording
	if r == nil {
		return
	}
	is := func(p pod, stage sim.Stage) {
		r.Pod(w.now, &podorder.Pod{
			Name: p.name, UID: p.name, ControllerKind: replicaset.Kind, ControllerName: cmp.Or(set.Name, set.Hash), CreationTimestamp: p.created,
		}, stage)
	}
	there := map[string]bool{}
	for _, p := range pods {
		there[p.name] = true
		if p.at.IsZero() || p.at.After(w.now) {
			is(p, sim.Scheduled)
		} else {
			is(p, sim.Ready)
		}
	}
	for _, p := range w.pods[set.Hash] {
		if !there[p.name] {
			is(p, sim.Gone)
		}
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// done reports whether the template is stable and nothing else is left.
func (w *world) done() bool {
	st := &w.s.Rollout.Status
	for _, set := range w.s.Sets {
		if set.Hash != w.s.Rollout.TemplateHash && set.Replicas > 0 {
			return false
		}
	}
	if at := w.s.Rollout.RestartAt; !at.IsZero() && !at.Equal(st.RestartedAt) {
		return false
	}
	return st.Phase == argo.PhaseHealthy && st.StableRS == w.s.Rollout.TemplateHash
}

// wait goes on to the next instant at which something changes. It reports whether there is
// one.
func (w *world) wait(plan argo.Plan) bool {
	next, act := plan.RecheckAt, func() {}
	if next.Before(w.now) {
		next = time.Time{}
	}
	consider := func(at time.Time, f func()) {
		if at.After(w.now) && (next.IsZero() || at.Before(next)) {
			next, act = at, f
		}
	}
	for _, pods := range w.pods {
		for _, p := range pods {
			consider(p.at, func() {})
		}
	}
	st := &w.s.Rollout.Status
	if len(st.PauseConditions) > 0 && waitsForPerson(plan) && w.config.ApproveAfter >= 0 {
		consider(w.after("approval", w.config.ApproveAfter), func() { st.PauseConditions = nil })
	}
	if run := w.running(); run != nil && holds(plan, argo.ReasonAnalysis) {
		consider(w.after("analysis", w.config.AnalysisAfter), func() { run.Phase = w.outcome() })
	}
	if next.IsZero() {
		return false
	}
	if next.Sub(w.start) > w.config.TimeLimit {
		w.giveUp()
		return false
	}
	if next == plan.RecheckAt {
		next = next.Add(1) // it is over strictly behind its instant
	}
	w.now = next
	act()
	w.settle()
	return true
}

// giveUp ends a run behind its last pass: more of a pause has passed by then.
func (w *world) giveUp() {
	w.result.GaveUp = w.config.TimeLimit
	plan, err := argo.Reconcile(w.s, w.start.Add(w.config.TimeLimit), argo.Options{Repair: w.config.Repair})
	if err == nil && len(plan.Actions) == 0 {
		w.result.Holds = plan.Holds
	}
}

// after returns when something ends that has begun by now.
func (w *world) after(what string, d time.Duration) time.Time {
	if w.since[what].IsZero() {
		w.since[what] = w.now
	}
	at := w.since[what].Add(d)
	if !at.After(w.now) {
		at = w.now.Add(1)
	}
	return at
}

// outcome returns how an analysis ends.
func (w *world) outcome() argo.RunPhase {
	phase := cmp.Or(w.config.Analysis, argo.RunSuccessful)
	if phase == argo.RunInconclusive && w.judged {
		return argo.RunSuccessful
	}
	w.judged = true
	return phase
}

// running returns the analysis that the Rollout waits for, nil if there is none.
func (w *world) running() *argo.Run {
	r, st := &w.s.Rollout, &w.s.Rollout.Status
	var run *argo.Run
	switch {
	case r.BlueGreen == nil:
		run = &st.Runs.Step
	case st.ActiveSelector == r.TemplateHash:
		run = &st.Runs.PostPromotion
	default:
		run = &st.Runs.PrePromotion
	}
	if run.Phase == "" || run.Phase == argo.RunPending || run.Phase == argo.RunRunning {
		return run
	}
	return nil
}

func holds(plan argo.Plan, reason argo.Reason) bool {
	return slices.ContainsFunc(plan.Holds, func(h argo.Hold) bool { return h.Reason == reason })
}

// waitsForPerson reports whether a pause ends only by a person.
func waitsForPerson(plan argo.Plan) bool {
	return !holds(plan, argo.ReasonPause)
}

// note records where the Rollout stands.
func (w *world) note(actions argo.Actions) {
	clear(w.since)
	st := &w.s.Rollout.Status
	step := Step{Time: w.now.Sub(w.start).Truncate(time.Millisecond), Phase: st.Phase, Message: st.Message, Actions: actions, Traffic: w.traffic(), Service: w.service(), Aborted: st.Abort}
	if st.CurrentStepIndex != nil {
		step.Index = new(*st.CurrentStepIndex)
	}
	for _, set := range w.s.Sets {
		if set.Hash == w.s.Rollout.TemplateHash {
			step.New, step.NewReady = set.Replicas, set.AvailableReplicas
			continue
		}
		step.Old += set.Replicas
		step.OldReady += set.AvailableReplicas
	}
	w.result.Steps = append(w.result.Steps, step)
}

// service returns which of two Services that take turns selects the new pods.
func (w *world) service() argo.PingPong {
	for turn, s := range map[argo.PingPong]*argo.Service{argo.Ping: w.s.Ping, argo.Pong: w.s.Pong} {
		if s != nil && s.Selector[argo.HashLabel] == w.s.Rollout.TemplateHash {
			return turn
		}
	}
	return ""
}

// traffic returns the share of requests that go to new pods.
func (w *world) traffic() int32 {
	r, st := &w.s.Rollout, &w.s.Rollout.Status
	share := func(there bool) int32 {
		if there {
			return 100
		}
		return 0
	}
	switch {
	case r.BlueGreen != nil:
		return share(w.s.Active.Selector[argo.HashLabel] == r.TemplateHash)
	case r.Routing == nil:
		return -1
	case st.Weights == nil || st.Weights.Canary.Weight+st.Weights.Stable.Weight == 0:
		return share(st.StableRS == "" || st.StableRS == r.TemplateHash)
	}
	total, sum := st.Weights.Canary.Weight+st.Weights.Stable.Weight, int32(0)
	for _, to := range []argo.WeightDestination{st.Weights.Canary, st.Weights.Stable} {
		if to.Hash == r.TemplateHash {
			sum += to.Weight
		}
	}
	return int32(int64(sum) * 100 / int64(total))
}
