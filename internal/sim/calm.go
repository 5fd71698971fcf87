package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// faultlessWorld returns a world without faults in which pods live as a Kubelet says.
func faultlessWorld(now time.Time, k Kubelet) *World {
	w := newWorld(k.Seed, Faults{})
	w.now = now
	w.limit = 10_000_000
	w.store.seen = w.seen
	w.pace = pace{
		schedule: span{k.ScheduleAfter, k.ScheduleAfter + k.Jitter}, start: span{k.ReadyAfter, k.ReadyAfter + k.Jitter},
		end: span{k.TerminateAfter, k.TerminateAfter + k.Jitter},
	}
	if k.NeverReady != nil {
		w.neverReady = func(p podRef) bool {
			return k.NeverReady(*p.Pod, revision.Template{ID: w.templateOf(p), Hash: w.templateOf(p)})
		}
	}
	return w
}

// seen returns the version of the store up to which all controllers have seen a kind. What
// happens to hundreds of pods at once must not be forgotten before that, or a controller
// would wait for it until its expectations expire.
func (w *World) seen(k Kind) int64 {
	least := w.store.version
	for _, c := range w.controllers {
		if slices.Contains(c.reads, k) {
			least = min(least, c.view[k])
		}
	}
	return least
}

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
