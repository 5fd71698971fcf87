// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A pass of an Argo Rollout: its canary is at the first of two steps.
func ExampleReconcile() {
	replicas := int32(6)
	set := func(hash string, revision int64, n int32) argo.ReplicaSet {
		return argo.ReplicaSet{
			Hash: hash, Revision: revision, DesiredReplicas: &replicas, Size: argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n},
		}
	}
	weight := int32(50)
	s := argo.Snapshot{
		Rollout: argo.Rollout{
			TemplateHash: "v2", Replicas: &replicas, Steps: []argo.Step{{SetWeight: &weight}, {Pause: &argo.Pause{}}},
			Status: argo.Status{CurrentPodHash: "v2", StableRS: "v1"},
		},
		Sets: []argo.ReplicaSet{set("v1", 1, 5), set("v2", 2, 1)},
	}
	plan, err := argo.Reconcile(s, now, argo.Options{})
	fmt.Println(plan, err)
	fmt.Println(plan.Status.Phase, plan.Status.Message)
	// Output:
	// Scaled down replica set v1 from 5 to 4 (Weight)
	// held back: BatchNotReady (1 of 3) <nil>
	// Progressing more replicas need to be updated
}

// What the same steps mean in both dialects: six replicas, a surge of two.
func ExampleApproximate() {
	for _, weight := range []int32{20, 50, 100} {
		updated := partition.Limit(rollout.Percent(weight), 6)
		counts := argo.Approximate(6, weight, 100, 2)
		fmt.Printf("%3d%%  partition %d/%d  weight %d/%d\n", weight, updated, 6-updated, counts.Canary, counts.Stable)
	}
	// Output:
	//  20%  partition 2/4  weight 1/5
	//  50%  partition 3/3  weight 3/3
	// 100%  partition 6/0  weight 6/0
}
