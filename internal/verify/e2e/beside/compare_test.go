// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// waitLimit is the time limit of the real cluster for a step.
const waitLimit = time.Minute

// compare waits until the real cluster is as the world, and finds which pods are the same.
func (p *pair) compare() {
	p.Helper()
	want := p.last
	begin, nudged, changed := time.Now(), time.Now(), time.Now()
	var before map[string]int64
	for {
		got := observed(p.namespace)
		if !maps.Equal(got.sizes, before) {
			before, changed = got.sizes, time.Now()
		}
		if maps.Equal(kept(got.sizes), kept(want.sizes)) {
			p.match(want.pods, got.pods)
			return
		}
		if time.Since(begin) > waitLimit {
			p.Fatalf("the world (-) and the real cluster (+) differ:\n%s\nafter %s", cmp.Diff(kept(want.sizes), kept(got.sizes)), strings.Join(p.log, "\n"))
		}
		if time.Since(nudged) > 500*time.Millisecond && (!p.retries || got.counted()) {
			// Whether the DaemonSet controller sees the taints of a node before its pods are not ready is left to
			// chance, and it does not look again for the taints alone.
			var missed map[string]bool
			if time.Since(changed) > 3*time.Second {
				missed = missedTaints(got.sizes, want.sizes)
			}
			nudge(p.ctx, p.namespace, p.retries, missed)
			nudged = time.Now()
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// missedTaints returns the DaemonSets that differ, if the same nodes are known to be lost.
func missedTaints(a, b map[string]int64) map[string]bool {
	missed := map[string]bool{}
	for of, n := range b {
		switch kind, rest, _ := strings.Cut(of, " "); {
		case a[of] == n:
		case kind == "Node":
			return nil
		case kind == daemonSet:
			missed[strings.Fields(rest)[0]] = true
		}
	}
	return missed
}

// kept returns the sizes that must not differ.
func kept(sizes map[string]int64) map[string]int64 {
	sizes = maps.Clone(sizes)
	maps.DeleteFunc(sizes, func(of string, n int64) bool {
		return n == 0 || slices.ContainsFunc(differences, func(d difference) bool { return d.leaf(of) })
	})
	return sizes
}

// A difference is a leaf that need not be equal.
type difference struct {
	leaf func(of string) bool
	why  string
}

// differences are all that are forgiven, at most ten.
var differences []difference

// match pairs equal pods of both clusters: of the same class, and if possible paired before.
func (p *pair) match(world, real []pod) {
	classes := map[string][]string{}
	class := map[string]string{}
	for _, r := range real {
		class[r.name] = r.class()
	}
	known := map[string]string{}
	for i := range world {
		w := &world[i]
		if r, ok := p.real[w.name]; ok && class[r] == w.class() {
			known[w.name] = r
			delete(class, r)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(class)) {
		classes[class[r]] = append(classes[class[r]], r)
	}
	for i := range world {
		w := &world[i]
		if list := classes[w.class()]; known[w.name] == "" && len(list) > 0 {
			known[w.name] = list[0]
			classes[w.class()] = list[1:]
		}
	}
	p.real = known
}
