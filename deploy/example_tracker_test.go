// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
)

// tracked is the shop, followed by a Tracker.
func tracked() *deploy.Tracker {
	t, s := &deploy.Tracker{}, shop()
	_ = t.Apply(deploy.Delta{Deployment: &s.Deployment, ReplicaSet: deploy.ReplicaSetEvent{New: &s.ReplicaSets[0]}})
	return t
}

// An update of a ReplicaSet that nobody has added is refused, and changes nothing.
func ExampleTracker_Apply() {
	web := tracked()
	rs := replicaset.ReplicaSet{Name: "web-9b8c7d", UID: "r2", ControllerUID: "d1"}
	fmt.Println(web.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: &rs, New: &rs}}))
	fmt.Println(web.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{New: &rs}}), len(web.Snapshot().ReplicaSets))
	// Output:
	// ReplicaSet.New.Name: "web-9b8c7d": must be that of a ReplicaSet that has been added and not removed
	// <nil> 2
}

// The deletion of the ReplicaSet was lost. The next list of the cache has another one.
func ExampleTracker_Replace() {
	web, s := tracked(), shop()
	s.ReplicaSets = []replicaset.ReplicaSet{{Name: "web-9b8c7d", UID: "r2", ControllerUID: "d1"}}
	fmt.Println(web.Replace(s))
	for _, rs := range web.Snapshot().ReplicaSets {
		fmt.Println(rs.Name)
	}
	// Output:
	// <nil>
	// web-9b8c7d
}

func ExampleTracker_Plan() {
	web := tracked()
	plan, err := web.Plan(noon, deploy.Options{})
	fmt.Println(plan.Actions[0], err)
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2) <nil>
}

// What is asked of a clone changes nothing in what it was cloned from.
func ExampleTracker_Clone() {
	web := tracked()
	whatIf := web.Clone()
	gone := web.Snapshot().ReplicaSets[0]
	_ = whatIf.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: &gone}})
	fmt.Println(len(whatIf.Snapshot().ReplicaSets), len(web.Snapshot().ReplicaSets))
	// Output: 0 1
}

func ExampleTracker_Snapshot() {
	web := tracked()
	s := web.Snapshot()
	fmt.Println(s.Deployment.Name, s.ReplicaSets[0].Name, len(s.Pods))
	// Output: web web-66cf68d45 0
}

// The new ReplicaSet could not be created, and the condition says so.
func ExampleTracker_Pass() {
	web := tracked()
	pass, _ := web.Pass(noon, deploy.Options{})
	result := pass.Finish(deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Failed, Err: fmt.Errorf("no room")}}})
	fmt.Println(result.Status.Conditions[0].Reason, len(result.Errs))
	// Output: ReplicaSetCreateError 1
}
