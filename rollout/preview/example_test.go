// SPDX-License-Identifier: Apache-2.0

package preview_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A rollout of three steps, as it will go.
func ExampleOf() {
	r := kruise.Rollout{Name: "web", WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}, Canary: &kruise.Strategy{Steps: []kruise.Step{step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0)}}}
	plan, err := preview.Of(preview.Input{Rollout: r, Replicas: 6}, kruise.Options{})
	fmt.Println(plan, err)
	// Output:
	// begin: 0/6
	// step 1 (20%): 2/6 2/4, pause 1m0s
	// step 2 (50%): 3/4 3/3, waits for approval
	// step 3 (100%): 5/3 5/0 6/0
	// step 3: LastPauseSkipped: the pause of a last step of 100% is ignored <nil>
}

func ExampleSizes_Total() {
	s := preview.Sizes{New: 2, Middle: 1, Old: 4}
	fmt.Println(s, "are", s.Total(), "pods")
	// Output: 2/1/4 are 7 pods
}

// A step of all pods, given as a number, waits for a person when nothing is left to decide.
func ExampleWarnings() {
	r := kruise.Rollout{
		WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"},
		Canary:      &kruise.Strategy{Steps: []kruise.Step{{Replicas: rollout.Int(2)}, {Replicas: rollout.Int(6)}}},
	}
	for _, w := range preview.Warnings(r, 6, 0) {
		fmt.Println(w)
	}
	fmt.Println(len(preview.Warnings(r, 6, quirk.LastPauseSkipped)), "when it is repaired")
	// Output:
	// step 2: LastPauseSkipped: all pods are updated, yet the step waits for a person
	// 0 when it is repaired
}
