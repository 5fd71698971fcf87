// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// running returns an assigned, running pod that has been ready since t.
func running(uid string, t time.Time) podorder.Pod {
	return podorder.Pod{
		Name: "pod-" + uid, UID: uid, NodeName: "n1", Phase: podorder.Running,
		Ready: true, ReadySince: t, CreationTimestamp: t,
	}
}

func with(p podorder.Pod, change func(p *podorder.Pod)) podorder.Pod {
	change(&p)
	return p
}

func cost(p podorder.Pod, text string) podorder.Pod {
	p.Annotations = map[string]string{podorder.AnnotationDeletionCost: text}
	return p
}

// In each case a is deleted before b, or, if tie is set, Compare does not care.
func TestCompare(t *testing.T) {
	type pod = podorder.Pod
	now := t0.Add(100 * time.Hour)
	neighbours := podorder.Neighbours{"n1": 2, "n2": 1}
	a, b := running("1", t0), running("2", t0)
	notReady := func(p *pod) { p.Ready, p.ReadySince = false, time.Time{} }
	later := t0.Add(80 * time.Hour) // another bucket, 20 hours old
	sooner := t0.Add(time.Second)   // the same bucket as t0
	for _, c := range []struct {
		name, why string
		a, b      pod
		noTime    bool
		tie       bool
	}{
		{name: "same", why: "nothing tells them apart", a: a, b: b, tie: true},
		{name: "assigned", why: "1: an unassigned pod goes first, whatever else is better",
			a: cost(with(a, func(p *pod) { p.NodeName = "" }), "100"), b: with(b, func(p *pod) { p.Phase = podorder.Pending; notReady(p) })},
		{name: "phase", why: "2: Pending before Running", a: with(a, func(p *pod) { p.Phase = podorder.Pending }), b: with(b, notReady)},
		{name: "phase unknown", why: "2: Pending before Unknown", a: with(a, func(p *pod) { p.Phase = podorder.Pending }), b: with(b, func(p *pod) { p.Phase = podorder.Unknown })},
		{name: "phase running", why: "2: Unknown before Running", a: with(a, func(p *pod) { p.Phase = podorder.Unknown }), b: with(b, notReady)},
		{name: "phase empty", why: "2: the empty phase is Pending", a: with(a, func(p *pod) { p.Phase = "" }), b: with(b, func(p *pod) { p.Phase = podorder.Pending }), tie: true},
		{name: "phase ended", why: "2: so are the final ones", a: with(a, func(p *pod) { p.Phase = podorder.Failed }), b: with(b, func(p *pod) { p.Phase = podorder.Succeeded }), tie: true},
		{name: "phase other", why: "2: so is one that nobody knows", a: with(a, func(p *pod) { p.Phase = "Dreaming" }), b: with(b, func(p *pod) { p.Phase = podorder.Unknown })},
		{name: "ready", why: "3: not ready goes first, whatever the cost", a: cost(with(a, notReady), "100"), b: cost(b, "-100")},
		{name: "cost", why: "4: lower cost first", a: cost(a, "-1"), b: b},
		{name: "cost before neighbours", why: "4: cost comes before neighbours", a: with(cost(a, "1"), func(p *pod) { p.NodeName = "n2" }), b: cost(b, "2")},
		{name: "cost invalid", why: "4: what is invalid is 0", a: cost(a, "+5"), b: b, tie: true},
		{name: "cost extremes", why: "4: no overflow", a: cost(a, "-2147483648"), b: cost(b, "2147483647")},
		{name: "neighbours", why: "5: more neighbours first", a: a, b: with(b, func(p *pod) { p.NodeName = "n2"; p.ReadySince = later })},
		{name: "neighbours none", why: "5: a node that is not counted has none", a: with(a, func(p *pod) { p.NodeName = "n2" }), b: with(b, func(p *pod) { p.NodeName = "n3" })},
		{name: "ready time", why: "6: ready for less time first", a: with(b, func(p *pod) { p.ReadySince = later }), b: a},
		{name: "ready bucket", why: "6: in one bucket the UID decides and restarts do not", a: a, b: with(b, func(p *pod) { p.ReadySince = sooner; p.Restarts = 9 })},
		{name: "ready bucket, other way", why: "6: whichever is younger", a: with(a, func(p *pod) { p.ReadySince = sooner }), b: with(b, func(p *pod) { p.Restarts = 9 })},
		{name: "ready bucket, one UID", why: "6: decided as a tie, restarts are not looked at",
			a: a, b: with(a, func(p *pod) { p.ReadySince = sooner; p.Restarts = 9 }), tie: true},
		{name: "ready unset", why: "6: an unset ready time goes first", a: with(b, func(p *pod) { p.ReadySince = time.Time{} }), b: with(a, func(p *pod) { p.ReadySince = now })},
		{name: "ready no time", why: "6: without a now the exact time decides", a: with(b, func(p *pod) { p.ReadySince = sooner }), b: a, noTime: true},
		{name: "ready in the future", why: "6: a time in the future is the youngest bucket", a: with(b, func(p *pod) { p.ReadySince = now.Add(time.Hour) }), b: with(a, func(p *pod) { p.ReadySince = now.Add(-1) })},
		{name: "ready now and in the future", why: "6: both are in that bucket", a: with(a, func(p *pod) { p.ReadySince = now }), b: with(b, func(p *pod) { p.ReadySince = now.Add(time.Hour) })},
		{name: "ready zone", why: "6: instants are compared, not zones", a: with(b, func(p *pod) { p.ReadySince = t0.In(time.FixedZone("x", 3600)); p.Restarts = 1 }), b: a},
		{name: "bucket edge", why: "6: a nanosecond around a power of two separates",
			a: with(b, func(p *pod) { p.ReadySince = now.Add(-(1<<46 - 1)) }), b: with(a, func(p *pod) { p.ReadySince = now.Add(-(1 << 46)) })},
		{name: "restarts", why: "7: more restarts first", a: with(b, func(p *pod) { p.Restarts = 5 }), b: with(a, func(p *pod) { p.SidecarRestarts = 9; p.CreationTimestamp = later })},
		{name: "sidecars", why: "7: then more restarts of sidecars", a: with(b, func(p *pod) { p.SidecarRestarts = 5 }), b: with(a, func(p *pod) { p.CreationTimestamp = later })},
		{name: "not ready restarts", why: "7: pods that are not ready are compared by restarts at once", a: with(b, func(p *pod) { notReady(p); p.Restarts = 1 }), b: with(a, func(p *pod) { notReady(p); p.CreationTimestamp = later })},
		{name: "not ready time", why: "6: a ready time without being ready means nothing", a: with(a, func(p *pod) { p.Ready = false }), b: with(b, func(p *pod) { p.Ready, p.ReadySince = false, later }), tie: true},
		{name: "created", why: "8: younger first", a: with(b, func(p *pod) { p.CreationTimestamp = later }), b: a},
		{name: "created bucket", why: "8: in one bucket the UID decides", a: a, b: with(b, func(p *pod) { p.CreationTimestamp = sooner })},
		{name: "created unset", why: "8: an unset time goes first", a: with(b, func(p *pod) { p.CreationTimestamp = time.Time{} }), b: a},
		{name: "created no time", why: "8: without a now the exact time decides", a: with(b, func(p *pod) { p.CreationTimestamp = sooner }), b: a, noTime: true},
		{name: "both unset", why: "8: two unset times are equal", a: with(a, func(p *pod) { p.CreationTimestamp = time.Time{} }), b: with(b, func(p *pod) { p.CreationTimestamp = time.Time{} }), tie: true},
		{name: "long ago", why: "6: times that do not fit in nanoseconds are in the oldest bucket", a: b, b: with(a, func(p *pod) { p.ReadySince = time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC) })},
		{name: "far ahead", why: "6: or in the youngest", a: with(b, func(p *pod) { p.ReadySince = time.Date(2600, 1, 1, 0, 0, 0, 0, time.UTC) }), b: a},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			o := podorder.New(now, neighbours)
			if c.noTime {
				o.Now = time.Time{}
			}
			want := -1
			if c.tie {
				want = 0
			}
			require.Equal(t, want, o.Compare(c.a, c.b), c.why)
			require.Equal(t, -want, o.Compare(c.b, c.a), c.why)
			if !c.tie {
				pods := []podorder.Pod{c.b, c.a}
				o.Sort(pods)
				require.Equal(t, c.a, pods[0], c.why)
				require.Equal(t, []int{0}, o.Victims([]podorder.Pod{c.a, c.b}, nil, 1), c.why)
			}
		})
	}
}

// Both examples have three pods on which upstream's result depends on the order of
// the input: one is a cycle, the other a tie that is not transitive.
func TestCycles(t *testing.T) {
	notReady := func(uid string, created time.Time) podorder.Pod {
		return with(running(uid, created), func(p *podorder.Pod) { p.Ready, p.ReadySince = false, time.Time{} })
	}
	o := podorder.New(t0.Add(100*time.Hour), nil)
	for _, c := range []struct {
		name, why string
		a, b, c   podorder.Pod
		ab        int // Compare(a, b); a is before c and c before b
		want      string
	}{
		{"cycle", "the heads are C and B: C is first by UID, and A waits behind B",
			running("1", t0), with(running("3", t0), func(p *podorder.Pod) { p.Restarts = 5; p.CreationTimestamp = t0 }),
			running("2", t0.Add(time.Second)), 1, "231"},
		{"tie", "the UID decides the tie as well",
			notReady("1", t0), notReady("3", t0), notReady("2", t0.Add(time.Second)), 0, "123"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.ab, o.Compare(c.a, c.b))
			require.Equal(t, -1, o.Compare(c.a, c.c))
			require.Equal(t, -1, o.Compare(c.c, c.b))
			upstream := map[string]bool{}
			for _, pods := range permutations([]podorder.Pod{c.a, c.b, c.c}) {
				theirs := slices.Clone(pods)
				insertionSort(o, theirs)
				upstream[uids(theirs)] = true
				ours := slices.Clone(pods)
				o.Sort(ours)
				require.Equal(t, c.want, uids(ours), c.why)
			}
			require.Len(t, upstream, 3, "the example shows that upstream gives three answers")
			require.Contains(t, upstream, c.want, "ours is one of them")
		})
	}
}

// insertionSort is how upstream's sort treats up to twelve pods.
func insertionSort(o podorder.Order, pods []podorder.Pod) {
	for i := range pods {
		for j := i; j > 0 && o.Compare(pods[j], pods[j-1]) < 0; j-- {
			pods[j], pods[j-1] = pods[j-1], pods[j]
		}
	}
}

func permutations(pods []podorder.Pod) [][]podorder.Pod {
	if len(pods) <= 1 {
		return [][]podorder.Pod{slices.Clone(pods)}
	}
	var all [][]podorder.Pod
	for i := range pods {
		for _, rest := range permutations(slices.Delete(slices.Clone(pods), i, i+1)) {
			all = append(all, append([]podorder.Pod{pods[i]}, rest...))
		}
	}
	return all
}

func uids(pods []podorder.Pod) string {
	text := ""
	for _, p := range pods {
		text += p.UID
	}
	return text
}

func TestVictims(t *testing.T) {
	o := podorder.New(t0.Add(time.Hour), nil)
	pods := []podorder.Pod{
		running("1", t0),
		with(running("2", t0), func(p *podorder.Pod) { p.NodeName = "" }),
		with(running("3", t0), func(p *podorder.Pod) { p.Ready = false }),
	}
	for _, c := range []struct {
		name, why  string
		candidates []int
		n          int
		want       []int
	}{
		{"none", "nothing to delete", nil, 0, nil},
		{"negative", "less than nothing", nil, -1, nil},
		{"one", "the unassigned pod", nil, 1, []int{1}},
		{"two", "then the one that is not ready", nil, 2, []int{1, 2}},
		{"all", "all of them, in order", nil, 3, []int{1, 2, 0}},
		{"more", "no more than there are", nil, 9, []int{1, 2, 0}},
		{"candidates", "the others are not looked at", []int{0, 2}, 1, []int{2}},
		{"all candidates", "the numbers are those of the pods", []int{0, 2}, 2, []int{2, 0}},
		{"no candidates", "none is not all", []int{}, 2, nil},
		{"out of range", "a number that no pod has is ignored", []int{-1, 0, 3, math.MaxInt}, 2, []int{0}},
		{"only out of range", "so that nothing may be left", []int{3}, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			require.Equal(t, c.want, o.Victims(pods, c.candidates, c.n), c.why)
		})
	}
	require.Nil(t, o.Victims(nil, nil, 3))
	o.Sort(nil)
}

func TestZeroOrder(t *testing.T) {
	var o podorder.Order
	pods := []podorder.Pod{running("2", t0), running("1", t0), running("3", t0.Add(1)), {}}
	o.Sort(pods)
	require.Equal(t, "312", uids(pods), "the empty pod first, then the youngest, then by UID")
	require.Empty(t, pods[0].Name)
}

func TestSameUID(t *testing.T) {
	a, b := running("1", t0), running("1", t0)
	a.Name, b.Name = "a", "b"
	pods := []podorder.Pod{b, a}
	podorder.New(t0, nil).Sort(pods)
	require.Equal(t, "a", pods[0].Name, "names are unique in a namespace")
}

func TestNeighbours(t *testing.T) {
	n := podorder.Neighbours{}
	for _, p := range []podorder.Pod{
		running("1", t0),
		with(running("2", t0), func(p *podorder.Pod) { p.NodeName = "" }),
		with(running("3", t0), func(p *podorder.Pod) { p.NodeName = "" }),
		with(running("4", t0), func(p *podorder.Pod) { p.Phase = podorder.Failed }),
		with(running("5", t0), func(p *podorder.Pod) { p.DeletionTimestamp = t0 }),
	} {
		n.Add(&p)
	}
	require.Equal(t, podorder.Neighbours{"n1": 1, "": 2}, n, "pods that have ended or are being deleted do not count")
}

// TestManyNeighbours: counts that a caller hands in may be any number.
func TestManyNeighbours(t *testing.T) {
	pods := []podorder.Pod{
		running("0", t0),
		with(running("1", t0), func(p *podorder.Pod) { p.NodeName = "least" }),
		with(running("2", t0), func(p *podorder.Pod) { p.NodeName = "negative" }),
		with(running("3", t0), func(p *podorder.Pod) { p.NodeName = "most" }),
	}
	o := podorder.New(t0, podorder.Neighbours{"least": math.MinInt32, "negative": -1, "most": math.MaxInt32})
	require.Equal(t, []int{3, 0, 2, 1}, o.Victims(pods, nil, len(pods)))
}

func TestPodJSON(t *testing.T) {
	p := podorder.Pod{
		Name: "web-1", UID: "u", ResourceVersion: "7",
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"a": ""},
		ControllerKind: "ReplicaSet", ControllerName: "web", ControllerUID: "o",
		CreationTimestamp: t0, DeletionTimestamp: t0.Add(1), NodeName: "n1", Phase: podorder.Running,
		Ready: true, ReadySince: t0.Add(2), Restarts: 3, SidecarRestarts: 4,
	}
	for _, want := range []podorder.Pod{p, {Name: "bare"}} {
		text, err := json.Marshal(want)
		require.NoError(t, err)
		var got podorder.Pod
		require.NoError(t, json.Unmarshal(text, &got))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	text, err := json.Marshal(podorder.Pod{Name: "bare"})
	require.NoError(t, err)
	require.JSONEq(t, `{"name": "bare"}`, string(text), "what is unset is left out")
}

func anyOrder(t random.T) podorder.Order {
	now := t0.Add(100 * time.Hour)
	if random.Between(t, "clock", 0, 4) == 0 {
		now = time.Time{}
	}
	return podorder.New(now, podorder.Neighbours{"n1": random.Between[int32](t, "n1", 0, 2), "n2": 1})
}

// slowCompare is the chain of rules, one after the other, on the pods themselves.
func slowCompare(o podorder.Order, a, b *podorder.Pod) int {
	ordinal := map[podorder.Phase]int{podorder.Unknown: 1, podorder.Running: 2}
	costA, _ := podorder.DeletionCost(a.Annotations)
	costB, _ := podorder.DeletionCost(b.Annotations)
	sign := func(first bool) int {
		if first {
			return -1
		}
		return 1
	}
	switch {
	case (a.NodeName == "") != (b.NodeName == ""):
		return sign(a.NodeName == "")
	case ordinal[a.Phase] != ordinal[b.Phase]:
		return sign(ordinal[a.Phase] < ordinal[b.Phase])
	case a.Ready != b.Ready:
		return sign(!a.Ready)
	case costA != costB:
		return sign(costA < costB)
	case o.Neighbours[a.NodeName] != o.Neighbours[b.NodeName]:
		return sign(o.Neighbours[a.NodeName] > o.Neighbours[b.NodeName])
	case a.Ready && !a.ReadySince.Equal(b.ReadySince):
		return slowAge(o, a.ReadySince, b.ReadySince, a.UID, b.UID)
	case a.Restarts != b.Restarts:
		return sign(a.Restarts > b.Restarts)
	case a.SidecarRestarts != b.SidecarRestarts:
		return sign(a.SidecarRestarts > b.SidecarRestarts)
	case !a.CreationTimestamp.Equal(b.CreationTimestamp):
		return slowAge(o, a.CreationTimestamp, b.CreationTimestamp, a.UID, b.UID)
	}
	return 0
}

func slowAge(o podorder.Order, a, b time.Time, uidA, uidB string) int {
	if o.Now.IsZero() || a.IsZero() || b.IsZero() {
		if a.IsZero() || (!b.IsZero() && a.After(b)) {
			return -1
		}
		return 1
	}
	if x, y := slowBucket(a, o.Now), slowBucket(b, o.Now); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	switch {
	case uidA < uidB:
		return -1
	case uidA > uidB:
		return 1
	}
	return 0
}

func slowBucket(t, now time.Time) int {
	age := now.Sub(t)
	if age <= 0 {
		return -1
	}
	return bits.Len64(uint64(age)) - 1
}

// slowSort is the canonical order as it is defined: groups, parts of equal instants,
// and a merge of the parts by the smallest UID.
func slowSort(o podorder.Order, pods []podorder.Pod) []podorder.Pod {
	health := func(a, b podorder.Pod) int { // from the node to the ready time, without the UID
		merged := a.Ready && b.Ready && !o.Now.IsZero() && !a.ReadySince.IsZero() && !b.ReadySince.IsZero()
		if merged && slowBucket(a.ReadySince, o.Now) == slowBucket(b.ReadySince, o.Now) {
			a.ReadySince = b.ReadySince
		}
		a.Restarts, a.SidecarRestarts, a.CreationTimestamp = b.Restarts, b.SidecarRestarts, b.CreationTimestamp
		return slowCompare(o, &a, &b)
	}
	within := func(a, b podorder.Pod) int { // restarts, the creation time and the UID
		a.ReadySince = b.ReadySince
		if c := slowCompare(o, &a, &b); c != 0 {
			return c
		}
		return slowAge(podorder.Order{Now: t0}, t0, t0, a.UID, b.UID)
	}
	rest := slices.Clone(pods)
	var sorted []podorder.Pod
	for len(rest) > 0 {
		first := rest[0]
		for _, p := range rest {
			if health(p, first) < 0 {
				first = p
			}
		}
		parts := map[int64][]podorder.Pod{}
		var others []podorder.Pod
		for _, p := range rest {
			if health(p, first) != 0 {
				others = append(others, p)
				continue
			}
			instant := int64(0)
			if p.Ready {
				instant = p.ReadySince.UnixNano()
			}
			parts[instant] = append(parts[instant], p)
		}
		for _, part := range parts {
			slices.SortFunc(part, within)
		}
		for n := len(rest) - len(others); n > 0; n-- {
			best, found := int64(0), false
			for instant, part := range parts {
				if len(part) > 0 && (!found || part[0].UID < parts[best][0].UID) {
					best, found = instant, true
				}
			}
			sorted, parts[best] = append(sorted, parts[best][0]), parts[best][1:]
		}
		rest = others
	}
	return sorted
}

// Property: Compare is the chain of rules, and swapping its arguments turns its
// sign.
func checkCompare(t random.T) {
	o, pods := anyOrder(t), random.AlikePods(t, 2)
	a, b := pods[0], pods[1]
	got := o.Compare(a, b)
	if want := slowCompare(o, &a, &b); got != want {
		t.Fatalf("Compare is %d, want %d", got, want)
	}
	if back := o.Compare(b, a); back != -got {
		t.Fatalf("Compare is %d one way and %d the other", got, back)
	}
	if o.Compare(a, a) != 0 {
		t.Fatal("a pod differs from itself")
	}
}

func TestCompareOracle(t *testing.T) { random.Check(t, checkCompare) }

// Property: Sort gives the canonical order, for every order of the input, and
// Victims each prefix of it.
func checkSort(t random.T) {
	o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 0, 70))
	want := slowSort(o, pods)
	sorted := random.Shuffled(t, pods)
	input := slices.Clone(sorted)
	n := random.Between(t, "victims", 0, len(pods)+1)
	victims := o.Victims(sorted, nil, n)
	if diff := cmp.Diff(input, sorted); diff != "" {
		t.Fatalf("Victims wrote to the pods:\n%s", diff)
	}
	o.Sort(sorted)
	if diff := cmp.Diff(want, sorted); diff != "" {
		t.Fatalf("sorted (-want +got):\n%s", diff)
	}
	if len(victims) != min(n, len(pods)) {
		t.Fatalf("%d victims of %d, want %d", len(victims), len(pods), n)
	}
	for i, v := range victims {
		if input[v].Name != want[i].Name {
			t.Fatalf("victim %d is %s, want %s", i, input[v].Name, want[i].Name)
		}
	}
}

func TestSortOracle(t *testing.T) { random.Check(t, checkSort) }
func FuzzSort(f *testing.F)       { f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkSort(random.Rapid(t)) })) }

// Property: where upstream's relation has no cycle, nothing stands in front of a pod
// that upstream deletes before it; and where upstream gives the same answer for
// every order of the input, it is ours.
func TestSortAgreesWithUpstream(t *testing.T) {
	acyclic, cyclic := 0, 0
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 2, 5))
		o.Now = t0.Add(100 * time.Hour)
		for i := range pods { // most pods in one group, where cycles are
			if random.Between(t, "alike", 0, 4) > 0 {
				p := running(pods[i].UID, t0)
				p.ReadySince = random.OneOf[time.Time](t, "since", t0, t0.Add(time.Second))
				p.Restarts = pods[i].Restarts
				pods[i] = p
			}
		}
		sorted := slices.Clone(pods)
		o.Sort(sorted)
		theirs := map[string]bool{}
		for _, p := range permutations(pods) {
			insertionSort(o, p)
			theirs[uids(p)] = true
		}
		if len(theirs) == 1 && !theirs[uids(sorted)] {
			t.Fatalf("upstream always gives %v, ours is %s", theirs, uids(sorted))
		}
		if hasCycle(o, pods) {
			cyclic++
			return
		}
		acyclic++
		for i := range sorted {
			for j := range i {
				if o.Compare(sorted[i], sorted[j]) < 0 {
					t.Fatalf("%s stands in front of %s", sorted[j].UID, sorted[i].UID)
				}
			}
		}
	})
	require.NotZero(t, acyclic)
	require.NotZero(t, cyclic, "the pods must be drawn such that cycles appear")
}

func hasCycle(o podorder.Order, pods []podorder.Pod) bool {
	n := len(pods)
	before := make([][]bool, n)
	for i := range before {
		before[i] = make([]bool, n)
		for j := range before[i] {
			before[i][j] = o.Compare(pods[i], pods[j]) < 0
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				before[i][j] = before[i][j] || (before[i][k] && before[k][j])
			}
		}
	}
	for i := range n {
		if before[i][i] {
			return true
		}
	}
	return false
}

// Property: the victims of n are the first of the victims of n+1, and candidates
// are ordered as if nothing else existed.
func TestVictimsPrefix(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 0, 40))
		var candidates []int
		if random.Bool(t, "some") {
			candidates = []int{}
			for i := range pods {
				if random.Bool(t, "candidate") {
					candidates = append(candidates, i)
				}
			}
		}
		all := o.Victims(pods, candidates, len(pods))
		for n := range len(all) {
			if diff := cmp.Diff(all[:n], append([]int{}, o.Victims(pods, candidates, n)...)); diff != "" {
				t.Fatalf("the first %d of %d victims (-want +got):\n%s", n, len(all), diff)
			}
		}
		if candidates == nil {
			return
		}
		some := make([]podorder.Pod, len(candidates))
		for i, c := range candidates {
			some[i] = pods[c]
		}
		for i, v := range o.Victims(some, nil, len(some)) {
			if candidates[v] != all[i] {
				t.Fatalf("victim %d is %d among the candidates alone, %d among all", i, candidates[v], all[i])
			}
		}
	})
}

// Property: a selection from one large group of ready pods, in which parts of equal
// ready times are merged, is the start of the canonical order.
func TestVictimsOfOneGroup(t *testing.T) {
	random.Check(t, func(t random.T) {
		n := random.Between(t, "n", 17, 120)
		parts := random.Between(t, "parts", 1, n)
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		pods := make([]podorder.Pod, n)
		for i, number := range random.Shuffled(t, numbers) {
			p := running(fmt.Sprintf("%03d", number), t0)
			p.ReadySince = t0.Add(time.Duration(random.Between(t, "part", 1, parts)) * time.Second)
			p.Restarts = random.Between[int32](t, "restarts", 0, 9)
			pods[i] = p
		}
		o := podorder.New(t0.Add(100*time.Hour), nil)
		want := slowSort(o, pods)
		for _, k := range []int{1, 2, n / 4, n / 2, n - 2, n - 1} {
			for i, v := range o.Victims(pods, nil, k) {
				if pods[v].UID != want[i].UID {
					t.Fatalf("victim %d of %d is %s, want %s", i, k, pods[v].UID, want[i].UID)
				}
			}
		}
	})
}

// Property: moving all times and Now together changes nothing.
func TestShift(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 0, 20))
		by := time.Duration(random.Between[int64](t, "by", -1e18, 1e18))
		want := o.Victims(pods, nil, len(pods))
		for i := range pods {
			pods[i].ReadySince = shifted(pods[i].ReadySince, by)
			pods[i].CreationTimestamp = shifted(pods[i].CreationTimestamp, by)
		}
		o.Now = shifted(o.Now, by)
		if diff := cmp.Diff(want, o.Victims(pods, nil, len(pods))); diff != "" {
			t.Fatalf("shifted by %v (-want +got):\n%s", by, diff)
		}
	})
}

func shifted(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// manyPods returns n ready pods in few age buckets. Every fourth shares its ready
// time with others.
func manyPods(n int) []podorder.Pod {
	pods := make([]podorder.Pod, n)
	state := uint64(1)
	for i := range pods {
		state = state*6364136223846793005 + 1442695040888963407
		p := running(strconv.FormatUint(state>>16, 16), t0.Add(time.Duration(state>>40)*time.Microsecond))
		if i%4 == 0 {
			p.ReadySince = t0.Add(time.Duration(i%100) * time.Second)
		}
		p.Name, p.NodeName, p.Restarts = "web-"+p.UID, "node-"+strconv.Itoa(i%5000), int32(state>>20&3)
		pods[i] = p
	}
	return pods
}

func TestVictimsOfMany(t *testing.T) {
	pods := manyPods(3_000)
	o := podorder.New(t0.Add(time.Hour), nil)
	all := o.Victims(pods, nil, len(pods))
	for _, n := range []int{1, 2, 10, 100, 1_000, 1_500, 2_999} {
		require.Equal(t, all[:n], o.Victims(pods, nil, n), "%d victims", n)
	}
}

func TestAllocations(t *testing.T) {
	o := podorder.New(t0.Add(time.Hour), podorder.Neighbours{"node-1": 2})
	for _, n := range []int{100, 10_000} {
		pods := manyPods(n)
		require.LessOrEqual(t, testing.AllocsPerRun(3, func() { o.Victims(pods, nil, 10) }), 13.0, "Victims of %d", n)
		require.LessOrEqual(t, testing.AllocsPerRun(3, func() { o.Sort(pods) }), 7.0, "Sort of %d", n)
	}
	a, b := running("1", t0), running("2", t0)
	require.Zero(t, testing.AllocsPerRun(10, func() { o.Compare(a, b) }))
}

func BenchmarkVictims(b *testing.B) {
	o := podorder.New(t0.Add(time.Hour), podorder.Neighbours{"node-1": 2})
	for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
		pods := manyPods(n)
		for _, share := range []int{100, 2} {
			b.Run(fmt.Sprintf("%d/1of%d", n, share), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					o.Victims(pods, nil, max(1, n/share))
				}
			})
		}
	}
}

func BenchmarkSort(b *testing.B) {
	o := podorder.New(t0.Add(time.Hour), podorder.Neighbours{"node-1": 2})
	for _, n := range []int{10, 1_000, 100_000, 1_000_000} {
		pods := manyPods(n)
		scratch := make([]podorder.Pod, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(scratch, pods)
				o.Sort(scratch)
			}
		})
	}
}
