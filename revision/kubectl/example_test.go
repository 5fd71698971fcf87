// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

// rolledOut returns the ReplicaSets of a Deployment after templates A, B and A again.
func rolledOut() []revision.Entry {
	three, none := int32(3), int32(0)
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	return []revision.Entry{
		{
			Name: "web-a", Template: revision.Template{ID: "A"}, CreationTimestamp: start, Replicas: &three,
			Annotations: map[string]string{revision.AnnotationRevision: "3", revision.AnnotationHistory: "1"},
		},
		{
			Name: "web-b", Template: revision.Template{ID: "B"}, CreationTimestamp: start.Add(time.Hour), Replicas: &none,
			Annotations: map[string]string{revision.AnnotationRevision: "2", kubectl.AnnotationChangeCause: "try B"},
		},
	}
}

func ExampleFormatTable() {
	rows, _ := kubectl.History(rolledOut(), revision.Template{ID: "A"})
	fmt.Print(kubectl.FormatTable(rows))
	// Output:
	// REVISION  CHANGE-CAUSE
	// 2         try B
	// 3         <none>
}

func ExampleFullHistory() {
	sets := rolledOut()
	for _, r := range kubectl.FullHistory(sets) {
		fmt.Println(r.Number, sets[r.Entry].Name)
	}
	// Output:
	// 1 web-a
	// 2 web-b
	// 3 web-a
}

func ExamplePlanUndo() {
	sets := rolledOut()
	web := revision.Workload{Name: "web", Template: revision.Template{ID: "A"}}
	undo, err := kubectl.PlanUndo(web, sets, 0, revision.Options{})
	fmt.Println(sets[undo.Source].Name, undo, err)
	undo, _ = kubectl.PlanUndo(web, sets, 3, revision.Options{})
	fmt.Println(undo)
	_, err = kubectl.PlanUndo(web, sets, 1, revision.Options{})
	var refusal *kubectl.Refusal
	fmt.Println(err, errors.As(err, &refusal) && refusal.Reason == kubectl.RefusedNotFound)
	// Output:
	// web-b rolled back <nil>
	// skipped rollback (current template already matches revision 3)
	// unable to find specified revision 1 in history true
}

func ExampleTarget() {
	sets := rolledOut()
	for _, request := range []kubectl.Request{{}, {Number: 1}, {Steps: 1}, {Name: "web-b"}} {
		i, err := kubectl.Target(sets, 0, request)
		fmt.Println(sets[i].Name, err)
	}
	// Output:
	// web-b <nil>
	// web-a <nil>
	// web-b <nil>
	// web-b <nil>
}

func ExampleDeployment_Report() {
	three := int32(3)
	web := kubectl.Deployment{
		Name: "web", Replicas: &three,
		Status: kubectl.DeploymentStatus{Replicas: 4, UpdatedReplicas: 2, AvailableReplicas: 4},
	}
	text, done, err := web.Report(0)
	fmt.Print(text)
	fmt.Println(done, err)
	// Output:
	// Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...
	// false <nil>
}

// The cause is the annotation of the ReplicaSet or, without one, of its pod template.
func ExampleChangeCause() {
	sets := rolledOut()
	fmt.Printf("%q %q\n", kubectl.ChangeCause(sets[0]), kubectl.ChangeCause(sets[1]))
	sets[0].TemplateAnnotations = map[string]string{kubectl.AnnotationChangeCause: "from the template"}
	fmt.Printf("%q\n", kubectl.ChangeCause(sets[0]))
	// Output:
	// "" "try B"
	// "from the template"
}

// A ReplicaSet with a revision that is not a number is returned as skipped.
func ExampleHistory() {
	sets := rolledOut()
	sets[1].Annotations[revision.AnnotationRevision] = "two"
	rows, skipped := kubectl.History(sets, revision.Template{ID: "A"})
	for _, r := range rows {
		fmt.Println(r.Number, sets[r.Source].Name)
	}
	fmt.Println("skipped", sets[skipped[0]].Name)
	// Output:
	// 3 web-a
	// skipped web-b
}

// stored are the revisions of a StatefulSet or DaemonSet.
func stored() []revision.ControllerRevision {
	return []revision.ControllerRevision{
		{Name: "db-2", Revision: 2, Data: []byte(`{"image":"db:2"}`), Annotations: map[string]string{kubectl.AnnotationChangeCause: "faster"}},
		{Name: "db-1", Revision: 1, Data: []byte(`{"image":"db:1"}`)},
	}
}

func ExampleRevisionHistory() {
	fmt.Print(kubectl.FormatTable(kubectl.RevisionHistory(stored())))
	// Output:
	// REVISION  CHANGE-CAUSE
	// 1         <none>
	// 2         faster
}

func ExampleShow() {
	rows := kubectl.RevisionHistory(stored())
	shown, err := kubectl.Show(rows, 2)
	fmt.Println(shown[0].Number, shown[0].Cause, err)
	_, err = kubectl.Show(rows, 7)
	fmt.Println(err)
	// Output:
	// 2 faster <nil>
	// unable to find the specified revision
}

func ExamplePause() {
	fmt.Println(kubectl.Pause(false))
	fmt.Println(kubectl.Pause(true))
	// Output:
	// <nil>
	// is already paused
}

func ExampleResume() {
	fmt.Println(kubectl.Resume(true))
	fmt.Println(kubectl.Resume(false))
	// Output:
	// <nil>
	// is not paused
}

func ExampleRestart() {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	set, err := kubectl.Restart(false, now)
	fmt.Println(set[kubectl.AnnotationRestartedAt], err)
	_, err = kubectl.Restart(true, now)
	fmt.Println(err)
	// Output:
	// 2026-01-02T12:00:00Z <nil>
	// can't restart paused deployment (run rollout resume first)
}

// The previous revision is the second highest; 1 is gone, for its template is 3 by now.
func ExampleUndoTarget() {
	sets := rolledOut()
	web := revision.Workload{Name: "web", Template: revision.Template{ID: "A"}}
	i, err := kubectl.UndoTarget(web, sets, 0)
	fmt.Println(sets[i].Name, err)
	_, err = kubectl.UndoTarget(web, sets, 1)
	fmt.Println(err)
	// Output:
	// web-b <nil>
	// unable to find specified revision 1 in history
}

// A StatefulSet of revision 2 goes back to 1; to 2 there is nothing to do.
func ExampleUndoRevision() {
	revisions := stored()
	undo, err := kubectl.UndoRevision(revisions, []byte(`{"image":"db:2"}`), 0, revision.Options{})
	fmt.Println(revisions[undo.Source].Name, undo, err)
	undo, err = kubectl.UndoRevision(revisions, []byte(`{"image":"db:2"}`), 2, revision.Options{})
	fmt.Println(undo, err)
	// Output:
	// db-1 rolled back <nil>
	// skipped rollback (current template already matches revision 2) <nil>
}

func ExampleUndo_Failed() {
	err := kubectl.Undo{Requested: 3}.Failed(errors.New("conflict"))
	fmt.Println(err)
	// Output: failed restoring revision 3: conflict
}
