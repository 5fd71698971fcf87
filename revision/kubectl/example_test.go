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
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	return []revision.Entry{
		{
			Name: "web-a", Template: revision.Template{ID: "A"}, CreationTimestamp: start, Replicas: number(3),
			Annotations: map[string]string{revision.AnnotationRevision: "3", revision.AnnotationHistory: "1"},
		},
		{
			Name: "web-b", Template: revision.Template{ID: "B"}, CreationTimestamp: start.Add(time.Hour), Replicas: number(0),
			Annotations: map[string]string{revision.AnnotationRevision: "2", kubectl.AnnotationChangeCause: "try B"},
		},
	}
}

// number returns a pointer to n: a field that is nil is not set.
func number(n int32) *int32 { return &n }

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
	web := kubectl.Deployment{
		Name: "web", Replicas: number(3),
		Status: kubectl.DeploymentStatus{Replicas: 4, UpdatedReplicas: 2, AvailableReplicas: 4},
	}
	text, done, err := web.Report(0)
	fmt.Print(text)
	fmt.Println(done, err)
	// Output:
	// Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...
	// false <nil>
}
