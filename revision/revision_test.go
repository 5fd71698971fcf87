// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
)

func TestTemplateSame(t *testing.T) {
	a := revision.Template{ID: "a", Hash: "h"}
	require.True(t, a.Same(revision.Template{ID: "a", Hash: "other"}), "the hash takes no part")
	require.False(t, a.Same(revision.Template{ID: "b", Hash: "h"}), "equal hashes collide now and then")
	text, err := json.Marshal(a)
	require.NoError(t, err)
	require.JSONEq(t, `{"id": "a", "hash": "h"}`, string(text))
	var b revision.Template
	require.NoError(t, json.Unmarshal(text, &b))
	require.Equal(t, a, b)
	text, err = json.Marshal(revision.Template{ID: "a"})
	require.NoError(t, err)
	require.JSONEq(t, `{"id": "a"}`, string(text))
}

// The dumps are those of the API types v0.36.3, the hashes what Kubernetes 1.36.3
// computed from them.
func TestHash(t *testing.T) {
	data, err := os.ReadFile("testdata/dumps.json")
	require.NoError(t, err)
	var dumps map[string]string
	require.NoError(t, json.Unmarshal(data, &dumps))
	for _, c := range []struct {
		dump       string
		collisions *int32
		want       string
		why        string
	}{
		{"plain", nil, "7d4c665cf7", "one container"},
		{"plain", ptr.To(int32(0)), "66cf68d45", "0 collisions are not none"},
		{"plain", ptr.To(int32(1)), "6f9b66fbb8", "one collision leads to another name"},
		{"plain", ptr.To(int32(-1)), "5fddfd4cc", "the count is read as unsigned"},
		{"with hash", nil, "65cf97f676", "a hash label of the user's takes part"},
		{"empty annotations", nil, "976bbc86b", "an empty map is not a nil one"},
		{"grace", nil, "855fddc89b", "pointers are followed"},
		{"grace", ptr.To(int32(3)), "9987498c9", "and collisions added"},
		{"zero", nil, "85748b7f68", "every field takes part, set or not"},
	} {
		t.Run(c.dump, func(t *testing.T) {
			require.Contains(t, dumps, c.dump)
			require.Equal(t, c.want, revision.Hash(dumps[c.dump], c.collisions), c.why)
		})
	}
	require.Equal(t, revision.SafeEncode("2166136261"), revision.Hash("", nil), "nothing leaves the basis")
}

func TestSafeEncode(t *testing.T) {
	require.Equal(t, "", revision.SafeEncode(""))
	require.Equal(t, "456789bcdf", revision.SafeEncode("0123456789"))
	require.Equal(t, "vwxz2456789bcdfghjklmnpqrs", revision.SafeEncode("abcdefghijklmnopqrstuvwxyz"))
	require.Equal(t, "n5n", revision.SafeEncode("€"), "bytes are encoded, not characters: 226, 130 and 172")
}

func TestReplicaSetName(t *testing.T) {
	long := strings.Repeat("a", 250)
	for _, c := range []struct {
		name, deployment, hash, want, why string
	}{
		{"short", "web", "7d4c665cf7", "web-7d4c665cf7", "nothing to cut"},
		{"fits", long[:242], "7d4c665cf7", long[:242] + "-7d4c665cf7", "253 bytes are allowed"},
		{"one more", long[:243], "7d4c665cf7", long[:242] + "-7d4c665cf7", "254 are not"},
		{"cut", long, "7d4c665cf7", long[:242] + "-7d4c665cf7", "242 bytes are kept beside a hash of 10"},
		{"long hash", "web", strings.Repeat("f", 251), "w-" + strings.Repeat("f", 251), "one byte is left"},
		{"longer hash", "web", strings.Repeat("f", 252), "web-" + strings.Repeat("f", 252), "with none left nothing is cut"},
		{"longest hash", "web", strings.Repeat("f", 300), "web-" + strings.Repeat("f", 300), "nor with less than none"},
		{"empty", "", "", "-", "the planners reject empty names"},
		{"bytes", strings.Repeat("é", 125), "7d4c665cf", strings.Repeat("é", 121) + "\xc3-7d4c665cf", "bytes are cut, not characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, revision.ReplicaSetName(c.deployment, c.hash), c.why)
		})
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		name, why   string
		annotations map[string]string
		want        int64
		ok          bool
	}{
		{"nil", "no annotations at all", nil, 0, true},
		{"missing", "not this one", map[string]string{"x": "7"}, 0, true},
		{"number", "as it says", annotated("7"), 7, true},
		{"plus", "as Go parses it", annotated("+7"), 7, true},
		{"zeros", "leading zeros are allowed", annotated("007"), 7, true},
		{"negative", "not rejected", annotated("-1"), -1, true},
		{"largest", "64 bits", annotated("9223372036854775807"), math.MaxInt64, true},
		{"too large", "65 bits", annotated("9223372036854775808"), 0, false},
		{"empty", "present and empty is an error", annotated(""), 0, false},
		{"blank", "no blanks", annotated(" 7"), 0, false},
		{"word", "no words", annotated("x"), 0, false},
		{"hex", "decimal only", annotated("0x7"), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := revision.Number(c.annotations)
			require.Equal(t, c.want, got, c.why)
			if c.ok {
				require.NoError(t, err, c.why)
				return
			}
			require.ErrorIs(t, err, kplan.ErrInvalid, c.why)
			require.ErrorAs(t, err, new(*strconv.NumError))
			var fe *kplan.FieldError
			require.ErrorAs(t, err, &fe)
			require.Equal(t, `Annotations["deployment.kubernetes.io/revision"]`, fe.Path)
			require.Equal(t, c.annotations[revision.AnnotationRevision], fe.Value)
		})
	}
}

func annotated(number string) map[string]string {
	return map[string]string{revision.AnnotationRevision: number}
}

func TestMaxLastNext(t *testing.T) {
	for _, c := range []struct {
		name, why   string
		texts       []string // "-" is a missing annotation
		max, last   int64
		wrapsAround bool
	}{
		{name: "none", why: "both start at 0"},
		{name: "one", why: "there is no second", texts: []string{"1"}, max: 1},
		{name: "two", why: "the second highest", texts: []string{"1", "2"}, max: 2, last: 1},
		{name: "two, other order", why: "the same", texts: []string{"2", "1"}, max: 2, last: 1},
		{name: "equal", why: "equal ones count twice", texts: []string{"5", "5"}, max: 5, last: 5},
		{name: "equal apart", why: "wherever they are", texts: []string{"5", "3", "5"}, max: 5, last: 5},
		{name: "negative", why: "a negative one never wins", texts: []string{"-1", "2"}, max: 2},
		{name: "all negative", why: "not even alone", texts: []string{"-1", "-7"}},
		{name: "missing", why: "missing is 0", texts: []string{"-", "2"}, max: 2},
		{name: "word", why: "one that does not parse is left out", texts: []string{"x", "4", "9"}, max: 9, last: 4},
		{name: "too large", why: "neither does this", texts: []string{"9223372036854775808", "3"}, max: 3},
		{name: "largest", why: "the next wraps around", texts: []string{"9223372036854775807"}, max: math.MaxInt64, wrapsAround: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var numbers []int64
			for _, text := range c.texts {
				annotations := annotated(text)
				if text == "-" {
					annotations = nil
				}
				if n, err := revision.Number(annotations); err == nil {
					numbers = append(numbers, n)
				}
			}
			require.Equal(t, c.max, revision.Max(numbers), c.why)
			require.Equal(t, c.last, revision.Last(numbers), c.why)
			if c.wrapsAround {
				require.Equal(t, int64(math.MinInt64), revision.Next(numbers), c.why)
				return
			}
			require.Equal(t, c.max+1, revision.Next(numbers), c.why)
		})
	}
}

// Property: Max and Last are the two highest of the numbers and two zeros, in
// whatever order they come.
func TestMaxLastOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Int64Range(-3, 6)).Draw(t, "numbers")
		first, second := int64(0), int64(0)
		for i, n := range append([]int64{0, 0}, numbers...) {
			higher := 0
			for j, m := range append([]int64{0, 0}, numbers...) {
				if m > n || (m == n && j < i) {
					higher++
				}
			}
			switch higher {
			case 0:
				first = n
			case 1:
				second = n
			}
		}
		shuffled := rapid.Permutation(numbers).Draw(t, "shuffled")
		if got := revision.Max(shuffled); got != first {
			t.Fatalf("Max is %d, want %d", got, first)
		}
		if got := revision.Last(shuffled); got != second {
			t.Fatalf("Last is %d, want %d", got, second)
		}
		for _, n := range numbers {
			if revision.Next(shuffled) <= n {
				t.Fatalf("Next is %d, not above %d", revision.Next(shuffled), n)
			}
		}
	})
}

func TestAppendHistory(t *testing.T) {
	for _, c := range []struct {
		history, old string
		limit        int
		want, why    string
	}{
		{"", "1", 2000, "1", "the first entry"},
		{"1", "3", 2000, "1,3", "oldest first"},
		{"1,2,3", "4", 2000, "1,2,3,4", "7 bytes"},
		{"8,9,10", "12", 9, "8,9,10,12", "all fits"},
		{"8,9,10", "12", 8, "9,10,12", "one must go"},
		{"8,9,10", "12", 7, "9,10,12", "7 bytes fit in 7"},
		{"8,9,10", "12", 6, "10,12", "two must go"},
		{"8,9,10", "12", 5, "10,12", "5 bytes fit in 5"},
		{"8,9,10", "12", 4, "12", "all must go"},
		{"8,9,10", "12", 3, "12", "the same"},
		{"8,9,10", "12", 2, "12", "2 bytes fit in 2"},
		{"8,9,10", "12", 1, "8,9,10", "the entry does not fit alone"},
		{"8,9,10", "123", 2, "8,9,10", "nor does this"},
		{",9", "12", 2000, "12", "an empty first entry starts anew"},
		{",", "12", 2000, "12", "so does nothing but a comma"},
		{"", "123", 2, "123", "a first entry is not measured"},
		{"1,2", "", 2000, "1,2,", "an empty annotation is appended like any other"},
		{"1,,2", "3", 5, ",2,3", "an empty entry in the middle is an entry"},
		{"1,,2", "3", 3, "2,3", "and is dropped like one"},
		{"1", "2", 0, "1", "no room at all"},
		{"1", "2", -5, "1", "less than none"},
		{"1,2", "", 0, "", "what is empty always fits"},
	} {
		t.Run(c.history+" "+c.old+" "+strconv.Itoa(c.limit), func(t *testing.T) {
			require.Equal(t, c.want, revision.AppendHistory(c.history, c.old, c.limit), c.why)
		})
	}
}

// slowAppend is the rule word for word, with a list of entries.
func slowAppend(history, old string, limit int) string {
	entries := strings.Split(history, ",")
	if entries[0] == "" {
		return old
	}
	total := len(history) + len(old) + 1
	for total > limit && len(entries) > 0 {
		total -= len(entries[0]) + 1
		entries = entries[1:]
	}
	if total > limit {
		return history
	}
	return strings.Join(append(entries, old), ",")
}

func TestAppendHistoryOracle(t *testing.T) {
	entry := rapid.StringMatching(`[0-9]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		history := strings.Join(rapid.SliceOfN(entry, 0, 6).Draw(t, "history"), ",")
		old := entry.Draw(t, "old")
		limit := rapid.IntRange(-1, 24).Draw(t, "limit")
		got := revision.AppendHistory(history, old, limit)
		if want := slowAppend(history, old, limit); got != want {
			t.Fatalf("AppendHistory(%q, %q, %d) is %q, want %q", history, old, limit, got, want)
		}
	})
}

func FuzzAppendHistory(f *testing.F) {
	f.Add("8,9,10", "12", 6)
	f.Add("", "", 0)
	f.Add(",9", "12", 2000)
	f.Fuzz(func(t *testing.T, history, old string, limit int) {
		got := revision.AppendHistory(history, old, limit)
		require.Equal(t, slowAppend(history, old, limit), got)
		if got != history && history != "" && history[0] != ',' {
			require.LessOrEqual(t, len(got), limit)
			require.True(t, strings.HasSuffix(got, old))
		}
	})
}

func TestCopied(t *testing.T) {
	for _, key := range []string{
		"deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history",
		"deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas",
		"deprecated.deployment.rollback.to", "kubectl.kubernetes.io/last-applied-configuration",
	} {
		require.False(t, revision.Copied(key), key)
	}
	for _, key := range []string{"", "kubernetes.io/change-cause", "Deployment.kubernetes.io/revision", "revision"} {
		require.True(t, revision.Copied(key), key)
	}
}

func TestSync(t *testing.T) {
	const history = revision.AnnotationHistory
	type m = map[string]string
	rev := func(n string, more ...string) m {
		set := annotated(n)
		for i := 0; i+1 < len(more); i += 2 {
			set[more[i]] = more[i+1]
		}
		return set
	}
	for _, c := range []struct {
		name, why              string
		deployment, replicaSet m
		next                   int64
		set                    m
		changed                bool
	}{
		{"up to date", "nothing to do", m{"a": "1"}, rev("2", "a", "1"), 2, nil, false},
		{"copy", "the ReplicaSet lacks one", m{"a": "1"}, rev("2"), 2, m{"a": "1"}, true},
		{"change", "or has another value", m{"a": "2"}, rev("2", "a", "1"), 2, m{"a": "2"}, true},
		{"copy empty", "an empty value is copied", m{"a": ""}, rev("2"), 2, m{"a": ""}, true},
		{"never removed", "what the Deployment no longer has stays", nil, rev("2", "a", "1"), 2, nil, false},
		{"bookkeeping", "is not copied", m{revision.AnnotationDesired: "7", revision.AnnotationRevision: "9"}, rev("2"), 2, nil, false},
		{"raise", "the former number goes to the history", nil, rev("1"), 3, rev("3", history, "1"), true},
		{"raise again", "at its end", nil, rev("3", history, "1"), 5, rev("5", history, "1,3"), true},
		{"ahead", "a higher number is not lowered", nil, rev("7"), 3, nil, false},
		{"no number", "missing is 0 and leaves no history", nil, nil, 1, rev("1"), true},
		{"no number, none wanted", "0 is not below 0", nil, nil, 0, nil, false},
		{"empty number", "empty is 0, but adds an empty entry", nil, rev("", history, "1,2"), 9, rev("9", history, "1,2,"), true},
		{"empty number, no history", "and sets an empty history", nil, rev(""), 9, rev("9", history, ""), true},
		{"empty number, empty history", "once", nil, rev("", history, ""), 9, rev("9"), true},
		{"no room", "a history that cannot grow is not set",
			nil, rev(strings.Repeat("0", 2000)+"1", history, "4"), 9, rev("9"), true},
		{"bad number", "freezes the revision; copies are not reported", m{"a": "1"}, rev("x"), 9, m{"a": "1"}, false},
		{"bad number, nothing to copy", "nothing at all", nil, rev("x"), 9, nil, false},
		{"negative", "counts as a number", nil, rev("-1"), 1, rev("1", history, "-1"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, changed := revision.Sync(c.deployment, c.replicaSet, c.next)
			if diff := cmp.Diff(c.set, set); diff != "" {
				t.Errorf("%s: set (-want +got):\n%s", c.why, diff)
			}
			require.Equal(t, c.changed, changed, c.why)
		})
	}
}

// Property: Sync writes to neither argument, and has nothing left to do once its
// result was applied.
func TestSyncSettles(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", revision.AnnotationRevision, revision.AnnotationHistory, revision.AnnotationMax})
	values := rapid.SampledFrom([]string{"", "1", "2", "x", "9,10", ",3"})
	annotations := rapid.MapOf(keys, values)
	rapid.Check(t, func(t *rapid.T) {
		deployment, replicaSet := annotations.Draw(t, "deployment"), annotations.Draw(t, "replicaSet")
		next := rapid.Int64Range(-1, 12).Draw(t, "next")
		before := []map[string]string{clone(deployment), clone(replicaSet)}
		set, changed := revision.Sync(deployment, replicaSet, next)
		if diff := cmp.Diff(before, []map[string]string{deployment, replicaSet}); diff != "" {
			t.Fatalf("Sync wrote to its arguments:\n%s", diff)
		}
		unusable := replicaSet[revision.AnnotationRevision] == "x" || replicaSet[revision.AnnotationRevision] == "9,10" || replicaSet[revision.AnnotationRevision] == ",3"
		if changed != (len(set) > 0 && !unusable) {
			t.Fatalf("changed is %v with %v", changed, set)
		}
		for key, value := range set {
			replicaSet[key] = value
		}
		if set, changed := revision.Sync(deployment, replicaSet, next); set != nil || changed {
			t.Fatalf("the second call returns %v, %v", set, changed)
		}
	})
}

func clone(m map[string]string) map[string]string {
	c := map[string]string{}
	for key, value := range m {
		c[key] = value
	}
	return c
}

// A Deployment that goes from template A to B and back, then to B again.
func TestLifeOfADeployment(t *testing.T) {
	a, b := map[string]string{}, map[string]string{}
	use := func(newest, old map[string]string) {
		n, err := revision.Number(old)
		require.NoError(t, err)
		set, _ := revision.Sync(nil, newest, revision.Next([]int64{n}))
		for key, value := range set {
			newest[key] = value
		}
	}
	use(a, nil)
	require.Equal(t, annotated("1"), a)
	use(b, a)
	require.Equal(t, annotated("2"), b)
	use(a, b)
	require.Equal(t, map[string]string{revision.AnnotationRevision: "3", revision.AnnotationHistory: "1"}, a)
	require.Equal(t, annotated("2"), b)
	use(b, a)
	require.Equal(t, map[string]string{revision.AnnotationRevision: "4", revision.AnnotationHistory: "2"}, b)
}

func FuzzHash(f *testing.F) {
	f.Add("", int32(0), false)
	f.Add("(v1.PodTemplateSpec){}", int32(-1), true)
	f.Fuzz(func(t *testing.T, dump string, collisions int32, counted bool) {
		var count *int32
		if counted {
			count = &collisions
		}
		hash := revision.Hash(dump, count)
		require.NotEmpty(t, hash)
		require.LessOrEqual(t, len(hash), 10)
		require.Empty(t, strings.Trim(hash, "456789bcdf"))
		name := revision.ReplicaSetName(dump, hash)
		require.LessOrEqual(t, len(name), 253)
		require.True(t, strings.HasSuffix(name, "-"+hash))
	})
}

func TestAllocations(t *testing.T) {
	rs := map[string]string{revision.AnnotationRevision: "7", "a": "1"}
	d := map[string]string{"a": "1"}
	require.Zero(t, testing.AllocsPerRun(100, func() { revision.Sync(d, rs, 7) }), "nothing to do, nothing allocated")
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = revision.Number(rs) }))

	old, list := entries("3", "1", "2"), versions(version("a", 1), version("b", 2))
	cleaning := func(limit int32) float64 {
		return testing.AllocsPerRun(10, func() { revision.CleanUp(old, &limit, revision.Options{}) })
	}
	require.Equal(t, cleaning(4), cleaning(3), "a history that fits is not sorted by revision")
	fits := int32(len(list))
	require.Zero(t, testing.AllocsPerRun(10, func() { revision.CleanUpRevisions(list, []string{"a"}, &fits) }))

	many, others := texts{}, texts{}
	for i := range 100 {
		many["a"+strconv.Itoa(i)], others["b"+strconv.Itoa(i)] = "", ""
	}
	once := testing.AllocsPerRun(10, func() { _ = make(texts, 200) })
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		revision.RollbackAnnotations(many, others, revision.Options{KeepAnnotations: true})
	}), once+1, "the map is made large enough at once")

	labels := texts{}
	creating := func() float64 {
		return testing.AllocsPerRun(10, func() {
			revision.NewControllerRevision(revision.Parent{Name: "web"}, labels, nil, 1, nil, revision.Options{})
		})
	}
	var kept texts
	without, one := creating(), testing.AllocsPerRun(10, func() { kept = texts{"k": ""} })
	for i := range 8 {
		labels["k"+strconv.Itoa(i)] = ""
	}
	nine := testing.AllocsPerRun(10, func() { kept = make(texts, 9) })
	require.Equal(t, nine-one, creating()-without, "and so is that of the labels")
	require.NotNil(t, kept)
}

func BenchmarkHash(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
		dump := strings.Repeat("x", n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(n))
			for b.Loop() {
				revision.Hash(dump, nil)
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
		numbers := make([]int64, n)
		for i := range numbers {
			numbers[i] = int64(i)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				revision.Next(numbers)
			}
		})
	}
}
