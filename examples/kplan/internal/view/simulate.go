// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim"
)

// Simulate simulates the rollout of a Deployment, for a limited time, and keeps what pictures need if that
// is asked for. The images are those of templates, by their IDs.
func Simulate(b *world.Beginning, config sim.Config, limit time.Duration, history bool, images map[string]string) (Simulation, error) {
	r, err := b.Run(config, limit, history)
	if err != nil {
		return Simulation{}, err
	}
	WithoutNamespace(r.History, b.Namespace)
	s := Simulation{
		Namespace: b.Namespace, Name: b.Plain(), Images: map[string]string{}, Result: ResultOf(b.Namespace, r.Steps, b.Now),
		History: r.History, Zones: b.Zones(),
	}
	s.Result.Done, s.Result.GaveUp, s.Result.Paused = r.Done, r.GaveUp, r.View().Deployment(b.Name).Paused
	if !s.Result.Done {
		s.Waiting = r.Waiting(b.Namespace)
	}
	for _, rs := range r.View().ReplicaSets() {
		s.Images[strings.TrimPrefix(rs.Name, b.Namespace+"/")] = images[strings.TrimPrefix(rs.Template.ID, b.Namespace+"/")]
	}
	return s, nil
}
