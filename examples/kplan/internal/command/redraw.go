// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"time"
)

// redrawAfter is how often a terminal is drawn anew although nothing has changed,
// because ages and remaining times have. A test has more patience.
var redrawAfter = 5 * time.Second

// A redraws tells when a terminal is to be drawn anew though nothing has changed in the cluster.
// The zero one never does.
type redraws struct {
	tick    <-chan time.Time
	resized *atomic.Bool // since the window was last drawn
}

// again reports whether what is there has to be drawn again, as the window has another size.
func (r *redraws) again() bool { return r.resized != nil && r.resized.Swap(false) }

// newRedraws returns one that ends with a context: every now and then, and when the window gets
// another size, which leaves of what is there what the terminal makes of it.
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
			default: // one is waiting already
			}
		}
	}()
	return r
}
