// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

var repairAll = revision.Options{Repair: quirk.All}

func TestByRevision(t *testing.T) {
	for _, c := range []struct {
		why                string
		list               []revision.Entry
		want, wantRepaired string
	}{
		{"nothing", nil, "", ""},
		{"the lowest first", entries("3", "1", "4", "2"), "b d a c", "b d a c"},
		{"missing is 0", entries("1", "-"), "b a", "b a"},
		{"negative is below 0", entries("-", "-1"), "b a", "b a"},
		{"equal ones by age", []revision.Entry{entry("b", "1", at(0)), entry("a", "1", at(1))}, "b a", "b a"},
		{"and by name", []revision.Entry{entry("b", "1"), entry("a", "1")}, "a b", "a b"},
		{"one that does not parse goes by its age, repaired it is 0", entries("1", "bad"), "a b", "b a"},
		{"the same the other way round", entries("bad", "1"), "a b", "a b"},
		{"an empty one does not parse", entries("1", ""), "a b", "b a"},
		{"a cycle upstream: a before bad, bad before c, c before a", entries("3", "bad", "1"), "b c a", "b c a"},
		{"where upstream has an order it is that", entries("1", "bad", "3"), "a b c", "b a c"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, named(c.list, revision.ByRevision(c.list, revision.Options{})))
			requireSame(t, c.why, c.wantRepaired, named(c.list, revision.ByRevision(c.list, repairAll)))
		})
	}
}

func TestByLatestRevision(t *testing.T) {
	for _, c := range []struct {
		why                string
		list               []revision.Entry
		want, wantRepaired string
	}{
		{"nothing", nil, "", ""},
		{"the highest first", entries("3", "1", "4", "2"), "c a d b", "c a d b"},
		{"missing is 0", entries("-", "1", "-1"), "b a c", "b a c"},
		{"equal ones by age, older first", entries("1", "1"), "a b", "a b"},
		{"one that does not parse goes by its age, repaired it is 0", entries("bad", "1"), "a b", "b a"},
		{"a cycle: a before bad, bad before c, c before a", entries("1", "bad", "3"), "b c a", "c a b"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, named(c.list, revision.ByLatestRevision(c.list, revision.Options{})))
			requireSame(t, c.why, c.wantRepaired, named(c.list, revision.ByLatestRevision(c.list, repairAll)))
		})
	}
}

// upstreamLess is the comparison of ReplicaSetsByRevision.
func upstreamLess(a, b revision.Entry) bool {
	n, err1 := revision.Number(a.Annotations)
	m, err2 := revision.Number(b.Annotations)
	if err1 != nil || err2 != nil || n == m {
		return older(a, b)
	}
	return n < m
}

func older(a, b revision.Entry) bool {
	if a.CreationTimestamp.Equal(b.CreationTimestamp) {
		return a.Name < b.Name
	}
	return a.CreationTimestamp.Before(b.CreationTimestamp)
}

// Property: the order is a permutation. It is upstream's wherever that is an order,
// and with all repairs it is the one by number, age and name.
func TestByRevisionOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawEntries(t)
		order := revision.ByRevision(list, revision.Options{})
		seen := slices.Clone(order)
		slices.Sort(seen)
		for i, j := range seen {
			if i != j {
				t.Fatalf("%v is no permutation", order)
			}
		}
		cyclic := false
		for _, a := range list {
			for _, b := range list {
				for _, c := range list {
					cyclic = cyclic || (upstreamLess(a, b) && upstreamLess(b, c) && !upstreamLess(a, c))
				}
			}
		}
		repaired := revision.ByRevision(list, repairAll)
		for i := range list {
			for j := range i {
				if !cyclic && upstreamLess(list[order[i]], list[order[j]]) {
					t.Fatalf("%s stands behind %s", list[order[i]].Name, list[order[j]].Name)
				}
				a, b := list[repaired[j]], list[repaired[i]]
				n, _ := revision.Number(a.Annotations)
				m, _ := revision.Number(b.Annotations)
				if n > m || (n == m && older(b, a)) {
					t.Fatalf("repaired: %s stands behind %s", b.Name, a.Name)
				}
			}
		}
	})
}

func TestCleanUp(t *testing.T) {
	pod := func(e *revision.Entry) { e.Status.Replicas = 1 }
	wanted := func(e *revision.Entry) { e.Replicas = ptr.To(int32(1)) }
	unset := func(e *revision.Entry) { e.Replicas = nil }
	behind := func(e *revision.Entry) { e.Generation = 1 }
	deleting := func(e *revision.Entry) { e.DeletionTimestamp = t0 }
	list := func(es ...revision.Entry) []revision.Entry { return es }
	for _, c := range []struct {
		why                      string
		limit                    *int32
		old                      []revision.Entry
		want, held, wantRepaired string
	}{
		{"all but one", ptr.To(int32(1)), entries("1", "2", "3"), "a b", "", "a b"},
		{"one with a pod is skipped and not replaced", ptr.To(int32(1)),
			list(entry("a", "1", pod), entry("b", "2"), entry("c", "3")), "b", "a HistoryNotEmpty", "b"},
		{"the only idle one stays beside two in use", ptr.To(int32(1)),
			list(entry("a", "1", pod), entry("b", "2", pod), entry("c", "3")), "", "a HistoryNotEmpty, b HistoryNotEmpty", ""},
		{"one in use takes the place of the only idle one, repaired it does not count", ptr.To(int32(1)),
			list(entry("a", "1"), entry("b", "2", pod)), "a", "", ""},
		{"one that is not synced is not replaced by a later one", ptr.To(int32(1)),
			list(entry("a", "1", behind), entry("b", "2")), "", "a HistoryNotSynced", ""},
		{"by revision and not by age", ptr.To(int32(2)), entries("3", "1", "4", "2"), "b d", "", "b d"},
		{"no revision is the lowest", ptr.To(int32(1)), entries("1", "-"), "b", "", "b"},
		{"one that does not parse goes by its age, repaired it is 0", ptr.To(int32(1)), entries("1", "bad"), "a", "", "b"},
		{"none is kept, but those in use are", ptr.To(int32(0)),
			list(entry("a", "1"), entry("b", "1", pod), entry("c", "1", wanted), entry("d", "1", pod, wanted)),
			"a", "b HistoryNotEmpty, c HistoryNotEmpty, d HistoryNotEmpty", "a"},
		{"no limit", nil, entries("1", "2"), "", "", ""},
		{"no limit, in words", ptr.To(int32(revision.NoLimit)), entries("1", "2"), "", "", ""},
		{"within the limit", ptr.To(int32(2)), entries("1", "2"), "", "", ""},
		{"nothing to delete", ptr.To(int32(0)), nil, "", "", ""},
		{"a negative limit is 0", ptr.To(int32(-1)), entries("1"), "a", "", "a"},
		{"the smallest", ptr.To(int32(-1 << 31)), entries("1"), "a", "", "a"},
		{"unset replicas are 1", ptr.To(int32(0)), list(entry("a", "1", unset)), "", "a HistoryNotEmpty", ""},
		{"a status older than the spec", ptr.To(int32(0)), list(entry("a", "1", behind)), "", "a HistoryNotSynced", ""},
		{"not empty comes first", ptr.To(int32(0)), list(entry("a", "1", behind, pod)), "", "a HistoryNotEmpty", ""},
		{"one that is being deleted does not count", ptr.To(int32(1)), list(entry("a", "1", deleting), entry("b", "2")), "", "", ""},
		{"nor is it deleted again", ptr.To(int32(0)), list(entry("a", "1", deleting), entry("b", "2")), "b", "", "b"},
	} {
		t.Run(c.why, func(t *testing.T) {
			remove, held := revision.CleanUp(c.old, c.limit, revision.Options{})
			requireSame(t, c.why, c.want, named(c.old, remove))
			text := ""
			for i, h := range held {
				if i > 0 {
					text += ", "
				}
				text += c.old[h.Index].Name + " " + string(h.Reason)
			}
			requireSame(t, c.why, c.held, text)
			remove, _ = revision.CleanUp(c.old, c.limit, repairAll)
			requireSame(t, c.why, c.wantRepaired, named(c.old, remove))
		})
	}
}

// Property: what is deleted is empty and not too much, the rest is within the limit
// or held, and repaired as many idle ones are left as the limit says, but for those
// that are held.
func TestCleanUpBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := drawEntries(t)
		limit := rapid.Int32Range(0, 4).Draw(t, "limit")
		candidates, idle := 0, 0
		for _, e := range old {
			if e.DeletionTimestamp.IsZero() {
				candidates++
				if *e.Replicas == 0 && e.Status.Replicas == 0 {
					idle++
				}
			}
		}
		for _, opts := range []revision.Options{{}, repairAll} {
			remove, held := revision.CleanUp(old, &limit, opts)
			for _, i := range remove {
				if e := old[i]; *e.Replicas != 0 || e.Status.Replicas != 0 || !e.DeletionTimestamp.IsZero() {
					t.Fatalf("%s is in use", e.Name)
				}
			}
			left := candidates - len(remove)
			if len(remove) > 0 && left < int(limit) {
				t.Fatalf("only %d of %d are left", left, limit)
			}
			if opts.Repair == 0 && left-len(held) > int(limit) {
				t.Fatalf("%d are left and %d held, with a limit of %d", left, len(held), limit)
			}
			if opts.Repair == quirk.All && idle-len(remove)-len(held) != min(int(limit), idle) {
				t.Fatalf("of %d idle ones %d go and %d are held, with a limit of %d", idle, len(remove), len(held), limit)
			}
		}
	})
}

// Property: quirk.All changes nothing where no revision is unreadable and no entry
// is in use, and more is deleted the lower the limit.
func TestCleanUpWithoutQuirk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := drawEntries(t)
		for i := range old {
			old[i].Replicas, old[i].Status.Replicas, old[i].Generation = ptr.To(int32(0)), 0, 0
			if _, err := revision.Number(old[i].Annotations); err != nil {
				delete(old[i].Annotations, revision.AnnotationRevision)
			}
		}
		limit := rapid.Int32Range(0, 4).Draw(t, "limit")
		plain, held := revision.CleanUp(old, &limit, revision.Options{})
		repaired, _ := revision.CleanUp(old, &limit, repairAll)
		if len(held) > 0 || !slices.Equal(plain, repaired) {
			t.Fatalf("quirk.All changes what has no quirk: %v, then %v", plain, repaired)
		}
		more, _ := revision.CleanUp(old, ptr.To(limit-1), revision.Options{})
		if !slices.Equal(plain, more[:len(plain)]) {
			t.Fatalf("a lower limit deletes others: %v, then %v", plain, more)
		}
	})
}

func BenchmarkCleanUp(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		old := make([]revision.Entry, n)
		for i := range old {
			old[i] = entry("rs-"+strconv.Itoa(i), strconv.Itoa(n-i), at(i))
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				revision.CleanUp(old, ptr.To(int32(5)), revision.Options{})
			}
		})
	}
}

func TestHoldReasons(t *testing.T) {
	require.Empty(t, entry("a", "1").Hold(), "an empty one may go")
	require.Equal(t, revision.HoldNotEmpty, revision.Entry{}.Hold(), "one of which nothing is known may not")
}
