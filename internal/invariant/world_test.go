package invariant_test

import (
	"fmt"
	"maps"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/invariant"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// A world is an ideal cluster with one Deployment that is updated by partition. It
// carries out what the planners of package rollout say, shows every state to the
// checks, and shrinks and grows ReplicaSets itself.
type world struct {
	fail    func(format string, args ...any)
	look    func(c any) // at each pass
	clock   time.Time
	opts    rollout.Options
	r       rollout.Rollout
	br      *rollout.BatchRelease
	w       rollout.Workload
	traffic rollout.Traffic
	grace   rollout.Grace
	holds   []rollout.Hold
	sizes   map[string]int32 // by template
	labels  map[string]map[string]string
	views   []invariant.ReleaseView
}

func named(name string) revision.Template { return revision.Template{ID: name, Hash: name} }

func newWorld(replicas int32, led bool, steps ...rollout.Step) *world {
	c := &world{clock: t0, sizes: map[string]int32{"v1": replicas}, labels: map[string]map[string]string{}}
	c.r = rollout.Rollout{Name: "web", UID: "r", Generation: 1, WorkloadRef: demo, Canary: &rollout.Strategy{Steps: steps}}
	c.w = rollout.Workload{
		WorkloadRef: demo, UID: "d", Generation: 1, Replicas: &replicas, Template: named("v1"), StrategyType: "RollingUpdate",
		RollingUpdate: &rollout.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)},
		Labels:        map[string]string{}, Annotations: map[string]string{},
	}
	if led {
		route := "route"
		c.r.Canary.TrafficRoutings = []rollout.TrafficRouting{{Service: "web", GracePeriodSeconds: 3, Gateway: &rollout.GatewayRef{HTTPRouteName: &route}}}
		c.traffic = rollout.Traffic{Stable: &rollout.Service{Name: "web", Selector: map[string]string{"app": "web"}},
			Route: &rollout.Route{Name: route, Rules: []rollout.RouteRule{{BackendRefs: []rollout.BackendRef{{Kind: "Service", Name: "web"}}}}}}
	}
	return c
}

func (c *world) owned() (sets []rollout.WorkloadSet) {
	for i, name := range []string{"v1", "v2", "v3"} {
		if n, ok := c.sizes[name]; ok {
			sets = append(sets, rollout.WorkloadSet{Name: name, Template: named(name), Replicas: n, Revision: fmt.Sprint(i + 1), CreationTimestamp: t0.Add(time.Duration(i) * time.Second)})
		}
	}
	return sets
}

func (c *world) fresh() int32 { return c.sizes[c.w.Template.ID] }

func (c *world) total() (n int32) {
	for _, size := range c.sizes {
		n += size
	}
	return n
}

// update is what a person and the admission do.
func (c *world) update(name string) {
	c.observe()
	changed := c.w
	changed.Template = named(name)
	a, err := rollout.Admit(rollout.AdmitSnapshot{Old: c.w, New: changed, Rollouts: []rollout.Rollout{c.r}, Sets: c.owned()}, c.opts)
	if err != nil {
		c.fail("%v", err)
	}
	c.w = a.Object
	c.w.Generation++
}

func (c *world) observe() {
	c.w.StableRevision, c.w.UpdateRevision = c.w.Labels[rollout.LabelStableRevision], c.w.Template.Hash
	n := c.total()
	c.w.Status = rollout.WorkloadStatus{ObservedGeneration: c.w.Generation, Replicas: n, ReadyReplicas: n, AvailableReplicas: n, UpdatedReplicas: c.fresh(), UpdatedReadyReplicas: c.fresh()}
}

func (c *world) view() {
	v := invariant.ReleaseView{At: c.clock, Rollout: c.r, Release: c.br, Workload: c.w, Traffic: c.traffic, New: c.fresh(), Old: c.total() - c.fresh(), NewReady: c.fresh(), Available: c.total()}
	c.views = append(c.views, purity.Clone(v))
}

// pass lets everybody act once.
func (c *world) pass() {
	c.observe()
	facts := rollout.Inspect(rollout.InspectSnapshot{Workload: c.w, Style: c.r.Style(), Sets: c.owned()})
	s := rollout.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: &facts, Traffic: c.traffic, Grace: c.grace}
	p, err := rollout.Reconcile(s, c.clock, c.opts)
	if err != nil {
		c.fail("%v", err)
	}
	c.look(&invariant.RolloutPass{Snapshot: s, Now: c.clock, Options: c.opts, Plan: p})
	for _, a := range p.Actions {
		c.execute(a)
	}
	if p.Failure == "" {
		c.r.Status = p.Status
	}
	c.grace, c.holds = p.Grace, p.Holds
	c.view()
	c.batchPass()
	c.deploymentPass()
	c.view()
}

func (c *world) batchPass() {
	if c.br == nil {
		return
	}
	c.observe()
	s := rollout.BatchSnapshot{Release: *c.br, Workload: &c.w}
	for _, name := range []string{"v1", "v2", "v3"} {
		for n := range c.sizes[name] {
			pod := fmt.Sprint(name, "-", n)
			labels := map[string]string{rollout.LabelPodTemplateHash: name}
			maps.Copy(labels, c.labels[pod])
			s.Pods = append(s.Pods, rollout.Pod{Name: pod, UID: pod, Ready: true, Labels: labels})
		}
	}
	p, err := rollout.ReconcileBatch(s, c.clock, rollout.BatchOptions{Repair: c.opts.Repair})
	if err != nil {
		c.fail("%v", err)
	}
	c.look(&invariant.BatchPass{Snapshot: s, Now: c.clock, Options: rollout.BatchOptions{Repair: c.opts.Repair}, Plan: p})
	br := *c.br
	br.Status = p.Status
	c.br = &br
	for _, a := range p.Actions {
		c.execute(a)
	}
}

// deploymentPass is one pass of whoever controls the Deployment.
func (c *world) deploymentPass() {
	c.observe()
	if !c.w.Paused { // the native controller finishes at once
		clear(c.sizes)
		c.sizes[c.w.Template.ID] = *c.w.Replicas
		return
	}
	s, err := rollout.ParseStrategy(c.w.Annotations[rollout.AnnotationStrategy])
	if err != nil || c.w.Annotations[rollout.AnnotationControlInfo] == "" || s.Paused {
		return
	}
	old := c.total() - c.fresh()
	b := rollout.PartitionBudget(*c.w.Replicas, s.RollingUpdate, c.opts.Repair.Has(rollout.LimitsWrapAround))
	if _, ok := c.sizes[c.w.Template.ID]; !ok {
		c.sizes[c.w.Template.ID] = rollout.PartitionCreationSize(s.Partition, b, int64(c.total()), c.opts.Repair.Has(rollout.NewPodAtPartitionZero))
		return
	}
	if grown := rollout.PartitionNewSize(s.Partition, b, int64(c.total()), c.fresh()); grown != c.fresh() {
		c.sizes[c.w.Template.ID] = grown
		return
	}
	room := min(c.total()-b.MinAvailable(), int32(rollout.PartitionOldLimit(s.Partition, b.Replicas, int64(old), c.fresh())))
	for _, name := range []string{"v3", "v2", "v1"} {
		if name != c.w.Template.ID && room > 0 {
			n := min(room, c.sizes[name])
			c.sizes[name] -= n
			room -= n
		}
	}
}

func (c *world) execute(a fmt.Stringer) {
	switch a := a.(type) {
	case rollout.SetFinalizer:
		c.finalizer(a.Kind, a.Finalizer, a.Remove)
	case rollout.BatchSetFinalizer:
		c.finalizer(a.Kind, a.Finalizer, a.Remove)
	case rollout.PatchRollout:
		c.r.Annotations = a.Annotations
	case rollout.PatchWorkload:
		c.patch(a.Patch)
	case rollout.BatchPatchWorkload:
		c.patch(a.Patch)
	case rollout.LabelPod:
		labels := maps.Clone(a.Labels)
		maps.Copy(labels, c.labels[a.Name])
		maps.Copy(labels, a.Labels)
		c.labels[a.Name] = labels
	case rollout.CreateBatchRelease:
		c.br = &rollout.BatchRelease{Name: a.Name, UID: fmt.Sprint("b", len(c.views)), Generation: 1, Annotations: a.Annotations, WorkloadRef: a.WorkloadRef, ReleasePlan: a.ReleasePlan}
	case rollout.UpdateBatchRelease:
		c.br.Annotations, c.br.ReleasePlan = a.Annotations, a.ReleasePlan
		c.br.Generation++
	case rollout.PatchBatchRelease:
		if a.RolloutID != nil {
			c.br.ReleasePlan.RolloutID = *a.RolloutID
		}
		if a.Finalize != "" {
			c.br.ReleasePlan.BatchPartition, c.br.ReleasePlan.FinalizingPolicy = nil, a.Finalize
		}
		c.br.Generation++
	case rollout.DeleteBatchRelease:
		c.br.DeletionTimestamp = c.clock
	case rollout.SelectPods:
		service := c.traffic.Stable
		if a.Service != service.Name {
			service = c.traffic.Canary
		}
		service.Selector = map[string]string{"app": "web"}
		if a.Value != "" {
			service.Selector[a.Key] = a.Value
		}
	case rollout.CreateService:
		c.traffic.Canary = &rollout.Service{Name: a.Name, Selector: a.Selector}
	case rollout.DeleteService:
		c.traffic.Canary = nil
	case rollout.SetRoute:
		c.traffic.Route = &rollout.Route{Name: a.Name, Rules: a.Rules}
	default:
		c.fail("not carried out: %v", a)
	}
}

func (c *world) finalizer(kind, finalizer string, gone bool) {
	switch {
	case kind == "Rollout" && !gone:
		c.r.Finalizers = []string{finalizer}
	case kind == "Rollout":
		c.r.Finalizers = nil
	case gone:
		c.br = nil
	default:
		c.br.Finalizers = []string{finalizer}
	}
}

func (c *world) patch(p rollout.WorkloadPatch) {
	merge := func(m map[string]string, changes map[string]*string) map[string]string {
		m = maps.Clone(m)
		for key, value := range changes {
			if value == nil {
				delete(m, key)
			} else {
				m[key] = *value
			}
		}
		return m
	}
	c.w.Labels, c.w.Annotations = merge(c.w.Labels, p.Labels), merge(c.w.Annotations, p.Annotations)
	if p.Paused != nil {
		c.w.Paused = *p.Paused
	}
	if p.StrategyType != nil {
		c.w.StrategyType, c.w.RollingUpdate = *p.StrategyType, nil
	}
	if !p.MaxSurge.IsZero() || !p.MaxUnavailable.IsZero() {
		c.w.RollingUpdate = &rollout.RollingUpdate{MaxSurge: p.MaxSurge, MaxUnavailable: p.MaxUnavailable}
	}
	c.w.Generation++
}

// run goes on until it may stop, or nothing happens any more, and approves pauses.
func (c *world) run(until func() bool) bool {
	for range 600 {
		if until() {
			return true
		}
		c.pass()
		if s := c.r.Status.Sub; s != nil && s.CurrentStepState == rollout.StatePaused && len(c.holds) > 0 && c.holds[0].Reason == rollout.ReasonApproval {
			approved := *s
			approved.CurrentStepState = rollout.StateReady
			c.r.Status.Sub = &approved
		}
		c.clock = c.clock.Add(time.Second)
	}
	return false
}

func (c *world) phase(p rollout.RolloutPhase) func() bool {
	return func() bool { return c.r.Status.Phase == p }
}

// closing tells that a release is over and its traces are being removed.
func (c *world) closing() bool {
	reason := c.r.Status.ProgressingReason()
	return reason != "" && reason != rollout.ProgressInRolling && reason != rollout.ProgressInitializing
}

// begin makes the Rollout healthy and releases nextRevision.
func (c *world) begin() {
	c.run(func() bool { return c.r.Status.Sub != nil })
	c.views = nil
	c.view()
	c.update("v2")
	c.run(c.phase(rollout.PhaseProgressing))
}

// history is what has been seen.
func (c *world) history() *invariant.Release {
	return &invariant.Release{Views: c.views, Options: c.opts, Fair: true}
}

func anyStepSize(t *rapid.T, name string) rollout.IntOrPercent {
	n := rapid.OneOf(rapid.Int32Range(-3, 300), rapid.Int32()).Draw(t, name)
	return pick(t, name+" kind", rollout.IntOrPercent{}, rollout.Int(n), rollout.Percent(n))
}
