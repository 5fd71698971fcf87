// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
)

// bindPod assigns a pod to a node, if there is one.
func (w *World) bindPod(p podRef) {
	if w.chance(Scheduling, 0.1) && !w.fair {
		if w.random.IntN(2) == 0 {
			w.count(PodGated)
		} else {
			w.count(PodUnschedulable)
		}
		w.schedulePod(p, bind, w.delay(w.pace.long))
		return
	}
	node := ""
	if !w.forbids(p) {
		if node = w.nodeFor(p); node == "" {
			w.room.waits(p)
		}
	}
	if node == "" {
		w.count(PodUnschedulable)
		if !w.fair {
			w.schedulePod(p, bind, 5*time.Second)
		}
		return
	}
	w.changePod(p, by(Scheduler), func(p *podorder.Pod) { p.NodeName, p.Phase = node, podorder.Running })
	w.beginStart(p)
}

// nodeFor returns a node for a pod, or "".
func (w *World) nodeFor(p podRef) string {
	if p.daemon {
		d := w.store.daemons.numbered(p.number)
		if w.store.nodes.named(d.PinnedNode) == nil {
			return ""
		}
		return d.PinnedNode
	}
	if w.place != nil {
		return w.place(p)
	}
	if len(w.store.nodes.all()) == 0 {
		return "node-" + strconv.Itoa(w.random.IntN(3)+1)
	}
	i := w.random.IntN(len(w.store.nodes.all()))
	for range w.store.nodes.all() {
		if n := w.store.nodes.all()[i]; !n.NotReady && !n.Cordoned {
			return n.Name
		}
		i = (i + 1) % len(w.store.nodes.all())
	}
	return ""
}

// beginStart enters the instant at which a pod becomes ready.
func (w *World) beginStart(p podRef) {
	if w.neverReady != nil && w.neverReady(p) {
		return
	}
	if w.pace.startIn != nil {
		w.schedulePod(p, start, w.pace.startIn(w.random.Float64()))
		return
	}
	d := w.delay(w.pace.start)
	if !w.fair && w.chance(Readiness, 0.08) {
		w.count(PodSlow)
		d = w.delay(w.pace.long)
	}
	w.schedulePod(p, start, d)
}

// startPod makes a pod ready, unless its template is broken or its node is away.
func (w *World) startPod(p podRef) {
	if len(w.broken) > 0 && w.broken[w.store.templateOf(p).ID] {
		w.count(PodNeverReady)
		return
	}
	if n := w.store.nodes.named(p.NodeName); n != nil && n.NotReady {
		w.schedulePod(p, start, 5*time.Second)
		return
	}
	if p.daemon && w.startContainers(p) { // whoever opens the gate makes it ready
		return
	}
	w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Phase, p.Ready, p.ReadySince = podorder.Running, true, w.podClock() })
	if !w.fair && w.chance(Readiness, 0.05) {
		w.schedulePod(p, crashBack, w.delay(w.pace.start))
	}
}

// podClock is the time that the clock of a node shows. It may be ahead or behind.
func (w *World) podClock() time.Time {
	if w.fair || !w.chance(Clocks, 0.1) {
		return w.now
	}
	if w.random.IntN(2) == 0 {
		w.count(ClockAhead)
		return w.now.Add(time.Duration(w.random.Int64N(int64(5 * time.Second))))
	}
	w.count(ClockBehind)
	return w.now.Add(-time.Duration(w.random.Int64N(int64(5 * time.Second))))
}

// beginPod begins the life of a pod that was just created.
func (w *World) beginPod(p podRef) {
	if p.NodeName != "" { // bound by whoever created it
		w.beginStart(p)
		return
	}
	w.schedulePod(p, bind, w.delay(w.pace.schedule))
}

// startContainers lets the containers of a pod with a readiness gate run, and reports
// whether the gate keeps the pod from being ready, as one that nobody has opened does.
func (w *World) startContainers(p podRef) (gated bool) {
	d := w.store.daemons.numbered(p.number)
	if !slices.Contains(d.ReadinessGates, inplace.Gate) {
		return false
	}
	w.pullImages(p)
	return d.InPlace == nil || !d.InPlace.True
}

// pulled lets the containers of a pod run their new images. Once its gate is open, which may
// have been before, nothing else decides whether the pod is ready.
func (w *World) pulled(p podRef) {
	w.pullImages(p)
	r := by(NodeAgent)
	r.name = p.Name
	if d := w.store.daemons.numbered(p.number); d.InPlace != nil && d.InPlace.True && d.Ready != containersReady(d) {
		update(w, &w.store.daemons, r, func(d *daemonset.Pod) { d.Ready, d.ReadySince = !d.Ready, w.now })
	}
}

// pullImages lets the containers of a pod run what they should.
func (w *World) pullImages(p podRef) {
	r := by(NodeAgent)
	r.name = p.Name
	update(w, &w.store.daemons, r, func(d *daemonset.Pod) {
		d.Phase = podorder.Running
		containers := make([]inplace.Container, len(d.Containers))
		for i, c := range d.Containers {
			c.Status = &inplace.ContainerStatus{Image: c.Image, ImageID: "id-" + c.Image, Ready: !w.broken[w.store.templateOf(p).ID]}
			containers[i] = c
		}
		d.Containers = containers
	})
}

// containersReady reports whether nothing but a gate keeps a pod from being ready.
func containersReady(p *daemonset.Pod) bool {
	return p.Phase == podorder.Running && !slices.ContainsFunc(p.Containers, func(c inplace.Container) bool {
		return c.Status == nil || !c.Status.Ready
	})
}

// forbids returns whether no node may take a pod at all.
func (w *World) forbids(p podRef) bool { return w.unbound != nil && w.unbound(p) }
