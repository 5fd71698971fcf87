// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// NewRollouts returns a world with a Deployment that is updated by a Rollout of some
// style, with or without traffic. A person releases, rescales, rolls back, jumps,
// pauses, approves and changes steps at any time.
func NewRollouts(seed uint64, faults Faults) *World { return newRollouts(seed, faults, "") }

// newRollouts returns a world of a style, or of any if the style is "".
func newRollouts(seed uint64, faults Faults, style workload.Style) *World {
	w := newWorld(seed, faults)
	w.addDeploymentController(deploy.Options{Repair: deploy.RepairAll})
	w.addReplicaSetController(replicaset.Options{Repair: replicaset.RepairAll})
	w.finishOne()
	if style == "" {
		style = []workload.Style{workload.Partition, workload.Partition, workload.Canary, workload.BlueGreen}[w.random.IntN(4)]
	}
	return w.releaseAndDisturb(style)
}

// releaseAndDisturb lets a Rollout release the workload of a world, and disturbs that.
func (w *World) releaseAndDisturb(style workload.Style) *World {
	w.createTraffic()
	w.createRollout(style)
	options := kruise.Options{Repair: workload.RepairAll}
	w.addRolloutControllers(options)
	w.settleAll()
	w.fair = false
	w.Troubles = Troubles{}
	for _, c := range w.controllers {
		w.count(c.sight)
	}
	if w.chance(Overlap, 0.2) {
		w.count(TwoLeaders)
		w.addRolloutControllers(options)
	}
	w.changeDeployed()
	w.disturb = append(podDisturbances(), rolloutDisturbances()...)
	w.heal = append(w.heal, (*World).healRollouts)
	w.limit = 20_000
	w.idle = func(w *World) bool { return w.approve() || w.resume() || w.rollBackFirst() }
	w.check = (*World).checkRollouts
	return w
}

// finishOne creates a Deployment and lets it finish.
func (w *World) finishOne() {
	w.fair = true
	d := &Deployment{Deployment: deploy.Deployment{
		Name: "web", Generation: 1, Selector: selector.FromLabels(appWeb), TemplateLabels: appWeb, Template: revision.Template{ID: "a"},
		Replicas: ptr.To(w.random.Int32N(7) + 1), MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25), Strategy: deploy.RollingUpdate,
	}, CreatedAt: w.now}
	if w.random.IntN(2) == 0 {
		d.MaxSurge, d.MaxUnavailable = rollout.Int(w.random.Int32N(3)), rollout.Int(w.random.Int32N(3))
	}
	create(w, &w.store.deployments, by(User), d)
	w.settleAll()
}

// createTraffic creates a Service, a route and an Ingress that lead to the Deployment.
func (w *World) createTraffic() {
	s := w.store
	create(w, &s.services, by(User), &Service{Service: traffic.Service{Name: "web", Selector: appWeb}})
	create(w, &s.routes, by(User), &traffic.Route{Name: "route", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}})
	create(w, &s.ingresses, by(User), &traffic.Ingress{Name: "web"})
}

// someSteps returns steps that do not go backwards. The last may leave pods to the
// controller of the Deployment.
func (w *World) someSteps(led bool) (steps []kruise.Step) {
	last := int32(1)
	for range w.random.IntN(3) + 1 {
		last += w.random.Int32N(max(1, 50-last))
		s := kruise.Step{Replicas: rollout.Percent(last)}
		if led {
			s.Traffic = rollout.Percent(last)
		}
		if w.random.IntN(2) == 0 {
			s.Pause.Duration = ptr.To(w.random.Int32N(8))
		}
		steps = append(steps, s)
	}
	if w.random.IntN(2) == 0 {
		return steps
	}
	return append(steps, kruise.Step{Replicas: rollout.Percent(100), Pause: kruise.Pause{Duration: new(int32)}})
}

func (w *World) createRollout(style workload.Style) {
	strategy := &kruise.Strategy{EnableExtraWorkloadForCanary: style == workload.Canary}
	led := w.random.IntN(2) == 0 || style == workload.BlueGreen
	strategy.Steps = w.someSteps(led)
	if led {
		t := traffic.Routing{Service: "web", GracePeriodSeconds: w.random.Int32N(4)}
		if w.random.IntN(3) == 0 {
			t.Ingress = &traffic.IngressRef{Name: "web"}
		} else {
			t.Gateway = &traffic.GatewayRef{HTTPRouteName: ptr.To("route")}
		}
		strategy.TrafficRoutings = []traffic.Routing{t}
	}
	r := &Rollout{Rollout: kruise.Rollout{
		Name: "web", Generation: 1, WorkloadRef: w.ref,
	}}
	if style == workload.BlueGreen {
		r.BlueGreen = strategy
	} else {
		r.Canary = strategy
	}
	create(w, &w.store.rollouts, by(User), r)
}

func rolloutDisturbances() []disturbance {
	return []disturbance{
		{Spec, 1, (*World).changeDeployed},
		{Spec, 0.7, func(w *World) {
			if w.admit(func(d *workload.Workload) { d.Replicas = ptr.To(w.random.Int32N(8) + 1) }) {
				w.count(ReplicasChanged)
			}
		}},
		{Spec, 0.7, func(w *World) {
			if w.admit(func(d *workload.Workload) { d.Template = revision.Template{ID: "a"} }) {
				w.count(RolledBack)
			}
		}},
		{Spec, 2.5, func(w *World) { w.approve() }},
		{Spec, 0.7, onRollout(PartitionChanged, (*World).jump)},
		{Spec, 0.3, onRollout(StrategyChanged, func(w *World, r *Rollout) {
			s := *r.Strategy()
			s.Steps = w.someSteps(s.Steps[0].Traffic != rollout.IntOrPercent{})
			if r.BlueGreen != nil {
				r.BlueGreen = &s
			} else {
				r.Canary = &s
			}
			r.Generation++
		})},
		{Spec, 0.4, onRollout(PauseChanged, func(_ *World, r *Rollout) { r.Paused = !r.Paused; r.Generation++ })},
		{Spec, 0.15, onRollout(PauseChanged, func(_ *World, r *Rollout) { r.Disabled = !r.Disabled; r.Generation++ })},
		{Ownership, 0.15, (*World).replaceRollout},
		{Ownership, 0.6, func(w *World) { w.collect() }},
	}
}

// jump asks for another step.
func (w *World) jump(r *Rollout) {
	if r.Status.Sub == nil || r.Status.Phase != kruise.PhaseProgressing {
		return
	}
	sub := *r.Status.Sub
	sub.NextStepIndex = w.random.Int32N(int32(len(r.Strategy().Steps))) + 1
	r.Status.Sub = &sub
}

func onRollout(t Trouble, f func(*World, *Rollout)) func(*World) {
	return func(w *World) {
		rows := w.store.rollouts.all()
		if len(rows) == 0 {
			return
		}
		w.count(t)
		q := by(User)
		q.name = rows[0].Name
		update(w, &w.store.rollouts, q, func(r *Rollout) { f(w, r) })
	}
}

// healRollouts makes the wanted state one that can be reached.
func (w *World) healRollouts() {
	onRollout(FairPhase, func(_ *World, r *Rollout) {
		if r.Paused || r.Disabled {
			r.Paused, r.Disabled = false, false
			r.Generation++
		}
	})(w)
	inTheWay := func(p podRef) bool { // a StatefulSet needs its name, or waits for it
		return len(w.store.sets.all()) > 0 && (p.ControllerUID == otherOwner || p.Finished())
	}
	for _, p := range w.store.allPods() { // labels that a monkey has changed
		if (p.ControllerUID == "" || inTheWay(p)) && p.DeletionTimestamp.IsZero() {
			w.deletePod(p, by(User))
		}
	}
}

// checkRollouts tells what is wrong with a Rollout that should be finished. A BatchRelease that
// was made or kept by who saw the past stays for ever, as it does upstream, and what it has of the
// workload with it.
func (w *World) checkRollouts() error {
	checks := []func(*World) error{(*World).checkRouting}
	kept := slices.ContainsFunc(w.store.batchReleases.all(), func(br *BatchRelease) bool { return br.UID == w.lateBatch })
	if w.lateBatch == "" || !kept {
		checks = append(checks, (*World).checkReleased, (*World).checkGivenBack, (*World).checkHealthy)
	}
	for _, check := range checks {
		if err := check(w); err != nil {
			return err
		}
	}
	return nil
}

// checkReleased tells what is wrong with what was released.
func (w *World) checkReleased() error { return releasedOf(w.ref).check(w, w.ref.Name) }

// checkGivenBack tells what was taken for a release and is left.
func (w *World) checkGivenBack() error {
	if rows := w.store.batchReleases.all(); len(rows) > 0 {
		return fmt.Errorf("batch release is left, %v", rows[0].Status)
	}
	for _, key := range []string{
		workload.AnnotationInProgress, partition.AnnotationStrategy, partition.AnnotationExtraStatus, workload.AnnotationOriginalStrategy, partition.AnnotationControlInfo,
	} {
		if value, ok := w.driven().Annotations[key]; ok {
			return fmt.Errorf("annotation %s is left: %s", key, value)
		}
	}
	return nil
}

// checkRouting tells what leads requests elsewhere than before the release.
func (w *World) checkRouting() error {
	s := w.store
	for _, o := range s.services.all() {
		if o.Name != "web" || len(o.Selector) != 1 && !w.lateService {
			return fmt.Errorf("service %s selects %v", o.Name, o.Selector)
		}
	}
	if refs := s.routes.all()[0].Rules[0].BackendRefs; len(s.routes.all()[0].Rules) != 1 || len(refs) != 1 || refs[0].Weight != nil && *refs[0].Weight != 1 {
		return fmt.Errorf("route has rules %+v", s.routes.all()[0].Rules)
	}
	if len(s.ingresses.all()) != 1 {
		return fmt.Errorf("%d ingresses", len(s.ingresses.all()))
	}
	return nil
}

// checkHealthy tells what a Rollout still has to do.
func (w *World) checkHealthy() error {
	for _, r := range w.store.rollouts.all() {
		if r.Status.Phase != kruise.PhaseHealthy {
			return fmt.Errorf("rollout is %s, step %d %s", r.Status.Phase, r.Status.CurrentStepIndex, r.Status.CurrentStepState)
		}
	}
	return nil
}

// replaceRollout deletes the Rollout. A person creates it again when it is gone.
func (w *World) replaceRollout() {
	rows := w.store.rollouts.all()
	if len(rows) == 0 {
		w.createRollout(workload.Partition)
		return
	}
	r := rows[0]
	if !r.DeletionTimestamp.IsZero() {
		return
	}
	w.count(RecreatedWithName)
	q := by(User)
	q.name, q.verb = r.Name, Delete
	if len(r.Finalizers) == 0 {
		remove(w, &w.store.rollouts, q)
		return
	}
	update(w, &w.store.rollouts, q, func(r *Rollout) { r.DeletionTimestamp = w.now; r.Generation++ })
}
