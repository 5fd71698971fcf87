// SPDX-License-Identifier: Apache-2.0

package unit

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failure is the reason why an upstream test fails with our functions, and the number of lines
// that it then prints, so that no other failure in it is overlooked.
type failure struct {
	reason string
	lines  int
}

// failures are all tests that are meant to fail.
var failures = map[string]failure{
	"controller/deployment/TestSyncDeploymentCreatesReplicaSet": {
		"the status is written once, with what upstream writes in two calls: deploy, Deviations", 1,
	},
	"controller/replicaset/TestGetPodsToDelete": {
		"if all pods go, they go in the order of deletion; upstream leaves them as its cache lists them, and the test compares the order", 2,
	},
}

// apart are the tests that do not call our functions, with the reason.
var apart = map[string]string{
	"controller/TestPatchPodCallbacks":                                 podControl,
	"controller/TestDeletePodsAllowsMissing":                           podControl,
	"controller/TestCreatePodsWithGenerateName":                        podControl,
	"controller/TestAddOrUpdateTaintOnNode":                            "no planner writes nodes",
	"controller/TestRemoveTaintOffNode":                                "no planner writes nodes",
	"controller/deployment/util/TestGetReplicaCountForReplicaSets":     "sums, of which ours exports none",
	"controller/deployment/util/TestGetNonNegativeInt32FromAnnotation": "a parser, which ours does not export",
	"controller/daemon/TestDeleteFinalStateUnknown":                    "the queue of the controller",
	"controller/daemon/TestAddNode":                                    "the queue of the controller",
	"controller/daemon/TestShouldIgnoreNodeUpdate":                     "one half of what Effects decides of nodes",
	"controller/daemon/TestStoreDaemonSetStatus":                       "a status that was refused is left to the next pass",
	"controller/daemon/util/TestGetTargetNodeName":                     "it goes through the values of a feature gate that is gone, and so runs nothing",
	"controller/replicaset/TestWatchControllers":                       "the queue of the controller",
	"controller/replicaset/TestGetPodKeys":                             "keys, where ours has names",
	"controller/replication/TestGetCondition":                          conditions,
	"controller/replication/TestSetCondition":                          conditions,
	"controller/replication/TestRemoveCondition":                       conditions,
}

const (
	podControl = "the calls of upstream's pod control, which plans are carried out with here"
	conditions = "those of ReplicationControllers, which ours translates to those of ReplicaSets"
)

// prepared returns the folders of the module and of the copied tests.
func prepared(t *testing.T) string {
	conformance, err := filepath.Abs("..")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, Prepare(conformance, folder))
	return folder
}

// messages counts the lines that errors of a test begin with.
func messages(output string) (n int) {
	for line := range strings.Lines(output) {
		if file, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && strings.HasSuffix(file, "_test.go") {
			n++
		}
	}
	return n
}

// check returns the differences between a run and the expected one.
func check(r *Run) (wrong []string) {
	for test := range r.Failed {
		f, meant := failures[test]
		if n := messages(r.Output[test]); !meant || n != f.lines {
			wrong = append(wrong, test)
		}
	}
	for test := range failures {
		if r.Passed[test] {
			wrong = append(wrong, test+" passes")
		}
	}
	slices.Sort(wrong)
	return wrong
}

// TestUpstream runs all tests.
func TestUpstream(t *testing.T) {
	r, err := Test(prepared(t), "./...")
	require.NoError(t, err)
	require.NotEmpty(t, r.Passed, r.Other)
	for _, test := range check(r) {
		t.Errorf("%s\n%s", test, r.Output[test])
	}
	through, calls := 0, 0
	for test := range r.Passed {
		if r.Ours[test] > 0 {
			through++
			calls += r.Ours[test]
		} else if apart[test] == "" {
			t.Errorf("%s does not run through ours", test)
		}
	}
	for test := range apart {
		if r.Ours[test] > 0 {
			t.Errorf("%s runs through ours", test)
		}
	}
	require.GreaterOrEqual(t, through, 182)
	t.Logf("%d tests: %d run through ours and pass, with %d calls; %d fail as meant; %d are not about what ours does",
		len(r.Passed)+len(r.Failed), through, calls, len(r.Failed), len(apart))
}

// TestCheck reads the output of go test for one package.
func TestCheck(t *testing.T) {
	r := &Run{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string]string{}, ""}
	const pkg = copyPath + "/deployment"
	for _, e := range []event{
		{"output", pkg, "TestScale", mark + "deploy.Reconcile\n"},
		{"output", pkg, "TestScale/a", mark + "deploy.Reconcile\n"},
		{"pass", pkg, "TestScale/a", ""},
		{"pass", pkg, "TestScale", ""},
		{"output", pkg, "TestSyncDeploymentCreatesReplicaSet", "    deployment_controller_test.go:249: 1 additional expected action\n"},
		{"fail", pkg, "TestSyncDeploymentCreatesReplicaSet", ""},
		{"skip", pkg, "TestOther", ""},
	} {
		r.take(e)
	}
	require.Equal(t, map[string]int{"controller/deployment/TestScale": 2}, r.Ours)
	require.Equal(t, map[string]bool{"controller/deployment/TestScale": true}, r.Passed)
	require.True(t, r.Skipped["controller/deployment/TestOther"])
	require.Empty(t, check(r))
	r.take(event{"output", pkg, "TestSyncDeploymentCreatesReplicaSet", "    deployment_controller_test.go:250: another\n"})
	require.Equal(t, []string{"controller/deployment/TestSyncDeploymentCreatesReplicaSet"}, check(r), "it says more than is meant")
	r.take(event{"fail", pkg, "TestScale", ""})
	require.Contains(t, check(r), "controller/deployment/TestScale")
	require.Equal(t, []string{"controller/replicaset/TestGetPodsToDelete passes"}, check(&Run{Passed: map[string]bool{"controller/replicaset/TestGetPodsToDelete": true}}))
}
