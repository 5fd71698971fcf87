// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// numbered returns a ReplicaSet of a template with a revision.
func numbered(name, template, number string) revision.Entry {
	return revision.Entry{Name: name, Template: revision.Template{ID: template}, Annotations: map[string]string{revision.AnnotationRevision: number}}
}

// Hashes may collide; the ID decides.
func ExampleTemplate_Same() {
	a, b := revision.Template{ID: "image:1", Hash: "7d4c"}, revision.Template{ID: "image:2", Hash: "7d4c"}
	fmt.Println(a.Same(b), a.Same(revision.Template{ID: "image:1"}))
	// Output: false true
}

// Template B was rolled out once before: its ReplicaSet becomes the newest again.
func ExampleSplit() {
	sets := []revision.Entry{numbered("web-a", "A", "3"), numbered("web-b", "B", "2")}
	newest, old := revision.Split(sets, revision.Template{ID: "B"})
	fmt.Println(sets[newest].Name, old)
	newest, _ = revision.Split(sets, revision.Template{ID: "C"})
	fmt.Println(newest, "is to be created")
	// Output:
	// web-b [0]
	// -1 is to be created
}

func ExampleByAge() {
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	fmt.Println(revision.ByAge([]revision.Entry{{Name: "web-a", CreationTimestamp: start.Add(time.Hour)}, {Name: "web-b", CreationTimestamp: start}}))
	// Output: [1 0]
}

// A missing revision is 0.
func ExampleByRevision() {
	sets := []revision.Entry{numbered("web-a", "A", "10"), numbered("web-b", "B", "9"), {Name: "web-c"}}
	fmt.Println(revision.ByRevision(sets, revision.Options{}))
	// Output: [2 1 0]
}

func ExampleByLatestRevision() {
	sets := []revision.Entry{numbered("web-b", "B", "9"), numbered("web-a", "A", "10")}
	fmt.Println(revision.ByLatestRevision(sets, revision.Options{}))
	// Output: [1 0]
}

func ExampleMax() {
	fmt.Println(revision.Max([]int64{3, 7, 1}), revision.Max(nil))
	// Output: 7 0
}

// The text of a template makes its hash, and so do collisions, of which unset is not 0.
func ExampleHash() {
	zero := int32(0)
	hash := revision.Hash("image:1", nil)
	fmt.Println(hash == revision.Hash("image:1", nil))
	fmt.Println(hash == revision.Hash("image:1", &zero))
	// Output:
	// true
	// false
}

// Digits become letters and digits that spell nothing bad.
func ExampleSafeEncode() {
	fmt.Println(revision.SafeEncode("0123456789"))
	// Output: 456789bcdf
}

// The name of a new ReplicaSet is taken by one of another template of the same Deployment,
// or by its own.
func ExampleCollides() {
	web := revision.Template{ID: "image:2", Hash: "7d4c"}
	other := revision.Entry{ControllerUID: "d1", Template: revision.Template{ID: "image:1", Hash: "7d4c"}}
	own := revision.Entry{ControllerUID: "d1", Template: web}
	fmt.Println(revision.Collides("d1", web, other), revision.Collides("d1", web, own), revision.Collides("d2", web, own))
	// Output: true false true
}

func ExampleNextCollision() {
	count := revision.NextCollision(nil)
	fmt.Println(*count, *revision.NextCollision(count))
	// Output: 1 2
}

// What kubectl has applied, and the bookkeeping, are not the user's to copy.
func ExampleCopied() {
	for _, key := range []string{"team", revision.AnnotationLastApplied, revision.AnnotationRevision} {
		fmt.Println(key, revision.Copied(key))
	}
	// Output:
	// team true
	// kubectl.kubernetes.io/last-applied-configuration false
	// deployment.kubernetes.io/revision false
}

// With ten replicas and a surge of three, the ReplicaSet notes 13 as the most.
func ExampleCreationAnnotations() {
	set := revision.CreationAnnotations(map[string]string{"team": "shop", revision.AnnotationRevision: "1"}, 2, 10, 13)
	fmt.Println(len(set), set["team"], set[revision.AnnotationRevision], set[revision.AnnotationDesired], set[revision.AnnotationMax])
	// Output: 4 shop 2 10 13
}

// An annotation that the Deployment no longer has stays, unless annotations are exact.
func ExampleSyncWith() {
	deployment := map[string]string{"team": "shop"}
	replicaSet := map[string]string{"team": "shop", "owner": "kim", revision.AnnotationRevision: "2"}
	c, changed := revision.SyncWith(deployment, replicaSet, 2, revision.Options{})
	fmt.Println(c.Remove, changed)
	c, changed = revision.SyncWith(deployment, replicaSet, 2, revision.Options{ExactAnnotations: true})
	fmt.Println(c.Remove, changed)
	// Output:
	// [] false
	// [owner] true
}

func ExampleRollbackRequest() {
	fmt.Println(revision.RollbackRequest(map[string]string{revision.AnnotationRollback: "3"}))
	fmt.Println(revision.RollbackRequest(map[string]string{revision.AnnotationRollback: "last"}))
	// Output:
	// 3 true
	// 0 false
}

// The annotations of the ReplicaSet come back with its template, and the others go.
func ExampleRollbackAnnotations() {
	deployment := map[string]string{"team": "shop", revision.AnnotationRevision: "2"}
	replicaSet := map[string]string{"owner": "kim", revision.AnnotationRevision: "1"}
	fmt.Println(revision.RollbackAnnotations(deployment, replicaSet, revision.Options{}))
	fmt.Println(len(revision.RollbackAnnotations(deployment, replicaSet, revision.Options{KeepAnnotations: true})))
	// Output:
	// map[deployment.kubernetes.io/revision:2 owner:kim]
	// 3
}

func ExampleRollback_Event() {
	web := revision.Workload{Name: "web", Template: revision.Template{ID: "B"}}
	sets := []revision.Entry{numbered("web-a", "A", "1"), numbered("web-b", "B", "2")}
	for _, request := range []int64{0, 2, 7} {
		_, reason, message := revision.PlanRollback(web, sets, request, revision.Options{}).Event()
		fmt.Println(reason, "-", message)
	}
	// Output:
	// DeploymentRollback - Rolled back deployment "web" to revision 1
	// DeploymentRollbackTemplateUnchanged - The rollback revision contains the same template as current deployment "web"
	// DeploymentRollbackRevisionNotFound - Unable to find the revision to rollback to.
}

// An old ReplicaSet stays while it has pods, or while its status is not up to date.
func ExampleEntry_Hold() {
	none := int32(0)
	idle := revision.Entry{Replicas: &none, Generation: 2, Status: revision.EntryStatus{ObservedGeneration: 2}}
	fmt.Printf("%q\n", idle.Hold())
	idle.Status.Replicas = 1
	fmt.Println(idle.Hold())
	idle.Status = revision.EntryStatus{ObservedGeneration: 1}
	fmt.Println(idle.Hold())
	// Output:
	// ""
	// HistoryNotEmpty
	// HistoryNotSynced
}

// keys are those of a kind of one's own.
var keys = revision.Keys{Revision: "fleet.example.com/revision"}

func ExampleKeys_Number() {
	fmt.Println(keys.Number(map[string]string{"fleet.example.com/revision": "4", revision.AnnotationRevision: "9"}))
	// Output: 4 <nil>
}

func ExampleKeys_OrDefault() {
	fmt.Println(keys.OrDefault().Revision)
	fmt.Println(keys.OrDefault().History)
	// Output:
	// fleet.example.com/revision
	// deployment.kubernetes.io/revision-history
}

// The revision of Kubernetes is like any other annotation then.
func ExampleKeys_Copied() {
	fmt.Println(keys.Copied("fleet.example.com/revision"), keys.Copied(revision.AnnotationRevision))
	// Output: false true
}

// Two annotations cannot have one name.
func ExampleKeys_Errors() {
	twice := revision.Keys{Revision: "fleet.example.com/revision", History: "fleet.example.com/revision"}
	fmt.Println(len(keys.Errors("Keys")), len(twice.Errors("Keys")) > 0)
	// Output: 0 true
}

func ExampleKeys_RollbackRequest() {
	back := revision.Keys{Rollback: "fleet.example.com/back-to"}
	fmt.Println(back.RollbackRequest(map[string]string{"fleet.example.com/back-to": "0"}))
	// Output: 0 true
}

func ExampleKeys_CreationAnnotations() {
	fmt.Println(keys.CreationAnnotations(nil, 2, 10, 13)["fleet.example.com/revision"])
	// Output: 2
}

func ExampleKeys_Sync() {
	set, changed := keys.Sync(nil, map[string]string{"fleet.example.com/revision": "1"}, 2)
	fmt.Println(set["fleet.example.com/revision"], set[revision.AnnotationHistory], changed)
	// Output: 2 1 true
}
