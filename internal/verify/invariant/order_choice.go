// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/podorder"
)

// uidWithinAnAgeBucket checks ready pods that differ only in their times within a bucket.
func uidWithinAnAgeBucket(c *Choosing) []string {
	if !c.plain() || c.Order.Chain == podorder.Legacy || c.Order.Chain == podorder.Legacy15 || c.Order.Now.IsZero() {
		return nil
	}
	l, sorted := list(nil), c.sorted(c.Order, c.Pods)
	for i := 1; i < len(sorted); i++ {
		a, b := &sorted[i-1], &sorted[i]
		bucket := a.Ready && b.Ready && !a.ReadySince.IsZero() && slices.Equal(c.rank(a), c.rank(b))
		alone := bucket && !slices.ContainsFunc(sorted, func(p podorder.Pod) bool {
			return p.Name != a.Name && p.ReadySince.Equal(a.ReadySince) || p.Name != b.Name && p.ReadySince.Equal(b.ReadySince)
		})
		l.addIf(alone && a.UID > b.UID, "%s comes before %s in one bucket, and has the greater UID", a.Name, b.Name)
	}
	return l
}

// spreading returns the domain of each pod if the order does nothing but spread.
func (c *Choosing) spreading() (map[string]string, bool) {
	o := &c.Order
	only := len(o.Stages) == 1 && o.Stages[0].Rule == podorder.RuleSpread && o.Stages[0].Key == nil
	if !only || o.Priority != "" || o.Protected != nil || o.Related != nil || o.Neighbours != nil {
		return nil, false
	}
	domains := o.Stages[0].Domains
	if domains == nil {
		domains = o.Domains
	}
	of := map[string]string{}
	for i := range c.Pods {
		of[c.Pods[i].Name] = c.Pods[i].NodeName
		if domains != nil {
			of[c.Pods[i].Name] = domains[c.Pods[i].NodeName]
		}
	}
	return of, true
}

func spreadCountsAnew(c *Choosing) []string {
	domains, ok := c.spreading()
	if !ok {
		return nil
	}
	l, counts := list(nil), map[string]int{}
	for _, domain := range domains {
		counts[domain]++
	}
	for _, name := range c.victims(c.Pods, c.N) {
		fullest := 0
		for _, n := range counts {
			fullest = max(fullest, n)
		}
		l.addIf(counts[domains[name]] < fullest, "%s goes from a domain of %d, and the fullest has %d", name, counts[domains[name]], fullest)
		counts[domains[name]]--
	}
	return l
}

// priorityOf parses a delete priority.
func priorityOf(p *podorder.Pod) (int64, bool) {
	n, err := strconv.ParseInt(p.Annotations[podorder.AnnotationDeletePriority], 10, 64)
	return n, err == nil
}

func prioritiesAndPausePoints(c *Choosing) []string {
	l := list(nil)
	if c.Order.Protected != nil || c.Order.Priority == "" || c.Order.Priority == podorder.PriorityAfterHealth {
		return nil
	}
	stay, gone := survivors(c.Pods, c.victims(c.Pods, c.N))
	for _, v := range gone {
		for _, s := range stay {
			a, hasA := priorityOf(v)
			b, hasB := priorityOf(s)
			both := hasA && hasB || c.Order.Priority == podorder.PriorityMissingAsZero
			l.addIf(both && a < b, "%s goes with priority %d, and %s stays with %d", v.Name, a, s.Name, b)
			l.addIf(c.Order.Priority == podorder.PriorityAnnotatedFirst && hasB && !hasA, "%s goes without a priority, and %s stays with one", v.Name, s.Name)
		}
	}
	return l
}

func protectedPodsStay(c *Choosing) []string {
	if c.Order.Protected == nil {
		return nil
	}
	l, choice, protected := list(nil), c.choose(c.Pods, c.N), 0
	for i := range c.Pods {
		if c.Order.Protected(&c.Pods[i]) {
			protected++
		}
	}
	for _, i := range choice.Victims {
		l.addIf(c.Order.Protected(&c.Pods[i]), "%s goes, and is protected", c.Pods[i].Name)
	}
	wanted, free := max(0, min(c.N, len(c.Pods))), len(c.Pods)-protected
	l.addIf(len(choice.Victims) != min(wanted, free), "%d go of %d, and %d are free", len(choice.Victims), wanted, free)
	l.addIf(choice.Missing != max(0, wanted-free), "%d are said to be missing, not %d", choice.Missing, max(0, wanted-free))
	return l
}

// namedPodsGoFirst checks orders that begin with named pods.
func namedPodsGoFirst(c *Choosing) []string {
	if len(c.Order.Stages) == 0 || c.Order.Stages[0].Rule != podorder.RuleSpecified || c.Order.Stages[0].Key == nil || c.Order.Priority != "" || c.Order.Protected != nil {
		return nil
	}
	l, key := list(nil), c.Order.Stages[0].Key
	stay, gone := survivors(c.Pods, c.victims(c.Pods, c.N))
	for _, v := range gone {
		for _, s := range stay {
			l.addIf(key(v) > key(s), "%s goes, and %s is named and stays", v.Name, s.Name)
		}
	}
	return l
}

// skew returns the difference between the fullest and the emptiest domain.
func skew(domains map[string]string, gone func(name string) bool) int {
	counts := map[string]int{}
	for name, domain := range domains {
		counts[domain] += 0
		if !gone(name) {
			counts[domain]++
		}
	}
	least, most := len(domains), 0
	for _, n := range counts {
		least, most = min(least, n), max(most, n)
	}
	return max(0, most-least)
}

// spreadIsEven tries all choices of up to 8 pods.
func spreadIsEven(c *Choosing) []string {
	domains, ok := c.spreading()
	if !ok || len(c.Pods) > 8 || c.N > len(c.Pods) {
		return nil
	}
	best := len(c.Pods)
	for set := range uint(1) << len(c.Pods) {
		if bits.OnesCount(set) == max(c.N, 0) {
			at := map[string]bool{}
			for i := range c.Pods {
				at[c.Pods[i].Name] = set>>i&1 == 1
			}
			best = min(best, skew(domains, func(name string) bool { return at[name] }))
		}
	}
	victims := c.victims(c.Pods, c.N)
	got := skew(domains, func(name string) bool { return slices.Contains(victims, name) })
	return one(got != best, "what stays differs by %d, and could by %d", got, best)
}

// stageDominance adds a stage after the others.
func stageDominance(c *Choosing) []string {
	if c.Order.Priority != "" || c.Order.Protected != nil {
		return nil
	}
	o := c.Order
	if o.Stages == nil {
		o.Stages = o.Chain.Stages()
	}
	if slices.ContainsFunc(o.Stages, func(s podorder.Stage) bool { return s.Rule == podorder.RuleSpread }) {
		return nil // not a number of a single pod
	}
	stages := o.Stages
	before := func(p *podorder.Pod) (keys []int64) {
		for i := range stages {
			keys = append(keys, c.keyOf(&stages[i], p))
		}
		return keys
	}
	o.Stages = append(slices.Clone(o.Stages), podorder.Stage{Rule: "Further", Key: func(p *podorder.Pod) int64 { return -int64(len(p.UID)) - int64(p.Restarts) }})
	l, sorted := list(nil), c.sorted(o, c.Pods)
	for i := 1; i < len(sorted); i++ {
		a, b := &sorted[i-1], &sorted[i]
		l.addIf(slices.Compare(before(a), before(b)) > 0, "%s with %v comes before %s with %v", a.Name, before(a), b.Name, before(b))
	}
	return l
}

// keyOf returns the number that a stage compares.
func (c *Choosing) keyOf(s *podorder.Stage, p *podorder.Pod) int64 {
	if s.Key != nil {
		return s.Key(p)
	}
	current := *c
	current.Order.Chain = podorder.Current
	at := slices.Index([]podorder.Rule{podorder.RuleUnassigned, podorder.RulePhase, podorder.RuleNotReady, podorder.RuleCost, podorder.RuleNeighbours}, s.Rule)
	if at < 0 {
		return 0
	}
	return current.health(p)[at]
}
