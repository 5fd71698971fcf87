// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A canary with traffic, in an extra Deployment.
func ExampleReconcile() {
	route := "route"
	first := step(rollout.Percent(50), -1)
	first.Traffic = rollout.Percent(20)
	r := partitioned(deployment, first, step(rollout.Percent(100), 0))
	r.Canary.EnableExtraWorkloadForCanary = true
	r.Canary.TrafficRoutings = []traffic.Routing{{Service: "web", Gateway: &traffic.GatewayRef{HTTPRouteName: &route}}}
	s := begun(kruise.StateTrafficRouting, r)
	s.Traffic.Stable = &traffic.Service{Name: "web", Selector: map[string]string{"app": "web"}}
	s.Traffic.Route = &traffic.Route{Name: route, Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}}
	plan, err := kruise.Reconcile(s, now, kruise.Options{})
	fmt.Println(plan, err)
	fmt.Println("again in", plan.RecheckAt.Sub(now))
	// Output:
	// Created service web-canary from web (RouteTraffic)
	// Set pod-template-hash to v1 in the selector of service web (PinTraffic)
	// held back: TrafficChanged <nil>
	// again in 3s
}

// A person asks for step 3 while step 1 pauses.
func ExampleJumpStep() {
	s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)))
	s.Rollout.Status.Sub.NextStepIndex = 3
	plan, err := kruise.Reconcile(s, now, kruise.Options{})
	fmt.Println(plan.Status.CurrentStepIndex, plan.Status.CurrentStepState, err)
	// Output: 3 BeforeStepUpgrade <nil>
}

// The template goes back to what was there before.
func ExampleClosingSequence() {
	s := begun(kruise.StatePaused, twoSteps())
	s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1"
	plan, err := kruise.Reconcile(s, now, kruise.Options{})
	fmt.Println(plan.Status.Message, err)
	fmt.Println(kruise.ClosingSequence(workload.Partition, kruise.ClosingRollback))
	// Output:
	// The workload has been rolled back and the rollout process will be canceled <nil>
	// [FinalisingStepRouteTrafficToStable ResumeWorkload ReleaseWorkloadControl RestoreStableService RemoveCanaryService END]
}

// Why does nothing happen?
func ExampleHold() {
	s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(50), 300), step(rollout.Percent(100), 0)))
	plan, err := kruise.Reconcile(s, now, kruise.Options{})
	fmt.Println(plan, err)
	fmt.Println("look again at", plan.RecheckAt.Format(time.TimeOnly))

	c := batchrelease.Context{Updated: 5, UpdatedReady: 3, Desired: 5, FailureThreshold: rollout.Percent(20)}
	hold, waiting := c.Waiting(0)
	fmt.Println(waiting, hold)
	fmt.Println(c.Text(hold))
	// Output:
	// held back: Pause (60 of 300) <nil>
	// look again at 12:04:00
	// true held back: TooFewReady (4 of 5)
	// current batch not ready: updated ready replicas not satisfied, allowedUnavailable + UpdatedReadyReplicas 4 < DesiredUpdatedReplicas 5
}
