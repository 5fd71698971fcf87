// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// A function is an upstream function and our function that mirrors it.
type function struct {
	// name is the name of the upstream function, and of the subtest.
	name string
	// compare draws a case, decides it on both sides and calls judge.
	compare func(t random.T, c *caseCounts, now time.Time)
}

// functions lists all functions that are compared one by one. To add a function, write a compare
// function next to similar ones and list it in their file.
func functions() []function {
	return slices.Concat(limitFunctions, revisionFunctions, templateFunctions, rolloutFunctions, conditionFunctions,
		podFunctions, orderFunctions, statusFunctions, selectorFunctions, nodeFunctions, claimFunctions, historyFunctions,
		daemonSetFunctions, daemonNodeFunctions, daemonPodFunctions, overheadFunctions, eventFunctions)
}

// TestFunctions compares single functions. Time stands still in each.
func TestFunctions(t *testing.T) {
	for _, f := range functions() {
		t.Run(f.name, func(t *testing.T) {
			counts := newCaseCounts(f.name)
			defer counts.clock()()
			inBubble(t, func(t bubble, now time.Time) {
				counts.check(t, functionCases, func(t random.T) { f.compare(t, counts, now) })
			})
		})
	}
}

// A decision is a case with the results of both sides.
type decision[C any] struct {
	in             C
	upstream, ours any
}

func (d *decision[C]) sides() (theirs, ours *any) { return &d.upstream, &d.ours }

func (d *decision[C]) clone() *decision[C] {
	q := *d
	return &q
}

func (d *decision[C]) report(diff string) string {
	in, err := yaml.Marshal(d.in)
	if err != nil {
		in = fmt.Append(nil, d.in)
	}
	return fmt.Sprintf("upstream (-) and ours (+) differ:\n%s\ncase:\n%s", diff, in)
}

// judge counts a case and fails if the sides differ, unless that is intended.
func judge[C any](t random.T, c *caseCounts, corners []corner[decision[C]], differences []difference[*decision[C], any], d decision[C]) {
	take(c, corners, d)
	if len(differences) > 0 || !reflect.DeepEqual(d.upstream, d.ours) {
		judgePass(t, c, differences, &d)
	}
}

// outcomeIs is the corner of the cases that upstream decides in one way.
func outcomeIs[C any](name string, value any) corner[decision[C]] {
	return corner[decision[C]]{name, func(d decision[C]) bool { return reflect.DeepEqual(d.upstream, value) }}
}

// in is the corner of the cases of one kind.
func in[C any](name string, is func(C) bool) corner[decision[C]] {
	return corner[decision[C]]{name, func(d decision[C]) bool { return is(d.in) }}
}

func at(t time.Time) metav1.Time { return metav1.Time{Time: t} }
