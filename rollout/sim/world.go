// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// ErrInvalid is the error of what a [World] cannot hold or has not.
var ErrInvalid = selector.ErrInvalid

// A World is a cluster in virtual time. It starts as [New] makes it; the zero World is empty.
// Of its methods the functions of its [Config] may call those that only read.
type World struct {
	f     *sim.Fleet
	cfg   Config
	start time.Time

	resources []string
	rooms     *rooms
	limits    *limits
	budgets   []Budget
	scalers   scalers
	pods      int // that there are
}

// New makes a world of a snapshot. The error, which wraps [ErrInvalid], joins a
// [selector.FieldError] for each field that it cannot hold, such as Deployments["web"].Name, if
// the name occurs twice, or Config.Faults.Crash, if that is below 0.
func New(s Snapshot, c Config) (*World, error) {
	w := &World{}
	if err := w.begin(s, c); err != nil {
		return nil, err
	}
	return w, nil
}

// engine is the fleet of the world.
func (w *World) engine() *sim.Fleet {
	if w.f == nil {
		if err := w.begin(Snapshot{}, Config{}); err != nil {
			w.f.Fail(err)
		}
	}
	return w.f
}

func (w *World) begin(s Snapshot, c Config) error {
	if err := append(c.valid(), s.valid()...).Join(); err != nil {
		return err
	}
	if s.Now.IsZero() {
		s.Now = sim.Epoch
	}
	*w = World{
		cfg: c, start: s.Now, resources: s.Resources, rooms: newRooms(&s, c.Place), limits: newLimits(slices.Clone(s.Quotas)), budgets: slices.Clone(s.Budgets),
	}
	w.f = sim.NewFleet(w.engineConfig())
	w.rooms.fail, w.scalers.f = w.f.Fail, w.f
	w.limits.freed = func() { w.f.At(w.f.Now(), w.f.Freed) }
	for _, r := range c.Controllers {
		w.f.Add(r.engine()) // before there is anything, so that they are told of it
	}
	load(w.f, w.rooms, &s)
	for _, a := range c.Autoscalers {
		w.scalers.add(a)
	}
	if c.FaultsFor > 0 {
		w.f.At(s.Now.Add(c.FaultsFor), w.f.Heal)
	}
	return w.f.Err()
}

// engineConfig is the configuration of the engine.
func (w *World) engineConfig() sim.FleetConfig {
	c := &w.cfg
	cfg := sim.FleetConfig{
		Seed: c.Seed, Start: w.start, Latency: c.Latency, Touch: c.Faults.Conflict, Deaf: c.Faults.LostEvents,
		Place: w.rooms.place, Takes: w.takes, Happens: w.happens, NodeSet: w.rooms.nodeSet, Trace: c.Trace, NeverReady: w.neverReady,
		Deployment: c.Deployment, ReplicaSet: c.ReplicaSet, DaemonSet: c.DaemonSet, Rollout: c.Rollout, Argo: c.Argo, MaxPods: w.maxPods(),
		PlanDeploy: c.PlanDeployment, PlanReplicas: c.PlanReplicaSet, PlanDaemonSet: c.PlanDaemonSet,
		Without: map[sim.Role]bool{}, Left: w.rooms.giveBack,
	}
	if len(w.limits.quotas) > 0 {
		cfg.Allows = w.limits.allows
	}
	cfg.MayEvict = func(pod string) bool { return w.mayEvict(pod) == nil }
	for _, k := range c.Without {
		for _, role := range controllersOf(k) {
			cfg.Without[role] = true
		}
	}
	for _, f := range c.Faults.list() {
		if f.of != 0 {
			cfg.Faults[f.of] = *f.rate
		}
	}
	return cfg
}

// Start is the time at which the world began.
func (w *World) Start() time.Time {
	w.engine()
	return w.start
}

// Now is the time of the world.
func (w *World) Now() time.Time { return w.engine().Now() }

// View is what there is.
func (w *World) View() View {
	v := w.engine().View()
	return View{&v}
}

// Step lets the next thing happen: a request of a controller at this instant, or what comes
// next. It reports false if nothing will.
func (w *World) Step() (bool, error) {
	f := w.engine()
	more := f.Step(f.Now().Add(forever))
	return more, f.Err()
}

// Run lets happen what does until an instant, which then is.
func (w *World) Run(until time.Time) error {
	f := w.engine()
	for f.Step(until) {
	}
	if f.Err() == nil {
		f.Advance(until)
	}
	return f.Err()
}

// Settle lets happen what does until nothing is left, or a time has passed. It reports whether
// nothing is left, but autoscalers that have changed nothing the last time. Faults that have not
// ended leave always something.
func (w *World) Settle(within time.Duration) (bool, error) {
	f := w.engine()
	until := f.Now().Add(within)
	for {
		if f.Err() != nil {
			return false, f.Err()
		}
		if w.scalers.idle() {
			return true, nil
		}
		if !f.Step(until) {
			break
		}
	}
	if at, ok := f.Next(); ok && f.Err() == nil && at.After(until) {
		f.Advance(until)
		return w.scalers.idle(), nil
	}
	return f.Err() == nil, f.Err()
}

// Heal ends the faults: what is stuck goes on, and one controller of each kind stays.
func (w *World) Heal() { w.engine().Heal() }

// takes is how long a stage of a pod takes.
func (w *World) takes(s sim.Stage, p *podorder.Pod, t template, draw float64) time.Duration {
	times := &w.cfg.Times
	if own := w.rooms.template(p, t).Times; own != nil {
		times = own
	}
	switch s {
	case sim.Scheduled:
		return times.Schedule.At(draw)
	case sim.Pulled:
		return times.Pull.At(draw)
	case sim.Started:
		return times.Start.At(draw)
	case sim.Ready:
		return times.Ready.At(draw)
	}
	return times.End.At(draw)
}

func (w *World) neverReady(p *podorder.Pod, t template) bool {
	return w.rooms.template(p, t).NeverReady
}

// Report says what has happened.
func (w *World) Report() Report { return report(w.engine(), w.cfg.Faults) }

// happens notes what follows from a write, and tells of it.
func (w *World) happens(h sim.Happened) {
	if h.Stage == sim.Failed {
		w.rooms.giveBack(h.UID)
	}
	if h.Kind == sim.KindPod || h.Kind == sim.KindDaemon {
		w.limit(&h)
	}
	if len(w.limits.quotas) > 0 && (h.Kind == sim.KindPod || h.Kind == sim.KindDaemon) {
		w.limits.countPod(&h)
	}
	if h.Verb == sim.Remove && h.Kind == sim.KindNode {
		w.rooms.removed(h.Name)
	}
	if w.cfg.Observe == nil {
		return
	}
	e := Change{Time: h.At, By: string(h.By), Verb: verb(&h), Kind: Kind(h.Kind.String()), Name: h.Name}
	if h.Kind == sim.KindDaemon {
		e.Kind = KindPod
	}
	if h.Action != nil {
		e.Why = h.Action.String()
	}
	w.cfg.Observe(e)
}

// mostPods is how many pods a world has that sets no limit: it keeps some kilobytes for each.
const mostPods = 1_000_000

// maxPods is how many pods there may be.
func (w *World) maxPods() int {
	if w.cfg.MaxPods > 0 {
		return w.cfg.MaxPods
	}
	return mostPods
}

// limit counts a pod, and ends a world that has more than it may.
func (w *World) limit(h *sim.Happened) {
	switch h.Verb {
	case sim.Create:
		w.pods++
	case sim.Remove:
		w.pods--
	}
	if w.pods > w.maxPods() {
		w.f.Fail(&selector.FieldError{Path: "Pods", Value: w.pods, Detail: "must be at most Config.MaxPods"})
	}
}
