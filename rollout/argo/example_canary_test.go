// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// tenPods is a canary of ten pods at a weight of 20, before any new pod is there.
func tenPods() argo.Canary {
	ten, twenty, fifty, first := int32(10), int32(20), int32(50), int32(0)
	return argo.Canary{
		Replicas: &ten, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
		Steps:          []argo.Step{{SetWeight: &twenty}, {Pause: &argo.Pause{}}, {SetWeight: &fifty}},
		CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: &first,
		Canary: &argo.Size{}, Stable: &argo.Size{Replicas: 10, AvailableReplicas: 10, StatusReplicas: 10},
	}
}

// routed is the same with traffic routing, and with both new pods.
func routed() argo.Canary {
	c := tenPods()
	c.TrafficRouting = true
	c.Canary = &argo.Size{Replicas: 2, AvailableReplicas: 2, StatusReplicas: 2}
	return c
}

// Two of ten pods are to be new; the surge has room for one at a time.
func ExampleCanary_Basic() {
	c := tenPods()
	fmt.Println(c.Basic().Canary, c.Basic().Stable)
	c.Canary = &argo.Size{Replicas: 1, AvailableReplicas: 1, StatusReplicas: 1}
	fmt.Println(c.Basic().Canary, c.Basic().Stable)
	// Output:
	// 1 10
	// 1 9
}

// With traffic routing all stable pods stay, for all requests may have to go back to them.
func ExampleCanary_Routed() {
	counts := routed().Routed()
	fmt.Println(counts.Canary, counts.Stable)
	// Output: 2 10
}

func ExampleCanary_Counts() {
	fmt.Println(tenPods().Counts(), routed().Counts())
	// Output: {1 10} {2 10}
}

func ExampleCanary_AtDesired() {
	c := routed()
	fmt.Println(c.AtDesired())
	c.Canary.AvailableReplicas = 1
	fmt.Println(c.AtDesired())
	// Output:
	// true
	// false
}

// The weight of the last step that sets one, at or before the current step.
func ExampleCanary_SetWeight() {
	c := tenPods()
	for i := range int32(4) {
		c.CurrentStepIndex = &i
		fmt.Print(c.SetWeight(), " ")
	}
	// Output: 20 20 50 100
}

func ExampleCanary_CanaryWeight() {
	fmt.Println(tenPods().CanaryWeight())
	// Output: 20
}

// A template that is the stable one already has nothing to step to.
func ExampleCanary_DesiredWeight() {
	c := tenPods()
	fmt.Println(c.DesiredWeight())
	c.CurrentPodHash = "v1"
	fmt.Println(c.DesiredWeight())
	// Output:
	// 20
	// 100
}

func ExampleCanary_MaxWeight() {
	fmt.Println(argo.Canary{}.MaxWeight(), argo.Canary{TrafficRouting: true, MaxTrafficWeight: 1000}.MaxWeight())
	// Output: 100 1000
}

// The requests follow when both new pods are available.
func ExampleCanary_TrafficWeight() {
	c := routed()
	fmt.Println(c.TrafficWeight())
	c.Canary.AvailableReplicas = 1
	fmt.Println(c.TrafficWeight())
	// Output:
	// 20
	// 0
}

// 80% of the requests need eight of ten pods.
func ExampleCanary_StableServes() {
	c := routed()
	fmt.Println(c.StableServes(20))
	c.Stable.AvailableReplicas = 7
	fmt.Println(c.StableServes(20))
	// Output:
	// true 8
	// false 8
}

// Three new pods, whatever the traffic is.
func ExampleCanary_CanaryScale() {
	c, three, second := routed(), int32(3), int32(1)
	c.Steps = append([]argo.Step{{SetCanaryScale: &argo.CanaryScale{Replicas: &three}}}, c.Steps...)
	c.CurrentStepIndex = &second
	fmt.Println(*c.CanaryScale().Replicas, c.SetWeight())
	// Output: 3 20
}

// Behind the last step, with all pods available.
func ExampleCanary_Promoted() {
	c, behind := tenPods(), int32(3)
	fmt.Println(c.Promoted())
	c.CurrentStepIndex = &behind
	c.Canary = &argo.Size{Replicas: 10, AvailableReplicas: 10, StatusReplicas: 10}
	fmt.Println(c.Promoted())
	// Output:
	// false
	// true
}

// Eight of ten available pods are enough where 80 percent are.
func ExampleThreshold_Met() {
	t := &argo.Threshold{Type: "Percent", Value: 80}
	fmt.Println(t.Met(10, 8, 10), t.Met(10, 7, 10))
	t = nil
	fmt.Println(t.Met(10, 8, 10))
	// Output:
	// true false
	// false
}

// A pause of a minute that began at noon.
func ExampleStep_Completed() {
	noon, minute := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), int32(60)
	s := argo.Step{Pause: &argo.Pause{Duration: &minute}}
	done, at := s.Completed(argo.Progress{PausedAt: noon}, noon.Add(30*time.Second))
	fmt.Println(done, at.Format(time.TimeOnly))
	done, _ = s.Completed(argo.Progress{PausedAt: noon}, noon.Add(61*time.Second))
	fmt.Println(done)
	// Output:
	// false 12:01:00
	// true
}

// Without a delay that is asked for, new pods stay half a minute. The value 0 turns the delay off:
// the pods of an aborted blue-green update stay.
func ExampleAbortDelay() {
	seconds, explicit := argo.AbortDelay(argo.StyleBlueGreen, nil)
	fmt.Println(*seconds, explicit)
	zero := int32(0)
	seconds, explicit = argo.AbortDelay(argo.StyleBlueGreen, &zero)
	fmt.Println(seconds == nil, explicit)
	// Output:
	// 30 false
	// true true
}

func ExampleScaleDownDelay() {
	fmt.Println(argo.ScaleDownDelay(argo.StyleBlueGreen, nil), argo.ScaleDownDelay(argo.StyleCanary, nil))
	// Output: 30 0
}

func ExampleBudget() {
	fmt.Println(argo.Budget(10, rollout.IntOrPercent{}, rollout.IntOrPercent{}))
	// Output: at most 13, at least 8 available
}

// All text is a percentage, even without the sign.
func ExampleParse() {
	fmt.Println(argo.Parse("25"))
	_, err := argo.Parse("many")
	fmt.Println(err != nil)
	// Output:
	// 25% <nil>
	// true
}

// Two pods to look at, until they are promoted.
func ExamplePreview_PreviewSize() {
	two := int32(2)
	b := argo.Preview{Replicas: 10, PreviewReplicaCount: &two, ActiveSelector: "v1", ActiveExists: true, CurrentPodHash: "v2", NewHash: "v2"}
	fmt.Println(b.PreviewSize())
	b.PromoteFull = true
	fmt.Println(b.PreviewSize())
	// Output:
	// 2
	// 10
}

// running is a Rollout of six pods of v1.
func running() argo.Snapshot {
	six := int32(6)
	return argo.Snapshot{
		Rollout: argo.Rollout{Name: "web", TemplateHash: "v2", Replicas: &six, Status: argo.Status{StableRS: "v1"}},
		Sets:    []argo.ReplicaSet{{Name: "web-v1", Hash: "v1", Revision: 1, DesiredReplicas: &six, Size: argo.Size{Replicas: 6, AvailableReplicas: 6, StatusReplicas: 6}}},
	}
}

func ExampleApply() {
	s, err := argo.Apply(running(), argo.ScaleReplicaSet{Name: "web-v1", Hash: "v1", From: 6, To: 4, Desired: 6}, now)
	fmt.Println(s.Sets[0].Size.Replicas, err)
	// Output: 4 <nil>
}

// The second scaling was planned for another size.
func ExampleActions_Apply() {
	_, err := argo.Actions{
		argo.ScaleReplicaSet{Name: "web-v1", Hash: "v1", From: 6, To: 4, Desired: 6},
		argo.ScaleReplicaSet{Name: "web-v1", Hash: "v1", From: 6, To: 2, Desired: 6},
	}.Apply(running(), now)
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	// Output: true
}

// Without steps all six pods are new in the end. 25% are two beyond them, rounded up, and one
// that may be missing, rounded down.
func ExamplePlan_Apply() {
	s := running()
	plan, _ := argo.Reconcile(s, now, argo.Options{})
	s, err := plan.Apply(s, now)
	for _, rs := range s.Sets {
		fmt.Println(rs.Hash, rs.Revision, rs.Size.Replicas)
	}
	fmt.Println(s.Rollout.Status.Phase, err)
	// Output:
	// v1 1 5
	// v2 2 2
	// Progressing <nil>
}
