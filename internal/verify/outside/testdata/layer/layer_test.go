// SPDX-License-Identifier: Apache-2.0

package layer

import (
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout/rollouttest"
)

// A quiet test does not report its failure.
type quiet struct {
	testing.TB
	failed bool
}

func (*quiet) Helper()                 {}
func (*quiet) Name() string            { return "bug" }
func (*quiet) Log(...any)              {}
func (*quiet) Logf(string, ...any)     {}
func (q *quiet) Failed() bool          { return q.failed }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) Errorf(string, ...any) { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true; runtime.Goexit() }

// search returns the first failing case, or 0.
func search(b Bug) (first int) {
	done, cases, q := make(chan bool), 0, &quiet{}
	property := rollouttest.Argo().Property(Plan(b))
	go func() {
		defer close(done)
		rapid.Check(q, func(t *rapid.T) {
			cases++
			defer func() {
				if t.Failed() && first == 0 {
					first = cases
				}
			}()
			property(t)
		})
	}()
	<-done
	if !q.failed {
		return 0
	}
	return first
}

// Without a bug the checks find nothing, and they find each bug.
func TestLayer(t *testing.T) {
	rollouttest.Argo().Check(t, Plan(None))
	for _, b := range Bugs() {
		n := search(b)
		t.Logf("| %s | %d |", b, n)
		if n == 0 {
			t.Errorf("%s is not found", b)
		}
	}
}
