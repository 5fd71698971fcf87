package rollout_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
)

// A pass of an Argo Rollout: its canary is at the first of two steps.
func ExampleArgoReconcile() {
	replicas := int32(6)
	set := func(hash string, revision int64, n int32) rollout.ArgoReplicaSet {
		return rollout.ArgoReplicaSet{
			Hash: hash, Revision: revision, DesiredReplicas: &replicas, ArgoSet: rollout.ArgoSet{Replicas: n, AvailableReplicas: n, StatusReplicas: n},
		}
	}
	weight := int32(50)
	s := rollout.ArgoSnapshot{
		Rollout: rollout.ArgoObject{
			TemplateHash: "v2", Replicas: &replicas, Steps: []rollout.ArgoStep{{SetWeight: &weight}, {Pause: &rollout.ArgoPause{}}},
			Status: rollout.ArgoStatus{CurrentPodHash: "v2", StableRS: "v1"},
		},
		Sets: []rollout.ArgoReplicaSet{set("v1", 1, 5), set("v2", 2, 1)},
	}
	plan, err := rollout.ArgoReconcile(s, now, rollout.ArgoOptions{})
	fmt.Println(plan, err)
	fmt.Println(plan.Status.Phase, plan.Status.Message)
	// Output:
	// Scaled down replica set v1 from 5 to 4 (Weight)
	// held back: BatchNotReady (1 of 3) <nil>
	// Progressing more replicas need to be updated
}

// What the same steps mean in both dialects: six replicas, a surge of two.
func ExampleArgoApproximate() {
	for _, weight := range []int32{20, 50, 100} {
		updated := rollout.PartitionLimit(rollout.Percent(weight), 6)
		argo := rollout.ArgoApproximate(6, weight, 100, 2)
		fmt.Printf("%3d%%  partition %d/%d  weight %d/%d\n", weight, updated, 6-updated, argo.Canary, argo.Stable)
	}
	// Output:
	//  20%  partition 2/4  weight 1/5
	//  50%  partition 3/3  weight 3/3
	// 100%  partition 6/0  weight 6/0
}
