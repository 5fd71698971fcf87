// SPDX-License-Identifier: Apache-2.0

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

// A value that nobody knows stops the rollout as well, before the pod is deleted.
func ExampleParse() {
	for _, value := range []string{"true", "after", "off", "maybe"} {
		mode, valid := pausepoint.Parse(map[string]string{pausepoint.Annotation: value})
		fmt.Println(value, "means", mode, valid)
	}
	// Output:
	// true means before true
	// after means after true
	// off means false true
	// maybe means before false
}

// The rollout to revision 7 has paused at two pods; the last one is where it waits.
func ExampleParseToken() {
	token, ok := pausepoint.ParseToken("7;b:uid-1,a:uid-2")
	last := token.Entries[len(token.Entries)-1]
	fmt.Println(token.Revision, len(token.Entries), last.Mode, last.UID, ok)
	_, ok = pausepoint.ParseToken("7;uid-1")
	fmt.Println(ok)
	// Output:
	// 7 2 after uid-2 true
	// false
}
