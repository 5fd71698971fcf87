// SPDX-License-Identifier: Apache-2.0

package sim

// makeFair begins the second phase: one controller of each kind stays, sees all, and
// looks at everything once more.
func (w *World) makeFair() {
	w.fair = true
	w.count(FairPhase)
	w.podLimit = 0
	clear(w.broken)
	stay := w.controllers[:0]
	for _, c := range w.controllers {
		if c.Instance == 0 {
			stay = append(stay, c)
		}
	}
	w.controllers = stay
	for _, c := range w.controllers {
		for c.job != nil { // what is under way still counts on what was
			c.step()
		}
	}
	for _, f := range w.heal {
		f(w)
	}
	w.healPods()
	for _, c := range w.controllers {
		c.skew, c.sight = 0, SeesEverything
		c.look()
		c.resync()
	}
}

// healPods lets all pods go on that wait for something which no longer is.
func (w *World) healPods() {
	for _, p := range w.store.allPods() {
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
