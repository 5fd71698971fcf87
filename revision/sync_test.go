// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

type texts = map[string]string

func TestSyncWith(t *testing.T) {
	const number, history = revision.AnnotationRevision, revision.AnnotationHistory
	exact := revision.Options{ExactAnnotations: true}
	for _, c := range []struct {
		why                    string
		opts                   revision.Options
		deployment, replicaSet texts
		next                   int64
		want                   revision.Change
		changed                bool
	}{
		{"a bad revision freezes", revision.Options{}, texts{"a": "1"}, texts{number: "bad"}, 9, revision.Change{Set: texts{"a": "1"}}, false},
		{"repaired it counts as 0 and is repaired", repairAll, texts{"a": "1"}, texts{number: "bad"}, 9,
			revision.Change{Set: texts{"a": "1", number: "9"}}, true},
		{"it does not enter the history", repairAll, nil, texts{number: "bad", history: "1"}, 9, revision.Change{Set: texts{number: "9"}}, true},
		{"there must be a number to repair it with", repairAll, nil, texts{number: "bad"}, 0, revision.Change{}, false},
		{"an empty revision adds an empty entry", revision.Options{}, nil, texts{number: "", history: "1,2"}, 9,
			revision.Change{Set: texts{number: "9", history: "1,2,"}}, true},
		{"repaired it does not", repairAll, nil, texts{number: "", history: "1,2"}, 9, revision.Change{Set: texts{number: "9"}}, true},
		{"nor does it set an empty history", repairAll, nil, texts{number: ""}, 9, revision.Change{Set: texts{number: "9"}}, true},
		{"a good revision is left to Sync", repairAll, nil, texts{number: "1"}, 3, revision.Change{Set: texts{number: "3", history: "1"}}, true},
		{"annotations accumulate", revision.Options{}, nil, texts{number: "2", "a": "1"}, 2, revision.Change{}, false},
		{"exact removes them, in order", exact, texts{"b": "1"}, texts{number: "2", "c": "1", "a": "1", "b": "1"}, 2,
			revision.Change{Remove: []string{"a", "c"}}, true},
		{"but never the bookkeeping", exact, nil, texts{number: "2", revision.AnnotationMax: "4", history: "1"}, 2, revision.Change{}, false},
		{"exact and frozen", exact, nil, texts{number: "bad", "a": "1"}, 2, revision.Change{Remove: []string{"a"}}, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, changed := revision.SyncWith(c.deployment, c.replicaSet, c.next, c.opts)
			requireSame(t, c.why, c.want, got)
			require.Equal(t, c.changed, changed, c.why)
		})
	}
}

// Property: without options SyncWith is Sync. With all of them there is nothing left
// to do once its result was applied, and the ReplicaSet then has exactly the
// Deployment's annotations, the bookkeeping aside. quirk.All changes nothing where
// the revision parses.
func TestSyncWithSettles(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "c", revision.AnnotationRevision, revision.AnnotationHistory, revision.AnnotationMax})
	values := rapid.SampledFrom([]string{"", "1", "2", "x", "9,10", ",3"})
	rapid.Check(t, func(t *rapid.T) {
		deployment := rapid.MapOf(keys, values).Draw(t, "deployment")
		replicaSet := rapid.MapOf(keys, values).Draw(t, "replicaSet")
		next := rapid.Int64Range(1, 12).Draw(t, "next")
		before := clone(replicaSet)
		set, changed := revision.Sync(deployment, replicaSet, next)
		plain, plainChanged := revision.SyncWith(deployment, replicaSet, next, revision.Options{})
		if diff := cmp.Diff(revision.Change{Set: set}, plain); diff != "" || changed != plainChanged {
			t.Fatalf("without options (-Sync +SyncWith):\n%s", diff)
		}
		if _, err := revision.Number(replicaSet); err == nil {
			repaired, _ := revision.SyncWith(deployment, replicaSet, next, repairAll)
			if diff := cmp.Diff(plain, repaired); diff != "" {
				t.Fatalf("quirk.All changes what has no quirk:\n%s", diff)
			}
		}
		opts := revision.Options{Repair: quirk.All, ExactAnnotations: true}
		c, changed := revision.SyncWith(deployment, replicaSet, next, opts)
		if diff := cmp.Diff(before, replicaSet); diff != "" {
			t.Fatalf("SyncWith wrote to its argument:\n%s", diff)
		}
		if changed != (len(c.Set)+len(c.Remove) > 0) {
			t.Fatalf("changed is %v with %v", changed, c)
		}
		if !slices.IsSorted(c.Remove) {
			t.Fatalf("%v is not sorted", c.Remove)
		}
		apply(replicaSet, c)
		if diff := cmp.Diff(copied(deployment), copied(replicaSet)); diff != "" {
			t.Fatalf("the ReplicaSet differs (-want +got):\n%s", diff)
		}
		if c, changed := revision.SyncWith(deployment, replicaSet, next, opts); changed || c.Set != nil || c.Remove != nil {
			t.Fatalf("the second call returns %v", c)
		}
	})
}

func apply(annotations texts, c revision.Change) {
	for key, value := range c.Set {
		annotations[key] = value
	}
	for _, key := range c.Remove {
		delete(annotations, key)
	}
}

// copied returns the annotations that are not bookkeeping.
func copied(annotations texts) texts {
	left := texts{}
	for key, value := range annotations {
		if revision.Copied(key) {
			left[key] = value
		}
	}
	return left
}

func TestCreationAnnotations(t *testing.T) {
	const number, desired, highest = revision.AnnotationRevision, revision.AnnotationDesired, revision.AnnotationMax
	for _, c := range []struct {
		why        string
		deployment texts
		next       int64
		replicas   int32
		maximum    int32
		want       texts
	}{
		{"the three numbers", nil, 3, 10, 13, texts{number: "3", desired: "10", highest: "13"}},
		{"and what is copied", texts{"a": "1", "b": ""}, 1, 0, 1, texts{number: "1", desired: "0", highest: "1", "a": "1", "b": ""}},
		{"the Deployment's own bookkeeping is not", texts{number: "7", revision.AnnotationLastApplied: "{}", revision.AnnotationRollback: "1"},
			8, 1, 2, texts{number: "8", desired: "1", highest: "2"}},
		{"a revision that has wrapped around is left out", nil, math.MinInt64, 1, 2, texts{desired: "1", highest: "2"}},
		{"so is none", nil, 0, 1, 2, texts{desired: "1", highest: "2"}},
		{"numbers are written as they are", nil, 1, -1, math.MinInt32, texts{number: "1", desired: "-1", highest: "-2147483648"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, revision.CreationAnnotations(c.deployment, c.next, c.replicas, c.maximum))
		})
	}
}

func TestCollision(t *testing.T) {
	require.Equal(t, ptr.To(int32(1)), revision.NextCollision(nil), "0 never occurs")
	require.Equal(t, ptr.To(int32(1)), revision.NextCollision(ptr.To(int32(0))))
	require.Equal(t, ptr.To(int32(8)), revision.NextCollision(ptr.To(int32(7))))
	require.Equal(t, ptr.To(int32(math.MinInt32)), revision.NextCollision(ptr.To(int32(math.MaxInt32))), "as upstream wraps around")

	taken := revision.Entry{ControllerUID: "web", Template: template("x")}
	require.False(t, revision.Collides("web", template("x"), taken), "it is the one that was to be created")
	require.True(t, revision.Collides("web", template("y"), taken), "another template has the same hash")
	require.True(t, revision.Collides("other", template("x"), taken), "it belongs to another Deployment")
	require.True(t, revision.Collides("web", template("x"), revision.Entry{Template: template("x")}), "or to none")
}
