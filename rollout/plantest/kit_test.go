// SPDX-License-Identifier: Apache-2.0

package plantest_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// A name that is no check's would test nothing.
func TestUnknownName(t *testing.T) {
	text := properties.Said(func(t rapid.TB) {
		pass := plantest.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{Snapshot: short(), Now: plantest.Now()}
		replicasettest.Kit().Only("difference").CheckPass(t, pass)
	})
	if !strings.Contains(text, `there is no check "difference"; there are: snapshots are accepted, `) {
		t.Error(text)
	}
}

// A kit does not change when another one is made of it.
func TestKitsAreApart(t *testing.T) {
	kit := replicasettest.Kit().Only("determinism")
	one, other := kit.Only("no such check"), kit.Only("no panic")
	text := properties.Said(func(t rapid.TB) { rapid.Check(t, other.Property(replicaset.Reconcile)) })
	if unknown := properties.Said(func(t rapid.TB) { rapid.Check(t, one.Property(replicaset.Reconcile)) }); text != "" || unknown == "" {
		t.Errorf("%q, %q", text, unknown)
	}
}
