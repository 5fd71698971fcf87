// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/chaos"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// ErrTooLong is the error of a [World] after Config.MaxPlans plans of its controllers.
var ErrTooLong = errors.New("too many plans")

// A World is a cluster in virtual time. It starts as [New] makes it; the zero World is empty.
// The functions of its [Config] may call its methods that only read.
type World struct {
	cfg       Config
	start     time.Time
	resources []string

	server *apiserver.Server
	life   *life.Pods
	env    *controllers.Env
	crew   *controllers.Crew
	chaos  *chaos.Monkey
	intake intake
	rest   rest
	quiet  quiet
}

// New makes a world of a snapshot. The error, which wraps [kplan.ErrInvalid], joins a
// [kplan.FieldError] for each invalid field, such as Deployments["web"].Name, if
// the name occurs twice, or Config.Faults.Crash, if that is below 0.
func New(s cluster.Snapshot, c Config) (*World, error) {
	w := &World{}
	if err := w.begin(s, c); err != nil {
		return nil, err
	}
	return w, nil
}

// ensure makes the zero World an empty one.
func (w *World) ensure() *World {
	if w.server == nil {
		_ = w.begin(cluster.Snapshot{}, Config{}) // which is valid
	}
	return w
}

func (w *World) begin(s cluster.Snapshot, c Config) error {
	if err := append(c.valid(), valid(&s)...).Join(); err != nil {
		return err
	}
	if s.Now.IsZero() {
		s.Now = agenda.Epoch
	}
	*w = World{cfg: c, start: s.Now, resources: s.Resources}
	objects := store.New()
	w.server = &apiserver.Server{
		Store: objects, Agenda: &agenda.Agenda{}, Trouble: trouble.New(c.Seed, c.Faults.rates()), Trace: c.Trace,
		Quotas: apiserver.NewQuotas(objects, s.Resources, c.maxPods()), Budgets: apiserver.NewBudgets(objects, s.Budgets),
	}
	w.server.Agenda.Advance(s.Now)
	w.life = life.New(w.server, life.Config{Resources: len(s.Resources), Times: c.Times, Templates: s.Templates, Place: c.Place})
	objects.Observe(w.observed)
	w.env = w.environment()
	w.crew = controllers.Start(w.env, c.own())
	w.intake = intake{w.server, w.env}
	w.intake.load(&s)
	w.chaos = chaos.New(w.server, w.life, w.crew)
	for _, a := range c.Autoscalers {
		w.autoscale(a)
	}
	if c.FaultsFor > 0 {
		w.server.Agenda.After(c.FaultsFor, agenda.Mischief, w.Heal)
	}
	return w.server.Err()
}

// environment returns the environment of the controllers.
func (w *World) environment() *controllers.Env {
	c := &w.cfg
	env := &controllers.Env{
		Server: w.server, Life: w.life, Without: map[store.Role]bool{},
		Deployment: c.Deployment, ReplicaSet: c.ReplicaSet, DaemonSet: c.DaemonSet, Rollout: c.Rollout, Argo: c.Argo,
		Together: c.Together, ApproveAfter: c.ApproveAfter, Analysis: c.Analysis,
		PlanDeployment: c.PlanDeployment, PlanReplicaSet: c.PlanReplicaSet, PlanDaemonSet: c.PlanDaemonSet,
	}
	if c.Planned != nil {
		env.Planned = func(by store.Role, k store.Kind, name string, plan fmt.Stringer) {
			c.Planned(Plan{Time: w.server.Agenda.Now(), By: string(by), Kind: Kind(k.String()), Name: name, Plan: plan})
		}
	}
	for _, k := range c.Without {
		for _, role := range k.roles() {
			env.Without[role] = true
		}
	}
	return env
}

// observed reports an event, and ends a world with too many pods.
func (w *World) observed(e store.Write) {
	if w.server.Trace != nil {
		w.server.Tracef("%s %s %s %s", e.By, verbOf(&e), e.Kind, e.Name)
	}
	if e.Kind == store.KindPod && w.server.Quotas.TooMany() {
		w.server.Fail(&kplan.FieldError{Path: "Pods", Value: w.server.Quotas.Pods(), Detail: "must be at most Config.MaxPods"})
	}
	if w.cfg.Observe == nil {
		return
	}
	c := Change{Time: w.server.Agenda.Now(), By: string(e.By), Verb: verbOf(&e), Kind: Kind(e.Kind.String()), Name: e.Name, Object: objectOf(e.Object)}
	if e.Action != nil {
		c.Why = e.Action.String()
	}
	if d, ok := e.Object.(*store.Deployment); ok {
		c.Made = d.OwnerUID
	}
	w.cfg.Observe(c)
}

// mostPods is the default limit of pods: a world needs some kilobytes for each.
const mostPods = 1_000_000

func (c *Config) maxPods() int {
	if c.MaxPods > 0 {
		return c.MaxPods
	}
	return mostPods
}

// Start is the time at which the world began.
func (w *World) Start() time.Time { return w.ensure().start }

// Now is the time of the world.
func (w *World) Now() time.Time { return w.ensure().server.Agenda.Now() }

// View shows the present state.
func (w *World) View() View {
	s := w.ensure().server
	return View{controllers.View{Store: s.Store, At: s.Latest(), Now: s.Agenda.Now()}}
}

// Resync makes our controllers look at all of their objects again when time passes, as they do
// regularly: plans for unchanged objects are then up to date.
func (w *World) Resync() {
	w.ensure().crew.Resync()
	w.quiet = quiet{}
}

// Heal ends the faults: stuck pods go on, and one controller of each kind remains.
func (w *World) Heal() { w.ensure().chaos.Heal() }
