// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// A RolloutRelease is a change of the template of a workload that a Rollout steps
// through.
type RolloutRelease struct {
	Now        time.Time
	Rollout    kruise.Rollout    // its status does not count
	Deployment deploy.Deployment // as it is before the release: all of its pods are available
	// Set is the workload in place of a Deployment, if it is a CloneSet or a StatefulSet.
	Set *podset.Set
	// DaemonSet is the workload in place of a Deployment, if it is one.
	DaemonSet *DaemonSetRelease
	Template  revision.Template // the new one; of a DaemonSet the hash is the ID
	Traffic   traffic.Objects   // what leads to the Deployment
}

// RolloutConfig adjusts [RunRollout].
type RolloutConfig struct {
	Kubelet   Kubelet
	TimeLimit time.Duration // virtual time after which the run gives up; 0 means a day
	Latency   time.Duration // as of [Config]
	Options   kruise.Options
	// ApproveAfter is how long a person takes to confirm a step that waits for one;
	// negative is never.
	ApproveAfter time.Duration
}

// A RolloutResult is how a release went.
type RolloutResult struct {
	Steps  []RolloutStep // at least one: the last is the end
	Done   bool          // whether all pods are new and available, and the Rollout has let go
	Holds  []kruise.Hold // what the Rollout waits for at the end
	GaveUp time.Duration // as of [Result]; what the Rollout waits for is that at the limit

	Passes   []RolloutPass // in the order of time; nil unless the [Kubelet] has a Recording
	Template string        // the hash that the new template has in Passes
}

// A RolloutStep is the cluster after something in it has changed.
type RolloutStep struct {
	Time      time.Duration    `json:"-"`           // since the start
	By        Role             `json:"by,omitzero"` // who changed it last, "" before that
	Phase     kruise.Phase     `json:"phase"`
	Step      int32            `json:"step"` // from 1; 0 before the first
	State     kruise.StepState `json:"state,omitzero"`
	New       int32            `json:"new"` // pods of the new template: wanted ones of a Deployment, and else those that are there
	Old       int32            `json:"old"`
	NewReady  int32            `json:"newReady"`
	OldReady  int32            `json:"oldReady"`
	Available int32            `json:"available"`
	// Traffic is the percent of the requests that the new pods get, rounded down, -1 if there
	// is neither a route nor an Ingress. A Service shares requests out among the ready pods
	// that it selects. Requests that a match leads elsewhere do not count.
	Traffic int32 `json:"traffic"`
}

// RunRollout releases the new template, and lets the planners of packages rollout,
// deploy and replicaset act until nothing will happen any more, or the time limit is
// reached. Nothing goes wrong but what the Kubelet says.
func RunRollout(c RolloutRelease, cfg RolloutConfig) (RolloutResult, error) {
	w, rec, err := beginRollout(c, cfg)
	if err != nil {
		return RolloutResult{}, fmt.Errorf("before the release: %w", err)
	}
	if err := w.runCalm(cfg.TimeLimit, cfg.Latency); err != nil {
		return RolloutResult{}, fmt.Errorf("after %v: %w", w.now.Sub(rec.start), err)
	}
	cfg.Kubelet.Recording.rename(c.names(w.ref.Name))
	return rec.result(), nil
}

// names returns what is called otherwise in a world, and its own name: the ReplicaSets of a
// workload, whose hashes are the IDs of templates there.
func (c *RolloutRelease) names(workload string) (pairs []string) {
	for _, t := range []revision.Template{c.Deployment.Template, c.Template} {
		if t.ID != "" && t.Hash != "" {
			pairs = append(pairs, workload+"-"+t.ID, workload+"-"+t.Hash)
		}
	}
	return pairs
}

// beginRollout returns a world in which the new template has just been admitted.
func beginRollout(c RolloutRelease, cfg RolloutConfig) (*World, *rolloutRecorder, error) {
	w := calmWorld(c.Now, cfg.Kubelet)
	w.fair = true
	if name := cmp.Or(c.Rollout.WorkloadRef.Name, c.Deployment.Name); name != "" {
		w.ref.Name = name
	}
	w.beginWorkload(&c)
	w.createRouting(&c.Traffic)
	r := &Rollout{Rollout: c.Rollout}
	r.Status, r.Generation, r.UID, r.Finalizers = kruise.Status{}, 1, "", nil
	r.WorkloadRef = w.ref
	create(w, &w.store.rollouts, by(User), r)
	w.addRolloutControllers(cfg.Options)
	w.follow()
	if err := w.runCalm(0, 0); err != nil {
		return nil, nil, err
	}
	w.now = w.now.Add(time.Hour)
	cfg.Kubelet.Recording.begin(w.now)
	rec := &rolloutRecorder{world: w, start: w.now, template: c.Template.ID, approveAfter: cfg.ApproveAfter}
	rec.watch()
	if cfg.Kubelet.Recording != nil {
		rec.explain()
	}
	w.admit(func(d *workload.Workload) { d.Template = c.Template })
	return w, rec, nil
}

// beginWorkload creates the workload as it is before a release, and who looks after it. What
// is released later finds it by its name here, and pods by their labels.
func (w *World) beginWorkload(c *RolloutRelease) {
	switch {
	case c.Set != nil:
		w.beginSet(c.Set)
		return
	case c.DaemonSet != nil:
		w.beginDaemonSet(c.DaemonSet)
		return
	}
	w.addDeploymentController(deploy.Options{})
	w.addReplicaSetController(replicaset.Options{})
	d := &Deployment{Deployment: c.Deployment, CreatedAt: c.Now}
	d.Name, d.UID, d.Status, d.Annotations, d.Generation = w.ref.Name, "", deploy.Status{}, nil, 1
	d.Selector, d.TemplateLabels = selector.FromLabels(appWeb), appWeb
	create(w, &w.store.deployments, by(User), d)
}

// createRouting creates what leads requests to the Deployment.
func (w *World) createRouting(t *traffic.Objects) {
	s := w.store
	if t.Stable != nil {
		create(w, &s.services, by(User), &Service{Service: *t.Stable})
	}
	if t.Route != nil {
		route := *t.Route
		create(w, &s.routes, by(User), &route)
	}
	if t.Ingress != nil {
		ingress := *t.Ingress
		create(w, &s.ingresses, by(User), &ingress)
	}
}

// A rolloutRecorder makes steps of what is written.
type rolloutRecorder struct {
	world    *World
	start    time.Time
	template string // the ID of the new one
	// approveAfter is how long a person takes to confirm a step; negative is never.
	approveAfter time.Duration
	steps        []RolloutStep
	last         Planned[kruise.Snapshot, kruise.Options, kruise.Plan] // of the Rollout
	passes       []RolloutPass
	waits        map[Role][]selector.Hold[string] // what each has waited for last
	pods, ready  map[string]int32                 // by what they were made from, see madeFrom
}

// madeFrom returns what tells pods of templates apart: the UID of their ReplicaSet, or their
// revision if they have none.
func madeFrom(p *podorder.Pod) string {
	if p.ControllerKind == replicaset.Kind {
		return p.ControllerUID
	}
	return podset.RevisionOf(p)
}

// watch makes the recorder see all that happens from now on.
func (r *rolloutRecorder) watch() {
	w := r.world
	w.written, w.Observer.Rollout = r.written, r.planned
	r.pods, r.ready, r.waits = map[string]int32{}, map[string]int32{}, map[Role][]selector.Hold[string]{}
	w.store.pods.tell = append(w.store.pods.tell, r.count)
	for _, p := range w.store.pods.all() {
		r.count(nil, p)
	}
	w.store.daemons.tell = append(w.store.daemons.tell, r.countDaemon)
	for _, p := range w.store.daemons.all() {
		r.countDaemon(nil, p)
	}
}

// count counts a pod that has changed.
func (r *rolloutRecorder) count(old, p *podorder.Pod) {
	for change, p := range map[int32]*podorder.Pod{-1: old, 1: p} {
		if p == nil || !p.Active() {
			continue
		}
		r.pods[madeFrom(p)] += change
		if p.Ready && p.Phase == podorder.Running {
			r.ready[madeFrom(p)] += change
		}
	}
}

// begin makes the state as it is the first step.
func (r *rolloutRecorder) begin() {
	r.watch()
	first := r.describe()
	r.steps = append(r.steps, first)
	if first.State == kruise.StatePaused {
		r.confirmLater(r.world.store.rollouts.all()[0])
	}
}

// confirmLater lets a person confirm the step, if it waits for one, and no other template has come
// by then.
func (r *rolloutRecorder) confirmLater(o *Rollout) {
	sub := o.Status.Sub
	if sub == nil || r.approveAfter < 0 {
		return
	}
	if kind, _ := kruise.PauseOf(o.Rollout, sub.CurrentStepIndex, sub.LastUpdateTime, workload.RepairAll); kind == kruise.PauseManual {
		step, revision, name := sub.CurrentStepIndex, sub.Revision, o.Name
		r.world.schedule(r.world.now.Add(r.approveAfter), confirm, errand{do: func() {
			now := r.world.store.rollouts.named(name)
			if now != nil && now.Status.Sub != nil && now.Status.Sub.CurrentStepIndex == step && now.Status.Sub.Revision == revision {
				r.world.approve()
			}
		}})
	}
}

func (r *rolloutRecorder) planned(p Planned[kruise.Snapshot, kruise.Options, kruise.Plan]) error {
	r.last = p
	return nil
}

func (r *rolloutRecorder) written(by Role) {
	s := r.describe()
	s.By = by
	if n := len(r.steps); n > 0 {
		last := r.steps[n-1]
		last.Time, last.By = s.Time, s.By
		if last == s {
			return
		}
		if s.State == kruise.StatePaused && last.State != s.State {
			r.confirmLater(r.world.store.rollouts.all()[0])
		}
	}
	r.steps = append(r.steps, s)
}

// describe returns the numbers of a cluster. It does not look at pods, for it is called
// after each write.
func (r *rolloutRecorder) describe() RolloutStep {
	s := r.world.store
	step := RolloutStep{Time: r.world.now.Sub(r.start)}
	for _, o := range s.rollouts.all() {
		status := &o.Status
		step.Phase = status.Phase
		if sub := status.Sub; sub != nil {
			step.Step, step.State = sub.CurrentStepIndex, sub.CurrentStepState
		}
		if status.Phase != kruise.PhaseProgressing || status.ProgressingReason() == kruise.ProgressInitializing {
			step.Step, step.State = 0, "" // they are those of the release before
		}
	}
	for _, rs := range s.replicaSets.all() {
		if rs.Template.ID == r.template {
			step.New += sizeOf(rs)
			step.NewReady += r.ready[rs.UID]
		} else {
			step.Old += sizeOf(rs)
			step.OldReady += r.ready[rs.UID]
		}
		step.Available += rs.Status.AvailableReplicas
	}
	for _, o := range s.sets.all() {
		r.describePods(&step, o.Name+"-"+r.template, o.Status.AvailableReplicas)
	}
	for _, d := range s.daemonSets.all() {
		r.describePods(&step, r.template, d.Status.NumberAvailable)
	}
	step.Traffic = r.ledToNew(&step)
	return step
}

func (r *rolloutRecorder) result() RolloutResult {
	end := r.describe()
	end.By = RolloutController
	wanted := end.New + end.Old
	done := end.Phase == kruise.PhaseHealthy && end.Old == 0 && end.New > 0 && end.Available == wanted && len(r.world.store.batchReleases.all()) == 0
	result := RolloutResult{
		Steps: r.steps, Done: done, Holds: r.holds(), GaveUp: r.world.gaveUp(r.start), Passes: r.passes, Template: r.template,
	}
	if n := len(r.steps); n > 0 {
		end.Time, end.By = r.steps[n-1].Time, r.steps[n-1].By // since when nothing has changed
		if r.steps[n-1] == end {
			return result
		}
	}
	result.Steps = append(result.Steps, end)
	return result
}

// holds returns what the Rollout waits for at the end. A run that is cut short ends behind its
// last pass, and more of a pause has passed by then.
func (r *rolloutRecorder) holds() []kruise.Hold {
	if r.world.cut {
		p, err := kruise.Reconcile(r.last.Snapshot, r.world.deadline, r.last.Options)
		if err == nil && len(p.Actions) == 0 {
			return p.Holds
		}
	}
	return r.last.Plan.Holds
}
