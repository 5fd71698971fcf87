// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// Config adjusts [Run].
type Config struct {
	Kubelet   Kubelet
	TimeLimit time.Duration // virtual time after which Run gives up; 0 means a day
	// Latency is how long after an event the planners notice it, together with all that
	// has happened until then. It makes large clusters bearable; 0 means at once.
	Latency time.Duration

	// Autoscaled, if set, is the number of replicas that an autoscaler gives the Deployment
	// when it first looks at it, [AutoscalerPeriod] after the start.
	Autoscaled *int32

	Options           deploy.Options
	ReplicaSetOptions replicaset.Options

	// The planners; nil means those of the packages deploy and replicaset.
	PlanDeployment func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicaSet func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
}

// AutoscalerPeriod is how often the autoscaler looks at what it scales, by the default of
// the flag --horizontal-pod-autoscaler-sync-period.
const AutoscalerPeriod = 15 * time.Second

// A Result is how a run went.
type Result struct {
	Steps   []Step         // at least one: the last is the end
	Bounds  rollout.Budget // within which the Deployment was changed, as of the last pass
	Done    bool           // whether the rollout is complete
	GaveUp  time.Duration  // the time limit if that ended the run; 0 if nothing was left to happen
	Cluster Cluster        // at the end; another run can start from it
}

// Run lets the planners act on a copy of c from c.Now on, until the rollout is
// complete, or nothing will happen any more, or the time limit is reached. The
// error is that of a planner, or tells that a plan does not fit the cluster or
// that the planners do not come to rest.
func Run(c Cluster, cfg Config) (Result, error) { return begin(c, cfg).run() }

// A run is a rollout of a Deployment in a calm world. It makes steps of plans.
type run struct {
	cfg     Config
	world   *World
	start   time.Time
	steps   []Step
	pods    PodActions        // since the last step
	last    deploy.Plan       // of the last pass
	pending bool              // whether the last plan acts, and is no step yet
	set     map[string]string // of the last change of size
	scaled  bool              // whether no autoscaler will change the replicas any more
	// Where the lists of steps lie.
	sets        slab[ReplicaSet]
	conditions  slab[deploy.Condition]
	actions     slab[deploy.Action]
	terminating slab[int32]
}

// begin returns a run in a world that holds a copy of a cluster. The world is strict: it
// shows what the planners do, and nothing of how controllers work. A pass is carried out
// without a break, that of the oldest ReplicaSet first; a write that is refused ends the run;
// only the last plan for an object says when the next is wanted; and templates have the hashes
// that they came with.
func begin(c Cluster, cfg Config) *run {
	w := calmWorld(c.Now, cfg.Kubelet)
	w.serial, w.uidPrefix, w.strict = c.serial, uidPrefix, true
	s := w.store
	s.unversioned = true
	changeInPlace(&s.deployments, func(_, _ *Deployment) bool { return true })
	changeInPlace(&s.replicaSets, sameRelation)
	user := by(User)
	create(w, &s.deployments, user, &Deployment{Deployment: c.Deployment, CreatedAt: c.Now})
	for _, rs := range c.ReplicaSets {
		create(w, &s.replicaSets, user, &rs)
	}
	s.pods.inPlace = false // these stay what they are, and where
	s.pods.grow(len(c.Pods))
	s.serials.grow(len(c.Pods))
	for _, p := range c.Pods {
		if w.bring(p) {
			continue
		}
		if p.UID == "" { // which create gives it
			p = ptr.To(*p)
		}
		create(w, &s.pods, user, p)
	}
	r := &run{cfg: cfg, world: w, start: c.Now}
	if cfg.Latency == 0 { // a list that grows to one for each pod and more would be moved again and again
		r.steps = make([]Step, 0, len(c.Pods)+len(c.Pods)/4+16)
	}
	// ReplicaSets follow before their Deployment is planned for again.
	w.addReplicaSetController(cfg.ReplicaSetOptions).plan = cfg.PlanReplicaSet
	w.addDeploymentController(cfg.Options).plan = cfg.PlanDeployment
	s.pods.tell = append(s.pods.tell, r.count)
	w.Observer.Deployment = r.planned
	w.over = func() bool { return r.complete() && !w.anyStarts() && r.scaled }
	r.autoscale()
	w.follow()
	w.random = rand.New(rand.NewPCG(cfg.Kubelet.Seed, 0))
	w.makeFair()
	return r
}

// bring stores a pod that an earlier run has made, without a look at the names of others. It reports
// whether it has: any other pod is to be created.
func (w *World) bring(p *podorder.Pod) bool {
	s, serial := w.store, Serial(p.UID)
	if serial == 0 || s.pods.listed > 0 || s.serials.number(serial) != gone ||
		!strings.HasSuffix(p.Name, nameSuffix(p.UID[len(uidPrefix):])) {
		return false
	}
	if !s.serials.note(serial, s.pods.last()+1) {
		return false
	}
	w.taken(p.UID)
	r := by(User)
	r.verb, r.name = Create, p.Name
	add(w, &s.pods, &r, p)
	return true
}

func (r *run) run() (Result, error) {
	if err := r.world.runCalm(r.cfg.TimeLimit, r.cfg.Latency); err != nil {
		return Result{}, fmt.Errorf("after %v: %w", r.world.now.Sub(r.start), err)
	}
	return r.result(), nil
}

// autoscale makes an autoscaler look at the Deployment later, if it changes anything.
func (r *run) autoscale() {
	n, w := r.cfg.Autoscaled, r.world
	if r.scaled = n == nil; r.scaled {
		return
	}
	w.schedule(w.now.Add(AutoscalerPeriod), autoscaled, errand{do: func() {
		r.scaled = true
		w.editDeployment(func(d *Deployment) { d.Replicas = n })
	}})
}

// count counts what ReplicaSets do.
func (r *run) count(old, p *podorder.Pod) {
	switch {
	case old == nil:
		r.pods.Created++
	case old.DeletionTimestamp.IsZero() && (p == nil || !p.DeletionTimestamp.IsZero()):
		r.pods.Deleted++
	}
}

// planned makes a step of the plan before, which all ReplicaSets have followed by now.
func (r *run) planned(p Planned[deploy.Snapshot, deploy.Options, deploy.Plan]) error {
	r.recordPending()
	r.last, r.pending = p.Plan, len(p.Plan.Actions) > 0
	return nil
}

func (r *run) recordPending() {
	if r.pending {
		r.record(r.last)
		r.pending = false
	}
}

// record adds a step for a plan that has been performed.
func (r *run) record(p deploy.Plan) {
	sets := r.world.store.replicaSets.all()
	s := describe(sets, r.sets.room(len(sets)))
	s.Time, s.Actions, s.Holds, s.Status, s.Pods = r.world.now.Sub(r.start), p.Actions, p.Holds, p.Status, r.pods
	if zones := r.cfg.Kubelet.Zones; zones != nil {
		s.Zones = spread(r.world.store.pods.all(), zones)
	}
	r.own(&s)
	r.share(s.Actions)
	r.pods = PodActions{}
	r.steps = append(r.steps, s)
}

// own lets go of the plan that a step tells of: it lies in one piece of memory, of which a step is less
// than half. Conditions are often those of the step before.
func (r *run) own(s *Step) {
	if n := len(r.steps); n > 0 && slices.Equal(r.steps[n-1].Status.Conditions, s.Status.Conditions) {
		s.Status.Conditions = r.steps[n-1].Status.Conditions
	} else {
		s.Status.Conditions = r.conditions.keep(s.Status.Conditions)
	}
	s.Actions = r.actions.keep(s.Actions)
	if n := s.Status.TerminatingReplicas; n != nil {
		s.Status.TerminatingReplicas = &append(r.terminating.room(1), *n)[0]
	}
}

// share lets actions have the annotations of those before if they are the same, for most are.
func (r *run) share(actions deploy.Actions) {
	for i := range actions {
		a, ok := actions[i].(deploy.ScaleReplicaSet)
		if !ok {
			continue
		}
		if !maps.Equal(a.Set, r.set) {
			r.set = a.Set
			continue
		}
		a.Set = r.set
		actions[i] = a
	}
}

func (r *run) result() Result {
	r.recordPending()
	r.record(r.last) // the last pass of an instant never acts
	return Result{Steps: r.steps, Bounds: r.last.Budget, Done: r.complete(), GaveUp: r.world.gaveUp(r.start), Cluster: r.cluster()}
}

func (r *run) complete() bool {
	d := r.world.store.deployments.all()[0]
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	return deploy.Complete(d.Status, replicas, d.Generation)
}

// cluster returns what the world holds.
func (r *run) cluster() Cluster {
	w, s := r.world, r.world.store
	return Cluster{
		Now: w.now, Deployment: s.deployments.all()[0].Deployment, ReplicaSets: fill(nil, s.replicaSets.all()),
		Pods: slices.Clone(s.pods.all()), serial: w.serial,
	}
}

// sameRelation reports whether a ReplicaSet is found where it was, and its siblings know the same of it
// as before.
func sameRelation(a, b *replicaSet) bool {
	return a.ControllerUID == b.ControllerUID && a.ControllerKind == b.ControllerKind && a.ControllerName == b.ControllerName && a.Selector == b.Selector
}
