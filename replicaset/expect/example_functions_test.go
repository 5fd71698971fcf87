// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/replicaset/expect"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Two pods were requested: until the cache shows them, no further pod is created.
func ExampleCreations() {
	e := expect.Creations(2, noon)
	fmt.Println(e.Fulfilled(), e.CreationObserved().Fulfilled(), e.CreationObserved().CreationObserved().Fulfilled())
	// Output: false false true
}

// A name counts once, however often the deletion of the pod shows.
func ExampleDeletions() {
	e := expect.Deletions([]string{"b", "a", "b"}, noon)
	fmt.Println(e.Deletions, e.Pending)
	// Output: 2 [a b]
}

func ExampleExpectations_CreationObserved() {
	e := expect.Creations(3, noon).CreationObserved()
	fmt.Println(e.Creations, "more to be seen")
	// Output: 2 more to be seen
}

// The deletion of a pod that was not requested changes nothing.
func ExampleExpectations_DeletionObserved() {
	e := expect.Deletions([]string{"a", "b"}, noon)
	fmt.Println(e.DeletionObserved("a").Pending, e.DeletionObserved("c").Pending)
	// Output: [b] [a b]
}

// Three creations were expected, and the last call failed: it will never be seen.
func ExampleExpectations_Lower() {
	fmt.Println(expect.Creations(3, noon).Lower(1, 0).Creations)
	// Output: 2
}

func ExampleExpectations_Raise() {
	e := expect.Creations(3, noon).Raise(2, 1)
	fmt.Println(e.Creations, e.Deletions)
	// Output: 5 1
}

func ExampleExpectations_Fulfilled() {
	fmt.Println(expect.Expectations{}.Fulfilled(), expect.Creations(1, noon).Fulfilled())
	// Output: true false
}

// After five minutes the controller plans, even if the cache does not show the pod.
func ExampleExpectations_Satisfied() {
	e := expect.Creations(1, noon)
	fmt.Println(e.Satisfied(noon.Add(5*time.Minute)), e.Satisfied(noon.Add(5*time.Minute+time.Nanosecond)))
	// Output: false true
}

// Machines of a cloud may take longer than five minutes.
func ExampleExpectations_Expired() {
	e := expect.Creations(1, noon)
	fmt.Println(e.Expired(noon.Add(20*time.Minute), 20*time.Minute), e.Expired(noon.Add(21*time.Minute), 20*time.Minute))
	// Output: false true
}

func ExampleExpectations_Remaining() {
	e := expect.Creations(1, noon)
	fmt.Println(e.Remaining(noon.Add(2*time.Minute)).Round(time.Second), e.CreationObserved().Remaining(noon))
	// Output: 3m0s 0s
}

func ExampleExpectations_Expiry() {
	e := expect.Creations(1, noon)
	fmt.Println(e.Satisfied(e.Expiry().Add(-1)), e.Satisfied(e.Expiry()))
	// Output: false true
}

// More creations than requested do not hide a deletion.
func ExampleExpectations_Outstanding() {
	e := expect.Creations(1, noon).Raise(0, 1)
	fmt.Println(e.Outstanding(), e.Lower(2, 0).Outstanding(), e.Lower(1, 1).Outstanding())
	// Output: 2 1 0
}

func ExampleExpectations_Equal() {
	a, b := expect.Creations(1, noon), expect.Creations(2, noon)
	fmt.Println(a.Equal(b), a.Equal(b.CreationObserved()))
	// Output: false true
}

// Versions are numbers of any length: 10 is newer than 9.
func ExampleCompareVersions() {
	fmt.Println(expect.CompareVersions("10", "9"))
	_, ok := expect.CompareVersions("10", "v9")
	fmt.Println(ok)
	// Output:
	// 1 true
	// false
}

// A pod was written as version 120, and the cache has read up to 110.
func ExampleVersions_Unseen() {
	v := expect.Versions{}.WroteChild("r1", "120")
	fmt.Println(v.Unseen(expect.Versions{OwnerUID: "r1", Children: "110"}))
	_, stale := v.Unseen(expect.Versions{OwnerUID: "r1", Children: "120"})
	fmt.Println(stale)
	// Output:
	// {false 110 120} true
	// false
}

// The highest version counts, and another owner starts with no versions.
func ExampleVersions_WroteChild() {
	v := expect.Versions{}.WroteChild("r1", "120").WroteChild("r1", "115")
	fmt.Println(v.Children, v.WroteChild("r2", "101").Children)
	// Output: 120 101
}

func ExampleVersions_WroteOwner() {
	v := expect.Versions{}.WroteChild("r1", "120").WroteOwner("r1", "121")
	fmt.Println(v.Children, v.Owner)
	// Output: 120 121
}

func ExampleUnseen_Err() {
	u, _ := expect.Versions{Owner: "120"}.Unseen(expect.Versions{Owner: "110"})
	fmt.Println(u.Err("pools.example.com", "pods"))
	// Output: read version: 110 is not as new as written version: 120 for group resource pools.example.com
}

func ExampleUnseen_Numbers() {
	fmt.Println(expect.Unseen{Read: "110", Written: "120"}.Numbers())
	// Output: 110 120
}

// The status of the pool was written, and then the cache shows it.
func ExampleWrites_Wrote() {
	w := expect.Writes[string]{}.Wrote("pool", "120", noon)
	fmt.Println(len(w.Observed("pool", "110")), len(w.Observed("pool", "120")))
	// Output: 1 0
}

// An object in the cache that is newer than the write includes it.
func ExampleWrites_Observed() {
	w := expect.Writes[string]{}.Wrote("a", "9", noon).Wrote("b", "10", noon)
	fmt.Println(len(w.Observed("a", "11")), len(w.Observed("b", "9")))
	// Output: 1 2
}

// A pod that was deleted before the cache showed it never shows.
func ExampleWrites_Forget() {
	w := expect.Writes[string]{}.Wrote("a", "9", noon)
	fmt.Println(len(w), len(w.Forget("a")))
	// Output: 1 0
}

func ExampleWrites_Expire() {
	w := expect.Writes[string]{}.Wrote("a", "9", noon)
	fmt.Println(len(w.Expire(noon.Add(10*time.Second), 10*time.Second)), len(w.Expire(noon.Add(11*time.Second), 10*time.Second)))
	// Output: 1 0
}
