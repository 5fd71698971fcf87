// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/revision/quirk"
)

// version returns a ControllerRevision with a name, a number and data of that name.
func version(name string, number int64, changes ...func(*revision.ControllerRevision)) revision.ControllerRevision {
	r := revision.ControllerRevision{Name: name, Revision: number, Data: []byte(`{"v":"` + name + `"}`)}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func born(n int) func(*revision.ControllerRevision) {
	return func(r *revision.ControllerRevision) { r.CreationTimestamp = minute(n) }
}

func data(text string) func(*revision.ControllerRevision) {
	return func(r *revision.ControllerRevision) { r.Data = []byte(text) }
}

func hashed(hash string) func(*revision.ControllerRevision) {
	return func(r *revision.ControllerRevision) { r.Labels = texts{revision.LabelRevision: hash} }
}

func versions(rs ...revision.ControllerRevision) []revision.ControllerRevision { return rs }

func names(list []revision.ControllerRevision, indices []int) string {
	var text []string
	for _, i := range indices {
		text = append(text, list[i].Name)
	}
	return strings.Join(text, " ")
}

func TestRevisionName(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct {
		why, parent, hash       string
		stateful, daemon, fixed string
	}{
		{"short", "foo", "69966c9df7", "foo-69966c9df7", "foo-69966c9df7", "foo-69966c9df7"},
		{"223 bytes stay", long[:223], "h", long[:223] + "-h", long[:223] + "-h", long[:223] + "-h"},
		{"224 are cut, or not, or as far as needed", long[:224], "h", long[:223] + "-h", long[:224] + "-h", long[:224] + "-h"},
		{"300 are too long for any", long, "69966c9df7", long[:223] + "-69966c9df7", long + "-69966c9df7", long[:242] + "-69966c9df7"},
		{"empty", "", "", "-", "-", "-"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.stateful, revision.RevisionName(c.parent, c.hash))
			requireSame(t, c.why, c.daemon, revision.DaemonSetRevisionName(c.parent, c.hash, revision.Options{}))
			requireSame(t, c.why, c.fixed, revision.DaemonSetRevisionName(c.parent, c.hash, repairAll))
		})
	}
}

// The first three are what Kubernetes 1.36.3 computed.
func TestHashRevision(t *testing.T) {
	hash := func(data, dump string, probe *int32, opts revision.Options) string {
		return revision.HashRevision([]byte(data), dump, probe, opts)
	}
	for _, c := range []struct {
		probe *int32
		want  string
	}{{nil, "69966c9df7"}, {ptr.To(int32(0)), "d55c4ff5f"}, {ptr.To(int32(12)), "57559c4b8"}} {
		require.Equal(t, c.want, hash(`{"a":1}`, "", c.probe, revision.Options{}))
		require.Equal(t, c.want, hash(`{"a":1}`, "", c.probe, repairAll), "normal data has the same hash")
	}
	require.NotEqual(t, revision.Hash(`{"a":1}`, nil), hash(`{"a":1}`, "", nil, revision.Options{}), "this is not FNV-1a")
	require.Equal(t, hash("ab12", "", nil, revision.Options{}), hash("ab", "", ptr.To(int32(12)), revision.Options{}), "the probe is text")
	require.Equal(t, hash("ab-1", "", nil, revision.Options{}), hash("ab", "", ptr.To(int32(-1)), revision.Options{}), "with its sign")

	require.Equal(t, hash("1", "dump", nil, revision.Options{}), hash("2", "dump", nil, revision.Options{}), "the data is ignored")
	require.Equal(t, hash("dump", "", nil, revision.Options{}), hash("2", "dump", nil, revision.Options{}), "only the dump counts")
	require.NotEqual(t, hash("1", "dump", nil, repairAll), hash("2", "dump", nil, repairAll), "repaired both count")
	require.NotEqual(t, hash("1", "dump", nil, repairAll), hash("1", "", nil, repairAll), "also the dump")

	const before, after = `{"metadata":{"creationTimestamp":null}}`, `{"metadata":{}}`
	require.NotEqual(t, hash(before, "", nil, revision.Options{}), hash(after, "", nil, revision.Options{}), "by default it is another version")
	require.Equal(t, hash(before, "", nil, repairAll), hash(after, "", nil, repairAll), "normal data is hashed")
	require.Equal(t, hash("no JSON", "", nil, revision.Options{}), hash("no JSON", "", nil, repairAll), "what is not JSON is taken as it is")
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ why, data, want string }{
		{"members are sorted", `{"b":1,"a":{"d":2,"c":3}}`, `{"a":{"c":3,"d":2},"b":1}`},
		{"space goes", " { \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
		{"null members go, at any depth", `{"a":null,"b":[{"c":null,"d":1}]}`, `{"b":[{"d":1}]}`},
		{"null in a list stays", `[null,{"a":null}]`, `[null,{}]`},
		{"and alone", `null`, `null`},
		{"numbers keep their digits", `[1.0,1,12345678901234567890,1e3]`, `[1.0,1,12345678901234567890,1e3]`},
		{"an empty list is not a missing one", `{"a":[],"b":{}}`, `{"a":[],"b":{}}`},
		{"nothing is escaped that need not be", `{"a":"\u003c&>"}`, `{"a":"<&>"}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := revision.Normalize([]byte(c.data))
			require.NoError(t, err)
			requireSame(t, c.why, c.want, string(got))
		})
	}
	for _, bad := range []string{"", "{", "x", `{"a":1}{}`, `{"a":1} x`, strings.Repeat("[", 20_000)} {
		_, err := revision.Normalize([]byte(bad))
		var fe *kplan.FieldError
		require.ErrorAs(t, err, &fe, bad)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		require.Equal(t, "Data", fe.Path)
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{`{"b":null,"a":[1,{"c":null}]}`, ``, `{`, `"<"`, `1e999`, "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		normal, err := revision.Normalize(data)
		require.Equal(t, before, string(data), "the argument stays as it is")
		if err != nil {
			require.Nil(t, normal)
			return
		}
		again, err := revision.Normalize(normal)
		require.NoError(t, err)
		require.Equal(t, string(normal), string(again), "the normal form is normal")
	})
}

func TestNewControllerRevision(t *testing.T) {
	labels := texts{"app": "x", revision.LabelRevisionHash: "user"}
	r := revision.NewControllerRevision(revision.Parent{Kind: "StatefulSet", Name: "foo", UID: "u"}, labels, []byte(`{"a":1}`), 3, nil, revision.Options{})
	requireSame(t, "named after its data, and not in a namespace", revision.ControllerRevision{
		Name: "foo-69966c9df7", Labels: texts{"app": "x", revision.LabelRevisionHash: "69966c9df7"},
		ControllerKind: "StatefulSet", ControllerName: "foo", ControllerUID: "u", Data: []byte(`{"a":1}`), Revision: 3,
	}, r)
	require.Equal(t, "user", labels[revision.LabelRevisionHash], "the argument stays as it is")
	require.True(t, r.BelongsTo("u"))
	require.False(t, r.BelongsTo("other"))
	require.True(t, revision.ControllerRevision{}.BelongsTo("other"), "nobody controls it")
}

func TestSameData(t *testing.T) {
	dump := func(text string) func(*revision.ControllerRevision) {
		return func(r *revision.ControllerRevision) { r.Dump = text }
	}
	a := version("a", 1)
	for _, c := range []struct {
		why         string
		b           revision.ControllerRevision
		want, fixed bool
	}{
		{"labels, names and numbers do not matter", version("b", 2, data(string(a.Data)), hashed("h")), true, true},
		{"other data", version("b", 1), false, false},
		{"other bytes, the same meaning", version("b", 1, data(`{"v": "a","gone":null}`)), false, true},
		{"a decoded object counts as well", version("a", 1, dump("x")), false, false},
		{"what is not JSON is compared as it is", version("b", 1, data(`{`)), false, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, a.SameData(c.b, revision.Options{}))
			requireSame(t, c.why, c.fixed, a.SameData(c.b, repairAll))
			requireSame(t, "the other way round", c.fixed, c.b.SameData(a, repairAll))
			list := versions(c.b, version("z", 9), a, c.b)
			want := []int{2}
			if c.want {
				want = []int{0, 2, 3}
			}
			requireSame(t, "in the order given", want, revision.FindEqual(list, a, revision.Options{}))
			if c.fixed {
				require.Equal(t, []int{0, 2, 3}, revision.FindEqual(list, a, repairAll))
			}
		})
	}
}

func TestSortRevisions(t *testing.T) {
	for _, c := range []struct {
		why  string
		list []revision.ControllerRevision
		want string
	}{
		{"by number", versions(version("a", 2), version("b", -1), version("c", 1)), "b c a"},
		{"then by time", versions(version("a", 1, born(2)), version("b", 1, born(1))), "b a"},
		{"then by name", versions(version("b", 1, born(1)), version("a", 1, born(1))), "a b"},
	} {
		var got []string
		for _, r := range revision.SortRevisions(c.list) {
			got = append(got, r.Name)
		}
		requireSame(t, c.why, c.want, strings.Join(got, " "))
	}
}

// drawVersions draws up to six ControllerRevisions with different names.
func drawVersions(t *rapid.T) []revision.ControllerRevision {
	var list []revision.ControllerRevision
	for i := range rapid.IntRange(0, 6).Draw(t, "versions") {
		r := version("v-"+strconv.Itoa(i), rapid.Int64Range(-1, 4).Draw(t, "revision"), born(rapid.IntRange(0, 2).Draw(t, "born")))
		r.Data = []byte(rapid.SampledFrom([]string{`{"a":1}`, `{"b":null,"a":1}`, `{"a":2}`, "bad"}).Draw(t, "data"))
		if hash := rapid.SampledFrom([]string{"-", "h1", "h2"}).Draw(t, "hash"); hash != "-" {
			r.Labels = texts{revision.LabelRevision: hash}
		}
		list = append(list, r)
	}
	return list
}

// Property: the order is total: whatever the order of the input, the output is the
// same, sorted, and has the same elements. The next number is one more than the
// highest.
func TestSortTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawVersions(t)
		before := slices.Clone(list)
		want := revision.SortRevisions(list)
		if diff := cmp.Diff(before, list); diff != "" {
			t.Fatalf("the argument was sorted:\n%s", diff)
		}
		if diff := cmp.Diff(want, revision.SortRevisions(rapid.Permutation(list).Draw(t, "shuffled"))); diff != "" {
			t.Fatalf("another order of the input:\n%s", diff)
		}
		highest, seen := int64(math.MinInt64), map[string]bool{}
		for i, r := range want {
			seen[r.Name] = true
			highest = max(highest, r.Revision)
			for _, s := range want[:i] {
				if revision.CompareRevisions(s, r) >= 0 || revision.CompareRevisions(r, s) <= 0 || s.Revision > r.Revision {
					t.Fatalf("%s stands before %s", s.Name, r.Name)
				}
			}
		}
		if len(seen) != len(list) {
			t.Fatalf("%d of %d are left", len(seen), len(list))
		}
		next := revision.NextRevision(list)
		if (len(list) == 0 && next != 1) || (len(list) > 0 && next != highest+1) {
			t.Fatalf("the next number after %d is %d", highest, next)
		}
	})
}

func TestNextRevision(t *testing.T) {
	require.Equal(t, int64(1), revision.NextRevision(nil))
	require.Equal(t, int64(8), revision.NextRevision(versions(version("a", 7), version("b", 3))))
	require.Equal(t, int64(-4), revision.NextRevision(versions(version("a", -5))), "negative ones count, unlike those of ReplicaSets")
	require.Equal(t, int64(math.MinInt64), revision.NextRevision(versions(version("a", math.MaxInt64))), "as upstream wraps around")
}

// Each name that is taken leads to the next, until one is free or holds the same
// data.
func TestAttempt(t *testing.T) {
	r := revision.NewControllerRevision(revision.Parent{Name: "foo"}, nil, []byte(`{"a":1}`), 3, nil, revision.Options{})
	_, err := revision.FirstAttempt("foo", r, nil, revision.Options{})
	require.EqualError(t, err, "collisionCount should not be nil")
	fixed, err := revision.FirstAttempt("foo", r, nil, repairAll)
	require.NoError(t, err, "repaired, the count is 0")
	require.Zero(t, fixed.Collisions)

	for _, opts := range []revision.Options{{}, repairAll} {
		a, err := revision.FirstAttempt("foo", r, ptr.To(int32(0)), opts)
		require.NoError(t, err)
		require.Equal(t, "foo-d55c4ff5f", a.Revision.Name)
		taken := map[string]string{"foo-d55c4ff5f": `{"a":2}`}
		taken["foo-"+revision.HashRevision(r.Data, "", ptr.To(int32(1)), opts)] = `{"a":3}`
		tries := 0
		for use := false; ; tries++ {
			held, isTaken := taken[a.Revision.Name]
			if !isTaken {
				break
			}
			a, use = a.Taken(version(a.Revision.Name, 1, data(held)), opts)
			require.False(t, use)
		}
		require.Equal(t, 2, tries)
		require.Equal(t, int32(2), a.Collisions, "what the status keeps")
		hash := revision.HashRevision(r.Data, "", ptr.To(int32(2)), opts)
		require.Equal(t, "foo-"+hash, a.Revision.Name)
		if opts.Repair == quirk.All {
			require.Equal(t, hash, a.Revision.Labels[revision.LabelRevisionHash], "repaired the label follows the name")
		} else {
			require.Equal(t, "69966c9df7", a.Revision.Labels[revision.LabelRevisionHash], "the label is that of construction")
		}
		same, use := a.Taken(version("x", 1, data(`{"a":1}`)), opts)
		require.True(t, use, "the same data, whoever owns it")
		require.Equal(t, a, same)
		_, use = a.Taken(version("x", 1, data(`{"a": 1}`)), opts)
		require.Equal(t, opts.Repair == quirk.All, use, "repaired, the normal form is compared")
	}
	require.Equal(t, "69966c9df7", r.Labels[revision.LabelRevisionHash], "the argument stays as it is")
	bare, err := revision.FirstAttempt("foo", version("x", 1), ptr.To(int32(0)), repairAll)
	require.NoError(t, err)
	require.Len(t, bare.Revision.Labels, 1, "also without labels")
	last, err := revision.FirstAttempt("foo", r, ptr.To(int32(math.MaxInt32)), revision.Options{})
	require.NoError(t, err)
	last, _ = last.Taken(version("x", 1), revision.Options{})
	require.Equal(t, int32(math.MinInt32), last.Collisions, "as upstream wraps around")
}

func TestChooseUpdate(t *testing.T) {
	const now = `{"spec":{"template":{"$patch":"replace"}}}`
	for _, c := range []struct {
		why      string
		list     []revision.ControllerRevision
		restored string
		verb     revision.Verb
		fixed    revision.Verb
		update   string
		number   int64
	}{
		{"nothing yet", nil, "", revision.VerbCreate, revision.VerbCreate, "", 1},
		{"the newest has the data", versions(version("a", 1), version("b", 2, data(now))), "", revision.VerbKeep, revision.VerbKeep, "b", 2},
		{"an older one has it: a rollback", versions(version("b", 2, data(now)), version("c", 5)), "", revision.VerbRenumber, revision.VerbRenumber, "b", 6},
		{"of several older ones the newest", versions(version("b", 2, data(now)), version("a", 1, data(now)), version("c", 5)), "",
			revision.VerbRenumber, revision.VerbRenumber, "b", 6},
		{"of several, the newest of all", versions(version("b", 2, data(now)), version("a", 1, data(now))), "", revision.VerbKeep, revision.VerbKeep, "b", 2},
		{"equal numbers by age", versions(version("a", 2, data(now), born(2)), version("b", 2, born(1))), "", revision.VerbKeep, revision.VerbKeep, "a", 2},
		{"none has it", versions(version("a", 1)), "", revision.VerbCreate, revision.VerbCreate, "", 2},
		{"restoring the newest gives it", versions(version("a", 1)), now, revision.VerbKeep, revision.VerbKeep, "a", 1},
		{"restoring the newest gives something else", versions(version("a", 1)), `{}`, revision.VerbCreate, revision.VerbCreate, "", 2},
		{"an equal one comes before what restoring gives", versions(version("a", 1, data(now)), version("b", 2)), now,
			revision.VerbRenumber, revision.VerbRenumber, "a", 3},
		{"nothing to restore", nil, now, revision.VerbCreate, revision.VerbCreate, "", 1},
		{"other bytes, the same meaning", versions(version("a", 1, data(`{"spec": {"template":{"$patch":"replace"}}}`))), "",
			revision.VerbCreate, revision.VerbKeep, "a", 2},
	} {
		t.Run(c.why, func(t *testing.T) {
			var restored []byte
			if c.restored != "" {
				restored = []byte(c.restored)
			}
			s := revision.StatefulSet{Name: "web", UID: "u", Data: []byte(now), Annotations: texts{revision.AnnotationLastApplied: "{}"}}
			got := revision.ChooseUpdate(s, c.list, restored, revision.Options{})
			requireSame(t, c.why, c.verb, got.Verb)
			requireSame(t, c.why, c.number, got.Revision.Revision)
			if c.verb == revision.VerbCreate {
				require.Equal(t, -1, got.Update)
				require.Equal(t, -1, got.Current, "no current one: it is the new one")
				require.Equal(t, s.Annotations, got.Revision.Annotations, "all annotations are copied")
				require.Equal(t, "web-"+revision.HashRevision([]byte(now), "", ptr.To(int32(0)), revision.Options{}), got.Revision.Name)
				require.Equal(t, "StatefulSet", got.Revision.ControllerKind)
			} else {
				requireSame(t, c.why, c.update, c.list[got.Update].Name)
				requireSame(t, c.why, c.update, got.Revision.Name)
				require.Equal(t, got.Update, got.Current)
			}
			requireSame(t, c.why, c.fixed, revision.ChooseUpdate(s, c.list, restored, repairAll).Verb)
			for i, r := range c.list {
				s.Current = r.Name
				require.Equal(t, i, revision.ChooseUpdate(s, c.list, restored, revision.Options{}).Current, "the status names it")
			}
		})
	}
	s := revision.StatefulSet{Name: "web", Data: []byte(`{"a":1}`), Collisions: ptr.To(int32(12)), TemplateLabels: texts{"app": "x"}}
	r := revision.ChooseUpdate(s, nil, nil, revision.Options{}).Revision
	require.Equal(t, "web-57559c4b8", r.Name, "collisions take part in the name")
	require.Equal(t, texts{"app": "x", revision.LabelRevisionHash: "57559c4b8"}, r.Labels)
	require.Nil(t, r.Annotations)
	s.Annotations = texts{}
	require.Nil(t, revision.ChooseUpdate(s, nil, nil, revision.Options{}).Revision.Annotations, "no map for no annotations")

	twice := versions(version("b", 2, data(now)), version("b", 2, data(now)))
	c := revision.ChooseUpdate(revision.StatefulSet{Data: []byte(now)}, twice, nil, revision.Options{})
	require.Equal(t, revision.VerbKeep, c.Verb, "a revision that a snapshot holds twice is the newest and needs no new number")
}

func TestTruncate(t *testing.T) {
	list := versions(version("c", 3), version("a", 1), version("b", 2), version("d", 4))
	var many []revision.ControllerRevision
	for i := range 13 {
		many = append(many, version(string(rune('a'+i)), int64(i)))
	}
	for _, c := range []struct {
		why   string
		list  []revision.ControllerRevision
		live  []string
		limit *int32
		want  string
	}{
		{"the lowest go", list, []string{"d"}, ptr.To(int32(1)), "a b"},
		{"those in use do not count against the limit", list, []string{"d", "c", "a"}, ptr.To(int32(1)), ""},
		{"and stay", list, []string{"a", "d"}, ptr.To(int32(0)), "b c"},
		{"within the limit", list, nil, ptr.To(int32(4)), ""},
		{"none is kept", list, nil, ptr.To(int32(0)), "a b c d"},
		{"a negative limit keeps all", list, nil, ptr.To(int32(-1)), ""},
		{"no limit is 10", many, nil, nil, "a b c"},
		{"names that no revision has", list, []string{"", "z"}, ptr.To(int32(3)), "a"},
		{"nothing", nil, nil, ptr.To(int32(0)), ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := revision.Truncate(c.list, c.live, c.limit)
			requireSame(t, c.why, c.want, names(c.list, got))
			require.Equal(t, c.want == "", got == nil)
		})
	}
}

// Property: truncation keeps those in use, leaves no more than the limit of the
// others, and deletes no more than it must, the oldest first.
func TestTruncateBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawVersions(t)
		live := rapid.SliceOf(rapid.SampledFrom([]string{"v-0", "v-1", "v-2", "v-3", "other"})).Draw(t, "live")
		limit := rapid.Int32Range(0, 4).Draw(t, "limit")
		remove := revision.Truncate(list, live, &limit)
		unused := 0
		for i, r := range list {
			inUse := slices.Contains(live, r.Name)
			if !inUse {
				unused++
			}
			if slices.Contains(remove, i) && inUse {
				t.Fatalf("%s is in use", r.Name)
			}
			for _, j := range remove {
				if !inUse && !slices.Contains(remove, i) && revision.CompareRevisions(r, list[j]) < 0 {
					t.Fatalf("%s goes before %s", list[j].Name, r.Name)
				}
			}
		}
		if want := max(0, unused-int(limit)); len(remove) != want {
			t.Fatalf("%d go, want %d", len(remove), want)
		}
	})
}

// A versionCase is everything that the functions on ControllerRevisions read.
type versionCase struct {
	Revisions   []revision.ControllerRevision
	StatefulSet revision.StatefulSet
	Restored    []byte
	Live        []string
	Request     int64
	Limit       *int32
	Options     revision.Options
}

type versionAnswer struct {
	Names  []string
	Choice revision.Choice
	Daemon revision.ControllerRevision
	Undo   kubectl.Undo
	Rows   []kubectl.Row
	New    revision.ControllerRevision

	Attempt revision.Attempt
}

func (c versionCase) answer() (a versionAnswer, err error) {
	add := func(indices ...int) {
		for _, i := range indices {
			if i < 0 {
				a.Names = append(a.Names, "none")
				continue
			}
			a.Names = append(a.Names, c.Revisions[i].Name)
		}
		a.Names = append(a.Names, "/")
	}
	a.Choice = revision.ChooseUpdate(c.StatefulSet, c.Revisions, c.Restored, c.Options)
	add(a.Choice.Update, a.Choice.Current)
	a.Choice.Update, a.Choice.Current = 0, 0
	add(revision.Truncate(c.Revisions, c.Live, c.Limit)...)
	add(revision.CleanUpRevisions(c.Revisions, c.Live, c.Limit)...)
	d := revision.Dedupe(c.Revisions, c.Request)
	add(d.Keep)
	add(d.Delete...)
	a.Names = append(a.Names, d.Hash, strconv.FormatInt(d.Renumber, 10))
	for _, row := range kubectl.RevisionHistory(c.Revisions) {
		add(row.Source)
		row.Source = 0
		a.Rows = append(a.Rows, row)
	}
	a.Undo, err = kubectl.UndoRevision(c.Revisions, c.StatefulSet.Data, c.Request, c.Options)
	add(a.Undo.Source)
	a.Undo.Source = 0
	if err != nil {
		a.Names = append(a.Names, err.Error())
	}
	p := revision.Parent{Name: c.StatefulSet.Name}
	a.New = revision.NewControllerRevision(p, c.StatefulSet.TemplateLabels, c.StatefulSet.Data, c.Request, nil, c.Options)
	first, err := revision.FirstAttempt(p.Name, a.New, c.StatefulSet.Collisions, c.Options)
	if err == nil {
		a.Attempt, _ = first.Taken(a.Choice.Revision, c.Options)
	}
	daemon := revision.NewDaemonSetRevision(p, "h", c.StatefulSet.TemplateLabels, c.StatefulSet.Annotations, c.StatefulSet.Data, 1, c.Options)
	a.Daemon = daemon
	return a, nil
}

// Property: no function on ControllerRevisions writes to its arguments, panics, or
// depends on their order. What is new shares no memory with the arguments.
func TestVersionsPure(t *testing.T) {
	labels := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), rapid.Just("v"), 0, 2)
	rapid.Check(t, func(t *rapid.T) {
		purity.Check(t, versionCase{
			Revisions: drawVersions(t),
			StatefulSet: revision.StatefulSet{
				Name: "web", Annotations: labels.Draw(t, "annotations"), TemplateLabels: labels.Draw(t, "labels"),
				Data:       []byte(rapid.SampledFrom([]string{`{"a":1}`, `{"a":2}`, `{"a":3}`}).Draw(t, "data")),
				Collisions: rapid.Ptr(rapid.Int32Range(0, 2), true).Draw(t, "collisions"),
				Current:    rapid.SampledFrom([]string{"", "v-0", "v-3"}).Draw(t, "current"),
			},
			Restored: []byte(rapid.SampledFrom([]string{"", `{"a":3}`}).Draw(t, "restored")),
			Live:     rapid.SliceOfN(rapid.SampledFrom([]string{"v-0", "v-1", "h1", ""}), 0, 3).Draw(t, "live"),
			Request:  rapid.Int64Range(-1, 5).Draw(t, "request"),
			Limit:    rapid.Ptr(rapid.Int32Range(-2, 4), true).Draw(t, "limit"),
			Options:  options.Draw(t, "options"),
		}, versionCase.answer, "Revisions")
	})
}
