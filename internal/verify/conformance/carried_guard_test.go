// SPDX-License-Identifier: Apache-2.0

//go:build !kube1.34 && !kube1.35

package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A guarded is the pass after one that was carried out: whether each side refused it because the
// caches had not read up to the writes of the first.
type guarded struct {
	*carriedPass
	theirs, ours error
}

var guardedCorners = []corner[guarded]{
	{"refused", func(g guarded) bool { return g.theirs != nil }},
	{"refused over pods", func(g guarded) bool { return over(g, "pods") }},
	{"refused over the owner", func(g guarded) bool { return over(g, "apps") }},
	{"not refused after writes", func(g guarded) bool { return g.theirs == nil && len(g.mine) > 0 }},
	{"refused after a call has failed", func(g guarded) bool { return g.theirs != nil && g.fails() }},
}

// over reports whether upstream has refused a pass over a resource of this ending.
func over(g guarded, ending string) bool {
	return g.theirs != nil && strings.HasSuffix(g.theirs.Error(), ending)
}

// testGuarded runs pairs of passes of a controller with its own record of its writes. The second
// begins from caches that have read up to some version, by resource.
func testGuarded(t *testing.T, name string, live **upstream.Live, server **apiserver.Server, draw func(random.T) (*carriedPass, string)) {
	counts := newCaseCounts(name)
	defer counts.clock()()
	inBubble(t, func(t bubble, _ time.Time) {
		counts.check(t, carriedCases, func(t random.T) {
			p, intended := draw(t)
			if intended != "" {
				return
			}
			(*live).Read("Pod", "")
			(*live).Read(p.kind, "")
			p.again(nil, mode{})
			if p.later == nil || p.upstream.diff(p.ours) != "" || (*server).Version() != p.after.Version() {
				counts.differences["passes that differ on purpose"]++
				return
			}
			if !slices.Equal(versioned(p.theirs), versioned(p.mine)) {
				counts.differences["claims in another order, or made again"]++
				return
			}
			if slices.ContainsFunc(p.mine, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Err != nil }) {
				counts.differences["a status that was refused, which upstream writes again"]++
				return
			}
			read := func(what string) string {
				start := p.server.Version()
				return strconv.FormatInt(start+int64(random.Below(t, what, int(p.after.Version()-start)+2)), 10)
			}
			pods, owner := read("pods"), read("owner")
			(*live).Read("Pod", pods)
			(*live).Read(p.kind, owner)
			calls := len((*server).Calls())
			g := guarded{carriedPass: p, ours: p.later(pods, owner)}
			if result := (*live).Run(p.cached[0]); upstream.Stale(result.Err) {
				g.theirs = result.Err
			}
			if !g.same(pods, owner) {
				t.Fatalf("read pods up to %s and the owner up to %s: upstream %v, ours %v\n%s", pods, owner, g.theirs, g.ours, p.report(""))
			}
			if g.theirs != nil && len((*server).Calls()) != calls {
				t.Fatal("upstream has called the server in a pass that it has refused")
			}
			take(counts, guardedCorners, g)
		})
	})
}

// versioned lists the writes that have left a version, in order, and whether the answer arrived
// with it: upstream's claims are in the order of its cache, so the same versions may belong to
// other writes.
func versioned(calls []apiserver.Call) (list []string) {
	for _, c := range calls {
		if c.Changed || c.Verb == apiserver.Adopt && c.Err == nil {
			list = append(list, fmt.Sprint(c.Verb, " ", c.Kind, " ", c.Err == nil))
		}
	}
	return list
}

// same reports whether both sides refuse a pass for the same reason. If pods and owner are stale,
// upstream names either.
func (g guarded) same(pods, owner string) bool {
	if g.theirs == nil || g.ours == nil {
		return g.theirs == nil && g.ours == nil
	}
	if g.theirs.Error() == g.ours.Error() {
		return true
	}
	other := g.later("", owner)
	return other != nil && other.Error() == g.theirs.Error()
}

// TestGuardedReplicaSets compares when a pass of a ReplicaSet is refused.
func TestGuardedReplicaSets(t *testing.T) {
	x, err := newCarriedReplicas(false)
	require.NoError(t, err)
	sync := replicaSetSync()
	x.live, err = upstream.GuardedReplicaSets(apiserver.Clientset{Of: func() *apiserver.Server { return x.server }})
	require.NoError(t, err)
	testGuarded(t, "refused: ReplicaSets", &x.live, &x.server, func(t random.T) (*carriedPass, string) {
		return x.draw(t, sync, gen.ReplicaSet, time.Now())
	})
}

// TestGuardedDaemonSets does so with DaemonSets.
func TestGuardedDaemonSets(t *testing.T) {
	x, err := newCarriedDaemonSets()
	require.NoError(t, err)
	dsc, err := upstream.NewDaemonSets()
	require.NoError(t, err)
	x.live, err = upstream.GuardedDaemonSets(apiserver.Clientset{Of: func() *apiserver.Server { return x.server }})
	require.NoError(t, err)
	testGuarded(t, "refused: DaemonSets", &x.live, &x.server, func(t random.T) (*carriedPass, string) {
		return x.draw(t, dsc, time.Now())
	})
}
