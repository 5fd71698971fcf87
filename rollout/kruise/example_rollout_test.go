// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
)

// printer stands for a test where there is none.
type printer struct{}

func (printer) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (printer) FailNow()                          { panic("the example is wrong") }

// A rollout of three steps from its start to its end, in a cluster where every pod
// becomes available at once: the planners say what to do, a loop does it, and a person
// approves step 2.
func Example_rollout() {
	c := newWorld(printer{}, 6, step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	c.run(func() bool { return c.r.Status.Sub != nil }, false)
	start := c.clock
	fmt.Println(c.update("v2").Reason)
	seen := ""
	for c.r.Status.Phase != kruise.PhaseHealthy || seen == "" {
		if s := c.r.Status.Sub; s != nil && (seen != "" || s.CurrentStepState != kruise.StateCompleted) {
			if line := fmt.Sprintf("step %d %-20s new %d old %d", s.CurrentStepIndex, s.CurrentStepState, c.sizes["v2"], c.sizes["v1"]); line != seen {
				fmt.Printf("%4.0fs %s\n", c.clock.Sub(start).Seconds(), line)
				seen = line
			}
			if len(c.holds) > 0 && c.holds[0].Reason == reason.Approval {
				fmt.Println("      approved:", c.holds[0])
				s.CurrentStepState, c.holds = kruise.StateReady, nil
			}
		}
		if !c.pass() {
			c.clock = c.clock.Add(1e9)
		}
	}
	fmt.Println(c.r.Status.Phase, c.sizes)
	// Output:
	// ReleaseBegins
	//    0s step 1 BeforeStepUpgrade    new 0 old 6
	//    3s step 1 StepUpgrade          new 0 old 6
	//    3s step 1 StepUpgrade          new 2 old 6
	//    3s step 1 StepUpgrade          new 2 old 4
	//    3s step 1 StepTrafficRouting   new 2 old 4
	//    3s step 1 StepMetricsAnalysis  new 2 old 4
	//    3s step 1 StepPaused           new 2 old 4
	//   64s step 1 StepReady            new 2 old 4
	//   64s step 2 BeforeStepUpgrade    new 2 old 4
	//   64s step 2 StepUpgrade          new 2 old 4
	//   64s step 2 StepUpgrade          new 3 old 4
	//   64s step 2 StepUpgrade          new 3 old 3
	//   64s step 2 StepTrafficRouting   new 3 old 3
	//   64s step 2 StepMetricsAnalysis  new 3 old 3
	//   64s step 2 StepPaused           new 3 old 3
	//       approved: held back: Approval (2 of 3)
	//   65s step 3 BeforeStepUpgrade    new 3 old 3
	//   65s step 3 StepUpgrade          new 3 old 3
	//   65s step 3 StepUpgrade          new 5 old 3
	//   65s step 3 StepUpgrade          new 5 old 0
	//   65s step 3 StepUpgrade          new 6 old 0
	//   65s step 3 StepMetricsAnalysis  new 6 old 0
	//   65s step 3 StepPaused           new 6 old 0
	//   65s step 3 StepReady            new 6 old 0
	//   65s step 3 Completed            new 6 old 0
	// Healthy map[v1:0 v2:6]
}
