// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"maps"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// A span is a distribution of delays: even between two bounds.
type span struct{ least, most time.Duration }

func (w *World) delay(s span) time.Duration {
	if s.most <= s.least {
		return s.least
	}
	return s.least + time.Duration(w.random.Int64N(int64(s.most-s.least)))
}

// A pace is how long the parts of a pod's life take.
type pace struct {
	schedule, start, end, long span
	startIn                    func(draw float64) time.Duration // in place of start, or nil
}

func somePace(w *World) pace {
	upTo := func(most time.Duration) span { return span{0, time.Duration(w.random.Int64N(int64(most)))} }
	return pace{
		schedule: upTo(time.Second), start: upTo(8 * time.Second), end: upTo(10 * time.Second), long: span{20 * time.Second, 90 * time.Second},
	}
}

// A podRef is a pod of either table.
type podRef struct {
	*podorder.Pod
	number int32
	daemon bool
}

// podAt returns the pod with a number. One that is gone is nil.
func (w *World) podAt(number int32, daemon bool) podRef {
	if !daemon {
		return podRef{w.store.pods.numbered(number), number, false}
	}
	if p := w.store.daemons.numbered(number); p != nil {
		return podRef{&p.Pod, number, true}
	}
	return podRef{}
}

// podNamed returns the pod with a name. One that is not there is nil.
func (w *World) podNamed(name string, daemon bool) podRef {
	number := w.store.pods.number(name)
	if daemon {
		number = w.store.daemons.number(name)
	}
	if number == gone {
		return podRef{}
	}
	return w.podAt(number, daemon)
}

// podOwned is podNamed for a pod that is likely to have an owner: of a calm fleet it is looked for
// among those, so that names need not be listed.
func (w *World) podOwned(owner, name string) podRef {
	if w.fleet != nil && w.calm && w.store.pods.about(owner) < manyPods {
		for _, number := range w.store.pods.of(owner) {
			if p := w.store.pods.numbered(number); p.Name == name {
				return podRef{p, number, false}
			}
		}
	}
	return w.podNamed(name, false)
}

// allPods returns the pods of both tables.
func (w *World) allPods() []podRef {
	var all []podRef
	for i, p := range w.store.pods.all() {
		all = append(all, podRef{p, w.store.pods.numbers[i], false})
	}
	for i, p := range w.store.daemons.all() {
		all = append(all, podRef{&p.Pod, w.store.daemons.numbers[i], true})
	}
	return all
}

// changePod changes a pod of either table.
func (w *World) changePod(p podRef, r request, f func(*podorder.Pod)) {
	if p.daemon {
		if d := w.store.daemons.numbered(p.number); d != nil {
			alter(w, &w.store.daemons, &r, p.number, d, func(d *daemonset.Pod) { f(&d.Pod) })
		}
		return
	}
	if o := w.store.pods.numbered(p.number); o != nil {
		alter(w, &w.store.pods, &r, p.number, o, f)
	}
}

// live performs what happens to a pod and enters what happens next.
func (w *World) live(what happeningKind, p podRef) {
	switch {
	case what == end: // which nothing revokes
		w.removePod(p)
	case !p.DeletionTimestamp.IsZero() || p.Finished():
	case what == bind && p.NodeName == "":
		w.bindPod(p)
	case what == fetched && p.NodeName != "":
		w.fleet.fetched(p)
	case what == launched && p.NodeName != "":
		w.fleet.launched(p)
	case what == start && p.NodeName != "" && !p.Ready:
		w.startPod(p)
	case what == pull && p.NodeName != "":
		w.pulled(p)
	case what == crashBack && p.Ready:
		w.count(PodCrashLoop)
		w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Ready, p.ReadySince, p.Restarts = false, w.now, p.Restarts+1 })
		w.schedulePod(p, start, w.delay(w.pace.start))
	}
}

func by(r Role) request { return request{by: Actor{Role: r}, verb: Update, fresh: true} }

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
	if node == "" && w.fleet != nil {
		w.fleet.waits(p)
		return
	}
	if node == "" {
		w.count(PodUnschedulable)
		if !w.fair {
			w.schedulePod(p, bind, 5*time.Second)
		}
		return
	}
	if w.fleet != nil {
		w.fleet.bound(p, node)
		return
	}
	w.changePod(p, by(Scheduler), func(p *podorder.Pod) { p.NodeName, p.Phase = node, podorder.Running })
	w.beginStart(p)
}

// nodeFor returns a node for a pod, or "".
func (w *World) nodeFor(p podRef) string {
	if w.fleet != nil {
		return w.fleet.nodeFor(p)
	}
	if p.daemon {
		d := w.store.daemons.named(p.Name)
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
	if w.fleet != nil {
		w.fleet.begins(p)
		return
	}
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
	if len(w.broken) > 0 && w.broken[w.templateOf(p).ID] {
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
	r := by(NodeAgent)
	r.stage = Ready
	w.changePod(p, r, func(p *podorder.Pod) { p.Phase, p.Ready, p.ReadySince = podorder.Running, true, w.podClock() })
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

// templateOf returns what the pod was made from: the template of its ReplicaSet, or the
// hash of its revision.
func (w *World) templateOf(p podRef) revision.Template {
	if p.daemon {
		return revision.Template{ID: p.Labels[daemonset.LabelHash], Hash: p.Labels[daemonset.LabelHash]}
	}
	if t, ok := w.setTemplateOf(p.Pod); ok {
		return t
	}
	s := w.store
	if number := owning(&s.pods, p.number, &s.replicaSets, p.ControllerName); number != gone {
		return s.replicaSets.numbered(number).Template
	}
	return revision.Template{}
}

// beginPod begins the life of a pod that was just created.
func (w *World) beginPod(p podRef) {
	if p.NodeName != "" { // bound by whoever created it
		w.beginStart(p)
		return
	}
	if w.fleet != nil {
		w.schedulePod(p, bind, w.fleet.takes(p, Scheduled))
		return
	}
	w.schedulePod(p, bind, w.delay(w.pace.schedule))
}

// deletePod asks for the end of a pod: it is marked, and ends later. One without a
// node is gone at once.
func (w *World) deletePod(p podRef, r request) answer {
	r.verb, r.name = Delete, p.Name
	if a := r.pre.met(&p.UID, &p.ResourceVersion); a != done {
		return w.refused(&r, a)
	}
	if p.NodeName == "" {
		w.erasePod(p, r)
		return done
	}
	if !p.DeletionTimestamp.IsZero() {
		return done
	}
	r.stage = cmp.Or(r.stage, Terminating)
	w.changePod(p, r, func(o *podorder.Pod) { o.DeletionTimestamp = w.now })
	switch {
	case !w.fair && w.chance(Termination, 0.04):
		w.count(TerminationStuck) // until the fair phase
	case !w.fair && w.chance(Termination, 0.06):
		w.count(TerminationLong)
		w.schedulePod(p, end, w.delay(w.pace.long))
	case w.fleet != nil:
		w.schedulePod(p, end, w.fleet.takes(p, Gone))
	default:
		w.schedulePod(p, end, w.delay(w.pace.end))
	}
	return done
}

func (w *World) removePod(p podRef) { w.erasePod(p, by(NodeAgent)) }

func (w *World) erasePod(p podRef, r request) {
	if w.fleet != nil {
		r.stage = Gone
		gone := podRef{ptr.To(*p.Pod), p.number, p.daemon}
		defer w.fleet.freed(gone, w.templateOf(p))
	}
	if w.room != nil || w.rationed() {
		defer w.freed(podRef{ptr.To(*p.Pod), p.number, p.daemon})
	}
	if p.daemon {
		erase(w, &w.store.daemons, &r, p.number)
	} else {
		erase(w, &w.store.pods, &r, p.number)
	}
}

// healPods lets all pods go on that wait for something which no longer is.
func (w *World) healPods() {
	if w.fleet != nil {
		w.fleet.healPods()
		return
	}
	for _, p := range w.allPods() {
		switch {
		case !p.DeletionTimestamp.IsZero():
			w.schedulePod(p, end, w.delay(w.pace.end))
		case p.Finished():
		case p.NodeName == "":
			w.schedulePod(p, bind, w.delay(w.pace.schedule))
		case !p.Ready:
			w.beginStart(p)
		}
	}
}

// labelled returns labels with one of them changed.
func labelled(labels map[string]string, key, value string) map[string]string {
	changed := maps.Clone(labels)
	if changed == nil {
		changed = map[string]string{}
	}
	changed[key] = value
	return changed
}
