// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// beginRollout is a Deployment that a Rollout of a style releases, with traffic or without.
func beginRollout(style workload.Style) func(*editor) cluster.Snapshot {
	return func(e *editor) cluster.Snapshot {
		d := webDeployment("a", e.Int32N(7)+1)
		if d.Strategy = deploy.RollingUpdate; e.IntN(2) == 0 {
			d.MaxSurge, d.MaxUnavailable = rollout.Int(e.Int32N(3)), rollout.Int(e.Int32N(3))
		}
		return e.released(style, deploymentOf("web"), cluster.Snapshot{Deployments: []deploy.Deployment{d}})
	}
}

func deploymentOf(name string) workload.Ref {
	return workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: name}
}

// beginSet is a CloneSet, or a StatefulSet of Kubernetes or OpenKruise, that a Rollout releases.
func beginSet(e *editor) cluster.Snapshot {
	s := webSet("a", e.Int32N(7)+1)
	s.Parallel, s.RollingUpdate = e.IntN(2) == 0, &partition.RollingUpdate{}
	s.Ref = []workload.Ref{
		{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, {APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"},
		{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "web"},
	}[e.IntN(3)]
	if e.IntN(3) == 0 {
		s.MinReadySeconds = e.Int32N(6)
	}
	if s.GroupKind() != podset.StatefulSet {
		s.InPlace = e.IntN(3) == 0
		if s.RollingUpdate.MaxUnavailable = rollout.Int(e.Int32N(3) + 1); e.IntN(2) == 0 {
			s.RollingUpdate.MaxUnavailable = rollout.Percent(e.Int32N(5)*10 + 10)
		}
	}
	switch {
	case s.GroupKind() == podset.AdvancedStatefulSet:
		s.Unordered = e.IntN(3) == 0
	case s.GroupKind() == podset.CloneSet && e.IntN(2) == 0:
		s.RollingUpdate.MaxSurge = rollout.Int(e.Int32N(3) + 1)
	}
	return e.released(workload.Partition, s.Ref, cluster.Snapshot{Sets: []cluster.Set{s}})
}

// released adds a Rollout of a workload, and what leads requests to that. All are at rest.
func (e *editor) released(style workload.Style, ref workload.Ref, s cluster.Snapshot) cluster.Snapshot {
	strategy := &kruise.Strategy{EnableExtraWorkloadForCanary: style == workload.Canary}
	led := e.IntN(2) == 0 || style == workload.BlueGreen
	if strategy.Steps = e.someSteps(led); led {
		t := traffic.Routing{Service: "web", GracePeriodSeconds: e.Int32N(4)}
		if e.IntN(3) == 0 {
			t.Ingress = &traffic.IngressRef{Name: "web"}
		} else {
			t.Gateway = &traffic.GatewayRef{HTTPRouteName: ptr.To("route")}
		}
		strategy.TrafficRoutings = []traffic.Routing{t}
	}
	r := kruise.Rollout{Name: "web", UID: "rollout", WorkloadRef: ref}
	if style == workload.BlueGreen {
		r.BlueGreen = strategy
	} else {
		r.Canary = strategy
	}
	s.Rollouts = []kruise.Rollout{r}
	s.Services = []traffic.Service{{Name: "web", Selector: map[string]string{"app": "web"}}}
	s.Routes = []traffic.Route{{Name: "route", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}}}
	s.Ingresses = []traffic.Ingress{{Name: "web"}}
	w, err := sim.New(s, sim.Config{
		Deployment: deploy.Options{Repair: deployquirk.All}, ReplicaSet: replicaset.Options{Repair: replicasetquirk.All}, Rollout: kruise.Options{Repair: workloadquirk.All},
	})
	if err != nil {
		e.t.Fatal(err)
	}
	if rests, err := w.Settle(time.Hour); err != nil || !rests {
		e.t.Fatal(rests, err)
	}
	return w.Snapshot()
}

// someSteps are steps that do not go backwards. The last may leave pods to the controller of the workload.
func (e *editor) someSteps(led bool) (steps []kruise.Step) {
	last := int32(1)
	for range e.IntN(3) + 1 {
		last += e.Int32N(max(1, 50-last))
		s := kruise.Step{Replicas: rollout.Percent(last)}
		if led {
			s.Traffic = rollout.Percent(last)
		}
		if e.IntN(2) == 0 {
			s.Pause.Duration = ptr.To(e.Int32N(8))
		}
		steps = append(steps, s)
	}
	if e.IntN(2) == 0 {
		return steps
	}
	return append(steps, kruise.Step{Replicas: rollout.Percent(100), Pause: kruise.Pause{Duration: new(int32)}})
}

// admit changes the workload, as far as admission lets the change through.
func (e *editor) admit(f func(*workload.Workload)) {
	_, env, _ := e.w.Inside()
	for _, r := range e.server.Rollouts.All() {
		env.Admit(r.WorkloadRef, f)
	}
}

func editRollout(name string, weight float64, f func(*editor, *store.Rollout)) edit {
	return edit{name, weight, func(e *editor) { change(e, &e.server.Rollouts, func(r *store.Rollout) { f(e, r) }) }}
}

var rolloutEdits = []edit{
	{"template", 1, func(e *editor) {
		t := e.someTemplate(false)
		e.admit(func(o *workload.Workload) { o.Template = t })
	}},
	{"replicas", 0.7, func(e *editor) {
		n := e.Int32N(8) + 1
		e.admit(func(o *workload.Workload) { o.Replicas = &n })
	}},
	{"rolled back", 0.7, func(e *editor) { e.admit(func(o *workload.Workload) { o.Template = revision.Template{ID: "a"} }) }},
	{"approved", 2.5, func(e *editor) { e.w.Approve() }},
	editRollout("jump", 0.7, func(e *editor, r *store.Rollout) {
		if r.Status.Sub != nil && r.Status.Phase == kruise.PhaseProgressing {
			sub := *r.Status.Sub
			sub.NextStepIndex = e.Int32N(int32(len(r.Strategy().Steps))) + 1
			r.Status.Sub = &sub
		}
	}),
	editRollout("steps", 0.3, func(e *editor, r *store.Rollout) {
		s := *r.Strategy()
		s.Steps = e.someSteps(s.Steps[0].Traffic != rollout.IntOrPercent{})
		if r.Generation++; r.BlueGreen != nil {
			r.BlueGreen = &s
		} else {
			r.Canary = &s
		}
	}),
	editRollout("pause", 0.4, func(_ *editor, r *store.Rollout) { r.Paused, r.Generation = !r.Paused, r.Generation+1 }),
}

// healRollouts makes the wanted state one that can be reached.
func (e *editor) healRollouts() {
	change(e, &e.server.Rollouts, func(r *store.Rollout) {
		if r.Paused {
			r.Paused, r.Generation = false, r.Generation+1
		}
	})
	for _, p := range e.server.Pods.All() { // a StatefulSet needs its name, or waits for it
		inTheWay := e.server.Sets.Len() > 0 && (p.ControllerUID == "job" || p.Finished())
		if (p.ControllerUID == "" || inTheWay) && p.DeletionTimestamp.IsZero() {
			e.w.Delete(sim.KindPod, p.Name)
		}
	}
}

// goesOn confirms steps, and takes back a template that came in the middle of a blue-green release, which the
// Rollout waits for. It reports whether there was something.
func (e *editor) goesOn() bool {
	if e.w.Approve() > 0 || e.resume() {
		return true
	}
	for _, r := range e.server.Rollouts.All() {
		d, sub := e.server.Deployments.Get("web"), r.Status.Sub
		if d != nil && r.BlueGreen != nil && sub != nil && sub.StableRevision != "" && r.Status.Phase == kruise.PhaseProgressing &&
			d.Template.ID != sub.Revision && d.Template.ID != sub.StableRevision {
			e.admit(func(o *workload.Workload) { o.Template = revision.Template{ID: sub.StableRevision} })
			return true
		}
	}
	return false
}

// resume lets a set go on whose Rollout is done but has left old pods to keep: the status of a CloneSet that
// has few pods left says that the new revision is the stable one, and the Rollout takes that for a rollback
// before a batch has taken the set over. Or a batch that sees the past has taken over what it had given back.
func (e *editor) resume() bool {
	o := e.server.Sets.Get("web")
	if o == nil || e.server.BatchReleases.Len() > 0 || e.server.Rollouts.All()[0].Status.Phase != kruise.PhaseHealthy {
		return false
	}
	if !o.Paused && o.Partition.IsZero() && o.ControlledBy() == "" {
		return false
	}
	change(e, &e.server.Sets, func(o *store.Set) {
		o.Paused, o.Partition, o.Generation = false, rollout.IntOrPercent{}, o.Generation+1
		o.Annotations = apply.Without(o.Annotations, workload.AnnotationInProgress, partition.AnnotationControlInfo)
	})
	return true
}

// checkRollout tells what is wrong with a Rollout that should be finished.
func (e *editor) checkRollout() error {
	s := e.server
	for _, o := range s.Services.All() {
		if o.Name != "web" || len(o.Selector) != 1 {
			return fmt.Errorf("service %s selects %v", o.Name, o.Selector)
		}
	}
	if refs := s.Routes.All()[0].Rules[0].BackendRefs; len(s.Routes.All()[0].Rules) != 1 || len(refs) != 1 || refs[0].Weight != nil && *refs[0].Weight != 1 {
		return fmt.Errorf("route has rules %+v", s.Routes.All()[0].Rules)
	}
	if s.Ingresses.Len() != 1 {
		return fmt.Errorf("%d ingresses", s.Ingresses.Len())
	}
	if rows := s.BatchReleases.All(); len(rows) > 0 {
		return fmt.Errorf("batch release is left, %v", rows[0].Status)
	}
	var annotations map[string]string
	check := e.checkSet
	if d := s.Deployments.Get("web"); d != nil {
		annotations, check = d.Annotations, e.checkDeployment
	} else {
		annotations = s.Sets.Get("web").Annotations
	}
	for _, key := range []string{
		workload.AnnotationInProgress, partition.AnnotationStrategy, partition.AnnotationExtraStatus, workload.AnnotationOriginalStrategy, partition.AnnotationControlInfo,
	} {
		if value, ok := annotations[key]; ok {
			return fmt.Errorf("annotation %s is left: %s", key, value)
		}
	}
	if r := s.Rollouts.All()[0]; r.Status.Phase != kruise.PhaseHealthy {
		return fmt.Errorf("rollout is %s, step %d %s", r.Status.Phase, r.Status.CurrentStepIndex, r.Status.CurrentStepState)
	}
	return check()
}

// checkSet tells what is wrong with a set that should be finished.
func (e *editor) checkSet() error {
	o := e.server.Sets.Get("web")
	replicas, available, wanted := o.DesiredReplicas(), int32(0), "web-"+o.Template.ID
	for _, p := range e.server.Pods.Of(o.UID) {
		if !p.Active() {
			continue
		}
		if of := podset.RevisionOf(p.Plain()); of != wanted {
			return fmt.Errorf("pod %s is of %s, wanted is %s", p.Name, of, wanted)
		}
		if p.Available(o.MinReadySeconds, e.w.Now()) {
			available++
		}
	}
	want := workload.Status{
		ObservedGeneration: o.Generation, Replicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas, UpdatedReplicas: replicas, UpdatedReadyReplicas: replicas,
	}
	if available != replicas || o.Status != want || o.StableRevision != wanted {
		return fmt.Errorf("set has %d available pods of %d, of %s, status %v", available, replicas, o.StableRevision, o.Status)
	}
	return nil
}
