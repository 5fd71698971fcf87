// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

func priority(p podorder.Pod, text string) podorder.Pod {
	p.Annotations = map[string]string{podorder.AnnotationDeletePriority: text}
	return p
}

// In each case a is deleted before b by all chains that are named, and the two tie
// or are turned around by those that are not.
func TestLegacyCompare(t *testing.T) {
	type pod = podorder.Pod
	a, b := running("2", t0), running("1", t0)
	for _, c := range []struct {
		why                       string
		a, b                      pod
		legacy15, legacy, current int
	}{
		{"1: unassigned goes first", with(a, func(p *pod) { p.NodeName = "" }), with(b, func(p *pod) { p.Phase = podorder.Pending }), -1, -1, -1},
		{"1: two nodes are not told apart", a, with(b, func(p *pod) { p.NodeName = "n2" }), 0, 0, 0},
		{"2: Pending before Unknown", with(a, func(p *pod) { p.Phase = podorder.Pending }), with(b, func(p *pod) { p.Phase = podorder.Unknown }), -1, -1, -1},
		{"2: Failed counts as Pending", with(a, func(p *pod) { p.Phase = podorder.Failed }), with(b, func(p *pod) { p.Phase = podorder.Pending }), 0, 0, 0},
		{"3: not ready goes first", with(a, func(p *pod) { p.Ready = false }), b, -1, -1, -1},
		{"4: the cost is not known to the old chains", cost(a, "-1"), b, 0, 0, -1},
		{"4: ready for less time, by the nanosecond", with(a, func(p *pod) { p.ReadySince = t0.Add(1) }), with(b, func(p *pod) { p.Restarts = 9 }), -1, -1, 1},
		{"4: an unset ready time goes first", with(a, func(p *pod) { p.ReadySince = time.Time{} }), with(b, func(p *pod) { p.ReadySince = t0.Add(time.Hour) }), -1, -1, -1},
		{"5: more restarts go first", with(a, func(p *pod) { p.Restarts = 2 }), with(b, func(p *pod) { p.Restarts = 1; p.SidecarRestarts = 9 }), -1, -1, -1},
		{"5b: restarts of sidecars only later", with(a, func(p *pod) { p.SidecarRestarts = 2 }), b, 0, -1, -1},
		{"6: the younger goes first", with(a, func(p *pod) { p.CreationTimestamp = t0.Add(1) }), b, -1, -1, 1},
		{"6: an unset time goes first", with(a, func(p *pod) { p.CreationTimestamp = time.Time{} }), b, -1, -1, -1},
		{"7: nothing tells them apart", a, b, 0, 0, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			for chain, want := range map[podorder.Chain]int{podorder.Legacy15: c.legacy15, podorder.Legacy: c.legacy, podorder.Current: c.current, "": c.current, "new": c.current} {
				o := podorder.Order{Now: t0.Add(100 * time.Hour), Chain: chain}
				require.Equal(t, want, o.Compare(c.a, c.b), "%s %s", chain, c.why)
				require.Equal(t, -want, o.Compare(c.b, c.a), "%s %s", chain, c.why)
			}
		})
	}
}

func TestParseDeletePriority(t *testing.T) {
	n, valid, present := podorder.ParseDeletePriority(nil)
	require.Equal(t, []any{int64(0), true, false}, []any{n, valid, present}, "a missing priority is not an invalid one, and not 0")
	for _, c := range []struct {
		text string
		want int64
		ok   bool
		why  string
	}{
		{"1", 1, true, "a number"}, {"+1", 1, true, "one plus"}, {"-1", -1, true, "one minus"}, {"01", 1, true, "leading zeros"}, {"-0", 0, true, "minus zero"},
		{"9223372036854775807", math.MaxInt64, true, "the largest"}, {"-9223372036854775808", math.MinInt64, true, "the smallest"},
		{"9223372036854775808", 0, false, "one more"}, {"", 0, false, "empty"}, {" 1", 0, false, "blanks"}, {"1 ", 0, false, "blanks behind"},
		{"1_0", 0, false, "separators"}, {"0x1", 0, false, "other bases"}, {"1.0", 0, false, "fractions"}, {"+-1", 0, false, "two signs"},
		{"１", 0, false, "full-width digits"}, {"1e3", 0, false, "exponents"}, {"+", 0, false, "a sign alone"},
	} {
		n, valid, present := podorder.ParseDeletePriority(map[string]string{podorder.AnnotationDeletePriority: c.text})
		require.Equal(t, []any{c.want, c.ok, true}, []any{n, valid, present}, "%q: %s", c.text, c.why)
	}
}

func FuzzParseDeletePriority(f *testing.F) {
	for _, s := range []string{"", "0", "-0", "+1", "01", "9223372036854775808", "1_0", "0x1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, valid, present := podorder.ParseDeletePriority(map[string]string{podorder.AnnotationDeletePriority: text})
		digits := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
		if strings.HasPrefix(text, "-+") {
			digits = ""
		}
		want, ok := new(big.Int).SetString(digits, 10)
		ok = ok && digits != "" && strings.Trim(digits, "0123456789") == ""
		if ok && strings.HasPrefix(text, "-") {
			want.Neg(want)
		}
		ok = ok && want.IsInt64()
		require.True(t, present)
		require.Equal(t, ok, valid, "%q", text)
		if ok {
			require.Equal(t, want.Int64(), n)
		}
	})
}

func TestSeedCompare(t *testing.T) {
	o := podorder.Seed()
	healthy, sick := running("1", t0), with(running("2", t0), func(p *podorder.Pod) { p.NodeName, p.Ready = "", false })
	for _, c := range []struct {
		why  string
		a, b podorder.Pod
		want int
	}{
		{"the larger number goes first, whatever the health", priority(healthy, "2"), priority(sick, "1"), -1},
		{"equal texts leave it to the chain", priority(healthy, "2"), priority(sick, "2"), 1},
		{"equal numbers in different texts tie, and the chain is not asked", priority(healthy, "1"), priority(sick, "01"), 0},
		{"a plus is another text", priority(healthy, "+1"), priority(sick, "1"), 0},
		{"a missing one leaves it to the chain", priority(healthy, "9"), sick, 1},
		{"0 is not a missing one", priority(healthy, "0"), sick, 1},
		{"an invalid one leaves it to the chain", priority(healthy, "9"), priority(sick, "x"), 1},
		{"two invalid ones as well", priority(healthy, "y"), priority(sick, "x"), 1},
		{"no overflow", priority(healthy, "9223372036854775807"), priority(sick, "-9223372036854775808"), -1},
	} {
		require.Equal(t, c.want, o.Compare(c.a, c.b), c.why)
		require.Equal(t, -c.want, o.Compare(c.b, c.a), c.why)
	}
}

// TestSeedCycle is the example on which the proposal gives three answers.
func TestSeedCycle(t *testing.T) {
	a := priority(running("A", t0.Add(time.Hour)), "2")
	b := priority(running("B", t0.Add(3*time.Hour)), "1")
	c := running("C", t0.Add(2*time.Hour))
	o := podorder.Seed()
	require.Equal(t, []int{-1, -1, -1}, []int{o.Compare(a, b), o.Compare(b, c), o.Compare(c, a)}, "a cycle")
	upstream := map[string]string{"ABC": "ABC", "BAC": "ABC", "ACB": "CAB", "CAB": "CAB", "BCA": "BCA", "CBA": "BCA"}
	for _, pods := range permutations([]podorder.Pod{a, b, c}) {
		input, theirs := uids(pods), slices.Clone(pods)
		o.SortUpstream(theirs)
		require.Equal(t, upstream[input], uids(theirs), "upstream's answer for %s", input)
		o.Sort(pods)
		require.Equal(t, "CAB", uids(pods), "C waits for nobody, and B for A")
	}
	without := []podorder.Pod{c, b}
	o.Sort(without)
	require.Equal(t, "BC", uids(without))
	_, _, _, found := podorder.Witness([]podorder.Pod{a, b, c}, o.Compare)
	require.True(t, found)
}

// TestPriorityTie is three pods without a cycle on which PriorityFirst in front of the
// chain Current puts C in front of B although the relation puts B before it: the chain
// ties A and C, and their UIDs, 3 and 2, let C go before A, for which B has to wait. A
// legacy chain gives its ties to the pod with a priority.
func TestPriorityTie(t *testing.T) {
	a, c := priority(running("3", t0), "2"), running("2", t0)
	b := priority(with(running("1", t0), func(p *podorder.Pod) { p.Restarts = 1 }), "1")
	for _, test := range []struct {
		chain podorder.Chain
		want  string
	}{
		{podorder.Current, "231"},
		{podorder.Legacy, "312"},
		{podorder.Legacy15, "312"},
	} {
		o := podorder.Order{Now: t0.Add(time.Hour), Chain: test.chain, Priority: podorder.PriorityFirst}
		require.Equal(t, []int{-1, -1, 0}, []int{o.Compare(a, b), o.Compare(b, c), o.Compare(a, c)}, test.chain)
		require.False(t, hasCycle(o, []podorder.Pod{a, b, c}), test.chain)
		for _, pods := range permutations([]podorder.Pod{a, b, c}) {
			o.Sort(pods)
			require.Equal(t, test.want, uids(pods), test.chain)
		}
	}
}

func TestPriorities(t *testing.T) {
	old, young, sick := running("1", t0), running("2", t0.Add(60*time.Hour)), with(running("3", t0), func(p *podorder.Pod) { p.Ready = false })
	five, one, minus := priority(old, "5"), priority(with(old, func(p *podorder.Pod) { p.UID = "4" }), "1"), priority(with(old, func(p *podorder.Pod) { p.UID = "5" }), "-1")
	for _, c := range []struct {
		use  podorder.Priority
		want string
		why  string
	}{
		{podorder.PriorityFirst, "32145", "3 and 2 are ahead of 1 in the chain, and 4 waits for 1"},
		{podorder.PriorityAnnotatedFirst, "14532", "all that have a priority, then the others"},
		{podorder.PriorityMissingAsZero, "14325", "a missing one is 0, and -1 is less"},
		{podorder.PriorityAfterHealth, "31425", "health comes first"},
		{"", "32145", "the annotation is ignored"},
	} {
		o := podorder.Order{Now: t0.Add(100 * time.Hour), Priority: c.use}
		pods := []podorder.Pod{minus, one, five, young, sick}
		o.Sort(pods)
		require.Equal(t, c.want, uids(pods), "%s: %s", c.use, c.why)
	}
	o := podorder.Order{Now: t0.Add(100 * time.Hour), Priority: podorder.PriorityAfterHealth}
	most, least := priority(old, "9223372036854775807"), priority(with(old, func(p *podorder.Pod) { p.UID = "0" }), "2147483648")
	require.Equal(t, 0, o.Compare(most, least), "as a cost both are the least")
	low, lower := priority(old, "-2147483647"), priority(old, "-9223372036854775808")
	require.Equal(t, 0, o.Compare(low, lower), "and both the most")
	costly := cost(running("6", t0), "-9")
	require.Negative(t, o.Compare(five, costly), "the priority comes before the cost")
	custom := podorder.Order{Priority: podorder.PriorityAfterHealth, Stages: []podorder.Stage{{Rule: podorder.RulePhase}}}
	require.Equal(t, -1, custom.Compare(five, one), "without readiness among the stages it is the last of them")
}

// anyComposition draws a chain, a use of priorities and stages.
func anyComposition(t random.T) podorder.Order {
	o := anyOrder(t)
	o.Chain = random.OneOf[podorder.Chain](t, "chain", "", podorder.Legacy, podorder.Legacy15)
	o.Priority = random.OneOf[podorder.Priority](t, "priority", "", podorder.PriorityFirst, podorder.PriorityAnnotatedFirst,
		podorder.PriorityMissingAsZero, podorder.PriorityAfterHealth)
	if random.Bool(t, "domains") {
		o.Domains = podorder.Domains{"n1": "a", "n2": "b"}
	}
	switch random.Between(t, "related", 0, 3) {
	case 0:
		o.Related = func(p *podorder.Pod) bool { return p.Restarts < 2 }
	case 1:
		o.Neighbours = nil
	}
	if random.Bool(t, "stages") {
		pool := append(o.Chain.Stages(), o.Unavailable(30), podorder.Specified("p001", "p003"), podorder.Costs(map[string]int64{"p000": 7, "p002": -7}),
			podorder.OnNodes(func(node string) bool { return node == "n2" }), podorder.Compact(podorder.Neighbours{"n1": 3}),
			podorder.Stage{Rule: podorder.RuleSpread}, podorder.Stage{Rule: "Unheard"})
		o.Stages = []podorder.Stage{}
		for range random.Between(t, "count", 0, 6) {
			o.Stages = append(o.Stages, random.OneOf(t, "stage", pool...))
		}
	}
	return o
}

// anyAnnotated draws pods some of which have a priority.
func anyAnnotated(t random.T, n int) []podorder.Pod {
	pods := random.AlikePods(t, n)
	for i := range pods {
		if random.Between(t, "annotated", 0, 2) == 0 {
			pods[i] = priority(pods[i], random.OneOf[string](t, "priority", "1", "2", "01", "-1", "x", ""))
		}
	}
	return pods
}

// Property: whatever an order is made of, it does not depend on the order of the
// input, and n victims are the first of n+1; and where its relation has no cycle, and
// the order promises it, nobody stands in front of one that the relation puts first.
func TestCompositions(t *testing.T) {
	checked := 0
	random.Check(t, func(t random.T) { checked += checkComposition(t) })
	require.NotZero(t, checked)
}

func FuzzCompositions(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkComposition(random.Rapid(t)) }))
}

// checkComposition returns 1 if the relation had no cycle, and was compared.
func checkComposition(t random.T) int {
	o, pods := anyComposition(t), anyAnnotated(t, random.Between(t, "n", 0, 12))
	sorted := slices.Clone(pods)
	o.Sort(sorted)
	shuffled := random.Shuffled(t, pods)
	input := slices.Clone(shuffled)
	for n := range len(pods) + 1 {
		c := o.Choose(shuffled, nil, n)
		if len(c.Victims) != n || (c.Survivor >= 0) != (n > 0 && n < len(pods)) {
			t.Fatalf("%d victims and survivor %d of %d", len(c.Victims), c.Survivor, n)
		}
		for i, v := range c.Victims {
			if shuffled[v].Name != sorted[i].Name {
				t.Fatalf("victim %d of %d is %s, want %s", i, n, shuffled[v].Name, sorted[i].Name)
			}
		}
		if n > 0 && n < len(pods) && shuffled[c.Survivor].Name != sorted[n].Name {
			t.Fatalf("survivor of %d is %s, want %s", n, shuffled[c.Survivor].Name, sorted[n].Name)
		}
	}
	if diff := gocmp.Diff(input, shuffled); diff != "" {
		t.Fatalf("the pods were changed:\n%s", diff)
	}
	spread := slices.ContainsFunc(o.Stages, func(s podorder.Stage) bool { return s.Rule == podorder.RuleSpread })
	merged := o.Priority == podorder.PriorityFirst && o.Chain == "" // by place, whatever the ties
	if o.Related != nil || spread || merged || hasCycle(o, pods) {
		return 0
	}
	for i := range sorted {
		for j := range i {
			if o.Compare(sorted[i], sorted[j]) < 0 {
				t.Fatalf("%s stands in front of %s", sorted[j].Name, sorted[i].Name)
			}
		}
	}
	return 1
}

// Property: every relation but those of Current and PriorityFirst is a strict weak
// order, whatever the stages; and all are antisymmetric.
func TestStrictWeakOrder(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyComposition(t), anyAnnotated(t, 3)
		if o.Priority == podorder.PriorityFirst {
			o.Priority = ""
		}
		if o.Chain == "" {
			o.Now = time.Time{}
		}
		if a, b, c, found := podorder.Witness(pods, o.Compare); found {
			t.Fatalf("no order on\n%+v\n%+v\n%+v", a, b, c)
		}
	})
}

func TestWitness(t *testing.T) {
	pods := []podorder.Pod{running("1", t0), running("2", t0), running("3", t0)}
	number := func(p podorder.Pod) int { return int(p.UID[0]) }
	for _, c := range []struct {
		why     string
		compare func(a, b podorder.Pod) int
		want    bool
	}{
		{"an order", func(a, b podorder.Pod) int { return number(a) - number(b) }, false},
		{"all equal", func(a, b podorder.Pod) int { return 0 }, false},
		{"always first", func(a, b podorder.Pod) int { return -1 }, true},
		{"a cycle", func(a, b podorder.Pod) int { return (number(a)-number(b)+4)%3 - 1 }, true},
		{"a tie that is not transitive", func(a, b podorder.Pod) int { return (number(a) - number(b)) / 2 }, true},
	} {
		_, _, _, found := podorder.Witness(pods, c.compare)
		require.Equal(t, c.want, found, c.why)
	}
}

// slowPriority merges as the rule is worded, for any order of the chain.
func slowPriority(o podorder.Order, pods []podorder.Pod) []podorder.Pod {
	base := o
	base.Priority = ""
	sorted := slices.Clone(pods)
	base.Sort(sorted)
	var first, rest []podorder.Pod
	position := map[string]int{}
	for i, p := range sorted {
		position[p.Name] = i
		if _, valid, present := podorder.ParseDeletePriority(p.Annotations); valid && present {
			first = append(first, p)
		} else {
			rest = append(rest, p)
		}
	}
	number := func(p podorder.Pod) int64 { n, _, _ := podorder.ParseDeletePriority(p.Annotations); return n }
	slices.SortStableFunc(first, func(a, b podorder.Pod) int { return cmp.Compare(number(b), number(a)) })
	legacy := o.Chain == podorder.Legacy || o.Chain == podorder.Legacy15
	var merged []podorder.Pod
	for len(first)+len(rest) > 0 {
		switch {
		case len(first) == 0, len(rest) > 0 && !legacy && position[rest[0].Name] < position[first[0].Name],
			len(rest) > 0 && legacy && base.Compare(rest[0], first[0]) < 0:
			merged, rest = append(merged, rest[0]), rest[1:]
		default:
			merged, first = append(merged, first[0]), first[1:]
		}
	}
	return merged
}

// Property: PriorityFirst is the merge that its definition says, and keeps its
// promises: priorities in order, and nobody without one behind one with it that the
// chain puts later.
func TestPriorityOracle(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), anyAnnotated(t, random.Between(t, "n", 0, 40))
		o.Chain = random.OneOf[podorder.Chain](t, "chain", "", podorder.Legacy, podorder.Legacy15)
		o.Priority = podorder.PriorityFirst
		want := slowPriority(o, pods)
		for n := range len(pods) + 1 {
			for i, v := range o.Victims(pods, nil, n) {
				if pods[v].Name != want[i].Name {
					t.Fatalf("victim %d of %d is %s, want %s", i, n, pods[v].Name, want[i].Name)
				}
			}
		}
		o.Sort(pods)
		if diff := gocmp.Diff(want, pods, gocmp.Transformer("name", func(p podorder.Pod) string { return p.Name })); len(pods) > 0 && diff != "" {
			t.Fatal(diff)
		}
	})
}

// Property: the same priority on all pods changes nothing.
func TestSamePriority(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), random.AlikePods(t, random.Between(t, "n", 0, 20))
		for i := range pods {
			pods[i].Annotations = nil
		}
		want := o.Victims(pods, nil, len(pods))
		for i := range pods {
			pods[i] = priority(pods[i], "3")
		}
		for _, use := range []podorder.Priority{podorder.PriorityFirst, podorder.PriorityAnnotatedFirst, podorder.PriorityMissingAsZero, podorder.PriorityAfterHealth} {
			o.Priority = use
			if diff := gocmp.Diff(want, o.Victims(pods, nil, len(pods))); diff != "" {
				t.Fatalf("%s: %s", use, diff)
			}
		}
	})
}

// byCompare sorts with package sort, as upstream does.
type byCompare struct {
	pods []podorder.Pod
	o    podorder.Order
}

func (s byCompare) Len() int           { return len(s.pods) }
func (s byCompare) Less(i, j int) bool { return s.o.Compare(s.pods[i], s.pods[j]) < 0 }
func (s byCompare) Swap(i, j int)      { s.pods[i], s.pods[j] = s.pods[j], s.pods[i] }

// Property: SortUpstream makes the comparisons and swaps of package sort, so that
// even on cycles and ties the result is the same.
func TestSortUpstream(t *testing.T) {
	random.Check(t, func(t random.T) {
		o, pods := anyOrder(t), anyAnnotated(t, random.Between(t, "n", 0, random.OneOf(t, "most", 12, 300)))
		o.Priority = random.OneOf[podorder.Priority](t, "priority", "", podorder.PriorityFirst)
		theirs := slices.Clone(pods)
		sort.Sort(byCompare{theirs, o})
		o.SortUpstream(pods)
		for i := range pods {
			if pods[i].Name != theirs[i].Name {
				t.Fatalf("place %d: %s, package sort has %s", i, pods[i].Name, theirs[i].Name)
			}
		}
	})
}

func TestSortForLogs(t *testing.T) {
	type pod = podorder.Pod
	a, b := running("1", t0), running("2", t0)
	for _, c := range []struct {
		why  string
		a, b pod
		want int
	}{
		{"1: assigned first", a, with(b, func(p *pod) { p.NodeName = "" }), -1},
		{"2: Running before Unknown", a, with(b, func(p *pod) { p.Phase = podorder.Unknown }), -1},
		{"2: phases that rank alike tie, whatever follows", with(a, func(p *pod) { p.Phase = podorder.Failed }), with(b, func(p *pod) { p.Phase = podorder.Succeeded; p.Ready = false }), 0},
		{"3: ready first", a, with(b, func(p *pod) { p.Ready = false }), -1},
		{"4: ready for longer first", a, with(b, func(p *pod) { p.ReadySince = t0.Add(1) }), -1},
		{"4: unset last", a, with(b, func(p *pod) { p.ReadySince = time.Time{} }), -1},
		{"5: more restarts first, which is not the mirror image", with(a, func(p *pod) { p.Restarts = 2 }), b, -1},
		{"5: then those of sidecars", with(a, func(p *pod) { p.SidecarRestarts = 2 }), b, -1},
		{"6: older first", a, with(b, func(p *pod) { p.CreationTimestamp = t0.Add(1) }), -1},
		{"6: unset last", a, with(b, func(p *pod) { p.CreationTimestamp = time.Time{} }), -1},
		{"nothing", a, b, 0},
	} {
		require.Equal(t, c.want, podorder.CompareForLogs(c.a, c.b), c.why)
		require.Equal(t, -c.want, podorder.CompareForLogs(c.b, c.a), c.why)
		if c.want != 0 {
			pods := []pod{c.b, c.a}
			podorder.SortForLogs(pods)
			require.Equal(t, c.a, pods[0], c.why)
		}
	}
	random.Check(t, func(t random.T) {
		pods := random.AlikePods(t, random.Between(t, "n", 1, 9))
		want := slices.Clone(pods)
		podorder.SortForLogs(want)
		shuffled := random.Shuffled(t, pods)
		podorder.SortForLogs(shuffled)
		if diff := gocmp.Diff(want, shuffled); diff != "" {
			t.Fatal(diff)
		}
		for i := range want {
			for j := range i {
				if podorder.CompareForLogs(want[i], want[j]) < 0 {
					t.Fatalf("%d stands in front of %d", j, i)
				}
			}
		}
	})
}

// slowSpread picks one victim after the other and counts anew each time.
func slowSpread(domains func(p *podorder.Pod) string, pods []podorder.Pod, n int) []string {
	rest := slices.Clone(pods)
	counts := map[string]int{}
	for i := range rest {
		counts[domains(&rest[i])]++
	}
	legacy := podorder.Order{Chain: podorder.Legacy15}
	var names []string
	for range n {
		best := slices.MinFunc(rest, func(a, b podorder.Pod) int {
			health := cmp.Or(
				cmp.Compare(strconv.FormatBool(a.NodeName != ""), strconv.FormatBool(b.NodeName != "")),
				cmp.Compare(strconv.FormatBool(a.Ready), strconv.FormatBool(b.Ready)),
			)
			return cmp.Or(health, cmp.Compare(counts[domains(&b)], counts[domains(&a)]), legacy.Compare(a, b), cmp.Compare(a.UID, b.UID))
		})
		counts[domains(&best)]--
		names = append(names, best.Name)
		rest = slices.DeleteFunc(rest, func(p podorder.Pod) bool { return p.Name == best.Name })
	}
	return names
}
