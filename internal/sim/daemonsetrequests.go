// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// perform asks for one write: what daemonset.Apply makes of the object as it is.
func (p *daemonSetPass) perform(a daemonset.Action) answer {
	c := p.c
	o, _ := daemonset.ObjectOf(a)
	switch a := a.(type) {
	case daemonset.CreatePod:
		return c.ask(func() answer { return p.createPod(a) })
	case daemonset.DeletePod:
		return c.ask(func() answer {
			pod := c.w.store.podNamed(a.Name, true)
			if pod.Pod == nil {
				return c.w.answered(notFound)
			}
			return c.w.deletePod(pod, p.request(Delete, a.Object, a))
		})
	case daemonset.CreateRevision:
		return c.ask(func() answer {
			r := p.apply(a, daemonset.Snapshot{}).Revisions[0]
			r.UID = "" // the store gives it one
			_, answer := create(c.w, &c.w.store.revisions, p.request(Create, daemonset.Object{Name: a.Name}, a), &r)
			return answer
		})
	case daemonset.DeleteRevision:
		return c.ask(func() answer { return remove(c.w, &c.w.store.revisions, p.request(Delete, a.Object, a)) })
	case daemonset.AdoptPod, daemonset.AdoptRevision:
		if !p.live() {
			return invalid
		}
	}
	switch a.(type) {
	case daemonset.UpdateRevision, daemonset.AdoptRevision, daemonset.ReleaseRevision:
		return c.ask(func() answer {
			_, answer := update(c.w, &c.w.store.revisions, p.request(Update, o, a), func(r *revision.ControllerRevision) {
				*r = p.apply(a, daemonset.Snapshot{Revisions: []revision.ControllerRevision{*r}}).Revisions[0]
			})
			return answer
		})
	}
	return p.changePod(o, a)
}

// apply returns what an action makes of objects of the DaemonSet. No plan has an action that
// is refused.
func (p *daemonSetPass) apply(a daemonset.Action, s daemonset.Snapshot) daemonset.Snapshot {
	s.DaemonSet = p.s.DaemonSet
	after, err := daemonset.Apply(s, a, p.c.w.now)
	if err != nil {
		p.c.w.fail(fmt.Errorf("daemon set %s: %v: %w", s.DaemonSet.Name, a, err))
		return s
	}
	return after
}

func (p *daemonSetPass) changePod(o daemonset.Object, a daemonset.Action) answer {
	c := p.c
	return c.ask(func() answer {
		pod, answer := update(c.w, &c.w.store.daemons, p.request(Update, o, a), func(o *daemonset.Pod) {
			before := o.Pod
			*o = p.apply(a, daemonset.Snapshot{Pods: []daemonset.Pod{*o}}).Pods[0]
			p.readiness(o, &before, a)
		})
		if answer == done && pod.InPlace != nil && !pod.InPlace.True {
			c.w.schedulePod(c.w.store.podNamed(pod.Name, true), pull, c.w.delay(c.w.pace.start))
		}
		return answer
	})
}

// readiness is what the node makes of the gates of a pod: it knows none but that of updates
// in place, of which all pods take part.
func (p *daemonSetPass) readiness(o *daemonset.Pod, before *podorder.Pod, action daemonset.Action) {
	now := p.c.w.now
	switch a := action.(type) {
	case daemonset.PreparePod:
		o.Ready, o.ReadySince = before.Ready, before.ReadySince
	case daemonset.UpdatePod:
		o.Ready, o.ReadySince, o.InPlace = false, now, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
	case daemonset.RefreshPod:
		if a.OpenGate && containersReady(o) && !o.Ready {
			o.Ready, o.ReadySince = true, now
		}
	}
}

func (p *daemonSetPass) createPod(a daemonset.CreatePod) answer {
	w := p.c.w
	if w.podLimit > 0 && len(w.store.daemons.all()) >= w.podLimit {
		return w.answered(forbidden)
	}
	var s daemonset.Snapshot
	if a.Gate || a.Revision != "" { // its containers and its node are those of its revision
		s.Revisions = fill(nil, w.store.revisions.all())
	}
	pod := &p.apply(a, s).Pods[0]
	// Nobody writes to labels. Those of thousands of pods would lie far apart, where one map for all is near.
	if !maps.Equal(pod.Labels, p.c.labels) {
		p.c.labels = pod.Labels
	}
	pod.Labels = p.c.labels
	pod.Name, pod.UID = w.podName(p.s.DaemonSet.Name), ""
	_, answer := create(w, &w.store.daemons, p.request(Create, daemonset.Object{Name: pod.Name}, a), pod)
	if answer == done {
		w.beginPod(w.store.podAt(w.store.daemons.last(), true))
	}
	return answer
}
