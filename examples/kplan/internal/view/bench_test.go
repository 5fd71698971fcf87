// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// The table of a rollout takes time in proportion to its steps: no row looks at all the others.
func BenchmarkSimulation(b *testing.B) {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for _, n := range []int32{500, 2000, 8000} {
		s := Simulation{Of: Deployments{}, Name: "web", Start: start, Done: true}
		for i := range n {
			scale := deploy.ScaleReplicaSet{Name: "web-new", From: i, To: i + 1, Reason: reason.RolloutUp}
			parts := []record.Part{{Name: "web-old", Revision: 1, Wanted: n - i, Ready: n - i}, {Name: "web-new", Revision: 2, Wanted: i + 1, Ready: i, New: true}}
			z := record.Sizes{Time: start.Add(time.Duration(i) * time.Second), Parts: parts, Available: n, Traffic: -1}
			s.Sizes = append(s.Sizes, z)
			s.Steps = append(s.Steps, record.Step{Sizes: z, Plan: deploy.Plan{Actions: deploy.Actions{scale}}})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s.Text(terminal.NewWriter(io.Discard))
			}
		})
	}
}
