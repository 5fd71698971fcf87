// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// calmWorld returns a world without faults, in which pods live as a Kubelet says. Nobody
// looks back either: pods are changed where they are, and controllers are told of it at
// once and expect nothing.
func calmWorld(now time.Time, k Kubelet) *World {
	w := newWorld(k.Seed, Faults{})
	w.now, w.calm, w.limit = now, true, 10_000_000
	w.store.pods.inPlace, w.store.daemons.inPlace, w.store.seen = true, true, w.seen
	w.pace = pace{
		schedule: span{k.ScheduleAfter, k.ScheduleAfter + k.Jitter}, start: span{k.ReadyAfter, k.ReadyAfter + k.Jitter},
		end: span{k.TerminateAfter, k.TerminateAfter + k.Jitter}, startIn: k.ReadyIn,
	}
	if k.NeverReady != nil {
		w.neverReady = func(p podRef) bool { return k.NeverReady(*p.Pod, w.templateOf(p)) }
	}
	if k.Unbound != nil {
		w.unbound = func(p podRef) bool { return k.Unbound(*p.Pod, w.templateOf(p)) }
	}
	w.room, w.maxPods, w.quota, w.looks = newRoom(w, k.Room), k.MaxPods, k.Quota, k.Looks
	w.record(k.Recording, k.Zones)
	nodes, bound := k.nodes(), 0
	w.place = func(p podRef) string {
		for range nodes {
			name := nodes[bound%len(nodes)]
			bound++
			if w.room.take(name, p) {
				return name
			}
		}
		return ""
	}
	return w
}

// ErrTooLong tells that a run has used up [Kubelet.Looks].
var ErrTooLong = errors.New("too much for one simulation")

// look counts that a planner looks at so many pods or nodes. It reports whether it may.
func (w *World) look(n int) bool {
	if w.looks == nil {
		return true
	}
	if *w.looks -= int64(n); *w.looks < 0 {
		w.fail(ErrTooLong)
		return false
	}
	return true
}

// seen returns the version of the store up to which all controllers have seen a kind. What
// happens to hundreds of objects at once must not be forgotten before that.
func (w *World) seen(k Kind) int64 {
	least := w.store.version
	for _, c := range w.controllers {
		if slices.Contains(c.reads, k) {
			least = min(least, c.view[k])
		}
	}
	return least
}

const (
	// maxPasses is how often a planner of a calm world may act for an object at one
	// instant, that is, without any pod having changed by itself. A rollout takes a
	// handful, and a ReplicaSet one for each burst of pods.
	maxPasses = 10_000

	// maxStill is how often pods may change without time passing, which takes a
	// Kubelet without delays.
	maxStill = 100_000
)

// runCalm goes on until nothing happens any more or the time is over. Controllers notice
// something after the latency, together with all that has happened until then.
func (w *World) runCalm(limit, latency time.Duration) error {
	if limit == 0 {
		limit = defaultTimeLimit
	}
	w.deadline, w.latency = w.now.Add(limit), latency
	for range w.limit {
		if w.err != nil || !w.settle() {
			return w.err
		}
	}
	return fmt.Errorf("%w after %d steps", errNoRest, w.limit)
}

// moveOn moves a world without faults to its next event, and by the latency, and performs
// what is due: what happens at once is seen at once. It reports false if there is none.
func (w *World) moveOn() bool {
	at, ok := w.nextEvent()
	if w.over != nil && w.over() || !ok || at.After(w.horizon()) {
		return false
	}
	w.still++
	if at.After(w.now) {
		w.still = 0
		for _, c := range w.controllers {
			c.forgetPasses()
		}
	}
	if w.still > maxStill {
		w.fail(fmt.Errorf("pods still changing after %d passes", maxStill))
		return false
	}
	w.performNext()
	w.performUntil(w.now.Add(w.latency))
	return true
}

// nextEvent returns the instant of the next entry of the agenda, less alarms that were set
// anew in a strict world.
func (w *World) nextEvent() (time.Time, bool) {
	for {
		at, ok := w.agenda.next()
		if !ok || !w.strict || w.agenda.entries[0].what.what != wake {
			return at, ok
		}
		number := w.agenda.entries[0].what.number
		if e := w.errands[number]; e.controller.queue.item(e.name).alarm.Equal(at) {
			return at, true
		}
		w.agenda.take()
		delete(w.errands, number)
	}
}

// passed fails if a controller of a calm world looks at an object again and again.
func (c *controller) passed(o *item) {
	if !c.w.calm {
		return
	}
	if o.lull != c.lull {
		o.passes, o.lull = 0, c.lull
	}
	if o.passes++; o.passes <= maxPasses {
		return
	}
	// As many pods as there are may change one by one at an instant, and some of them again.
	if s := c.w.store; int(o.passes) > maxPasses+4*(s.pods.size()+s.daemons.size()) {
		c.w.fail(fmt.Errorf("%s: %s is still changing after %d passes", c.Role, o.key, o.passes-1))
	}
}

// forgetPasses begins to count anew.
func (c *controller) forgetPasses() { c.lull++ }

// uidPrefix is what the UIDs of new objects begin with in a [Cluster]. Their number follows.
const uidPrefix = "sim-"

// newPod returns a pod of rs. Its name is made of the number of its UID, so that both ascend:
// planners compare those of neighbours.
func newPod(rs *replicaSet, prefix string, number int, now time.Time) podorder.Pod {
	text := strconv.Itoa(number)
	both := prefix + text + rs.Name + "-" + revision.SafeEncode("00000"[min(len(text), 5):]+text) // side by side in memory
	uid := len(prefix) + len(text)
	return podorder.Pod{
		Name: both[uid:], UID: both[:uid], Labels: rs.TemplateLabels, ControllerKind: replicaset.Kind, ControllerName: rs.Name,
		ControllerUID: rs.UID, CreationTimestamp: now, Phase: podorder.Pending,
	}
}

// podOf makes a new pod of a ReplicaSet, with a name that is free. Those that were made here
// differ by their numbers, whether they are listed or not.
func (w *World) podOf(rs *replicaSet, p *podorder.Pod) {
	for {
		w.serial++
		*p = newPod(rs, w.uidPrefix, w.serial, w.now)
		if _, ok := w.store.pods.names[p.Name]; !ok {
			return
		}
	}
}
