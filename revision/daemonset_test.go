// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

func TestRevisionHash(t *testing.T) {
	for _, c := range []struct {
		why  string
		r    revision.ControllerRevision
		want string
		ok   bool
	}{
		{"its label", version("a", 1, hashed("h")), "h", true},
		{"its name, which becomes its label", version("a", 1), "a", false},
		{"an empty label is one", version("a", 1, hashed("")), "", true},
	} {
		hash, labelled := revision.RevisionHash(c.r)
		requireSame(t, c.why, c.want, hash)
		requireSame(t, c.why, c.ok, labelled)
	}
}

func TestPartition(t *testing.T) {
	const before, after = `{"metadata":{"creationTimestamp":null}}`, `{"metadata":{}}`
	list := versions(version("a", 1, data(before)), version("b", 2, data(after)), version("c", 3), version("d", 4, data(after)))
	current, old := revision.Partition(list, []byte(after), revision.Options{})
	require.Equal(t, "b d", names(list, current), "byte by byte, in the order given")
	require.Equal(t, "a c", names(list, old), "another serialisation is another version")
	current, old = revision.Partition(list, []byte(after), repairAll)
	require.Equal(t, "a b d", names(list, current), "repaired it is not")
	require.Equal(t, "c", names(list, old))
	current, old = revision.Partition(nil, nil, revision.Options{})
	require.Nil(t, current)
	require.Nil(t, old)
	// The number of the newest is one more than the highest of the old ones.
	require.Equal(t, int64(4), revision.Next([]int64{1, 3}))
	require.Equal(t, int64(1), revision.Next(nil))
}

func TestNewDaemonSetRevision(t *testing.T) {
	labels, annotations := texts{"app": "x"}, texts{revision.AnnotationLastApplied: "{}"}
	p := revision.Parent{Kind: "DaemonSet", Name: "agent", UID: "u"}
	r := revision.NewDaemonSetRevision(p, "7d4c665cf7", labels, annotations, []byte(`{}`), 4, revision.Options{})
	requireSame(t, "all annotations are copied", revision.ControllerRevision{
		Name: "agent-7d4c665cf7", Labels: texts{"app": "x", revision.LabelRevision: "7d4c665cf7"}, Annotations: annotations,
		ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "u", Data: []byte(`{}`), Revision: 4,
	}, r)
	require.Len(t, labels, 1, "the argument stays as it is")
	require.Nil(t, revision.NewDaemonSetRevision(p, "h", nil, nil, nil, 1, revision.Options{}).Annotations)
	require.Nil(t, revision.NewDaemonSetRevision(p, "h", nil, texts{}, nil, 1, revision.Options{}).Annotations, "no map for no annotations")
}

func TestDaemonSetTaken(t *testing.T) {
	for _, c := range []struct {
		why          string
		existing     string
		used, stored *int32
		want         *int32
		err          string
	}{
		{"the same data is used", `{}`, nil, ptr.To(int32(3)), nil, ""},
		{"the first collision", `{"a":1}`, nil, nil, ptr.To(int32(1)), ""},
		{"one more", `{"a":1}`, ptr.To(int32(2)), ptr.To(int32(2)), ptr.To(int32(3)), ""},
		{"the count has changed meanwhile", `{"a":1}`, ptr.To(int32(2)), ptr.To(int32(3)), nil,
			`found a stale collision count (2, expected 3) of DaemonSet "agent" while processing; will retry until it is updated`},
		{"unset is not 0", `{"a":1}`, nil, ptr.To(int32(0)), nil,
			`found a stale collision count (0, expected 0) of DaemonSet "agent" while processing; will retry until it is updated`},
		{"nor is 0 unset", `{"a":1}`, ptr.To(int32(0)), nil, nil,
			`found a stale collision count (0, expected 0) of DaemonSet "agent" while processing; will retry until it is updated`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := revision.DaemonSetTaken("agent", []byte(`{}`), version("x", 1, data(c.existing)), c.used, c.stored, revision.Options{})
			requireSame(t, c.why, c.want, got)
			if c.err != "" {
				require.EqualError(t, err, c.err, c.why)
				return
			}
			require.NoError(t, err, c.why)
		})
	}
	for _, opts := range []revision.Options{{}, repairAll} {
		got, err := revision.DaemonSetTaken("agent", []byte(`{}`), version("x", 1, data(`{ }`)), nil, nil, opts)
		require.NoError(t, err)
		require.Equal(t, opts.Repair == quirk.All, got == nil, "repaired, the normal form is compared")
	}
}

func TestDedupe(t *testing.T) {
	for _, c := range []struct {
		why       string
		list      []revision.ControllerRevision
		next      int64
		keep      string
		remove    string
		hash      string
		relabel   bool
		renumbers int64
	}{
		{"none", nil, 1, "", "", "", false, 0},
		{"one", versions(version("a", 3, hashed("h"))), 3, "a", "", "h", false, 0},
		{"one that is behind", versions(version("a", 3, hashed("h"))), 5, "a", "", "h", false, 5},
		{"the highest of several", versions(version("a", 1), version("b", 4, hashed("h")), version("c", 2)), 2, "b", "a c", "h", true, 0},
		{"of equal ones the youngest", versions(version("a", 4, born(2)), version("b", 4, born(1))), 5, "a", "b", "a", true, 5},
		{"and then the last by name", versions(version("b", 4), version("a", 4)), 2, "b", "a", "b", true, 0},
		{"all are negative, where upstream panics", versions(version("a", -2), version("b", -1)), 1, "b", "a", "b", true, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := revision.Dedupe(c.list, c.next)
			if c.keep == "" {
				require.Equal(t, -1, got.Keep)
			} else {
				requireSame(t, c.why, c.keep, c.list[got.Keep].Name)
			}
			requireSame(t, c.why, c.remove, names(c.list, got.Delete))
			requireSame(t, c.why, []any{c.hash, c.relabel, c.renumbers}, []any{got.Hash, got.Relabel, got.Renumber})
		})
	}
}

func TestCleanUpRevisions(t *testing.T) {
	list := versions(version("c", 3, hashed("h3")), version("a", 1, hashed("h1")), version("b", 2), version("d", 4, hashed("")))
	for _, c := range []struct {
		why   string
		list  []revision.ControllerRevision
		live  []string
		limit *int32
		want  string
	}{
		{"the lowest go", list, nil, ptr.To(int32(2)), "a b"},
		{"one in use is replaced, unlike a ReplicaSet", list, []string{"h1"}, ptr.To(int32(2)), "b c"},
		{"without a label the name counts", list, []string{"b", "h1"}, ptr.To(int32(2)), "c d"},
		{"as many as can go", list, []string{"b", "h1", "h3"}, ptr.To(int32(0)), "d"},
		{"an empty label of a pod uses nothing", list, []string{""}, ptr.To(int32(0)), "a b c d"},
		{"a label of a pod that no revision has", list, []string{"x"}, ptr.To(int32(3)), "a"},
		{"within the limit", list, nil, ptr.To(int32(4)), ""},
		{"a negative limit deletes all that can go", list, []string{"h3"}, ptr.To(int32(-1)), "a b d"},
		{"the smallest", list, nil, ptr.To(int32(math.MinInt32)), "a b c d"},
		{"no limit is 10", list, nil, nil, ""},
		{"equal numbers by age", versions(version("a", 1, born(2)), version("b", 1, born(1))), nil, ptr.To(int32(1)), "b"},
		{"nothing", nil, nil, ptr.To(int32(0)), ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := revision.CleanUpRevisions(c.list, c.live, c.limit)
			requireSame(t, c.why, c.want, names(c.list, got))
			require.Equal(t, c.want == "", got == nil)
		})
	}
}

// Property: cleanup keeps those in use, and deletes as many of the others as the
// limit asks for, if there are so many.
func TestCleanUpRevisionsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := drawVersions(t)
		live := rapid.SliceOf(rapid.SampledFrom([]string{"v-0", "v-1", "h1", "h2", ""})).Draw(t, "live")
		limit := rapid.Int32Range(0, 4).Draw(t, "limit")
		remove := revision.CleanUpRevisions(old, live, &limit)
		unused := 0
		for i, r := range old {
			hash, _ := revision.RevisionHash(r)
			inUse := slices.Contains(live, hash)
			if !inUse {
				unused++
			}
			if inUse && slices.Contains(remove, i) {
				t.Fatalf("%s is in use", r.Name)
			}
		}
		if want := min(unused, max(0, len(old)-int(limit))); len(remove) != want {
			t.Fatalf("%d go, want %d", len(remove), want)
		}
	})
}
