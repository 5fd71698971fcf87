// SPDX-License-Identifier: Apache-2.0

package rollouttest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/rollout/rollouttest"
	"github.com/kplan-go/kplan/rollout/workload"
)

func ExampleKruise() {
	fmt.Println(rollouttest.Kruise().Names()[8:11])
	// Output: [timed pause steps in order new template restarts]
}

func ExampleBatches() {
	names := rollouttest.Batches().Names()
	fmt.Println(names[len(names)-1])
	// Output: rollback in batches
}

func ExampleArgo() {
	fmt.Println(rollouttest.Argo().Names()[8:10])
	// Output: [bounds after every prefix bounds from stale views]
}

func ExampleRollingBack() {
	fmt.Println(rollouttest.RollingBack().Example(1).Release.Annotations[workload.AnnotationRollbackInBatch])
	// Output: true
}

// A printer stands for the *testing.T of a test, and prints the violations.
type printer struct{ testing.TB }

func (printer) Helper() {}
func (printer) Fatal(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), "\nfrom:")
	fmt.Println(found)
}

// A release is checked as a whole: it is over, and an old pod is left.
func ExampleCheckRelease() {
	t := printer{} // in a test, its *testing.T
	replicas := int32(4)
	view := rollouttest.View{At: plantest.Now(), New: 3, Old: 1, NewReady: 3, Available: 4}
	view.Rollout.Status.Phase, view.Workload.Replicas = kruise.PhaseProgressing, &replicas
	over := view
	over.Rollout.Status.Phase = kruise.PhaseHealthy
	rollouttest.CheckRelease(t, rollouttest.Release{Views: []rollouttest.View{view, over}, Fair: true, Strict: true, Only: []string{"end of a release"}})
	// Output:
	// rollouttest:
	//     end of a release: view 2: the release is over with 3 new and 1 old pods
}
