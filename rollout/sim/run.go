// SPDX-License-Identifier: Apache-2.0

package sim

import "time"

// Step performs the next step: a request of a controller at this instant, or the next event. It
// reports false if nothing is left.
func (w *World) Step() (bool, error) {
	more := w.ensure().step(w.Now().Add(forever))
	return more, w.server.Err()
}

// Run lets time pass until an instant.
func (w *World) Run(until time.Time) error {
	for w.ensure().step(until) {
	}
	if w.server.Err() == nil {
		w.server.Agenda.Advance(until)
	}
	return w.server.Err()
}

// Settle lets time pass until nothing is left to happen, or for a limited time. It reports whether
// nothing is left except autoscalers and repeated requests that change nothing. With faults that
// have not ended something is always left.
func (w *World) Settle(within time.Duration) (bool, error) {
	until := w.Now().Add(within)
	for !w.resting() {
		if !w.step(until) {
			at, ok := w.server.Agenda.Next()
			if w.server.Err() == nil && ok && at.After(until) {
				w.server.Agenda.Advance(until)
				return w.resting(), nil
			}
			break
		}
	}
	return w.server.Err() == nil, w.server.Err()
}

// step makes the next step up to an instant. It reports false if there is no step until then.
func (w *World) step(until time.Time) bool {
	s := w.server
	if s.Err() != nil || s.Agenda.Now().After(until) {
		return false
	}
	if w.chaos.Healing() {
		return s.Err() == nil
	}
	if most := w.cfg.MaxPlans; most > 0 && s.Plans > most {
		s.Fail(ErrTooLong)
		return false
	}
	w.rest.beginBurst(s)
	if w.crew.Step() {
		w.rest.stepped(s)
		return s.Err() == nil
	}
	w.rest.inBurst = false
	w.chaos.LookAgain()
	at, ok := s.Agenda.Next()
	if !ok || at.After(s.Agenda.Now()) {
		w.rest = rest{} // all has come to rest at this instant
	}
	if !ok || at.After(until) {
		return false
	}
	w.quiet.performed(s, s.Agenda.Perform())
	if s.Trouble.Calm() && (w.cfg.Latency > 0 || w.cfg.Together) {
		s.Agenda.PerformUntil(s.Agenda.Now().Add(w.cfg.Latency))
	}
	return s.Err() == nil
}

// resting reports whether nothing is left to happen that changes anything.
func (w *World) resting() bool { return w.quiet.rests(w.server) && !w.crew.Busy() }
