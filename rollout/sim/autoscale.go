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
	// Desired returns replicas by name: of Deployments, of ReplicaSets that nothing controls, of
	// Sets and of ArgoRollouts. Those that it does not name stay as they are, and numbers below
	// 0 and names of nothing are passed over.
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

// scale makes what one wants the size of workloads.
func (s *scalers) scale(a *Autoscaler) {
	v := s.f.View()
	wanted := a.Desired(View{&v})
	if len(wanted) == 0 {
		return
	}
	resize := func(k sim.Kind, name string, is *int32) {
		if n, ok := wanted[name]; ok && (is == nil || *is != n) && n >= 0 {
			s.f.Scale(k, name, n, sim.Role(a.Name))
		}
	}
	for _, d := range v.Deployments() {
		resize(sim.KindDeployment, d.Name, d.Replicas)
	}
	for _, rs := range v.ReplicaSets() {
		if rs.ControllerUID == "" {
			resize(sim.KindReplicaSet, rs.Name, rs.Replicas)
		}
	}
	for _, set := range v.Sets() {
		resize(sim.KindSet, set.Name, set.Replicas)
	}
	for _, r := range v.ArgoRollouts() {
		resize(sim.KindArgoRollout, r.Name, r.Replicas)
	}
}

// idle reports whether nothing is left to happen but looks that change nothing.
func (s *scalers) idle() bool {
	return s.ticks > 0 && s.f.Calm() && s.f.Pending() == s.ticks && s.quiet >= s.ticks && !s.f.Busy()
}
