// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/stretchr/testify/require"
)

// TestProportionalScaling scales ReplicaSets whose annotations agree with the
// Deployment before it was scaled. Sizes are given newest first; unless the case
// says otherwise the newest has the Deployment's template.
func TestProportionalScaling(t *testing.T) {
	for _, c := range []struct {
		why       string
		from, to  int32
		before    int32 // surge before
		surge     int32 // and after
		sizes     []int32
		orphaned  bool // no ReplicaSet has the Deployment's template
		available int32
		want      []int32
	}{
		{why: "one active set gets all", from: 10, to: 12, sizes: []int32{10}, want: []int32{12}},
		{why: "shares are kept", from: 5, to: 10, sizes: []int32{2, 3}, want: []int32{4, 6}},
		{why: "down", from: 5, to: 3, sizes: []int32{2, 3}, want: []int32{1, 2}},
		{why: "down to nothing for a small one", from: 9, to: 4, sizes: []int32{8, 1}, want: []int32{4, 0}},
		{why: "three up", from: 7, to: 10, sizes: []int32{2, 3, 2}, want: []int32{3, 4, 3}},
		{why: "three down", from: 13, to: 8, sizes: []int32{2, 8, 3}, want: []int32{1, 5, 2}},
		{why: "leftover to the newest", from: 3, to: 4, sizes: []int32{1, 1, 1}, want: []int32{2, 1, 1}},
		{why: "leftover to the oldest", from: 3, to: 2, sizes: []int32{1, 1, 1}, want: []int32{1, 1, 0}},
		{why: "no new set", from: 4, to: 5, sizes: []int32{2, 2}, orphaned: true, want: []int32{3, 2}},
		{why: "to zero", from: 6, to: 0, sizes: []int32{3, 2, 1}, want: []int32{0, 0, 0}},
		{why: "the surge belongs to the whole", from: 10, to: 20, before: 2, surge: 2, sizes: []int32{6, 6}, want: []int32{11, 11}},
		{why: "the surge changes too", from: 10, to: 50, before: 3, surge: 6, sizes: []int32{5, 8}, want: []int32{22, 34}},
		{why: "rounding", from: 10, to: 15, before: 3, surge: 3, sizes: []int32{5, 8}, want: []int32{7, 11}},
		{why: "leftover to the older of equals", from: 10, to: 5, sizes: []int32{5, 5}, want: []int32{3, 2}},
		{why: "the product wraps around and old pods die on a scale-up", from: 95000, to: 100000, sizes: []int32{50000, 45000}, want: []int32{97842, 2158}},
		{why: "the product wraps around on a scale-down", from: 60000, to: 55000, sizes: []int32{20000, 40000}, want: []int32{20000, 35000}},
		{why: "a clamped leftover is lost", from: 1, to: 1, sizes: []int32{2, 2, 2}, want: []int32{2, 2, 0}},
	} {
		t.Run(c.why, func(t *testing.T) {
			var sets []replicaset.ReplicaSet
			for i, size := range c.sizes {
				n := len(c.sizes) - i
				sets = append(sets, set(n, size, sized(strconv.Itoa(int(c.from)), strconv.Itoa(int(c.from+c.before)))))
			}
			d := web(c.to, limits(c.surge, 1), template("v"+strconv.Itoa(len(c.sizes))))
			if c.orphaned {
				d.Template.ID = "v9"
			}
			if c.from == c.to { // not a change of replicas: pausing scales too
				d.Paused = true
			}
			s := snapshot(d, sets...)
			execute(t, &s, reconcile(t, s))
			var got []int32
			for _, rs := range s.ReplicaSets {
				got = append(got, *rs.Replicas)
			}
			requireEqual(t, c.why, c.want, got)
		})
	}
}

// TestStaleAnnotations: nothing has to move, so the annotations alone are brought
// up to date, the old ReplicaSet first, and no event is recorded.
func TestStaleAnnotations(t *testing.T) {
	p := reconcile(t, snapshot(web(5, limits(0, 1)), set(1, 3, sized("7", "7")), set(2, 2, sized("7", "7"))))
	annotations := map[string]string{
		"deployment.kubernetes.io/desired-replicas": "5", "deployment.kubernetes.io/max-replicas": "5",
	}
	requireEqual(t, "both are written", deploy.Actions{
		deploy.AnnotateReplicaSet{Name: "web-v1", UID: "v1", Set: annotations, Reason: reason.Scaling},
		deploy.AnnotateReplicaSet{Name: "web-v2", UID: "v2", Set: annotations, Reason: reason.Scaling},
	}, p.Actions)
	require.Empty(t, p.Events)

	// Whatever their sizes: old ones, the youngest first, then the new one, which may
	// have got its revision before.
	for template, want := range map[string]string{
		"v1": "annotate web-v1, annotate web-v3, annotate web-v2, annotate web-v1",
		"v2": "annotate web-v2, annotate web-v3, annotate web-v1, annotate web-v2",
		"v3": "annotate web-v2, annotate web-v1, annotate web-v3",
	} {
		d := web(6, limits(0, 1))
		d.Template = revision.Template{ID: template, Hash: template}
		p = reconcile(t, snapshot(d, set(1, 3, sized("7", "7")), set(2, 1, sized("7", "7")), set(3, 2, sized("7", "7"))))
		requireEqual(t, template, want, actions(p))
	}
}

// TestShrinkingFirst: what grows comes last, and all else stays in its order. The oldest
// of equal sets loses the pod, as by default: the rollout must not go backwards.
func TestShrinkingFirst(t *testing.T) {
	s := snapshot(web(2, limits(0, 1), template("v3")), set(1, 1, sized("3", "3")), set(2, 1, sized("3", "3")), set(3, 1, sized("3", "3")))
	require.Equal(t, "web-v1 1->0, annotate web-v2, annotate web-v3", actions(reconcileWith(t, s, corrected)))
}

// TestTerminatingSumWrapsAround: fewer than no pods that take up room are no room.
func TestTerminatingSumWrapsAround(t *testing.T) {
	leaving := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = ptr.To(int32(math.MaxInt32)) }
	s := snapshot(web(4, limits(0, 1), paused), set(1, 2, leaving), set(2, 2, leaving))
	require.Equal(t, "none", sizes(reconcileWith(t, s, deploy.Options{Terminating: deploy.TerminationComplete})))
}

func TestScalingEvent(t *testing.T) {
	for _, c := range []struct {
		why     string
		desired string
		event   bool
	}{
		{"the same number", "10", false},
		{"another number", "9", true},
		{"leading zeros are a number", "007", true},
		{"nothing", "", false},
		{"a sign", "+9", false},
		{"a negative number", "-1", false},
		{"a blank", " 9", false},
		{"no number", "zz", false},
		{"the largest number", "2147483647", true},
		{"too large", "2147483648", false},
	} {
		// A rollout would create a ReplicaSet; a scaling event does not.
		p := reconcile(t, snapshot(web(10), set(1, 10, sized(c.desired, "13"))))
		creates := strings.HasPrefix(sizes(p), "create")
		requireEqual(t, c.why, c.event, !creates)
	}
	p := reconcile(t, snapshot(web(3), set(1, 0, sized("9", "9"))))
	requireEqual(t, "inactive sets never count", "create web-v2 3", sizes(p))
}

func TestScaleOfOne(t *testing.T) {
	for _, c := range []struct {
		why  string
		d    deploy.Deployment
		sets []replicaset.ReplicaSet
		want string
	}{
		{"the active one", web(5, paused), []replicaset.ReplicaSet{set(1, 3), set(2, 0)}, "web-v1 3->5"},
		{"none active: the new one", web(5, paused), []replicaset.ReplicaSet{set(1, 0), set(2, 0), set(3, 0)}, "web-v2 0->5"},
		{"none active: the new one, though it is the oldest", web(5, paused, template("v1")), []replicaset.ReplicaSet{set(1, 0), set(2, 0)}, "web-v1 0->5"},
		{"none active and none new: the youngest, not the highest revision", web(5, paused, template("v9")),
			[]replicaset.ReplicaSet{set(1, 0, numbered("3")), set(2, 0, numbered("2"))}, "web-v2 0->5"},
		{"none at all", web(5, paused), nil, "none"},
		{"the right size already", web(3, paused), []replicaset.ReplicaSet{set(2, 3)}, "none"},
	} {
		requireEqual(t, c.why, c.want, sizes(reconcile(t, snapshot(c.d, c.sets...))))
	}
}

func TestSaturated(t *testing.T) {
	full := func(desired string, change ...func(*replicaset.ReplicaSet)) []replicaset.ReplicaSet {
		return []replicaset.ReplicaSet{
			set(1, 1, sized("4", "4")), set(3, 2, sized("4", "4")),
			set(2, 3, append([]func(*replicaset.ReplicaSet){sized(desired, "4")}, change...)...),
		}
	}
	for _, c := range []struct {
		why  string
		d    deploy.Deployment
		sets []replicaset.ReplicaSet
		want string
	}{
		{"the new one serves alone: old ones go, youngest first", web(3, limits(0, 1)), full("3"), "web-v3 2->0, web-v1 1->0"},
		{"with Recreate as well", web(3, recreate), full("3"), "web-v3 2->0, web-v1 1->0"},
		{"a number beyond 32 bits is cut, as upstream cuts it", web(3, limits(0, 1)), full("4294967299"), "web-v3 2->0, web-v1 1->0"},
		{"a sign is accepted here", web(3, limits(0, 1)), full("+3"), "web-v3 2->0, web-v1 1->0"},
		{"not available: in proportion", web(3, limits(0, 1)), full("3", counts(3, 2)), "web-v2 3->0"},
	} {
		requireEqual(t, c.why, c.want, sizes(reconcile(t, snapshot(c.d, c.sets...))))
	}
}

// TestNothingToScale: defects of upstream, kept by default. The plan says what is
// wrong, since nothing else does.
func TestNothingToScale(t *testing.T) {
	for _, c := range []struct {
		why  string
		s    deploy.Snapshot
		want []string
	}{
		{"a stale annotation stops every rollout",
			snapshot(web(4, limits(0, 1)), set(1, 4, sized("5", "5")), set(2, 0)),
			[]string{" ScalingFirst 0/4", "web-v1 NothingToScale 5/4"}},
		{"Recreate with two active sets is never resolved",
			snapshot(web(5, recreate), set(1, 2, sized("3", "3")), set(2, 2, sized("3", "3"))),
			[]string{" ScalingFirst 0/5", "web-v1 NothingToScale 3/5", "web-v2 NothingToScale 3/5"}},
	} {
		p := reconcile(t, c.s)
		require.Empty(t, p.Actions, c.why)
		requireEqual(t, c.why, c.want, holds(p))
	}
}

func TestProportionFromStatus(t *testing.T) {
	d := web(10, limits(0, 1))
	d.Status.Replicas = 5
	s := snapshot(d, set(1, 3, sized("5", "")), set(2, 2, sized("5", "0")))
	require.Equal(t, "web-v1 3->6, web-v2 2->4", sizes(reconcile(t, s)), "an unusable maximum is replaced by the status")
}

// TestSizesTakenBack: a set that keeps its size in the end is not written, if its annotations
// are right already.
func TestSizesTakenBack(t *testing.T) {
	s := snapshot(web(3, limits(0, 1), paused), full(1, 1, 3, counts(1, 0)), full(2, 3, 3))
	require.Equal(t, "web-v1 1->0", actions(reconcileWith(t, s, deploy.Options{Repair: quirk.ScalingKeepsUnavailable})))
	s = partitioned(6, strategy("0", "0", "1"), full(1, 1, 6), full(2, 4, 6))
	s.Deployment.Partitioned.Paused = true
	require.Equal(t, "web-v1 1->2, annotate deployment", actions(reconcileWith(t, s, corrected)))
}

// TestScalingKeepsUnavailable: of 9 pods of three ReplicaSets 6 are to stay, 2 of each.
// Repaired, available ones stay as long as an old ReplicaSet has others.
func TestScalingKeepsUnavailable(t *testing.T) {
	for _, c := range []struct {
		why       string
		available [3]int32
		least     int32 // of the oldest
		want      [3]int32
	}{
		{"all are available", [3]int32{3, 3, 3}, 0, [3]int32{2, 2, 2}},
		{"3 are not, and go", [3]int32{3, 0, 3}, 0, [3]int32{3, 0, 3}},
		{"2 are not; the new one keeps its pods first", [3]int32{3, 1, 3}, 0, [3]int32{2, 1, 3}},
		{"the one that is not goes by shares already", [3]int32{3, 2, 3}, 0, [3]int32{2, 2, 2}},
		{"the oldest loses them first", [3]int32{0, 0, 3}, 0, [3]int32{1, 2, 3}},
		{"new pods are awaited", [3]int32{3, 3, 0}, 0, [3]int32{2, 2, 2}},
		{"more than there are", [3]int32{9, 0, 9}, 0, [3]int32{3, 0, 3}},
		{"fewer than none", [3]int32{3, -9, 3}, 0, [3]int32{3, 0, 3}},
		{"somebody needs 2 of the oldest", [3]int32{0, 3, 3}, 2, [3]int32{2, 2, 2}},
	} {
		var sets []replicaset.ReplicaSet
		for i, n := range c.available {
			sets = append(sets, full(i+1, 3, 9, counts(3, n)))
		}
		s := snapshot(web(6, limits(0, 1), template("v3")), sets...)
		opts := deploy.Options{Repair: quirk.ScalingKeepsUnavailable}
		if c.least > 0 {
			opts.Sets = map[string]deploy.SetPolicy{"web-v1": {Least: c.least}}
		}
		execute(t, &s, reconcileWith(t, s, opts))
		for i, rs := range s.ReplicaSets {
			require.Equal(t, c.want[i], *rs.Replicas, "%s: %s", c.why, rs.Name)
		}
	}
}
