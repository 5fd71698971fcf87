// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"
)

// calmWorld returns a world without faults, in which pods live as a Kubelet says. Nobody
// looks back either: pods are changed where they are, and controllers are told of it at
// once and expect nothing.
func calmWorld(now time.Time, k Kubelet) *World {
	w := newWorld(k.Seed, Faults{})
	w.now, w.calm, w.limit = now, true, 10_000_000
	s := w.store
	s.pods.atOnce, s.pods.inPlace, s.daemons.atOnce, s.daemons.inPlace, s.seen = true, true, true, true, w.seen
	w.pace = pace{
		schedule: span{k.ScheduleAfter, k.ScheduleAfter + k.Jitter}, start: span{k.ReadyAfter, k.ReadyAfter + k.Jitter},
		end: span{k.TerminateAfter, k.TerminateAfter + k.Jitter}, startIn: k.ReadyIn,
	}
	if k.NeverReady != nil {
		w.neverReady = func(p podRef) bool { return k.NeverReady(*p.Pod, w.store.templateOf(p)) }
	}
	if k.Unbound != nil {
		w.unbound = func(p podRef) bool { return k.Unbound(*p.Pod, w.store.templateOf(p)) }
	}
	w.room, w.maxPods, w.quota, w.looks = newRoom(k.Room, w.store.templateOf), k.MaxPods, k.Quota, k.Looks
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

// follow lets the controllers of a calm world plan with Trackers, which see what has changed
// and not everything, and keep pods as they were. Observers of such a world see no lists in snapshots.
func (w *World) follow() {
	w.followed = true
	w.store.pods.keep()
	w.store.daemons.keep()
}
