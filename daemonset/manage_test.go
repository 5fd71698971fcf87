// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// The worked examples of one node. The current hash is v2; pods are named by age.
func TestDecide(t *testing.T) {
	a := func(version string, changes ...change) daemonset.Pod {
		return pod("a", "n", version, append([]change{aged(3 * time.Hour)}, changes...)...)
	}
	b := func(version string, changes ...change) daemonset.Pod { return pod("b", "n", version, changes...) }
	c := func(version string, changes ...change) daemonset.Pod {
		return pod("c", "n", version, append([]change{aged(time.Hour)}, changes...)...)
	}
	type decision = string
	for _, tt := range []struct {
		name, why string
		surge     bool
		place     string // "run", "keep" or ""
		pods      []daemonset.Pod
		minReady  int32
		waits     time.Duration // of the backoff
		opts      daemonset.Options
		want      decision
	}{
		{"empty", "only a node that should run a pod gets one", false, "run", nil, 0, 0, daemonset.Options{}, "create"},
		{"empty, not desired", "only a node that should run a pod gets one", false, "keep", nil, 0, 0, daemonset.Options{}, ""},
		{"elsewhere", "all that do not go yet, failed ones too, without backoff", false, "", []daemonset.Pod{a("v1", failed), b("v1", terminating), c("v2")}, 0, time.Second, daemonset.Options{}, "delete a Misplaced, delete c Misplaced"},
		{"several", "the younger goes, whatever its revision", false, "run", []daemonset.Pod{a("v1", unready), b("v2")}, 0, 0, daemonset.Options{}, "delete b Duplicate"},
		{"unbound", "bound before unbound", false, "run", []daemonset.Pod{a("v2", unbound), b("v2")}, 0, 0, daemonset.Options{}, "delete a Duplicate"},
		{"terminating", "nothing until it is gone", false, "run", []daemonset.Pod{a("v2", terminating)}, 0, 0, daemonset.Options{}, ""},
		{"failed", "failed and succeeded pods go", false, "run", []daemonset.Pod{a("v2", failed)}, 0, 0, daemonset.Options{}, "delete a Failed, backoff"},
		{"failed, kept node", "pods may stay, but a failed one goes", false, "keep", []daemonset.Pod{a("v2", failed)}, 0, 0, daemonset.Options{}, "delete a Failed, backoff"},
		{"failed, in backoff", "failed and succeeded pods go", false, "run", []daemonset.Pod{a("v2", failed)}, 0, 4 * time.Second, daemonset.Options{}, "requeue 4s"},
		{"succeeded", "failed and succeeded pods go", false, "run", []daemonset.Pod{a("v2", succeeded)}, 0, 0, daemonset.Options{}, "delete a Succeeded"},
		{"succeeded, OpenKruise", "SucceededPodsStay", false, "run", []daemonset.Pod{a("v2", succeeded)}, 0, 0, kruise, ""},
		{"succeeded, OpenKruise, corrected", "SucceededPodsStay", false, "run", []daemonset.Pod{a("v2", succeeded)}, 0, 0, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}, "delete a Succeeded"},
		{"preparing, OpenKruise", "failed and succeeded pods go", false, "run", []daemonset.Pod{a("v2", preparing)}, 0, 0, kruise, "delete a Prepared"},
		{"preparing, Kubernetes", "it knows no such state", false, "run", []daemonset.Pod{a("v2", preparing)}, 0, 0, daemonset.Options{}, ""},
		{"surge, terminating", "surge without a running pod", true, "run", []daemonset.Pod{a("v1", terminating)}, 0, 0, daemonset.Options{}, "create"},
		{"surge, terminating, not desired", "surge without a running pod", true, "keep", []daemonset.Pod{a("v1", terminating)}, 0, 0, daemonset.Options{}, ""},
		{"surge, pair, new is unready", "a pair with surge", true, "run", []daemonset.Pod{a("v1"), b("v2", unready)}, 0, 0, daemonset.Options{}, ""},
		{"surge, pair, both are unready", "a pair with surge", true, "run", []daemonset.Pod{a("v1", unready), b("v2", unready)}, 0, 0, daemonset.Options{}, "delete a OldUnavailable"},
		{"surge, pair, new is not available", "a pair with surge", true, "run", []daemonset.Pod{a("v1"), b("v2", readyFor(5*time.Second))}, 10, 0, daemonset.Options{}, "recheck 5s"},
		{"surge, pair, new is not available, OpenKruise", "and a nanosecond after the boundary", true, "run", []daemonset.Pod{a("v1"), b("v2", readyFor(5*time.Second))}, 10, 0, kruise, "requeue 5s, recheck 5.000000001s"},
		{"surge, pair, ready since when", "then after minReadySeconds", true, "run", []daemonset.Pod{a("v1"), b("v2", func(p *daemonset.Pod) { p.ReadySince = time.Time{} })}, 10, 0, kruise, "requeue 10s"},
		{"surge, three", "further ones of a side go first", true, "run", []daemonset.Pod{a("v1"), b("v1"), c("v2")}, 0, 0, daemonset.Options{}, "delete b Duplicate, delete a Replaced"},
		{"surge, only new", "without an old one nothing else goes", true, "run", []daemonset.Pod{a("v2"), b("v2")}, 0, 0, daemonset.Options{}, "delete b Duplicate"},
		{"surge, two failed", "the delay of the first covers the second", true, "run", []daemonset.Pod{a("v2", failed), b("v2", failed)}, 0, 0, daemonset.Options{}, "create, delete a Failed, requeue 1s, backoff"},
		{"surge, failed in backoff", "a replacement is created without delay", true, "run", []daemonset.Pod{a("v2", failed)}, 0, 8 * time.Second, daemonset.Options{}, "create, requeue 8s"},
		{"surge, failed in backoff, corrected", "SurgeIgnoresBackoff", true, "run", []daemonset.Pod{a("v2", failed)}, 0, 8 * time.Second, daemonset.Options{Repair: quirk.All}, "requeue 8s"},
		{"healthy duplicate", "available before new before old", false, "run", []daemonset.Pod{a("v1", unready), b("v1"), c("v2", unready)}, 0, 0, daemonset.Options{KeepHealthyDuplicate: true}, "delete c Duplicate, delete a Duplicate"},
		{"healthy duplicate, all alike", "then by age", false, "run", []daemonset.Pod{a("v2"), b("v2")}, 0, 0, daemonset.Options{KeepHealthyDuplicate: true}, "delete b Duplicate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.why)
			r := daemonset.NodeRules{
				Surge: tt.surge, Version: daemonset.Version{Hash: "v2"}, Options: tt.opts,
				Availability: daemonset.Availability{MinReadySeconds: tt.minReady, Now: t0, Strict: tt.opts.Dialect == daemonset.OpenKruise},
			}
			n := daemonset.NodeCase{ShouldRun: tt.place == "run", ShouldContinueRunning: tt.place != "", Exists: len(tt.pods) > 0, NextDelay: time.Second}
			for i := range tt.pods {
				n.Pods = append(n.Pods, &tt.pods[i])
			}
			if tt.waits > 0 {
				n.Until, n.Delay = t0.Add(tt.waits), tt.waits
			}
			before := slices.Clone(n.Pods)
			require.Equal(t, tt.want, text(r.Decide(&n)), tt.why)
			require.Equal(t, before, n.Pods, "the list is left alone")
		})
	}
}

func text(d daemonset.NodeDecision) string {
	out := ""
	add := func(format string, args ...any) {
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf(format, args...)
	}
	if d.Create {
		add("create")
	}
	for _, gone := range d.Delete {
		add("delete %s %s", gone.Pod.Name, gone.Reason)
	}
	if d.Requeue != 0 {
		add("requeue %s", d.Requeue)
	}
	if !d.RecheckAt.IsZero() && d.Waiting == nil {
		add("recheck %s", d.RecheckAt.Sub(t0))
	}
	if d.Failed {
		add("backoff")
	}
	return out
}

// The sequence of delays under constant failure, and what is forgotten.
func TestBackoff(t *testing.T) {
	key := daemonset.BackoffKey{UID: "u", Generation: 1, Node: "n"}
	now := t0
	var b daemonset.Backoff
	var delays []int
	for range 12 {
		_, waits := b.Until(key, now)
		require.False(t, waits)
		before := slices.Clone(b)
		next := b.Advance(key, now)
		require.Equal(t, before, b, "a table is a value")
		b = next
		delays = append(delays, int(b.Delay(key)/time.Second))
		until, waits := b.Until(key, now)
		require.True(t, waits)
		require.Equal(t, now.Add(b.Delay(key)), until)
		now = until // the boundary is over
	}
	require.Equal(t, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900}, delays)

	last := b[0].Since
	require.Len(t, b.Sweep(last.Add(30*time.Minute)), 1, "not yet")
	require.Nil(t, b.Sweep(last.Add(30*time.Minute+1)))
	require.Equal(t, 900*time.Second, b.Advance(key, last.Add(30*time.Minute))[0].Delay)
	require.Equal(t, time.Second, b.Advance(key, last.Add(30*time.Minute+1))[0].Delay)
	other := daemonset.BackoffKey{UID: "u", Generation: 2, Node: "n"}
	require.Zero(t, b.Delay(other), "a new generation starts afresh")
	require.Len(t, b.Advance(other, now), 2)

	double := daemonset.Backoff{{BackoffKey: key, Delay: 1, Since: t0}, {BackoffKey: key, Delay: 2, Since: t0.Add(1)}}
	require.Equal(t, time.Duration(2), double.Sorted().Delay(key), "of two entries the younger one counts")
	require.Len(t, double.Sorted(), 1)
}

func TestSlowStart(t *testing.T) {
	require.Equal(t, []int{1, 2, 4, 3}, []int{daemonset.SlowStart(0, 10), daemonset.SlowStart(1, 9), daemonset.SlowStart(2, 7), daemonset.SlowStart(4, 3)})
	for _, c := range []struct {
		why            string
		wanted, accept int
		attempts, left int
	}{
		{"1, 2, 4 and the rest", 10, 10, 10, 0},
		{"it stops after the batch that fails", 10, 2, 3, 7},
		{"slow start", 10, 3, 7, 3},
		{"slow start", 10, 0, 1, 9},
		{"nothing is wanted", 0, 9, 0, 0},
	} {
		attempts, created, size, left := 0, 0, 0, c.wanted
		for left > 0 {
			size = daemonset.SlowStart(size, left)
			attempts, left = attempts+size, left-size
			ok := min(size, c.accept-created)
			created += ok
			if ok < size {
				break
			}
		}
		require.Equal(t, []int{c.attempts, c.left}, []int{attempts, left}, c.why)
	}
	require.Zero(t, daemonset.SlowStart(0, -1))
	require.Zero(t, daemonset.SlowStart(5, -1))
	require.Equal(t, math.MaxInt, daemonset.SlowStart(math.MaxInt, math.MaxInt), "no overflow")
}

func TestManage(t *testing.T) {
	misplaced := cluster(2, pod("p1", "n1", "v2"), pod("p2", "n2", "v2"))
	misplaced.Nodes[0].Taints = []daemonset.Taint{taint("x", daemonset.NoExecute)}
	misplaced.Nodes[1].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	progressive := cluster(10)
	progressive.DaemonSet.Partition, progressive.DaemonSet.Progressive = rollout.Int(9), true
	for i := range progressive.Nodes {
		progressive.Nodes[i].Name = fmt.Sprintf("node-%d", i)
	}
	twelve := cluster(12)
	twelve.DaemonSet.Partition, twelve.DaemonSet.Progressive = rollout.Int(5), true
	for i := range twelve.Nodes {
		twelve.Nodes[i].Name = fmt.Sprintf("node-%d", i)
		if i < 5 {
			twelve.Pods = append(twelve.Pods, pod(fmt.Sprint("p", i), fmt.Sprint("node-", i), "v2"))
		}
	}
	held := cluster(1, pod("p1", "n1", "v2"), pod("p2", "n1", "v2", aged(time.Hour), label("hold", "yes")))
	held.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}, MarkNotReady: true}
	runPlans(t, []planCase{
		{"missing", "in the order of the names", with(cluster(3, pod("p2", "n2", "v2")), func(s *daemonset.Snapshot) { slices.Reverse(s.Nodes) }), daemonset.Options{}, `
			Created pod on node n1 (Missing)
			Created pod on node n3 (Missing)`},
		{"misplaced", "NoExecute takes pods, NoSchedule leaves them", misplaced, daemonset.Options{}, `
			Deleted pod: p1 on node n1 (Misplaced)`},
		{"missing node", "unbound pods go, bound ones are left to the collector; those on their way out go again", cluster(0, pod("p1", "x", "v2"), pod("p2", "x", "v2", unbound), pod("p3", "x", "v2", unbound, terminating)), daemonset.Options{}, `
			Deleted pod: p2 on node x (NodeGone)
			Deleted pod: p3 on node x (NodeGone)`},
		{"missing node, corrected", "PodsOfMissingNodesDeletedAgain", cluster(0, pod("p3", "x", "v2", unbound, terminating)), daemonset.Options{Repair: quirk.All}, `nothing to do`},
		{"nowhere", "a pod that belongs to no node is neither counted nor deleted", cluster(1, pod("p1", "", "v2"), pod("p2", "n1", "v2")), daemonset.Options{}, `nothing to do`},
		{"ended and going", "Kubernetes fills the node again", cluster(1, pod("p1", "n1", "v2", failed, terminating)), daemonset.Options{}, `Created pod on node n1 (Missing)`},
		{"ended and going, OpenKruise", "it waits", cluster(1, pod("p1", "n1", "v2", failed, terminating)), kruise, `n1 held back: Terminating`},
		{"progressive", "10 desired, 9 reserved", progressive, kruise, `
			Created pod on node node-0 (Missing)
			held back: Progressive (9 of 9)`},
		{"progressive, later", "text order, so that node-10 comes before node-5", twelve, kruise, `
			Created pod on node node-10 (Missing)
			Created pod on node node-11 (Missing)
			held back: Progressive (5 of 5)`},
		{"progressive, all released", "nothing is held back if the partition leaves as many as are empty", with(progressive, func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition, s.Pods = rollout.Int(9), nil
			for i := range 9 {
				s.Pods = append(s.Pods, pod(fmt.Sprint("p", i), fmt.Sprint("node-", i), "v1"))
			}
		}), kruise, `Created pod on node node-9 (Missing)
			held back: ManageFirst (9 of 0)`},
		{"partition without progressive", "the partition limits updates, not creations", with(progressive, func(s *daemonset.Snapshot) { s.DaemonSet.Progressive, s.Nodes = false, s.Nodes[:2] }), kruise, `
			Created pod on node node-0 (Missing)
			Created pod on node node-1 (Missing)`},
		{"burst", "the burst", with(cluster(5), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Percent(40) }), kruise, `
			Created pod on node n1 (Missing)
			Created pod on node n2 (Missing)
			held back: Burst (5 of 2)`},
		{"burst, just enough", "nothing waits", with(cluster(2), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Int(2) }), kruise, `
			Created pod on node n1 (Missing)
			Created pod on node n2 (Missing)`},
		{"no burst", "an empty node waits for no end of a pod", with(cluster(1), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Int(0) }), kruise, `held back: Burst (1 of 0)`},
		{"held", "a pod that the hook holds is marked", held, kruise, `
			Prepared deletion of pod p2 on node n1 (Duplicate)`},
		{"held and marked", "once", with(held, func(s *daemonset.Snapshot) { preparing(&s.Pods[1]) }), kruise, `p2 on n1 held back: PreDelete`},
		{"held beyond the burst", "marks are not limited, and so all of them are in order", with(cluster(4, olds(4, label("hold", "yes"))...), func(s *daemonset.Snapshot) {
			s.DaemonSet.PreDelete, s.DaemonSet.Burst, s.DaemonSet.MaxUnavailable = held.DaemonSet.PreDelete, rollout.Int(1), rollout.Int(4)
			slices.Reverse(s.Pods)
			for i := range s.Nodes {
				s.Nodes[i].Rank = int32(i) % 2
			}
		}), kruise, `
			Prepared deletion of pod p1 on node n1 (Rollout)
			Prepared deletion of pod p3 on node n3 (Rollout)
			Prepared deletion of pod p2 on node n2 (Rollout)
			Prepared deletion of pod p4 on node n4 (Rollout)`},
		{"let go", "now it goes", with(held, func(s *daemonset.Snapshot) { preparing(&s.Pods[1]); delete(s.Pods[1].Labels, "hold") }), kruise, `
			Deleted pod: p2 on node n1 (Prepared)`},
		{"held by a finalizer", "any of either kind holds", with(held, func(s *daemonset.Snapshot) {
			delete(s.Pods[1].Labels, "hold")
			s.DaemonSet.PreDelete.Finalizers = []string{"a", "b"}
			s.Pods[1].Finalizers = []string{"x", "b"}
			s.Pods[1].ReadinessGates = []string{daemonset.GateKruiseReady}
		}), kruise, `Prepared deletion of pod p2 on node n1 (Duplicate)`},
		{"in place gate", "the readiness gate of created pods", with(cluster(1), func(s *daemonset.Snapshot) { s.DaemonSet.RollingType = daemonset.InPlaceIfPossible }), kruise, `Created pod on node n1 (Missing)`},
		{"manage first", "the update waits", with(cluster(2, olds(1)...), func(s *daemonset.Snapshot) {}), daemonset.Options{}, `
			Created pod on node n2 (Missing)
			held back: ManageFirst (1 of 0)`},
	})
}

// What a created pod is.
func TestCreatePod(t *testing.T) {
	s := cluster(1)
	s.DaemonSet.RollingType = daemonset.InPlaceIfPossible
	s.DaemonSet.Template.ReadinessGates = []string{inplace.Gate}
	s.DaemonSet.Annotations = map[string]string{daemonset.AnnotationGeneration: "+07"}
	want := daemonset.CreatePod{Node: "n1", Hash: "v2", Generation: "7", Gate: true, Reason: reason.Missing}
	require.Equal(t, daemonset.Actions{want}, mustPlan(t, s, kruise).Actions)
	want.Gate, want.Bind = false, true
	require.Equal(t, daemonset.Actions{want}, mustPlan(t, s, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All, BindDirectly: true}).Actions)
	s.DaemonSet.Strategy = daemonset.OnDelete
	require.False(t, mustPlan(t, s, kruise).Actions[0].(daemonset.CreatePod).Gate)
}

// Failed pods on two nodes, one of which waits.
func TestFailedPods(t *testing.T) {
	s := cluster(3, pod("p1", "n1", "v2", failed), pod("p2", "n2", "v2", failed), pod("p3", "n3", "v2", succeeded))
	key := func(node string) daemonset.BackoffKey {
		return daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: node}
	}
	stale := daemonset.BackoffEntry{BackoffKey: key("n9"), Delay: time.Second, Since: t0.Add(-time.Hour)}
	s.Backoff = daemonset.Backoff{{BackoffKey: key("n2"), Delay: 8 * time.Second, Since: t0.Add(-3 * time.Second)}, stale,
		{BackoffKey: key("n1"), Delay: 4 * time.Second, Since: t0.Add(-4 * time.Second)}}
	p := mustPlan(t, s, daemonset.Options{})
	require.Equal(t, []string{"p1", "p3"}, deleted(p))
	require.Equal(t, t0.Add(5*time.Second), p.RecheckAt)
	require.Equal(t, daemonset.Backoff{
		{BackoffKey: key("n1"), Delay: 8 * time.Second, Since: t0}, s.Backoff[0],
	}, p.Backoff, "the delay doubles, the stale one is forgotten, the other one stays")
	require.Equal(t, []kplan.Event{
		{Action: -1, Type: "Warning", Reason: "FailedDaemonPod", Message: "Found failed daemon pod p1 on node n1, will try to kill it"},
		{Action: -1, Type: "Normal", Reason: "SucceededDaemonPod", Message: "Found succeeded daemon pod p3 on node n3, will try to delete it"},
	}, p.Events)
	require.Equal(t, []kplan.Hold{{Node: "n2", Name: "p2", Reason: reason.Backoff, Limit: 8}}, p.Holds)
}
