// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/apply"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A batchController carries out the plans of the batch pass. It keeps nothing in
// memory.
type batchController struct {
	*controller
	options  batchrelease.Options
	followed map[string]*followedBatch // by name
}

func (c *batchController) forget() {}

func (c *batchController) keys() (names []string) {
	for _, br := range c.w.store.batchReleases.at(c.view[KindBatchRelease]) {
		names = append(names, br.Name)
	}
	return names
}

// watch enters all BatchReleases if what they drive has changed, and one whose wanted
// state has. Its own status wakes nobody, unless it is being deleted.
func (c *batchController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.batchReleases.between(from[KindBatchRelease], c.view[KindBatchRelease], skip, func(old, br *BatchRelease) {
		if br != nil && (old == nil || old.Generation != br.Generation || !br.DeletionTimestamp.IsZero() || old.UID != br.UID) {
			c.enter(br.Name)
		}
	})
	for _, k := range c.reads[1:] {
		if from[k] != c.view[k] && s.touched[k] > min(from[k], c.view[k]) {
			c.resync()
			return
		}
	}
}

// planFor returns a plan for a BatchRelease and what it was made from, nil if the BatchRelease is
// not there. Of a Deployment of a world that is followed it has no pods.
func (c *batchController) planFor(name string, now time.Time) (*batchrelease.Snapshot, *BatchRelease, batchrelease.Plan, error) {
	s := c.w.store
	br := find(&s.batchReleases, s.batchReleases.at(c.view[KindBatchRelease]), name)
	if br == nil {
		delete(c.followed, name)
		return nil, nil, batchrelease.Plan{}, nil
	}
	snapshot := &batchrelease.Snapshot{Release: br.Release}
	k := releasedOf(br.WorkloadRef)
	if snapshot.Workload, _ = k.at(c.w, &c.view, br.WorkloadRef.Name); snapshot.Workload != nil {
		if of := k.batch(c.w, &c.view, br, snapshot); of != "" {
			f := c.follow(name, of)
			_ = f.tracker.Apply(batchrelease.Delta{Rest: snapshot}) // only what happens to a pod can be refused
			p, err := f.tracker.Plan(now, c.options)
			return snapshot, br, p, err
		}
	}
	p, err := batchrelease.Reconcile(*snapshot, now, c.options)
	return snapshot, br, p, err
}

func (c *batchController) begin(name string) func() bool {
	now := c.now()
	s, br, p, err := c.planFor(name, now)
	if s == nil {
		return nil
	}
	c.corrected = c.options.Repair != 0
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("batch release %s: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %v %s", c.Role, c.Instance, name, c.lag(), p, p.Status, p.Failure)
	}
	if f := c.w.Observer.Batch; f != nil {
		c.w.fail(f(Planned[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]{
			By: c.Actor, Snapshot: *s, Now: now, Options: c.options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
		}))
	}
	c.wakeAt(p.RecheckAt, name)
	pass := &batchPass{c: c, br: br, plan: p}
	if len(p.Actions) == 0 && p.Failure == "" && sameBatchStatus(&p.Status, &br.Status) {
		c.retries = 0
		return nil
	}
	return pass.next
}

// A batchPass carries out one plan of a BatchRelease.
type batchPass struct {
	c       *batchController
	br      *BatchRelease
	plan    batchrelease.Plan
	version string // behind the own writes, "" before the first
	done    int
}

// next performs the next request of the pass. In a calm world the labels of all pods are
// written at once: who plans for pods would read all of them anew behind each.
func (p *batchPass) next() bool {
	for p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		if p.perform(a) != done {
			p.c.retry(p.br.Name)
			return false
		}
		if _, label := a.(batchrelease.LabelPod); !label || p.c.w.deadline.IsZero() {
			return true
		}
	}
	status := done
	if !sameBatchStatus(&p.plan.Status, &p.br.Status) {
		status = p.write(UpdateStatus, nil, func(br *BatchRelease) { br.Status = p.plan.Status })
	}
	if status != done && status != notFound || p.plan.Failure != "" {
		p.c.retry(p.br.Name)
		return false
	}
	p.c.retries = 0
	return false
}

// write changes the BatchRelease if it still is as this pass has seen it.
func (p *batchPass) write(verb Verb, action fmt.Stringer, f func(*BatchRelease)) answer {
	c := p.c
	if p.version == "" {
		p.version = p.br.ResourceVersion
	}
	return c.ask(func() answer {
		br, a := update(c.w, &c.w.store.batchReleases, c.request(verb, p.br.Name, precondition{p.br.UID, p.version}, action), f)
		if a == done {
			p.version = br.ResourceVersion
			if !br.DeletionTimestamp.IsZero() && len(br.Finalizers) == 0 {
				remove(c.w, &c.w.store.batchReleases, request{by: Actor{Role: Collector}, name: br.Name, fresh: true})
			}
		}
		return a
	})
}

// apply returns what an action makes of objects as they are. No plan has an action that is
// refused.
func (p *batchPass) apply(a batchrelease.Action, s batchrelease.Snapshot) batchrelease.Snapshot {
	after, err := batchrelease.Apply(s, a, p.c.w.now)
	if err != nil {
		p.c.w.fail(fmt.Errorf("batch release %s: %v: %w", p.br.Name, a, err))
		return s
	}
	return after
}

func (p *batchPass) perform(a batchrelease.Action) answer {
	c := p.c
	w := c.w
	switch a := a.(type) {
	case batchrelease.SetFinalizer:
		return p.finalizer(a)
	case batchrelease.PatchWorkload:
		return c.patchWorkload(a, a.UID, a.Workload, &a.Patch)
	case batchrelease.LabelPod:
		return c.ask(func() answer {
			return releasedOf(p.br.WorkloadRef).changePod(w, c.request(Update, a.Name, precondition{uid: a.UID}, a), func(o *podorder.Pod) {
				o.Labels = p.apply(a, batchrelease.Snapshot{Pods: []workload.Pod{{Name: o.Name, UID: a.UID, Labels: o.Labels}}}).Pods[0].Labels
			})
		})
	case batchrelease.PatchReplicaSet: // which no snapshot shows
		return c.ask(func() answer {
			_, answer := update(w, &w.store.replicaSets, c.request(Update, a.Name, precondition{}, a), func(rs *replicaSet) {
				rs.MinReadySeconds = a.MinReadySeconds
				rs.Generation++
			})
			return answer
		})
	case batchrelease.CreateCanary:
		return c.ask(func() answer { return p.createCanary(a) })
	}
	p.apply(a, batchrelease.Snapshot{}) // which is refused
	return invalid
}

// createCanary stores what the action makes of the stable Deployment. The world gives it a name
// if it has none, and the finalizer, which no snapshot shows.
func (p *batchPass) createCanary(a batchrelease.CreateCanary) answer {
	w := p.c.w
	stable := w.store.deployments.named(a.Stable)
	if stable == nil {
		return notFound
	}
	d := *stable
	d.Finalizers = nil
	seen := w.workloadOf(stable)
	canary := p.apply(a, batchrelease.Snapshot{Workload: &seen}).Canary
	if d.Name = canary.Name; a.Name == "" {
		w.serial++
		d.Name, d.Finalizers = a.GenerateName+strconv.Itoa(w.serial), []string{workload.FinalizerCanaryDeployment}
	}
	take(&d, canary)
	d.UID, d.ResourceVersion, d.Generation = "", "", canary.Generation
	d.OwnerUID, d.CreatedAt, d.Status = p.br.UID, w.now, deploy.Status{}
	_, answer := create(w, &w.store.deployments, p.c.request(Create, d.Name, precondition{}, a), &d)
	return answer
}

func (p *batchPass) finalizer(a batchrelease.SetFinalizer) answer {
	c := p.c
	if a.Kind != deploy.Kind {
		return p.write(Update, a, func(br *BatchRelease) { br.Release = p.apply(a, batchrelease.Snapshot{Release: br.Release}).Release })
	}
	return goneToo(c.ask(func() answer {
		_, answer := update(c.w, &c.w.store.deployments, c.request(Update, a.Name, precondition{uid: a.UID}, a), func(d *Deployment) {
			d.Finalizers = apply.Finalizers(d.Finalizers, a.Finalizer, a.Remove)
		})
		return answer
	}))
}
