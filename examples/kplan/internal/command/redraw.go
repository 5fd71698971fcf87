// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"time"
)

// redrawAfter is the time until a terminal is redrawn without a change, because ages and
// remaining times change. Tests set another one.
var redrawAfter = 5 * time.Second

// A redraws determines when to redraw a terminal without a change in the cluster. The zero redraws
// never does.
type redraws struct {
	tick    <-chan time.Time
	resized *atomic.Bool // since the window was last drawn
}

// again reports whether the window has a new size, so that even the same text must be redrawn.
func (r *redraws) again() bool { return r.resized != nil && r.resized.Swap(false) }

// newRedraws returns a redraws that ends with a context. It ticks every redrawAfter, and when the
// window gets a new size.
func newRedraws(ctx context.Context) redraws {
	tick := make(chan time.Time, 1)
	r := redraws{tick, &atomic.Bool{}}
	window := make(chan os.Signal, 1)
	if windowResized != nil {
		signal.Notify(window, windowResized)
	}
	ticker := time.NewTicker(redrawAfter)
	go func() {
		defer signal.Stop(window)
		defer ticker.Stop()
		for {
			var now time.Time
			select {
			case <-ctx.Done():
				return
			case now = <-ticker.C:
			case <-window:
				r.resized.Store(true)
				now = time.Now()
			}
			select {
			case tick <- now:
			default: // a tick is pending
			}
		}
	}()
	return r
}
