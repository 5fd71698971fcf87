// SPDX-License-Identifier: Apache-2.0

package deploytest_test

import (
	"fmt"

	"github.com/kplan-go/kplan/deploy/deploytest"
	"github.com/kplan-go/kplan/rollout"
)

func ExampleKit() {
	fmt.Println(deploytest.Kit().Names()[15:18])
	// Output: [surge bound availability bound rounding of limits]
}

// How many pods there are is not what is wanted, and none more may be there.
func ExampleScaling() {
	shares := true
	for i := range 100 {
		s := deploytest.Scaling().Example(i)
		old, fresh := *s.ReplicaSets[0].Replicas, *s.ReplicaSets[1].Replicas
		shares = shares && old >= 10 && fresh >= 10 && s.Deployment.MaxSurge == rollout.Int(0)
	}
	fmt.Println("two sets of at least 10 pods, no surge:", shares)
	// Output: two sets of at least 10 pods, no surge: true
}

func ExamplePartitioned() {
	fmt.Println("by partition:", deploytest.Partitioned().Example(1).Deployment.Partitioned != nil)
	// Output: by partition: true
}
