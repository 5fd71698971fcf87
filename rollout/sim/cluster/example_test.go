// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

func ExampleExactly() {
	fmt.Println(cluster.Exactly(time.Second).At(0.3))
	// Output: 1s
}

func ExampleBetween() {
	fmt.Println(cluster.Between(time.Second, 3*time.Second).At(0.5))
	// Output: 2s
}

// What others wrote stands in a belief as it is.
func ExampleBelief() {
	for _, b := range []cluster.Belief{
		{Pods: 2, In: "ImagePullBackOff", Then: cluster.Stay}, {Then: cluster.NewUnready}, {Pods: 1, Then: cluster.Remain}, {Pods: 1, In: "Terminating", Then: cluster.End},
	} {
		fmt.Println(b)
	}
	// Output:
	// 2 pods in ImagePullBackOff stay so
	// new pods of a template of which no pod is ready do not become ready either
	// 1 pod with finalizers remains when deleted
	// 1 pod in Terminating ends within its grace period
}

// Two ReplicaSets of a Deployment have such pods; what becomes of those of another one does not matter here.
func ExampleSnapshot_BelievedOf() {
	s := cluster.Snapshot{Believed: []cluster.Belief{
		{Pods: 2, In: "ImagePullBackOff", Then: cluster.Stay, Of: "web-1"}, {Pods: 1, In: "ImagePullBackOff", Then: cluster.Stay, Of: "web-2"},
		{Pods: 7, In: "ImagePullBackOff", Then: cluster.Stay, Of: "api-1"}, {Then: cluster.FullNodes},
	}}
	for _, b := range s.BelievedOf(func(uid string) bool { return uid != "api-1" }) {
		fmt.Println(b)
	}
	// Output:
	// 3 pods in ImagePullBackOff stay so
	// pods are Unschedulable: nodes have only the room of pods that end
}

// Half of the pods start within 8 seconds, nine in ten within 30.
func ExampleSpread_At() {
	s := cluster.Spread{{Share: 0, Time: 2 * time.Second}, {Share: 0.5, Time: 8 * time.Second}, {Share: 0.9, Time: 30 * time.Second}}
	fmt.Println(s.At(0.25), s.At(0.7), s.At(1))
	// Output: 5s 19s 30s
}
