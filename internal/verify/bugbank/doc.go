// SPDX-License-Identifier: Apache-2.0

// Package bugbank collects bugs that were reported to other projects, so that the planners of this
// module never have them.
//
// Each entry names an issue of a public project and builds its input with the types of the affected
// planner. Its expected plan is by default the plan of the release that the planner mirrors. If the
// issue is still open and the planner repairs it, it is the repaired plan. TestBank runs all
// entries, each under the name of its issue:
//
//	go test -run 'TestBank/kubernetes-44734' ./internal/verify/bugbank
//
// Every entry also names a mutant, a change of the sources that brings the bug back.
// TestMutantsApply checks that the mutants still apply to the sources. TestMutants, which runs when
// KPLAN_MUTANTS is set, builds them one by one and requires the entry to fail on each:
//
//	KPLAN_MUTANTS=1 go test -timeout 30m -v -run TestMutants$ ./internal/verify/bugbank
//
// Entries are named after the repository and the number of the issue, or in a few cases the pull
// request: kubernetes is kubernetes/kubernetes, website kubernetes/website,
// node-readiness-controller kubernetes-sigs/node-readiness-controller, kruise openkruise/kruise,
// rollouts openkruise/rollouts, argo-rollouts argoproj/argo-rollouts. Titles are in our own words.
//
// Fuzz targets of planners and parsers that have none in their own packages start from snapshots of
// the bank.
package bugbank
