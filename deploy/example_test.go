// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shop is a Deployment of 10 replicas whose template has just been edited.
func shop() deploy.Snapshot {
	return deploy.Snapshot{
		Deployment: deploy.Deployment{
			Name: "web", UID: "d1", Replicas: number(10),
			Template: revision.Template{ID: "image:2", Hash: "7d4c665cf7"},
			MaxSurge: rollout.Int(3), MaxUnavailable: rollout.Int(2), ProgressDeadlineSeconds: number(600),
		},
		ReplicaSets: []replicaset.ReplicaSet{{
			Name: "web-66cf68d45", UID: "r1", ControllerUID: "d1", Replicas: number(10),
			Template:    revision.Template{ID: "image:1", Hash: "66cf68d45"},
			Annotations: map[string]string{revision.AnnotationRevision: "1"},
			Status:      replicaset.Status{Replicas: 10, ReadyReplicas: 10, AvailableReplicas: 10},
		}},
	}
}

// number returns a pointer to n: a field that is nil is not set.
func number(n int32) *int32 { return &n }

func Example() {
	plan, err := deploy.Reconcile(shop(), noon, deploy.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan)
	fmt.Println(plan.Budget)
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2)
	// Annotated deployment: deployment.kubernetes.io/revision (Revision)
	// Scaled down replica set web-66cf68d45 from 10 to 8 (RolloutDown)
	// web-7d4c665cf7 held back: SurgeExhausted (13 of 13)
	// web-66cf68d45 held back: MinAvailable (8 of 8)
	// at most 13, at least 8 available
}

// A rollout that does not move says why, with the numbers.
func ExampleReconcile_held() {
	s := shop()
	s.ReplicaSets[0].Replicas = number(8)
	s.ReplicaSets[0].Status = replicaset.Status{Replicas: 8, ReadyReplicas: 8, AvailableReplicas: 8}
	s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
		Name: "web-7d4c665cf7", UID: "r2", ControllerUID: "d1", Replicas: number(5), Template: s.Deployment.Template,
		Annotations: map[string]string{revision.AnnotationRevision: "2"},
		Status:      replicaset.Status{Replicas: 5}, // none is ready
	})
	s.Deployment.Annotations = map[string]string{revision.AnnotationRevision: "2"}
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan)
	fmt.Println("look again at", plan.RecheckAt.Format(time.TimeOnly))
	// Output:
	// web-7d4c665cf7 held back: SurgeExhausted (13 of 13)
	// web-66cf68d45 held back: MinAvailable (8 of 8)
	// look again at 12:10:00
}

// A paused Deployment scales, in proportion, but does not roll out.
func ExampleReconcile_paused() {
	s := shop()
	s.Deployment.Paused = true
	s.Deployment.Replicas = number(12)
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan)
	// Output:
	// Scaled up replica set web-66cf68d45 from 10 to 12 (Scaling)
	// held back: PausedTemplate (0 of 12)
}

func ExampleReconcile_recreate() {
	s := shop()
	s.Deployment.Strategy = deploy.Recreate
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan)
	// Output:
	// Scaled down replica set web-66cf68d45 from 10 to 0 (RecreateDown)
}

// Scaling in the middle of a rollout keeps the shares of old and new.
func ExampleReconcile_scaleDuringRollout() {
	s := shop()
	s.Deployment.Replicas = number(15)
	before := map[string]string{
		revision.AnnotationRevision: "1", revision.AnnotationDesired: "10", revision.AnnotationMax: "13",
	}
	s.ReplicaSets[0].Replicas, s.ReplicaSets[0].Annotations = number(8), before
	s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
		Name: "web-7d4c665cf7", UID: "r2", ControllerUID: "d1", Replicas: number(5),
		Template: s.Deployment.Template, CreationTimestamp: noon,
		Annotations: map[string]string{revision.AnnotationRevision: "2", revision.AnnotationDesired: "10", revision.AnnotationMax: "13"},
	})
	s.Deployment.Annotations = map[string]string{revision.AnnotationRevision: "2"}
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan)
	// Output:
	// Scaled up replica set web-66cf68d45 from 8 to 11 (Scaling)
	// Scaled up replica set web-7d4c665cf7 from 5 to 7 (Scaling)
	// held back: ScalingFirst (0 of 15)
}

func ExampleReconcile_invalid() {
	s := shop()
	s.Deployment.Replicas = number(-1)
	_, err := deploy.Reconcile(s, noon, deploy.Options{})
	var field *kplan.FieldError
	if errors.As(err, &field) {
		fmt.Println(field.Path)
	}
	fmt.Println(err)
	// Output:
	// Deployment.Replicas
	// Deployment.Replicas: -1: must not be negative
}

// A plan is carried out in order, up to the first write that fails.
func ExamplePlan_execute() {
	plan, _ := deploy.Reconcile(shop(), noon, deploy.Options{})
	for _, a := range plan.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			fmt.Println("POST", a.Name, a.Replicas)
		case deploy.ScaleReplicaSet:
			fmt.Println("PATCH", a.Name, a.To)
		case deploy.AnnotateReplicaSet:
			fmt.Println("PATCH", a.Name, len(a.Set))
		case deploy.AnnotateDeployment:
			fmt.Println("PATCH the deployment", len(a.Set))
		case deploy.DeleteReplicaSet:
			fmt.Println("DELETE", a.Name)
		default:
			fmt.Printf("unknown action %T\n", a)
		}
	}
	// Output:
	// POST web-7d4c665cf7 3
	// PATCH the deployment 1
	// PATCH web-66cf68d45 8
}

func ExamplePlan_json() {
	s := shop()
	s.Deployment.Strategy = deploy.Recreate
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	text, _ := json.Marshal(plan.Actions[0])
	fmt.Println(string(text))
	text, _ = json.Marshal(plan.Actions)
	fmt.Println(string(text))
	// Output:
	// {"name":"web-66cf68d45","uid":"r1","from":10,"to":0,"set":{"deployment.kubernetes.io/desired-replicas":"10","deployment.kubernetes.io/max-replicas":"10"},"reason":"RecreateDown"}
	// [{"scaleReplicaSet":{"name":"web-66cf68d45","uid":"r1","from":10,"to":0,"set":{"deployment.kubernetes.io/desired-replicas":"10","deployment.kubernetes.io/max-replicas":"10"},"reason":"RecreateDown"}}]
}

// An annotation asks for the previous revision, and the next plan goes back.
func ExampleReconcile_rollback() {
	s := shop()
	s.Deployment.Annotations = map[string]string{revision.AnnotationRollback: "0", revision.AnnotationRevision: "2"}
	s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
		Name: "web-7d4c665cf7", UID: "r2", ControllerUID: "d1", Replicas: number(10), Template: s.Deployment.Template,
		Annotations: map[string]string{revision.AnnotationRevision: "2"}, CreationTimestamp: noon,
	})
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan)
	// Output:
	// Rolled back deployment to revision 1 of replica set web-66cf68d45 (Rollback)
}

// Resuming restarts the clock of the progress deadline, and the rollout goes on.
func ExampleReconcile_resumed() {
	s := shop()
	s.Deployment.Status.Conditions = []kplan.Condition{{
		Type: deploy.ConditionProgressing, Status: kplan.ConditionUnknown, Reason: "DeploymentPaused",
		LastUpdateTime: noon.Add(-24 * time.Hour),
	}}
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{})
	fmt.Println(plan.Actions[0])
	fmt.Println("look again at", plan.RecheckAt.Format(time.TimeOnly))
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2)
	// look again at 12:10:00
}

// A pause point holds a rollout at a pod until somebody resumes it.
func ExampleReconcile_pausePoint() {
	s := shop()
	for i, name := range []string{"web-a", "web-b", "web-c"} {
		s.Pods = append(s.Pods, podorder.Pod{
			Name: name, UID: name, ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running,
			Ready: true, ReadySince: noon.Add(-time.Hour << i),
		})
	}
	s.Pods[1].Annotations = map[string]string{pausepoint.Annotation: "before"}
	plan, _ := deploy.Reconcile(s, noon, deploy.Options{PausePoints: true})
	fmt.Println(plan.Actions[2])
	fmt.Println(plan.Actions[3])
	// Output:
	// Scaled down replica set web-66cf68d45 from 10 to 9 (RolloutDown)
	// Paused deployment before deleting pod web-b (PausePoint)
}
