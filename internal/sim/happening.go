// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"
)

// A happening is an entry of the agenda. It holds no pointers, for there are as many as pods.
type happening struct {
	what   happeningKind
	daemon bool
	number int32 // of the pod, or of the errand
}

// An errand is something to do with an object other than a pod.
type errand struct {
	name       string
	controller *controller
	do         func()
}

type happeningKind uint8

const (
	wake       happeningKind = iota // a controller looks at an object
	nodeBack                        // a node answers again
	remake                          // a person makes an object anew
	confirm                         // a person confirms a step that waits for it
	autoscaled                      // an autoscaler looks at what it scales
	bind                            // a pod is assigned to a node
	start                           // a pod becomes ready
	end                             // a pod that is being deleted is gone
	pull                            // the containers of a pod run their new images
	crashBack                       // a container crashes, and is started again
)

// schedule enters an errand.
func (w *World) schedule(at time.Time, what happeningKind, e errand) {
	w.agenda.add(at, happening{what: what, number: w.newErrand(e)})
}

// newErrand notes an errand and returns its number.
func (w *World) newErrand(e errand) int32 {
	w.errandNumber++
	w.errands[w.errandNumber] = e
	return w.errandNumber
}

// schedulePod enters what happens to a pod.
func (w *World) schedulePod(p podRef, what happeningKind, d time.Duration) {
	if what == bind || what == start {
		w.starting++
	}
	w.agenda.add(w.now.Add(d), happening{what, p.daemon, p.number})
}
