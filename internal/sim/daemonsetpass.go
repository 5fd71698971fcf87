// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A daemonSetPass carries out one plan.
type daemonSetPass struct {
	c       *daemonSetController
	s       *daemonset.Snapshot
	plan    daemonset.Plan
	version string // of the DaemonSet
	done    int
	failed  bool
}

// expect raises what is expected, before the requests are made.
func (p *daemonSetPass) expect(now time.Time) {
	var deleted []string
	creations := int64(0)
	for _, a := range p.plan.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			creations++
		case daemonset.DeletePod:
			deleted = append(deleted, a.Name)
		}
	}
	if creations > 0 || len(deleted) > 0 {
		e := replicaset.ExpectDeletions(deleted, now)
		e.Creations, e.At = creations, now
		p.c.expected[p.s.DaemonSet.Name] = e
	}
}

func (p *daemonSetPass) next() bool {
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		if p.perform(a) == done {
			return true
		}
		p.failed = true
		return p.missed(a)
	}
	name := p.s.DaemonSet.Name
	if !sameDaemonSetStatus(&p.plan.Status, &p.s.DaemonSet.Status) && p.writeStatus(p.plan.Status) != done {
		p.failed = true
	}
	if p.failed {
		p.c.retry(name)
		return false
	}
	p.c.retries = 0
	return false
}

// missed lowers what is expected by a request that failed, and reports whether the
// pass goes on. Pods do not depend on each other.
func (p *daemonSetPass) missed(a daemonset.Action) bool {
	name := p.s.DaemonSet.Name
	switch a := a.(type) {
	case daemonset.CreatePod:
		p.c.expected[name] = p.c.expected[name].Lower(1, 0)
		return true
	case daemonset.DeletePod:
		p.c.expected[name] = p.c.expected[name].DeletionObserved(a.Name)
		return true
	case daemonset.CreateRevision:
		p.taken(a)
	}
	delete(p.c.expected, name) // nothing of the rest is asked for
	p.c.retry(name)
	return false
}

// taken does what follows if the name of a new revision is taken.
func (p *daemonSetPass) taken(a daemonset.CreateRevision) {
	c, w := p.c, p.c.w
	existing := w.store.revisions.named(a.Name)
	stored := w.store.daemonSets.named(p.s.DaemonSet.Name)
	if existing == nil || stored == nil {
		return
	}
	options := revision.Options{}
	if c.options.Repair.Has(daemonset.SerialisationIsVersion) {
		options.Repair = revision.SerialisationIsVersion
	}
	count, err := revision.DaemonSetTaken(
		p.s.DaemonSet.Name, a.Data, *existing, p.s.DaemonSet.Status.CollisionCount, stored.Status.CollisionCount, options,
	)
	if err != nil || count == nil {
		return
	}
	w.count(HashCollided)
	status := stored.Status
	status.CollisionCount = count
	p.version = stored.ResourceVersion
	p.writeStatus(status)
}

func (p *daemonSetPass) writeStatus(status daemonset.Status) answer {
	c, d := p.c, &p.s.DaemonSet
	for range 2 {
		a := c.ask(func() answer {
			_, a := update(c.w, &c.w.store.daemonSets, c.request(UpdateStatus, d.Name, precondition{d.UID, p.version}, nil),
				func(d *DaemonSet) { d.Status = status })
			return a
		})
		if a != conflict {
			return a
		}
		live := c.w.store.daemonSets.named(d.Name)
		if live == nil {
			return notFound
		}
		p.version = live.ResourceVersion
	}
	return conflict
}

func (p *daemonSetPass) request(verb Verb, o daemonset.Object, a daemonset.Action) request {
	r := p.c.request(verb, o.Name, precondition{o.UID, o.ResourceVersion}, a)
	r.expect = !p.c.blind && p.c.sight != SeesAnything
	return r
}

// live reports whether the DaemonSet really is the one that was seen, and stays.
func (p *daemonSetPass) live() bool {
	d := p.c.w.store.daemonSets.named(p.s.DaemonSet.Name)
	return d != nil && d.UID == p.s.DaemonSet.UID && d.DeletionTimestamp.IsZero()
}
