package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// calmWorld returns a world without faults in which pods live as a Kubelet says.
func calmWorld(now time.Time, k Kubelet) *World {
	w := newWorld(k.Seed, Faults{})
	w.now = now
	w.limit = 10_000_000
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

// runCalm goes on until nothing happens any more or the time is over.
func (w *World) runCalm(limit time.Duration) error {
	if limit == 0 {
		limit = defaultTimeLimit
	}
	w.deadline = w.now.Add(limit)
	for range w.limit {
		if w.err != nil || !w.settle() {
			return w.err
		}
	}
	return fmt.Errorf("%w after %d steps", errNoRest, w.limit)
}
