// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"fmt"
	"maps"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A world is an ideal cluster with one Deployment that is updated by partition. It carries out the
// plans of package rollout, shows every state to the checks, and shrinks and grows ReplicaSets
// itself.
type world struct {
	fail    func(format string, args ...any)
	look    func(c any) // at each pass
	clock   time.Time
	opts    kruise.Options
	r       kruise.Rollout
	br      *batchrelease.Release
	w       workload.Workload
	traffic traffic.Objects
	grace   kruise.Grace
	holds   []kplan.Hold
	sizes   map[string]int32 // by template
	labels  map[string]map[string]string
	views   []invariant.ReleaseView
}

func named(name string) revision.Template { return revision.Template{ID: name, Hash: name} }

func newWorld(replicas int32, led bool, steps ...kruise.Step) *world {
	c := &world{clock: t0, sizes: map[string]int32{"v1": replicas}, labels: map[string]map[string]string{}}
	c.r = kruise.Rollout{Name: "web", UID: "r", Generation: 1, WorkloadRef: demo, Canary: &kruise.Strategy{Steps: steps}}
	c.w = workload.Workload{
		Ref: demo, UID: "d", Generation: 1, Replicas: &replicas, Template: named("v1"), StrategyType: "RollingUpdate",
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)},
		Labels:        map[string]string{}, Annotations: map[string]string{},
	}
	if led {
		route := "route"
		c.r.Canary.TrafficRoutings = []traffic.Routing{{Service: "web", GracePeriodSeconds: 3, Gateway: &traffic.GatewayRef{HTTPRouteName: &route}}}
		c.traffic = traffic.Objects{Stable: &traffic.Service{Name: "web", Selector: map[string]string{"app": "web"}},
			Route: &traffic.Route{Name: route, Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}}}
	}
	return c
}

func (c *world) owned() (sets []workload.Set) {
	for i, name := range []string{"v1", "v2", "v3"} {
		if n, ok := c.sizes[name]; ok {
			sets = append(sets, workload.Set{Name: name, Template: named(name), Replicas: n, Revision: fmt.Sprint(i + 1), CreationTimestamp: t0.Add(time.Duration(i) * time.Second)})
		}
	}
	return sets
}

func (c *world) newPods() int32 { return c.sizes[c.w.Template.ID] }

func (c *world) total() (n int32) {
	for _, size := range c.sizes {
		n += size
	}
	return n
}

// update is an update by a user, with its admission.
func (c *world) update(name string) {
	c.observe()
	changed := c.w
	changed.Template = named(name)
	a, err := kruise.Admit(kruise.AdmitSnapshot{Old: c.w, New: changed, Rollouts: []kruise.Rollout{c.r}, Sets: c.owned()}, c.opts)
	if err != nil {
		c.fail("%v", err)
	}
	c.w = a.Object
	c.w.Generation++
}

func (c *world) observe() {
	c.w.StableRevision, c.w.UpdateRevision = c.w.Labels[workload.LabelStableRevision], c.w.Template.Hash
	n := c.total()
	c.w.Status = workload.Status{ObservedGeneration: c.w.Generation, Replicas: n, ReadyReplicas: n, AvailableReplicas: n, UpdatedReplicas: c.newPods(), UpdatedReadyReplicas: c.newPods()}
}

func (c *world) view() {
	v := invariant.ReleaseView{At: c.clock, Rollout: c.r, Release: c.br, Workload: c.w, Traffic: c.traffic, New: c.newPods(), Old: c.total() - c.newPods(), NewReady: c.newPods(), Available: c.total()}
	c.views = append(c.views, purity.Clone(v))
}

// pass lets everybody act once.
func (c *world) pass() {
	c.observe()
	facts := workload.Inspect(workload.InspectSnapshot{Workload: c.w, Style: c.r.Style(), Sets: c.owned()})
	s := kruise.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: &facts, Traffic: c.traffic, Grace: c.grace}
	p, err := kruise.Reconcile(s, c.clock, c.opts)
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
	s := batchrelease.Snapshot{Release: *c.br, Workload: &c.w}
	for _, name := range []string{"v1", "v2", "v3"} {
		for n := range c.sizes[name] {
			pod := fmt.Sprint(name, "-", n)
			labels := map[string]string{workload.LabelPodTemplateHash: name}
			maps.Copy(labels, c.labels[pod])
			s.Pods = append(s.Pods, workload.Pod{Name: pod, UID: pod, Ready: true, Labels: labels})
		}
	}
	p, err := batchrelease.Reconcile(s, c.clock, batchrelease.Options{Repair: c.opts.Repair})
	if err != nil {
		c.fail("%v", err)
	}
	c.look(&invariant.BatchPass{Snapshot: s, Now: c.clock, Options: batchrelease.Options{Repair: c.opts.Repair}, Plan: p})
	if s, err = p.Apply(s, c.clock); err != nil {
		c.fail("%v: %v", p, err)
	}
	for _, pod := range s.Pods {
		c.labels[pod.Name] = pod.Labels
	}
	c.br, c.w = &s.Release, *s.Workload
	if len(c.br.Finalizers) == 0 && !c.br.DeletionTimestamp.IsZero() {
		c.br = nil
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
	s, err := partition.ParseStrategy(c.w.Annotations[partition.AnnotationStrategy])
	if err != nil || c.w.Annotations[partition.AnnotationControlInfo] == "" || s.Paused {
		return
	}
	old := c.total() - c.newPods()
	b := partition.Budget(*c.w.Replicas, s.RollingUpdate, c.opts.Repair.Has(quirk.LimitsWrapAround))
	if _, ok := c.sizes[c.w.Template.ID]; !ok {
		c.sizes[c.w.Template.ID] = partition.CreationSize(s.Partition, b, int64(c.total()), c.opts.Repair.Has(quirk.NewPodAtPartitionZero))
		return
	}
	if grown := partition.NewSize(s.Partition, b, int64(c.total()), c.newPods()); grown != c.newPods() {
		c.sizes[c.w.Template.ID] = grown
		return
	}
	room := min(c.total()-b.MinAvailable(), int32(partition.OldLimit(s.Partition, b.Replicas, int64(old), c.newPods())))
	for _, name := range []string{"v3", "v2", "v1"} {
		if name != c.w.Template.ID && room > 0 {
			n := min(room, c.sizes[name])
			c.sizes[name] -= n
			room -= n
		}
	}
}

// execute carries out an action of the Rollout. It patches the workload itself, since the snapshot
// has only facts about it.
func (c *world) execute(a kruise.Action) {
	s := kruise.Snapshot{Rollout: c.r, BatchRelease: c.br, Workload: &workload.State{Ref: c.w.Ref, UID: c.w.UID}, Traffic: c.traffic}
	after, err := kruise.Apply(s, a, c.clock)
	if err != nil {
		c.fail("%v: %v", a, err)
	}
	c.r, c.br, c.traffic = after.Rollout, after.BatchRelease, after.Traffic
	if patch, ok := a.(kruise.PatchWorkload); ok {
		c.w = c.w.Patched(patch.Patch)
	}
}

// run makes passes until it may stop, for at most 600 passes, and approves pauses.
func (c *world) run(until func() bool) bool {
	for range 600 {
		if until() {
			return true
		}
		c.pass()
		if s := c.r.Status.Sub; s != nil && s.CurrentStepState == kruise.StatePaused && len(c.holds) > 0 && c.holds[0].Reason == reason.Approval {
			approved := *s
			approved.CurrentStepState = kruise.StateReady
			c.r.Status.Sub = &approved
		}
		c.clock = c.clock.Add(time.Second)
	}
	return false
}

func (c *world) phase(p kruise.Phase) func() bool {
	return func() bool { return c.r.Status.Phase == p }
}

// closing reports whether a release is over and its traces are being removed.
func (c *world) closing() bool {
	reason := c.r.Status.ProgressingReason()
	return reason != "" && reason != kruise.ProgressInRolling && reason != kruise.ProgressInitializing
}

// begin makes the Rollout healthy and releases nextRevision.
func (c *world) begin() {
	c.run(func() bool { return c.r.Status.Sub != nil })
	c.views = nil
	c.view()
	c.update("v2")
	c.run(c.phase(kruise.PhaseProgressing))
}

// history returns the recorded views.
func (c *world) history() *invariant.Release {
	return &invariant.Release{Views: c.views, Options: c.opts, Fair: true}
}
