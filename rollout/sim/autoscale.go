// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/internal/sim"
)

// An Autoscaler says how many replicas workloads want, again and again.
type Autoscaler struct {
	Name  string        // as what it writes
	Every time.Duration // at least a millisecond; 0 means 15 seconds
	// Desired returns the replicas of Deployments by name. Those that it does not name stay
	// as they are.
	Desired func(View) map[string]int32
}

// scalers are the autoscalers of a world.
type scalers struct {
	f     *sim.Fleet
	ticks int   // that are to come
	quiet int   // how many in a row have changed nothing, and found nothing changed
	seen  int64 // the writes that the last of them knew of
}

// add lets one look again and again.
func (s *scalers) add(a Autoscaler) {
	every := a.Every
	if every <= 0 {
		every = 15 * time.Second
	}
	var look func()
	look = func() {
		s.ticks--
		s.scale(&a)
		if s.quiet++; s.seen != s.f.Version() {
			s.quiet = 0
		}
		s.seen = s.f.Version()
		s.tick(every, look)
	}
	s.tick(every, look)
}

func (s *scalers) tick(every time.Duration, look func()) {
	s.ticks++
	s.f.At(s.f.Now().Add(every), look)
}

// scale makes what one wants the size of Deployments.
func (s *scalers) scale(a *Autoscaler) {
	v := s.f.View()
	wanted := a.Desired(View{&v})
	if len(wanted) == 0 {
		return
	}
	for _, d := range v.Deployments() {
		if n, ok := wanted[d.Name]; ok && (d.Replicas == nil || *d.Replicas != n) && n >= 0 {
			s.f.Scale(sim.KindDeployment, d.Name, n, sim.Role(a.Name))
		}
	}
}

// idle reports whether nothing is left to happen but looks that change nothing.
func (s *scalers) idle() bool {
	return s.ticks > 0 && s.f.Calm() && s.f.Pending() == s.ticks && s.quiet >= s.ticks && !s.f.Busy()
}
