// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// A setController carries out the plans of package podset. It keeps in memory up to which
// version of the store it must see before it may plan again.
type setController struct {
	*controller
	plan  func(podset.Snapshot, time.Time) podset.Plan // nil means podset.Reconcile
	known map[string]int64
}

func (w *World) addSetController() *setController {
	c := &setController{controller: &controller{}, known: map[string]int64{}}
	w.store.pods.tell = append(w.store.pods.tell, c.told)
	w.addController(c.controller, c, SetController, KindSet, KindPod)
	return c
}

func (c *setController) forget() { clear(c.known) }

func (c *setController) keys() (names []string) {
	for _, o := range c.w.store.sets.at(c.view[KindSet]) {
		names = append(names, o.Name)
	}
	return names
}

// watch enters all sets if any has changed, or any pod.
func (c *setController) watch(from *[kinds]int64, _ bool) {
	for _, k := range c.reads {
		if from[k] != c.view[k] && c.w.store.touched[k] > min(from[k], c.view[k]) {
			c.resync()
			return
		}
	}
}

// told is told at once of a pod that has changed.
func (c *setController) told(_, _ *podorder.Pod) {
	if c.queue.len() < len(c.w.store.sets.all()) {
		c.resync()
	}
}

func (c *setController) begin(name string) func() bool {
	w, s := c.w, c.w.store
	o := s.sets.namedAt(c.view[KindSet], name)
	if o == nil || !w.calm && min(c.view[KindSet], c.view[KindPod]) < c.known[name] {
		return nil // what it waits for enters the set again
	}
	snapshot := podset.Snapshot{Set: o.Set}
	snapshot.Set.Template.Hash = w.hash(o.Template.ID, nil)
	for _, p := range s.pods.at(c.view[KindPod]) {
		if p.ControllerUID == o.UID {
			snapshot.Pods = append(snapshot.Pods, *p)
		}
	}
	reconcile := c.plan
	if reconcile == nil {
		reconcile = podset.Reconcile
	}
	p := reconcile(snapshot, c.now())
	c.corrected = true
	w.Plans++
	if w.Trace != nil {
		w.tracef("%s %d plans for %s, %d behind: %v; %v", c.Role, c.Instance, name, c.lag(), p.Actions, p.Status)
	}
	c.wakeAt(p.RecheckAt, name)
	pass := &setPass{c: c, set: &snapshot.Set, version: o.ResourceVersion, plan: p}
	if len(p.Actions) == 0 && pass.same() {
		c.retries = 0
		return nil
	}
	return pass.next
}

// A setPass carries out one plan of a set.
type setPass struct {
	c       *setController
	set     *podset.Set
	version string
	plan    podset.Plan
	done    int
}

// same reports whether the set has the status of the plan already.
func (p *setPass) same() bool {
	return p.set.Status == p.plan.Status && p.set.StableRevision == p.plan.StableRevision && p.set.UpdateRevision == p.plan.UpdateRevision
}

func (p *setPass) next() bool {
	c, name := p.c, p.set.Name
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		answer := c.ask(func() answer { return p.perform(a) })
		c.known[name] = c.wrote
		if answer != done && !(a.Verb == podset.Delete && answer == notFound) {
			c.retry(name)
			return false
		}
		return true
	}
	if !p.same() && p.writeStatus() != done {
		c.retry(name)
		return false
	}
	c.known[name] = c.wrote
	c.retries = 0
	return false
}

// writeStatus writes the status, once more on the live object after a conflict.
func (p *setPass) writeStatus() answer {
	c := p.c
	for range 2 {
		a := c.ask(func() answer {
			r := c.request(UpdateStatus, p.set.Name, precondition{p.set.UID, p.version}, nil)
			_, a := update(c.w, &c.w.store.sets, r, func(o *Set) {
				o.Status, o.StableRevision, o.UpdateRevision = p.plan.Status, p.plan.StableRevision, p.plan.UpdateRevision
			})
			return a
		})
		live := c.w.store.sets.named(p.set.Name)
		if a != conflict || live == nil {
			return a
		}
		p.version = live.ResourceVersion
	}
	return conflict
}

func (p *setPass) perform(a podset.Action) answer {
	c, w := p.c, p.c.w
	r := c.request(Update, a.Name, precondition{uid: a.UID}, a)
	switch a.Verb {
	case podset.Create:
		return p.create(a)
	case podset.Delete:
		pod := w.store.podNamed(a.Name, false)
		if pod.Pod == nil {
			return w.answered(notFound)
		}
		r.verb = Delete
		return w.deletePod(pod, r)
	case podset.Mark:
		_, answer := update(w, &w.store.pods, r, func(o *podorder.Pod) { o.Labels = labelled(o.Labels, podset.LabelMarked, "true") })
		return answer
	}
	_, answer := update(w, &w.store.pods, r, func(o *podorder.Pod) {
		for key, value := range p.set.PodLabels(a.Revision) {
			o.Labels = labelled(o.Labels, key, value)
		}
		o.Ready, o.ReadySince = false, w.now
	})
	if answer == done {
		w.beginStart(w.store.podNamed(a.Name, false))
	}
	return answer
}

// create creates a pod, whose life begins.
func (p *setPass) create(a podset.Action) answer {
	w, name := p.c.w, a.Name
	if w.podLimit > 0 && len(w.store.pods.all()) >= w.podLimit || w.spare(revision.Template{}) == 0 {
		return w.answered(forbidden)
	}
	for name == "" || a.Name == "" && w.store.pods.number(name) != gone {
		w.serial++
		text := strconv.Itoa(w.serial)
		name = p.set.Name + "-" + revision.SafeEncode("00000"[min(len(text), 5):]+text)
	}
	o := &podorder.Pod{
		Name: name, Labels: p.set.PodLabels(a.Revision), ControllerKind: p.set.Kind, ControllerName: p.set.Name, ControllerUID: p.set.UID,
		CreationTimestamp: w.now, Phase: podorder.Pending,
	}
	_, answer := create(w, &w.store.pods, p.c.request(Create, name, precondition{}, a), o)
	if answer == done {
		w.beginPod(w.store.podNamed(name, false))
	}
	return answer
}
