// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// setDefects are planted into the controller of sets, each with a part of the message of the
// bound that it must break.
var setDefects = map[string]struct {
	plant func(podset.Snapshot, time.Time) podset.Plan
	want  string
}{
	"one pod beyond the partition": {want: "stay old", plant: func(s podset.Snapshot, now time.Time) podset.Plan {
		if kept := keptOf(&Set{Set: s.Set}); kept > 0 {
			s.Set.Partition = rollout.Int(kept - 1)
		}
		return podset.Reconcile(s, now)
	}},
	"one pod more may be unavailable": {want: "pods that serve", plant: func(s podset.Snapshot, now time.Time) podset.Plan {
		if s.Set.GroupKind() != podset.StatefulSet {
			b := s.Set.Budget()
			s.Set.RollingUpdate = &partition.RollingUpdate{MaxSurge: rollout.Int(b.Surge), MaxUnavailable: rollout.Int(b.Unavailable + 1)}
		}
		return podset.Reconcile(s, now)
	}},
	"pods serve before their time": {want: "available pods of", plant: func(s podset.Snapshot, now time.Time) podset.Plan {
		s.Set.MinReadySeconds = 0
		return podset.Reconcile(s, now)
	}},
	"the last pod stays old": {want: "wanted is", plant: func(s podset.Snapshot, now time.Time) podset.Plan {
		if s.Set.Partition.IsZero() {
			s.Set.Partition = rollout.Int(1)
		}
		return podset.Reconcile(s, now)
	}},
}

// TestSetDefectsAreFound: each defect of a controller of sets is found in one of a number of
// loops.
func TestSetDefectsAreFound(t *testing.T) {
	for name, defect := range setDefects {
		t.Run(name, func(t *testing.T) {
			found := ""
			for seed := uint64(0); seed < 400 && found == ""; seed++ {
				w, g := NewSets(seed, Every()), newGuard()
				for _, c := range w.controllers {
					if c, ok := c.worker.(*setController); ok {
						c.plan = defect.plant
					}
				}
				w.Observer = g.observer()
				if err := w.Run(300); err != nil {
					found = err.Error()
					t.Logf("in loop %d: %s", seed+1, found)
				}
			}
			require.Contains(t, found, defect.want)
		})
	}
}

// TestBatchesOfSetsAreChecked: a partition that grows within a release is found.
func TestBatchesOfSetsAreChecked(t *testing.T) {
	set := func(kept int32) *Set {
		o := &Set{}
		o.APIVersion, o.Kind, o.Replicas, o.Partition = "apps/v1", "StatefulSet", ptr.To(int32(5)), rollout.Int(kept)
		o.Annotations = map[string]string{partition.AnnotationControlInfo: "x"}
		return o
	}
	e := Write{By: Actor{Role: BatchController}, Kind: KindSet, Before: State{Sets: []*Set{set(3)}}, After: State{Sets: []*Set{set(2)}}}
	g := newGuard()
	require.NoError(t, g.rollout(&e))
	e.Before, e.After = e.After, e.Before
	require.ErrorContains(t, g.rollout(&e), "3 pods stay old, 2 did before")
	e.Before.Sets[0].Annotations = nil
	require.NoError(t, g.rollout(&e), "another release")
	require.Equal(t, 2, g.checked["batch of a set"])
}
