// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// lives returns the assumed times of pods in a simulation, with the flag or probe that sets each.
// It returns none if nothing happens in the simulation.
func (p *pace) lives(b *world.Beginning, s *view.Simulation) (notes []string) {
	if len(s.Steps) == 1 && s.Done {
		return nil
	}
	t := b.Templates[b.Template]
	ready, of := time.Duration(p.readyAfter), "--ready-after"
	if t.ReadyAfter > ready {
		ready, of = t.ReadyAfter, "its probes"
	}
	note := fmt.Sprintf("a new pod is ready %s after its start (%s)", terminal.Clock(ready), of)
	if d := time.Duration(p.scheduleAfter); d > 0 {
		note += fmt.Sprintf(", and starts %s after it is made (--schedule-after)", terminal.Clock(d))
	}
	note += fmt.Sprintf("; a deleted pod is gone %s (--terminate-after%s)", goneAfter(time.Duration(p.terminateAfter)), p.hooks(b))
	if d := time.Duration(p.jitter); d > 0 {
		note += fmt.Sprintf("; each takes up to %s more (--jitter)", terminal.Clock(d))
	}
	notes = append(notes, note)
	if p.jitter == 0 && slices.ContainsFunc(s.Steps, func(step record.Step) bool { return step.Created > 1 }) {
		notes = append(notes, "pods made at once are ready at once: a cluster takes more and smaller steps")
	}
	return notes
}

// hooks returns a note if templates set times in which their pods end.
func (p *pace) hooks(b *world.Beginning) string {
	longer := slices.ContainsFunc(b.Own(), func(t cluster.Template) bool {
		return t.EndAfter > time.Duration(p.terminateAfter) || t.EndWithin > 0 && t.EndWithin < time.Duration(p.terminateAfter)
	})
	if longer {
		return ", preStop hook and grace period"
	}
	return ""
}

func goneAfter(d time.Duration) string {
	if d == 0 {
		return "at once"
	}
	return terminal.Clock(d) + " later"
}
