// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// order returns the invariants of deletion orders.
func order() []Invariant {
	choosing := func(f func(*Choosing) []string) []check { return []check{on[Choosing](f)} }
	return []Invariant{
		{Name: "strict weak order", Title: "the comparison is a strict weak order, and the sorted one total", Source: "KEP-2185", Corrected: true,
			Defects: []string{"podorder: cycles of age buckets", "podorder: cycles of priorities"}, Elsewhere: []string{"podorder: TestStrictWeakOrder"}, checks: choosing(strictWeakOrder)},
		{Name: "order of the input", Title: "the order of the list changes nothing", Source: "podorder: canonical order", Elsewhere: []string{"podorder: TestSortOracle"}, checks: choosing(orderOfTheInput)},
		{Name: "victims are a prefix", Title: "sorting is a permutation, and the choice of n+1 pods begins with the choice of n", Source: "podorder: canonical order",
			Elsewhere: []string{"podorder: TestVictimsPrefix"}, checks: choosing(victimsAreAPrefix)},
		{Name: "order of the rules", Title: "the rules apply in their order: unassigned, pending, not ready, cheap, crowded, young, restarted", Source: "upstream: ActivePodsWithRanks",
			Elsewhere: []string{"podorder: TestCompareOracle"}, checks: choosing(orderOfTheRules)},
		{Name: "deletion cost parsing", Title: "costs are parsed as upstream parses them", Source: "KEP-2255", Elsewhere: []string{"podorder: TestDeletionCost"}, checks: []check{on[Costing](deletionCostParsing)}},
		{Name: "UID within an age bucket", Title: "pods of one age bucket are ordered by their UIDs alone", Source: "KEP-2185", checks: choosing(uidWithinAnAgeBucket)},
		{Name: "spread counts anew", Title: "spreading recounts after each victim", Source: "kubernetes#102948", Elsewhere: []string{"podorder: TestSpreadOracle"}, checks: choosing(spreadCountsAnew)},
		{Name: "priorities and pause points", Title: "priorities apply, and no pod after an unacknowledged pause point is deleted", Source: "kubernetes#75763",
			Elsewhere: []string{"podorder: TestPauseProperties"}, checks: []check{on[Choosing](prioritiesAndPausePoints), on[Pausing](prioritiesAndPausePointsPause)}},
		{Name: "protected pods stay", Title: "protected pods stay, and the choice has the number of missing pods", Source: "kubernetes#126138", Elsewhere: []string{"podorder: TestProtected"}, checks: choosing(protectedPodsStay)},
		{Name: "named pods go first", Title: "named pods are deleted first", Source: "kruise: specified delete", checks: choosing(namedPodsGoFirst)},
		{Name: "spread is even", Title: "after spreading, the remaining pods are as even as possible", Source: "kubernetes#124149", Elsewhere: []string{"podorder: TestSpreadOptimal"}, checks: choosing(spreadIsEven)},
		{Name: "stage dominance", Title: "a later stage changes nothing between pods that an earlier one distinguishes", Source: "podorder: stages",
			Elsewhere: []string{"podorder: TestStageDominance"}, checks: choosing(stageDominance)},
	}
}

// A Choosing is a choice of pods to delete by an order. Names and UIDs are unique.
type Choosing struct {
	Order podorder.Order
	Pods  []podorder.Pod
	N     int
	// Compare, Choose and Sort are the functions under test; nil means the methods of the order.
	Compare func(o podorder.Order, a, b podorder.Pod) int
	Choose  func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice
	Sort    func(o podorder.Order, pods []podorder.Pod)
	Strict  bool
}

func (c *Choosing) compare(a, b podorder.Pod) int {
	if c.Compare != nil {
		return c.Compare(c.Order, a, b)
	}
	return c.Order.Compare(a, b)
}

func (c *Choosing) choose(pods []podorder.Pod, n int) podorder.Choice {
	pods = slices.Clone(pods)
	if c.Choose != nil {
		return c.Choose(c.Order, pods, n)
	}
	return c.Order.Choose(pods, nil, n)
}

// victims returns the names of n pods to delete, first victim first.
func (c *Choosing) victims(pods []podorder.Pod, n int) []string {
	var names []string
	for _, i := range c.choose(pods, n).Victims {
		if i >= 0 && i < len(pods) {
			names = append(names, pods[i].Name)
		}
	}
	return names
}

func (c *Choosing) sorted(o podorder.Order, pods []podorder.Pod) []podorder.Pod {
	pods = slices.Clone(pods)
	if c.Sort != nil {
		c.Sort(o, pods)
	} else {
		o.Sort(pods)
	}
	return pods
}

// survivors divides pods into the remaining ones and the victims.
func survivors(pods []podorder.Pod, victims []string) (stay, gone []*podorder.Pod) {
	for i := range pods {
		if slices.Contains(victims, pods[i].Name) {
			gone = append(gone, &pods[i])
		} else {
			stay = append(stay, &pods[i])
		}
	}
	return stay, gone
}

// cyclic reports whether the comparison is known not to be transitive.
func (c *Choosing) cyclic() bool {
	current := c.Order.Chain != podorder.Legacy && c.Order.Chain != podorder.Legacy15
	return current && !c.Order.Now.IsZero() || c.Order.Priority == podorder.PriorityFirst
}

func strictWeakOrder(c *Choosing) []string {
	l, n := list(nil), min(len(c.Pods), 7)
	at := func(i, j int) int { return c.compare(c.Pods[i], c.Pods[j]) }
	for i := range n {
		l.addIf(at(i, i) != 0, "%s comes before itself", c.Pods[i].Name)
		for j := range n {
			l.addIf(sign(at(i, j)) != -sign(at(j, i)), "%s and %s come before each other", c.Pods[i].Name, c.Pods[j].Name)
			for k := range n {
				if c.cyclic() && !c.Strict {
					continue
				}
				x, y, z := c.Pods[i].Name, c.Pods[j].Name, c.Pods[k].Name
				l.addIf(at(i, j) < 0 && at(j, k) < 0 && at(i, k) >= 0, "%s comes before %s, that before %s, and that not behind the first", x, y, z)
				l.addIf(at(i, j) == 0 && at(j, k) == 0 && at(i, k) != 0, "%s ties with %s, that with %s, and that not with the first", x, y, z)
			}
		}
	}
	return l
}

func sign(n int) int { return cmp.Compare(n, 0) }

func orderOfTheInput(c *Choosing) []string {
	l := list(nil)
	want, all := c.victims(c.Pods, c.N), namesOf(c.sorted(c.Order, c.Pods))
	for turn := range 3 {
		pods := slices.Clone(c.Pods)
		slices.Reverse(pods)
		for range min(turn, len(pods)) {
			pods = append(pods[1:], pods[0])
		}
		got, sorted := c.victims(pods, c.N), namesOf(c.sorted(c.Order, pods))
		l.addIf(!slices.Equal(got, want), "%v go, or %v of another list", want, got)
		l.addIf(!slices.Equal(sorted, all), "the order is %v, or %v of another list", all, sorted)
	}
	return l
}

func namesOf(pods []podorder.Pod) []string {
	names := make([]string, len(pods))
	for i := range pods {
		names[i] = pods[i].Name
	}
	return names
}

func victimsAreAPrefix(c *Choosing) []string {
	l := list(nil)
	sorted, given := namesOf(c.sorted(c.Order, c.Pods)), namesOf(c.Pods)
	slices.Sort(sorted)
	slices.Sort(given)
	l.addIf(!slices.Equal(sorted, given), "sorting makes %v of %v", sorted, given)
	before := c.victims(c.Pods, 0)
	for n := 1; n <= len(c.Pods); n++ {
		v := c.victims(c.Pods, n)
		l.addIf(len(v) > n || len(v) < len(before), "%d victims of %d wanted, after %d", len(v), n, len(before))
		l.addIf(len(v) >= len(before) && !slices.Equal(v[:len(before)], before), "the victims of %d are %v, and of one less %v", n, v, before)
		seen := slices.Clone(v)
		slices.Sort(seen)
		l.addIf(len(slices.Compact(seen)) != len(v), "a pod goes twice: %v", v)
		before = v
	}
	return l
}

// rank returns the numbers of a pod that the chain compares, in order. It covers only the chains,
// without stages and priorities.
func (c *Choosing) rank(p *podorder.Pod) []int64 {
	keys := c.health(p)
	o := &c.Order
	if p.Ready {
		return append(keys, age(o.Now, p.ReadySince))
	}
	keys = append(keys, -int64(p.Restarts))
	if o.Chain != podorder.Legacy15 {
		keys = append(keys, -int64(p.SidecarRestarts))
	}
	return append(keys, age(o.Now, p.CreationTimestamp))
}

// health returns the numbers of the chain's stages before the times and restarts.
func (c *Choosing) health(p *podorder.Pod) []int64 {
	keys := []int64{1, 0, 0}
	if p.NodeName == "" {
		keys[0] = 0
	}
	switch p.Phase {
	case podorder.Unknown:
		keys[1] = 1
	case podorder.Running:
		keys[1] = 2
	}
	if p.Ready {
		keys[2] = 1
	}
	if c.Order.Chain == podorder.Legacy || c.Order.Chain == podorder.Legacy15 {
		return keys
	}
	cost, _ := costOf(p.Annotations[podorder.AnnotationDeletionCost])
	return append(keys, cost, -c.neighbours(p.NodeName))
}

func (c *Choosing) neighbours(node string) (n int64) {
	if c.Order.Related == nil {
		return int64(c.Order.Neighbours[node])
	}
	for i := range c.Pods {
		if p := &c.Pods[i]; p.NodeName == node && runs(p) && c.Order.Related(p) {
			n++
		}
	}
	return n
}

// age returns the bucket of an age, or without a current time the age itself: a younger pod has a
// smaller number, and a pod without a time the smallest of all.
func age(now, t time.Time) int64 {
	if t.IsZero() {
		return -1 << 62
	}
	if now.IsZero() {
		return -t.Unix()
	}
	d := now.Sub(t)
	if d <= 0 {
		return -1
	}
	return int64(bits.Len64(uint64(d))) - 1
}

// plain reports whether an order consists of the chain alone.
func (c *Choosing) plain() bool {
	return c.Order.Stages == nil && c.Order.Priority == "" && c.Order.Protected == nil
}

func orderOfTheRules(c *Choosing) []string {
	// A legacy chain compares exact times, but age returns buckets.
	legacy := c.Order.Chain == podorder.Legacy || c.Order.Chain == podorder.Legacy15
	if !c.plain() || legacy {
		return nil
	}
	l := list(nil)
	stay, gone := survivors(c.Pods, c.victims(c.Pods, c.N))
	for _, v := range gone {
		for _, s := range stay {
			l.addIf(slices.Compare(c.rank(v), c.rank(s)) > 0, "%s goes with %v, and %s stays with %v", v.Name, c.rank(v), s.Name, c.rank(s))
		}
	}
	return l
}

// A Costing is a parsed deletion cost.
type Costing struct {
	Text  string // of the annotation
	Cost  int32
	Valid bool
}

// costOf parses a cost by its grammar: a number of 32 bits that is 0 or begins with a digit other
// than 0, or with a minus.
func costOf(text string) (int64, bool) {
	if text == "" || text != "0" && text[0] != '-' && (text[0] < '1' || text[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, false
	}
	return n, true
}

func deletionCostParsing(c *Costing) []string {
	cost, valid := costOf(c.Text)
	return one(int64(c.Cost) != cost || c.Valid != valid, "%q is read as %d, %v, not %d, %v", c.Text, c.Cost, c.Valid, cost, valid)
}
