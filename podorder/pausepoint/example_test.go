package pausepoint_test

import (
	"fmt"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

// Of five pods of an old ReplicaSet four are to go, and the third is a pause point.
func ExampleDecide() {
	var pods []podorder.Pod
	for _, name := range []string{"p1", "p2", "p3", "p4", "p5"} {
		pods = append(pods, podorder.Pod{Name: name, UID: name, NodeName: "n1", Phase: podorder.Running})
	}
	pods[2].Annotations = map[string]string{pausepoint.Annotation: "before"}
	order := podorder.Order{}
	state := pausepoint.State{Name: "web", Revision: 7}

	plan := pausepoint.Decide(order, pods, []pausepoint.ScaleDown{{N: 4, Cause: pausepoint.CauseRollout}}, state)
	fmt.Println(plan.Delete[0], "may go;", plan.Pause)
	state.Paused, state.Token = true, plan.Pause.Token
	plan = pausepoint.Decide(order, pods[2:], []pausepoint.ScaleDown{{N: 2, Cause: pausepoint.CauseRollout}}, state)
	fmt.Println(plan.Delete[0], "while paused")
	state.Paused = false // the user resumes
	plan = pausepoint.Decide(order, pods[2:], []pausepoint.ScaleDown{{N: 2, Cause: pausepoint.CauseRollout}}, state)
	fmt.Println(plan.Delete[0], "afterwards")
	// Output:
	// 2 may go; Paused deployment web before deleting pod p3
	// 0 while paused
	// 2 afterwards
}
