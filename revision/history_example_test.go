// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// rolledOut returns the ReplicaSets of a Deployment after templates A, B and A again.
func rolledOut() []revision.Entry {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	three, none := int32(3), int32(0)
	return []revision.Entry{
		{
			Name: "web-a", Template: revision.Template{ID: "A"}, CreationTimestamp: start, Replicas: &three,
			Annotations: map[string]string{revision.AnnotationRevision: "3", revision.AnnotationHistory: "1"},
		},
		{
			Name: "web-b", Template: revision.Template{ID: "B"}, CreationTimestamp: start.Add(time.Hour), Replicas: &none,
			Annotations: map[string]string{revision.AnnotationRevision: "2", "kubernetes.io/change-cause": "try B"},
		},
	}
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
	limit := int32(0)
	remove, held := revision.CleanUp(sets[1:], &limit, revision.Options{})
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
	collisions := int32(11)
	attempt, err := revision.FirstAttempt("foo", r, &collisions, revision.Options{})
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
