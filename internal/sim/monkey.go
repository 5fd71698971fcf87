// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
)

// podDisturbances are what happens to pods by itself or by hand.
func podDisturbances() []disturbance {
	return []disturbance{
		{PodMonkey, 1, onPod(PodDeleted, (*World).dropPod)},
		{PodMonkey, 0.5, onPod(PodEvicted, (*World).evictPod)},
		{PodMonkey, 0.7, onPod(PodFailed, (*World).failPod)},
		{PodMonkey, 0.7, onPod(PodRelabelled, (*World).relabelPod)},
		{PodMonkey, 0.5, (*World).strayPod},
		{Readiness, 1.5, onPod(PodFlapped, (*World).flapPod)},
		{Readiness, 0.3, (*World).breakTemplate},
		{Tampering, 0.5, onPod(CostEdited, (*World).editCost)},
		{Ownership, 0.5, onPod(Orphaned, (*World).orphanPod)},
		{Ownership, 0.3, onPod(OwnedByOther, (*World).giveToOther)},
		{Ownership, 0.2, onPod(RecreatedWithName, (*World).replacePod)},
		{Termination, 0.3, (*World).loseNode},
		{Request, 0.4, func(w *World) { w.podLimit = len(w.store.pods.all()) + len(w.store.daemons.all()) + w.random.IntN(3) }},
		{Request, 0.4, func(w *World) { w.podLimit = 0 }},
		{Clocks, 0.5, (*World).skewClock},
		{Crash, 0.2, func(w *World) { w.somebody().crash() }},
		{Overlap, 0.3, (*World).endOverlap},
	}
}

// somebody returns one of the controllers.
func (w *World) somebody() *controller { return w.controllers[w.random.IntN(len(w.controllers))] }

// onPod returns a disturbance of any pod, which reports whether it did anything.
func onPod(t Trouble, do func(*World, podRef) bool) func(*World) {
	return func(w *World) {
		pods := w.store.allPods()
		if len(pods) == 0 {
			return
		}
		p := pods[w.random.IntN(len(pods))]
		if do(w, p) {
			w.count(t)
		}
	}
}

func (w *World) dropPod(p podRef) bool { return w.deletePod(p, by(Monkey)) == done }

func (w *World) evictPod(p podRef) bool { return p.Ready && w.deletePod(p, by(Monkey)) == done }

func (w *World) failPod(p podRef) bool {
	if p.Finished() || p.NodeName == "" {
		return false
	}
	phase := podorder.Failed
	if w.random.IntN(4) == 0 {
		phase = podorder.Succeeded
	}
	w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Phase, p.Ready, p.ReadySince = phase, false, w.now })
	return true
}

func (w *World) relabelPod(p podRef) bool {
	value := "other"
	if p.Labels["app"] == value {
		value = "web"
	}
	w.changePod(p, by(Monkey), func(p *podorder.Pod) { p.Labels = labelled(p.Labels, "app", value) })
	return true
}

// strayPod creates a pod by hand that controllers may adopt.
func (w *World) strayPod() {
	labels := map[string]string{"app": "web"}
	if rows := w.store.replicaSets.all(); len(rows) > 0 && w.random.IntN(2) == 0 {
		labels = rows[w.random.IntN(len(rows))].TemplateLabels
	}
	w.count(PodCreated)
	p := podorder.Pod{Name: w.podName("stray"), Labels: labels, CreationTimestamp: w.now, Phase: podorder.Pending}
	if len(w.store.daemonSets.all()) > 0 {
		d := &daemonset.Pod{Pod: p}
		if nodes := w.store.nodes.all(); len(nodes) > 0 {
			d.PinnedNode = nodes[w.random.IntN(len(nodes))].Name
		}
		create(w, &w.store.daemons, by(Monkey), d)
		w.beginPod(w.store.podNamed(d.Name, true))
		return
	}
	create(w, &w.store.pods, by(Monkey), &p)
	w.beginPod(w.store.podNamed(p.Name, false))
}

func (w *World) flapPod(p podRef) bool {
	if !p.Ready || !p.DeletionTimestamp.IsZero() {
		return false
	}
	w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Ready, p.ReadySince = false, w.now })
	w.schedulePod(p, start, w.delay(w.pace.start))
	return true
}

// breakTemplate makes the pods of a template never become ready from now on.
func (w *World) breakTemplate() {
	if pods := w.store.allPods(); len(pods) > 0 && len(w.broken) == 0 {
		w.broken[w.store.templateOf(pods[w.random.IntN(len(pods))]).ID] = true
	}
}

func (w *World) editCost(p podRef) bool {
	costs := []string{"-5", "+10", "008", "7", "x", "99999999999"}
	cost := costs[w.random.IntN(len(costs))]
	w.changePod(p, by(Monkey), func(p *podorder.Pod) {
		p.Annotations = labelled(p.Annotations, "controller.kubernetes.io/pod-deletion-cost", cost)
	})
	return true
}

func (w *World) orphanPod(p podRef) bool {
	if p.ControllerUID == "" {
		return false
	}
	w.changePod(p, by(Monkey), func(p *podorder.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
	return true
}

func (w *World) giveToOther(p podRef) bool {
	if p.ControllerUID == otherOwner {
		return false
	}
	w.changePod(p, by(Monkey), func(p *podorder.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "Job", "job", otherOwner })
	return true
}

// replacePod removes a pod at once and creates another one under its name.
func (w *World) replacePod(p podRef) bool {
	if p.daemon {
		return false
	}
	again := *p.Pod
	w.removePod(p)
	again.UID, again.DeletionTimestamp, again.Ready, again.Phase, again.NodeName = "", time.Time{}, false, podorder.Pending, ""
	again.ControllerKind, again.ControllerName, again.ControllerUID = "", "", ""
	again.CreationTimestamp = w.now
	create(w, &w.store.pods, by(Monkey), &again)
	w.beginPod(w.store.podNamed(again.Name, false))
	return true
}

// loseNode lets all pods of a node be deleted and stay, since nobody ends them.
func (w *World) loseNode() {
	pods := w.store.allPods()
	if len(pods) == 0 {
		return
	}
	node := pods[w.random.IntN(len(pods))].NodeName
	if node == "" {
		return
	}
	w.count(NodeLost)
	for _, p := range pods {
		if p.NodeName == node && p.DeletionTimestamp.IsZero() && !p.daemon {
			w.changePod(p, by(Monkey), func(p *podorder.Pod) { p.Ready, p.ReadySince, p.DeletionTimestamp = false, w.now, w.now })
		}
	}
}

// skewClock sets the clock of a controller.
func (w *World) skewClock() {
	c := w.somebody()
	skew := time.Duration(w.random.Int64N(int64(6*time.Second))) - 3*time.Second
	switch {
	case skew < c.skew:
		w.count(ClockSteppedBack)
	case skew > 0:
		w.count(ClockAhead)
	default:
		w.count(ClockBehind)
	}
	c.skew = skew
}

// endOverlap stops one of two controllers of a kind.
func (w *World) endOverlap() {
	for i, c := range w.controllers {
		if c.Instance > 0 {
			w.controllers = append(w.controllers[:i:i], w.controllers[i+1:]...)
			return
		}
	}
}
