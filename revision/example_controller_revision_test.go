// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// db is a StatefulSet, and image its data with an image.
var db = revision.Parent{Kind: "StatefulSet", Name: "db", UID: "s1"}

func image(name string) []byte { return []byte(`{"image":"` + name + `"}`) }

// The name is that of the parent with the hash of the data.
func ExampleNewControllerRevision() {
	r := revision.NewControllerRevision(db, map[string]string{"app": "db"}, image("db:1"), 1, nil, revision.Options{})
	fmt.Println(r.Name == "db-"+r.Labels[revision.LabelRevisionHash], r.Labels["app"], r.Revision, r.ControllerName)
	// Output: true db 1 db
}

// The name is taken by other data, so that a further attempt with a higher count is made.
func ExampleFirstAttempt() {
	none := int32(0)
	r := revision.NewControllerRevision(db, nil, image("db:1"), 1, &none, revision.Options{})
	a, err := revision.FirstAttempt("db", r, &none, revision.Options{})
	fmt.Println(a.Revision.Name == r.Name, a.Collisions, err)
	_, err = revision.FirstAttempt("db", r, nil, revision.Options{})
	fmt.Println(errors.Is(err, revision.ErrNoCollisionCount))
	// Output:
	// true 0 <nil>
	// true
}

// A revision with the same data that has the name is used; if its data is other, the next
// name is tried.
func ExampleAttempt_Taken() {
	none := int32(0)
	r := revision.NewControllerRevision(db, nil, image("db:1"), 1, &none, revision.Options{})
	a, _ := revision.FirstAttempt("db", r, &none, revision.Options{})
	_, use := a.Taken(revision.ControllerRevision{Name: a.Revision.Name, Data: image("db:1")}, revision.Options{})
	fmt.Println("the same data:", use)
	next, use := a.Taken(revision.ControllerRevision{Name: a.Revision.Name, Data: image("db:9")}, revision.Options{})
	fmt.Println("other data:", use, next.Collisions, next.Revision.Name != a.Revision.Name)
	// Output:
	// the same data: true
	// other data: false 1 true
}

// An orphan may be used by everybody.
func ExampleControllerRevision_BelongsTo() {
	owned, orphan := revision.ControllerRevision{ControllerUID: "s1"}, revision.ControllerRevision{}
	fmt.Println(owned.BelongsTo("s1"), owned.BelongsTo("s2"), orphan.BelongsTo("s2"))
	// Output: true false true
}

func ExampleControllerRevision_SameData() {
	a, b := revision.ControllerRevision{Name: "db-1", Data: image("db:1")}, revision.ControllerRevision{Name: "db-2", Data: image("db:1")}
	fmt.Println(a.SameData(b, revision.Options{}), a.SameData(revision.ControllerRevision{Data: image("db:2")}, revision.Options{}))
	// Output: true false
}

// A blank makes another version, unless that is repaired.
func ExampleSameData() {
	a, b := []byte(`{"image":"db:1"}`), []byte(`{"image": "db:1"}`)
	fmt.Println(revision.SameData(a, b, revision.Options{}))
	fmt.Println(revision.SameData(a, b, revision.Options{Repair: quirk.SerialisationIsVersion}))
	// Output:
	// false
	// true
}

// three are revisions of which the first and the last restore the same.
func three() []revision.ControllerRevision {
	return []revision.ControllerRevision{
		{Name: "db-a", Revision: 1, Data: image("db:1")},
		{Name: "db-b", Revision: 2, Data: image("db:2")},
		{Name: "db-c", Revision: 3, Data: image("db:1")},
	}
}

func ExampleFindEqual() {
	fmt.Println(revision.FindEqual(three(), revision.ControllerRevision{Data: image("db:1")}, revision.Options{}))
	// Output: [0 2]
}

// The number counts first, then the time of creation, then the name.
func ExampleCompareRevisions() {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	a := revision.ControllerRevision{Name: "db-b", Revision: 2, CreationTimestamp: start}
	b := revision.ControllerRevision{Name: "db-a", Revision: 2, CreationTimestamp: start.Add(time.Hour)}
	fmt.Println(revision.CompareRevisions(a, b) < 0)
	b.CreationTimestamp = start
	fmt.Println(revision.CompareRevisions(a, b) < 0)
	// Output:
	// true
	// false
}

func ExampleSortRevisions() {
	for _, r := range revision.SortRevisions([]revision.ControllerRevision{{Name: "db-b", Revision: 10}, {Name: "db-a", Revision: 9}}) {
		fmt.Println(r.Revision, r.Name)
	}
	// Output:
	// 9 db-a
	// 10 db-b
}

func ExampleNextRevision() {
	fmt.Println(revision.NextRevision(nil), revision.NextRevision(three()))
	// Output: 1 4
}

// A revision without the label gets its name as hash.
func ExampleRevisionHash() {
	labelled := revision.ControllerRevision{Name: "agent-7d4c", Labels: map[string]string{revision.LabelRevision: "7d4c"}}
	fmt.Println(revision.RevisionHash(labelled))
	fmt.Println(revision.RevisionHash(revision.ControllerRevision{Name: "agent-7d4c"}))
	// Output:
	// 7d4c true
	// agent-7d4c false
}

func ExamplePartition() {
	current, old := revision.Partition(three(), image("db:1"), revision.Options{})
	fmt.Println("current", current, "old", old)
	// Output: current [0 2] old [1]
}

// Of two revisions with the data of the DaemonSet the one with the highest number stays. An
// old one has the number 4, and so it becomes 5.
func ExampleDedupe() {
	d := revision.Dedupe([]revision.ControllerRevision{{Name: "agent-a", Revision: 1}, {Name: "agent-c", Revision: 3}}, 5)
	fmt.Println("keep", d.Keep, "delete", d.Delete, "relabel", d.Relabel, "number", d.Renumber)
	// Output: keep 1 delete [0] relabel true number 5
}

// The hash is that of the pod template. All annotations are copied.
func ExampleNewDaemonSetRevision() {
	agent := revision.Parent{Kind: "DaemonSet", Name: "agent", UID: "d1"}
	r := revision.NewDaemonSetRevision(agent, "7d4c", map[string]string{"app": "agent"}, map[string]string{"team": "infra"}, image("agent:2"), 2, revision.Options{})
	fmt.Println(r.Name, r.Labels[revision.LabelRevision], r.Annotations["team"], r.Revision)
	// Output: agent-7d4c 7d4c infra 2
}

// The name is taken by other data: the count of collisions goes up. A count that is not that
// of the name any more is stale.
func ExampleDaemonSetTaken() {
	zero, one := int32(0), int32(1)
	taken := revision.ControllerRevision{Name: "agent-7d4c", Data: image("agent:1")}
	count, err := revision.DaemonSetTaken("agent", image("agent:2"), taken, &zero, &zero, revision.Options{})
	fmt.Println(*count, err)
	_, err = revision.DaemonSetTaken("agent", image("agent:2"), taken, &zero, &one, revision.Options{})
	fmt.Println(errors.Is(err, revision.ErrStaleCollisions))
	count, err = revision.DaemonSetTaken("agent", image("agent:1"), taken, &zero, &zero, revision.Options{})
	fmt.Println(count == nil, err)
	// Output:
	// 1 <nil>
	// true
	// true <nil>
}

// One of three old revisions is to stay. If the oldest is in use, the other two go.
func ExampleCleanUpRevisions() {
	old := []revision.ControllerRevision{
		{Name: "agent-a", Revision: 1, Labels: map[string]string{revision.LabelRevision: "a"}},
		{Name: "agent-b", Revision: 2, Labels: map[string]string{revision.LabelRevision: "b"}},
		{Name: "agent-c", Revision: 3, Labels: map[string]string{revision.LabelRevision: "c"}},
	}
	one := int32(1)
	fmt.Println(revision.CleanUpRevisions(old, nil, &one))
	fmt.Println(revision.CleanUpRevisions(old, []string{"a"}, &one))
	// Output:
	// [0 1]
	// [1 2]
}

// One revision that nobody uses may stay, and db-a is in use.
func ExampleTruncate() {
	one := int32(1)
	fmt.Println(revision.Truncate(three(), nil, &one))
	fmt.Println(revision.Truncate(three(), []string{"db-a"}, &one))
	// Output:
	// [0 1]
	// [1]
}

func ExampleDaemonSetRevisionName() {
	fmt.Println(revision.DaemonSetRevisionName("agent", "7d4c", revision.Options{}))
	// Output: agent-7d4c
}

// The count of collisions leads to another hash of the same data.
func ExampleHashRevision() {
	zero, one := int32(0), int32(1)
	first := revision.HashRevision(image("db:1"), "", &zero, revision.Options{})
	fmt.Println(first == revision.HashRevision(image("db:1"), "", &zero, revision.Options{}))
	fmt.Println(first == revision.HashRevision(image("db:1"), "", &one, revision.Options{}))
	// Output:
	// true
	// false
}
