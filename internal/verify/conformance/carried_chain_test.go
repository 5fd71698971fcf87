// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A chain is a run of several passes for one owner. Each pass is made on two servers that have the
// same objects, and both sides keep their expectations. After equal passes the next begins with the
// objects of our side, so that created objects have one name; also after an intended difference,
// and then upstream gets our memory.
type chain struct {
	server *apiserver.Server
	cached []metav1.Object // the owner first
	memory memory
	live   *upstream.Live
	serial int // of created pods
	// observe handles the observed changes of pods on our side, nil if that is not necessary.
	observe func(c *chain, before, after []metav1.Object)
	// edit makes changes of other clients.
	edit func(t random.T, c *chain, now time.Time)
	// pass runs our side, and prepares upstream's. Planned says why plans differ on
	// purpose, if the passes turn out to differ.
	pass func(c *chain, rules []apiserver.Rule, now time.Time) (p *carriedPass, planned func() string)
	// pinned reports whether a cached object is never older than the server's.
	pinned func(o metav1.Object) bool
}

// A step is one pass of a chain, for the corners.
type step struct {
	*carriedPass
	number                         int
	late, unseen, waiting, expired bool
	failing                        bool // some calls may fail
	firstFailure                   bool // of the run
}

// chainCorners are the corners that chains must have met.
func chainCorners(expects bool) []corner[*step] {
	wrote := func(verb, kind string) func(s *step) bool {
		return func(s *step) bool { return s.number > 0 && s.count(s.mine, verb, kind) > 0 }
	}
	corners := []corner[*step]{
		{"runs", func(s *step) bool { return s.number == 0 }},
		{"tenth pass", func(s *step) bool { return s.number == 9 }},
		{"cache behind the server", func(s *step) bool { return s.late }},
		{"object not seen yet", func(s *step) bool { return s.unseen }},
		{"runs in which a call fails", func(s *step) bool { return s.firstFailure }},
		{"a call fails", func(s *step) bool { return s.fails() }},
		{"owner being deleted", func(s *step) bool { return s.cached[0].GetDeletionTimestamp() != nil }},
		{"nothing to do", func(s *step) bool { return s.number > 0 && len(s.mine) == 0 && s.err == nil }},
		{"status written later", func(s *step) bool { return wrote(apiserver.Status, s.kind)(s) }},
	}
	if !expects {
		return append(corners, corner[*step]{"creates a ReplicaSet later", wrote(apiserver.Create, "ReplicaSet")},
			corner[*step]{"writes a ReplicaSet later", wrote(apiserver.Write, "ReplicaSet")})
	}
	return append(corners, []corner[*step]{
		{"creates pods later", wrote(apiserver.Create, "Pod")},
		{"deletes pods later", wrote(apiserver.Delete, "Pod")},
		{"adopts pods later", wrote(apiserver.Adopt, "Pod")},
		{"waits for what an earlier pass has asked for", func(s *step) bool { return s.waiting }},
		{"gives up what an earlier pass has asked for", func(s *step) bool { return s.expired }},
	}...)
}

// testChains runs random chains.
func testChains(t bubble, counts *caseCounts, n, seed int, targets []callKind, expects bool, start func(random.T, time.Time) *chain) {
	corners := chainCorners(expects)
	counts.draw(t, n, seed, func(t random.T) {
		failing, stale := random.OneIn(t, "failing", 2), random.OneIn(t, "stale", 2)
		c, failed := start(t, time.Now()), false
		for n := range 10 + random.Below(t, "passes", 5) {
			s := step{number: n, failing: failing}
			if n > 0 {
				pause := random.OneOf[time.Duration](t, "pause", time.Second, 2*time.Second, 10*time.Second, time.Minute, 6*time.Minute)
				time.Sleep(pause)
				c.edit(t, c, time.Now())
				c.updateCaches(t, counts, stale, &s)
			}
			c.step(t, counts, targets, &s)
			s.firstFailure = !failed && s.fails()
			failed = failed || s.firstFailure
			take(counts, corners, &s)
			counts.calls.add(s.carriedPass)
		}
	})
}

// step makes one pass on both sides.
func (c *chain) step(t random.T, counts *caseCounts, targets []callKind, s *step) {
	now := time.Now()
	var rules []apiserver.Rule
	if s.failing {
		rules = drawRules(t, targets)
	}
	e := c.memory.expected
	s.waiting, s.expired = !e.Satisfied(now), !e.Fulfilled() && e.Satisfied(now)
	var planned func() string
	s.carriedPass, planned = c.pass(c, rules, now)
	intended, diff := s.verdict(substitutions)
	if diff == "" && len(intended) == 0 {
		theirs := c.live.Remember(c.cached[0])
		diff = s.left.differs(theirs, now)
		c.memory = s.left
		c.memory.theirs = theirs
	} else {
		if why := ""; diff != "" {
			if why = planned(); why != "" {
				intended, diff = []string{"in the plan: " + why}, ""
			}
		}
		c.memory = s.left
		c.memory.inform()
	}
	if diff != "" {
		t.Fatalf("pass %d: %s\nexpected before: %+v, delays %+v", s.number, s.report(diff), e, s.memory.backoff)
	}
	for _, name := range intended {
		counts.differences[name]++
	}
	c.carryOver(s.carriedPass)
}

// differs returns the difference between upstream's memory and ours, or "".
func (m memory) differs(theirs upstream.Memory, now time.Time) string {
	other := expectations(theirs)
	if m.expected.Satisfied(now) != other.Satisfied(now) {
		return fmt.Sprintf("expectations: upstream %+v, ours %+v", other, m.expected)
	}
	if !m.expected.Satisfied(now) && !m.expected.At.Equal(other.At) {
		return fmt.Sprintf("expected since: upstream %+v, ours %+v", other, m.expected)
	}
	if theirs.Expected.Pending != nil && m.expected.Deletions > 0 && !m.expected.Satisfied(now) && !slices.Equal(theirs.Expected.Pending, m.expected.Pending) {
		return fmt.Sprintf("pending: upstream %v, ours %v", other.Pending, m.expected.Pending)
	}
	forgotten := func(d upstream.NodeDelay) bool { return now.Sub(d.Since) > 30*time.Minute }
	return gocmp.Diff(slices.DeleteFunc(slices.Clone(theirs.Delays), forgotten), slices.DeleteFunc(m.delays(), forgotten), cmpopts.EquateEmpty())
}

// carryOver makes the result of a pass the start of the next one. Created pods get names by order,
// since client and server choose random names.
func (c *chain) carryOver(p *carriedPass) {
	after := p.after.Clone()
	var created []apiserver.Object
	for _, o := range after.Objects() {
		if was := p.server.Stored(apiserver.KeyOf(o)); (was == nil || was.GetUID() != o.GetUID()) && o.GetGenerateName() != "" {
			created = append(created, o)
		}
	}
	slices.SortStableFunc(created, func(a, b apiserver.Object) int { return cmp.Compare(targetOf(a), targetOf(b)) })
	for _, o := range created {
		after.Remove(apiserver.KeyOf(o))
	}
	for _, o := range created {
		o = o.DeepCopyObject().(apiserver.Object)
		c.serial++
		o.SetName(fmt.Sprintf("web-%06d", c.serial))
		o.SetUID(types.UID("made-" + strconv.Itoa(c.serial)))
		after.Put(o)
	}
	c.server = after
}

// updateCaches brings the caches up to date, or some objects of them.
func (c *chain) updateCaches(t random.T, counts *caseCounts, stale bool, s *step) {
	before, late := c.cached, func() bool { return stale && random.OneIn(t, "late", 3) }
	var next []metav1.Object
	seen := map[apiserver.Key]bool{}
	for i, o := range before {
		if kindOf(o) == "Node" {
			next = append(next, o)
			continue
		}
		k := apiserver.KeyOf(o.(apiserver.Object))
		stored := c.server.Stored(k)
		seen[k] = true
		switch {
		case stored != nil && stored.GetResourceVersion() == o.GetResourceVersion() && stored.GetUID() == o.GetUID():
			next = append(next, o)
		case !(c.pinned != nil && c.pinned(o)) && late(), i == 0 && stored == nil:
			s.late = true
			next = append(next, o)
		case stored != nil:
			next = append(next, stored.DeepCopyObject().(metav1.Object))
		}
	}
	for _, o := range c.server.Objects() {
		switch {
		case seen[apiserver.KeyOf(o)]:
		case late():
			s.unseen = true
		default:
			next = append(next, o.DeepCopyObject().(metav1.Object))
		}
	}
	slices.SortStableFunc(next[1:], func(a, b metav1.Object) int { return cmp.Compare(rank(a), rank(b)) })
	c.cached = next
	if c.observe != nil {
		c.observeCaches(t, counts, before)
	}
}

// rank is the place of a kind in a cache.
func rank(o metav1.Object) int {
	return slices.Index([]string{"ReplicaSet", "ReplicationController", "ControllerRevision", "Pod", "Node"}, kindOf(o))
}

// observeCaches sends both sides the changes of their caches. Upstream's DaemonSets count each
// deletion that they see, also an unexpected one, and again when the pod is gone.
func (c *chain) observeCaches(t random.T, counts *caseCounts, before []metav1.Object) {
	c.live.Recall(c.cached[0], c.memory.theirs)
	c.live.Fill(c.cached)
	c.live.Observe(before, c.cached)
	c.memory.theirs = c.live.Remember(c.cached[0])
	c.observe(c, before, c.cached)
	now := time.Now()
	theirs, ours := expectations(c.memory.theirs), c.memory.expected
	creations, deletions := stillExpected(theirs, now)
	ourCreations, ourDeletions := stillExpected(ours, now)
	switch {
	case creations == ourCreations && deletions == ourDeletions:
	case kindOf(c.cached[0]) == "DaemonSet" && deletions < ourDeletions && (creations == ourCreations || theirs.Satisfied(now)):
		counts.differences["a deletion counts once, and only of a pod that was to be deleted"]++
		c.memory.inform()
	default:
		t.Fatalf("after what was seen upstream expects %+v, and ours %+v", theirs, ours)
	}
}

// podsOf returns the pods among objects.
func podsOf(objects []metav1.Object) (pods []*corev1.Pod) {
	for _, o := range objects {
		if p, ok := o.(*corev1.Pod); ok {
			pods = append(pods, p)
		}
	}
	return pods
}

// podChanges calls f for each pod that has changed between two caches.
func podChanges(before, after []metav1.Object, f func(old, now *corev1.Pod)) {
	was, is := map[string]*corev1.Pod{}, map[string]*corev1.Pod{}
	for _, p := range podsOf(before) {
		was[p.Name] = p
	}
	for _, p := range podsOf(after) {
		is[p.Name] = p
		f(was[p.Name], p)
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] == nil {
			f(was[name], nil)
		}
	}
}

// testChained runs chains of one kind in a bubble.
func testChained(t *testing.T, name string, targets []callKind, expects bool, newStart func(bubble) func(random.T, time.Time) *chain) {
	counts := newCaseCounts(name)
	defer counts.clock()()
	const most = 50 // rapid gives up after a day, and each run takes minutes in a bubble
	for n, batch := chainedRuns, 0; n > 0 && !t.Failed() && !(replayed() && batch > 0); n, batch = n-most, batch+1 {
		inBubble(t, func(t bubble, _ time.Time) {
			of := seed
			if of > 0 {
				of += batch
			}
			testChains(t, counts, min(n, most), of, targets, expects, newStart(t))
		})
	}
	counts.met(t)
}
