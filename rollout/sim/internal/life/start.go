// SPDX-License-Identifier: Apache-2.0

package life

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// change applies a function to a copy of a pod and stores it, as its kubelet does.
func (l *Pods) change(e *pod, s store.Stage, f func(*store.Pod)) {
	p := *e.Now
	f(&p)
	l.Server.Pods.Replace(store.Cause{By: store.Kubelet, Verb: store.Update, Stage: s}, e, &p)
}

// starts lets a pod start that has a node, which pulls its images unless it has them.
func (l *Pods) starts(e *pod) {
	p := e.Now
	if p.Hold.Unready || l.onMissingNode(p) {
		return
	}
	if p.Phase == podorder.Running { // it started before
		l.becomesReady(e)
		return
	}
	if l.template(p).NeverStarts {
		return
	}
	pulled := func() { l.Agenda.After(l.takes(e.Now, store.Started), agenda.Life, func() { l.running(e) }) }
	i := image{p.NodeName, p.Template}
	if i.template != "" && l.images[i] {
		pulled()
		return
	}
	l.images[i] = true
	d := l.takes(p, store.Pulled)
	if d == 0 {
		pulled()
		return
	}
	l.Agenda.After(d, agenda.Life, func() {
		if alive(e) {
			l.Tell(store.Write{Cause: store.Cause{By: store.Kubelet, Verb: store.Update, Stage: store.Pulled}, Kind: store.KindPod, Name: p.Name, UID: p.UID})
			pulled()
		}
	})
}

// onMissingNode reports whether the template of a pod names a node that the cluster has not, so that
// no kubelet starts the pod.
func (l *Pods) onMissingNode(p *store.Pod) bool {
	if l.Nodes.Len() == 0 || p.NodeName == "" || l.template(p).NodeName != p.NodeName {
		return false
	}
	_, exists := l.Nodes.Index(p.NodeName)
	return !exists
}

// running is when the containers of a pod run.
func (l *Pods) running(e *pod) {
	if !alive(e) || e.Now.Phase == podorder.Running {
		return
	}
	if l.stalls(e, func() { l.running(e) }) {
		return
	}
	l.change(e, store.Started, func(p *store.Pod) { p.Phase = podorder.Running })
	l.becomesReady(e)
}

// becomesReady enters when a pod that runs is ready, if it ever is.
func (l *Pods) becomesReady(e *pod) {
	if !l.everReady(e.Now) {
		return
	}
	d := l.takes(e.Now, store.Ready)
	if l.Trouble.Strikes(trouble.Readiness, 0.08) {
		l.Trouble.Count(trouble.PodSlow)
		d += l.late()
	}
	l.Agenda.After(d, agenda.Life, func() { l.ready(e) })
}

// everReady reports whether a pod that runs becomes ready.
func (l *Pods) everReady(p *store.Pod) bool {
	t := l.template(p)
	return !t.NeverReady && !t.NeverStarts && !p.Hold.Unready
}

// ready is when a pod is ready.
func (l *Pods) ready(e *pod) {
	if !alive(e) || e.Now.NodeName == "" || e.Now.Ready || l.stalls(e, func() { l.ready(e) }) {
		return
	}
	if slices.Contains(e.Now.ReadinessGates, inplace.Gate) {
		l.runImages(e)
		if e.Now.InPlace == nil || !e.Now.InPlace.True {
			return // the controller that opens the gate makes it ready
		}
	}
	l.change(e, store.Ready, func(p *store.Pod) { p.Phase, p.Ready, p.ReadySince = podorder.Running, true, l.clock() })
	if l.Trouble.Strikes(trouble.Readiness, 0.05) {
		l.Agenda.After(l.takes(e.Now, store.Ready)+time.Second, agenda.Mischief, func() { l.crashes(e) })
	}
}

// Restart lets a pod become ready again, which a controller has updated in place.
func (l *Pods) Restart(name string) {
	if e := l.Server.Pods.Entry(name); e != nil && alive(e) && e.Now.NodeName != "" {
		l.starts(e)
	}
}

// Unready lets a pod be unready for a while. It reports whether it was ready.
func (l *Pods) Unready(name string) bool {
	e := l.Server.Pods.Entry(name)
	if e == nil || !alive(e) || !e.Now.Ready {
		return false
	}
	l.unready(e)
	l.becomesReady(e)
	return true
}

func (l *Pods) unready(e *pod) {
	l.change(e, "", func(p *store.Pod) { p.Ready, p.ReadySince = false, l.Agenda.Now() })
}

// crashes is when a container crashes, and is started again.
func (l *Pods) crashes(e *pod) {
	if !alive(e) || !e.Now.Ready {
		return
	}
	l.Trouble.Count(trouble.PodCrashLoop)
	l.change(e, "", func(p *store.Pod) { p.Ready, p.ReadySince, p.Restarts = false, l.Agenda.Now(), p.Restarts+1 })
	l.becomesReady(e)
}

// Pull lets a pod with a gate run the images that it should after a while.
func (l *Pods) Pull(name string) {
	e := l.Server.Pods.Entry(name)
	if e == nil {
		return
	}
	l.Agenda.After(l.takes(e.Now, store.Started), agenda.Life, func() {
		if !alive(e) || e.Now.NodeName == "" {
			return
		}
		l.runImages(e)
		// Once the gate is open, nothing else decides whether the pod is ready.
		if d := e.Now; d.InPlace != nil && d.InPlace.True && d.Ready != ContainersReady(d) {
			l.change(e, "", func(p *store.Pod) { p.Ready, p.ReadySince = !p.Ready, l.Agenda.Now() })
		}
	})
}

// runImages lets the containers of a pod run the images that they should.
func (l *Pods) runImages(e *pod) {
	ready := l.everReady(e.Now)
	l.change(e, "", func(p *store.Pod) {
		p.Phase = podorder.Running
		containers := make([]inplace.Container, len(p.Containers))
		for i, c := range p.Containers {
			c.Status = &inplace.ContainerStatus{Image: c.Image, ImageID: "id-" + c.Image, Ready: ready}
			containers[i] = c
		}
		p.Containers = containers
	})
}

// ContainersReady reports whether only a gate keeps a pod from being ready.
func ContainersReady(p *store.Pod) bool {
	return p.Phase == podorder.Running && !p.Hold.Unready && !slices.ContainsFunc(p.Containers, func(c inplace.Container) bool {
		return c.Status == nil || !c.Status.Ready
	})
}

// clock is the time that the clock of a node shows. Faults make it differ by seconds.
func (l *Pods) clock() time.Time {
	now := l.Agenda.Now()
	if !l.Trouble.Strikes(trouble.Clocks, 0.1) {
		return now
	}
	d := time.Duration(l.Trouble.Int64N(int64(5 * time.Second)))
	if l.Trouble.IntN(2) == 0 {
		l.Trouble.Count(trouble.ClockAhead)
		return now.Add(d)
	}
	l.Trouble.Count(trouble.ClockBehind)
	return now.Add(-d)
}
