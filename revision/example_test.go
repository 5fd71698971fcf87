// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/revision"
)

func ExampleNext() {
	fmt.Println(revision.Next(nil))
	fmt.Println(revision.Next([]int64{3, 1, 7}))
	// Output:
	// 1
	// 8
}

func ExampleNumber() {
	n, err := revision.Number(map[string]string{revision.AnnotationRevision: "4"})
	fmt.Println(n, err)
	_, err = revision.Number(map[string]string{revision.AnnotationRevision: "four"})
	fmt.Println(errors.Is(err, kplan.ErrInvalid))
	fmt.Println(err)
	// Output:
	// 4 <nil>
	// true
	// Annotations["deployment.kubernetes.io/revision"]: "four": must be a decimal number
}

func ExampleLast() {
	fmt.Println(revision.Last([]int64{1, 2}), revision.Last([]int64{5, 5}), revision.Last([]int64{1}))
	// Output: 1 5 0
}

func ExampleReplicaSetName() {
	one, hash := int32(1), revision.Hash("the dump of a template", nil)
	fmt.Println(revision.ReplicaSetName("web", hash))
	// Once that name is taken by another template, the count of collisions leads
	// to the next.
	fmt.Println(revision.ReplicaSetName("web", revision.Hash("the dump of a template", &one)))
	// Output:
	// web-74d94487fd
	// web-66bb9f4987
}

func ExampleAppendHistory() {
	fmt.Println(revision.AppendHistory("1,2,3", "4", revision.HistoryLimit))
	fmt.Println(revision.AppendHistory("8,9,10", "12", 8))
	// Output:
	// 1,2,3,4
	// 9,10,12
}

func ExampleSync() {
	deployment := map[string]string{"kubernetes.io/change-cause": "new image"}
	replicaSet := map[string]string{revision.AnnotationRevision: "1"}
	set, changed := revision.Sync(deployment, replicaSet, 3)
	fmt.Println(changed, set[revision.AnnotationRevision], set[revision.AnnotationHistory], set["kubernetes.io/change-cause"])
	// Output: true 3 1 new image
}
