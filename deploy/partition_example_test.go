// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Deployment that is held at 20% for now: two of its six pods may be new.
func ExampleReconcile_partitioned() {
	six, four, two := int32(6), int32(4), int32(2)
	d := deploy.Deployment{
		Name: "echo", UID: "d1", Replicas: &six, Template: revision.Template{ID: "image:2", Hash: "7d4c665cf7"},
		Strategy: deploy.Recreate, Paused: true, // so that the native controller leaves it alone
		Annotations: map[string]string{
			partition.AnnotationControlInfo: `{"kind":"BatchRelease","name":"echo"}`,
			partition.AnnotationStrategy: `{"rollingStyle":"Partition",` +
				`"rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"},"partition":"20%"}`,
		},
	}
	d.Partitioned = deploy.PartitionedBy(d)
	old := replicaset.ReplicaSet{
		Name: "echo-66cf68d45", UID: "r1", ControllerUID: "d1", Replicas: &four, Template: revision.Template{ID: "image:1"},
		Annotations: map[string]string{revision.AnnotationRevision: "1"},
		Status:      replicaset.Status{Replicas: 4, ReadyReplicas: 4, AvailableReplicas: 4},
	}
	fresh := replicaset.ReplicaSet{
		Name: "echo-7d4c665cf7", UID: "r2", ControllerUID: "d1", Replicas: &two, Template: d.Template,
		CreationTimestamp: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Annotations:       map[string]string{revision.AnnotationRevision: "2"},
		Status:            replicaset.Status{Replicas: 2, ReadyReplicas: 1, AvailableReplicas: 1},
	}
	now := time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)
	plan, err := deploy.Reconcile(deploy.Snapshot{Deployment: d, ReplicaSets: []replicaset.ReplicaSet{old, fresh}}, now, deploy.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range plan.Holds {
		fmt.Println(h)
	}
	fmt.Println(plan.ExtraStatus.Text(), plan.RecheckAt.Sub(now))
	// Output:
	// echo-7d4c665cf7 held back: Partition (2 of 2)
	// echo-7d4c665cf7 held back: NotReady (1 of 2)
	// {"updatedReadyReplicas":1,"expectedUpdatedReplicas":2} 2s
}

func ExampleParsePartitioned() {
	s, err := deploy.ParsePartitioned(`{"rollingStyle":"Partition","rollingUpdate":{"maxSurge":1},"partition":"20%"}`)
	fmt.Println(s.Partition, s.RollingUpdate.MaxSurge, err)
	fmt.Println(s.Text())
	// Text that is no percentage is 0 for the controller.
	s, err = deploy.ParsePartitioned(`{"partition":"50"}`)
	fmt.Println(s.Partition, err)
	// Output:
	// 20% 1 <nil>
	// {"rollingStyle":"Partition","rollingUpdate":{"maxSurge":1},"partition":"20%"}
	// 0% <nil>
}
