package rollout_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout"
)

// A rollout of three steps, as it will go.
func ExamplePreview() {
	r := partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	plan, err := rollout.Preview(rollout.PreviewInput{Rollout: r, Replicas: 6}, rollout.Options{})
	fmt.Println(plan, err)
	// Output:
	// begin: 0/6
	// step 1 (20%): 2/6 2/4, pause 1m0s
	// step 2 (50%): 3/4 3/3, waits for approval
	// step 3 (100%): 5/3 5/0 6/0
	// step 3: LastPauseSkipped: the pause of a last step of 100% is ignored <nil>
}

// A canary with traffic, in an extra Deployment.
func ExampleReconcile() {
	route := "route"
	first := step(rollout.Percent(50), -1)
	first.Traffic = rollout.Percent(20)
	r := partitioned(deployment, first, step(rollout.Percent(100), 0))
	r.Canary.EnableExtraWorkloadForCanary = true
	r.Canary.TrafficRoutings = []rollout.TrafficRouting{{Service: "web", Gateway: &rollout.GatewayRef{HTTPRouteName: &route}}}
	s := begun(rollout.StateTrafficRouting, r)
	s.Traffic.Stable = &rollout.Service{Name: "web", Selector: map[string]string{"app": "web"}}
	s.Traffic.Route = &rollout.Route{Name: route, Rules: []rollout.RouteRule{{BackendRefs: []rollout.BackendRef{{Kind: "Service", Name: "web"}}}}}
	plan, err := rollout.Reconcile(s, now, rollout.Options{})
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
	s := begun(rollout.StatePaused, partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)))
	s.Rollout.Status.Sub.NextStepIndex = 3
	plan, err := rollout.Reconcile(s, now, rollout.Options{})
	fmt.Println(plan.Status.CurrentStepIndex, plan.Status.CurrentStepState, err)
	// Output: 3 BeforeStepUpgrade <nil>
}

// The template goes back to what was there before.
func ExampleClosingSequence() {
	s := begun(rollout.StatePaused, twoSteps())
	s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1"
	plan, err := rollout.Reconcile(s, now, rollout.Options{})
	fmt.Println(plan.Status.Message, err)
	fmt.Println(rollout.ClosingSequence(rollout.Partition, rollout.ClosingRollback))
	// Output:
	// The workload has been rolled back and the rollout process will be canceled <nil>
	// [FinalisingStepRouteTrafficToStable ResumeWorkload ReleaseWorkloadControl RestoreStableService RemoveCanaryService END]
}

// Why does nothing happen?
func ExampleHold() {
	s := begun(rollout.StatePaused, partitioned(deployment, step(rollout.Percent(50), 300), step(rollout.Percent(100), 0)))
	plan, err := rollout.Reconcile(s, now, rollout.Options{})
	fmt.Println(plan, err)
	fmt.Println("look again at", plan.RecheckAt.Format(time.TimeOnly))

	c := rollout.BatchContext{Updated: 5, UpdatedReady: 3, Desired: 5, FailureThreshold: rollout.Percent(20)}
	hold, waiting := c.Waiting(0)
	fmt.Println(waiting, hold)
	fmt.Println(c.Text(hold))
	// Output:
	// held back: Pause (60 of 300) <nil>
	// look again at 03:08:05
	// true held back: TooFewReady (4 of 5)
	// current batch not ready: updated ready replicas not satisfied, allowedUnavailable + UpdatedReadyReplicas 4 < DesiredUpdatedReplicas 5
}
