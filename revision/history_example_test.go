package revision_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// rolledOut returns the ReplicaSets of a Deployment after templates A, B and A again.
func rolledOut() []revision.Entry {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	return []revision.Entry{
		{
			Name: "web-a", Template: revision.Template{ID: "A"}, CreationTimestamp: start, Replicas: new(int32(3)),
			Annotations: map[string]string{revision.AnnotationRevision: "3", revision.AnnotationHistory: "1"},
		},
		{
			Name: "web-b", Template: revision.Template{ID: "B"}, CreationTimestamp: start.Add(time.Hour), Replicas: new(int32(0)),
			Annotations: map[string]string{revision.AnnotationRevision: "2", revision.AnnotationChangeCause: "try B"},
		},
	}
}

func ExampleTable() {
	rows, _ := revision.History(rolledOut(), revision.Template{ID: "A"})
	fmt.Print(revision.Table(rows))
	// Output:
	// REVISION  CHANGE-CAUSE
	// 2         try B
	// 3         <none>
}

func ExampleFullHistory() {
	sets := rolledOut()
	for _, r := range revision.FullHistory(sets) {
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
	undo, err := revision.PlanUndo(web, sets, 0, revision.Options{})
	fmt.Println(sets[undo.Source].Name, undo, err)
	undo, _ = revision.PlanUndo(web, sets, 3, revision.Options{})
	fmt.Println(undo)
	_, err = revision.PlanUndo(web, sets, 1, revision.Options{})
	var refusal *revision.Refusal
	fmt.Println(err, errors.As(err, &refusal) && refusal.Reason == revision.RefusedNotFound)
	// Output:
	// web-b rolled back <nil>
	// skipped rollback (current template already matches revision 3)
	// unable to find specified revision 1 in history true
}

func ExampleTarget() {
	sets := rolledOut()
	for _, request := range []revision.Request{{}, {Number: 1}, {Steps: 1}, {Name: "web-b"}} {
		i, err := revision.Target(sets, 0, request)
		fmt.Println(sets[i].Name, err)
	}
	// Output:
	// web-b <nil>
	// web-a <nil>
	// web-b <nil>
	// web-b <nil>
}

func ExampleRollout_Report() {
	web := revision.Rollout{
		Name: "web", Replicas: new(int32(3)),
		Status: revision.RolloutStatus{Replicas: 4, UpdatedReplicas: 2, AvailableReplicas: 4},
	}
	text, done, err := web.Report(0)
	fmt.Print(text)
	fmt.Println(done, err)
	// Output:
	// Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...
	// false <nil>
}

func ExamplePlanRollback() {
	web := revision.Workload{
		Name: "web", Template: revision.Template{ID: "A"},
		Annotations: map[string]string{revision.AnnotationRollback: "2"},
	}
	if request, ok := revision.RollbackRequest(web.Annotations); ok {
		rollback := revision.PlanRollback(web, rolledOut(), request, revision.Options{})
		fmt.Println(rollback.Event())
		fmt.Println(rollback.Annotations)
	}
	// Output:
	// Normal DeploymentRollback Rolled back deployment "web" to revision 2
	// map[kubernetes.io/change-cause:try B]
}

func ExampleCleanUp() {
	sets := append(rolledOut(), revision.Entry{Name: "web-c", Annotations: map[string]string{revision.AnnotationRevision: "1"}})
	remove, held := revision.CleanUp(sets[1:], new(int32(0)), revision.Options{})
	for _, i := range remove {
		fmt.Println("delete", sets[1:][i].Name)
	}
	for _, h := range held {
		fmt.Println("keep", sets[1:][h.Index].Name, h.Reason) // its replicas are unset, which is 1
	}
	// Output:
	// delete web-b
	// keep web-c HistoryNotEmpty
}

func ExampleRevisionName() {
	template := []byte(`{"a":1}`)
	fmt.Println(revision.RevisionName("foo", revision.HashRevision(template, "", nil, revision.Options{})))
	// The name is taken by other data, so the count of collisions goes up.
	parent := revision.Parent{Kind: "StatefulSet", Name: "foo", UID: "1234"}
	r := revision.NewControllerRevision(parent, nil, template, 3, nil, revision.Options{})
	attempt, err := revision.FirstAttempt("foo", r, new(int32(11)), revision.Options{})
	fmt.Println(attempt.Revision.Name, err)
	next, use := attempt.Taken(revision.ControllerRevision{Data: []byte(`{"a":2}`)}, revision.Options{})
	fmt.Println(next.Revision.Name, next.Collisions, use)
	// Output:
	// foo-69966c9df7
	// foo-57559c4bc <nil>
	// foo-57559c4b8 12 false
}

func ExampleChooseUpdate() {
	set := revision.StatefulSet{Name: "db", Data: []byte(`{"image":"v1"}`), Current: "db-b"}
	revisions := []revision.ControllerRevision{
		{Name: "db-a", Revision: 1, Data: []byte(`{"image":"v1"}`)},
		{Name: "db-b", Revision: 2, Data: []byte(`{"image":"v2"}`)},
	}
	choice := revision.ChooseUpdate(set, revisions, nil, revision.Options{})
	fmt.Println(choice.Verb, choice.Revision.Name, choice.Revision.Revision, revisions[choice.Current].Name)
	// Output: Renumber db-a 3 db-b
}

func ExampleNormalize() {
	old, _ := revision.Normalize([]byte(`{"metadata": {"creationTimestamp": null}}`))
	fmt.Println(string(old))
	// Output: {"metadata":{}}
}
