// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// t0 is when every test happens.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func web(replicas int32, change ...func(*replicaset.ReplicaSet)) replicaset.ReplicaSet {
	rs := replicaset.ReplicaSet{Name: "web", UID: "web-uid", Generation: 3, Replicas: ptr.To(replicas)}
	for _, c := range change {
		c(&rs)
	}
	return rs
}

// pod returns a pod of web that has been ready for an hour.
func pod(name string, change ...func(*podorder.Pod)) podorder.Pod {
	p := podorder.Pod{
		Name: name, UID: name + "-uid", ResourceVersion: "7", NodeName: "n1", Phase: podorder.Running,
		ControllerKind: "ReplicaSet", ControllerName: "web", ControllerUID: "web-uid",
		CreationTimestamp: t0.Add(-time.Hour), Ready: true, ReadySince: t0.Add(-time.Hour),
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

func pods(n int) []podorder.Pod {
	all := make([]podorder.Pod, n)
	for i := range all {
		all[i] = pod(fmt.Sprintf("p%06d", i))
	}
	return all
}

func phase(ph podorder.Phase) func(*podorder.Pod) { return func(p *podorder.Pod) { p.Phase = ph } }
func terminating(p *podorder.Pod)                 { p.DeletionTimestamp = t0 }
func unready(p *podorder.Pod)                     { p.Ready = false }
func on(node string) func(*podorder.Pod)          { return func(p *podorder.Pod) { p.NodeName = node } }
func owner(kind, name, uid string) func(*podorder.Pod) {
	return func(p *podorder.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = kind, name, uid }
}
func readyAgo(d time.Duration) func(*podorder.Pod) {
	return func(p *podorder.Pod) { p.ReadySince = t0.Add(-d) }
}
func minReady(seconds int32) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.MinReadySeconds = seconds }
}

func reconcile(t testing.TB, s replicaset.Snapshot, opts replicaset.Options) replicaset.Plan {
	t.Helper()
	p, err := replicaset.Reconcile(s, t0, opts)
	require.NoError(t, err)
	produce(p)
	return p
}

func requireEqual[T any](t *testing.T, why string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		why                     string
		replicas, active, burst int32
		create, remove          int
		holds                   string
	}{
		{"the right number", 3, 3, 0, 0, 0, ""},
		{"too few", 5, 3, 0, 2, 0, ""},
		{"too many", 1, 3, 0, 0, 2, ""},
		{"to zero", 0, 3, 0, 0, 3, ""},
		{"creation stops at the burst", 1200, 0, 0, 500, 0, "held back: Burst (1200 of 500)"},
		{"deletion stops at the burst", 0, 600, 0, 0, 500, "held back: Burst (600 of 500)"},
		{"another burst", 0, 60, 10, 0, 10, "held back: Burst (60 of 10)"},
		{"exactly the burst", 10, 0, 10, 10, 0, ""},
		{"the largest number", math.MaxInt32, 1, 0, 500, 0, "held back: Burst (2147483646 of 500)"},
		{"the largest burst", math.MaxInt32, 0, math.MaxInt32, math.MaxInt32, 0, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(c.replicas), Pods: pods(int(c.active))}, replicaset.Options{Burst: c.burst})
			create, remove, holds := 0, 0, ""
			for _, a := range p.Actions {
				switch a := a.(type) {
				case replicaset.CreatePods:
					create += int(a.Count)
				case replicaset.DeletePod:
					remove++
				}
			}
			for _, h := range p.Holds {
				holds += h.String()
			}
			requireEqual(t, c.why, []any{c.create, c.remove, c.holds}, []any{create, remove, holds})
		})
	}
}

func TestWhatCounts(t *testing.T) {
	for _, c := range []struct {
		why               string
		pod               podorder.Pod
		counts, terminate bool
	}{
		{"running", pod("p"), true, false},
		{"no phase", pod("p", phase("")), true, false},
		{"pending", pod("p", phase(podorder.Pending)), true, false},
		{"unknown", pod("p", phase(podorder.Unknown)), true, false},
		{"failed", pod("p", phase(podorder.Failed)), false, false},
		{"succeeded", pod("p", phase(podorder.Succeeded)), false, false},
		{"terminating", pod("p", terminating), false, true},
		{"terminating without a phase", pod("p", terminating, phase("")), false, true},
		{"failed and terminating", pod("p", terminating, phase(podorder.Failed)), false, false},
		{"an orphan", pod("p", owner("", "", "")), false, false},
		{"another's", pod("p", owner("ReplicaSet", "web", "other")), false, false},
		{"our UID under another name", pod("p", owner("ReplicaSet", "x", "web-uid")), true, false},
		{"our UID under another kind", pod("p", owner("Job", "web", "web-uid")), true, false},
		{"only the UID is given", pod("p", owner("", "", "web-uid")), true, false},
	} {
		p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{c.pod}}, replicaset.Options{})
		requireEqual(t, c.why, c.counts, p.Status.Replicas == 1)
		requireEqual(t, c.why, c.counts, len(p.Actions) == 0)
		requireEqual(t, c.why, c.terminate, *p.Status.TerminatingReplicas == 1)
	}
}

func TestStatus(t *testing.T) {
	labels := func(l map[string]string) func(*podorder.Pod) { return func(p *podorder.Pod) { p.Labels = l } }
	rs := web(4, minReady(10), func(rs *replicaset.ReplicaSet) {
		rs.TemplateLabels = map[string]string{"app": "web", "tier": "front"}
		rs.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True"}, {Type: "Other"}}
	})
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: rs, Pods: []podorder.Pod{
		pod("a", labels(map[string]string{"app": "web", "tier": "front", "more": "x"})),
		pod("b", labels(map[string]string{"app": "web", "tier": "back"}), readyAgo(4*time.Second)),
		pod("c", unready), pod("d", readyAgo(time.Second)), pod("e", terminating), pod("f", phase(podorder.Failed)),
	}}, replicaset.Options{})
	requireEqual(t, "all counts", replicaset.Status{
		ObservedGeneration: 3, Replicas: 4, FullyLabeledReplicas: 1, ReadyReplicas: 3, AvailableReplicas: 1,
		TerminatingReplicas: ptr.To(int32(1)), Conditions: []kplan.Condition{{Type: "Other"}},
	}, p.Status)
	require.Equal(t, "held back: NotReady (3 of 4)", p.String())
	require.Equal(t, "4 replicas, 3 ready, 1 available", p.Status.String())
}

func TestRecheck(t *testing.T) {
	for _, c := range []struct {
		why  string
		pods []podorder.Pod
		want time.Duration
	}{
		{"ready for a second", []podorder.Pod{pod("a", readyAgo(time.Second))}, 9 * time.Second},
		{"the node's clock is ahead", []podorder.Pod{pod("a", readyAgo(-30*time.Second))}, 40 * time.Second},
		{"ready since nobody knows when", []podorder.Pod{pod("a", func(p *podorder.Pod) { p.ReadySince = time.Time{} })}, 10 * time.Second},
		{"the first of two", []podorder.Pod{pod("a", readyAgo(4*time.Second)), pod("b", readyAgo(time.Second))}, 6 * time.Second},
		{"exactly now", []podorder.Pod{pod("a", readyAgo(10*time.Second))}, 0},
		{"one nanosecond to go", []podorder.Pod{pod("a", readyAgo(10*time.Second-1))}, 1},
		{"none ready", []podorder.Pod{pod("a", unready)}, 0},
	} {
		p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(9, minReady(10)), Pods: c.pods}, replicaset.Options{})
		want := time.Time{}
		if c.want != 0 {
			want = t0.Add(c.want)
		}
		requireEqual(t, c.why, want, p.RecheckAt)
	}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{pod("a", readyAgo(0))}}, replicaset.Options{})
	require.Zero(t, p.RecheckAt, "without minReadySeconds ready is available")
}

func TestVictims(t *testing.T) {
	all := []podorder.Pod{pod("a"), pod("b", unready), pod("c", on("")), pod("d", phase(podorder.Pending), unready)}
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1), Pods: all}, replicaset.Options{})
	requireEqual(t, "in deletion order, with preconditions", replicaset.Actions{
		replicaset.DeletePod{Name: "c", UID: "c-uid", ResourceVersion: "7", Reason: reason.TooMany},
		replicaset.DeletePod{Name: "d", UID: "d-uid", ResourceVersion: "7", Reason: reason.TooMany},
		replicaset.DeletePod{Name: "b", UID: "b-uid", ResourceVersion: "7", Reason: reason.TooMany},
	}, p.Actions)
}

func TestNeighbours(t *testing.T) {
	deployed := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "deployment" }
	sibling := replicaset.ReplicaSet{Name: "old", UID: "old-uid", ControllerUID: "deployment"}
	stranger := replicaset.ReplicaSet{Name: "x", UID: "x-uid", ControllerUID: "other"}
	own := []podorder.Pod{pod("a", on("n1")), pod("b", on("n2"))}
	with := func(uid string, change ...func(*podorder.Pod)) []podorder.Pod {
		extra := pod("z", append([]func(*podorder.Pod){on("n2"), owner("ReplicaSet", "", uid)}, change...)...)
		return append([]podorder.Pod{extra}, own...)
	}
	for _, c := range []struct {
		why  string
		rs   replicaset.ReplicaSet
		pods []podorder.Pod
		want string
	}{
		{"a sibling's pod on the node", web(1, deployed), with("old-uid"), "b"},
		{"no controller, no neighbours", web(1), with("old-uid"), "a"},
		{"a stranger's pod", web(1, deployed), with("x-uid"), "a"},
		{"a sibling's pod that has ended", web(1, deployed), with("old-uid", phase(podorder.Failed)), "a"},
		{"an orphan", web(1, deployed), with(""), "a"},
	} {
		s := replicaset.Snapshot{ReplicaSet: c.rs, Pods: c.pods, Siblings: []replicaset.ReplicaSet{sibling, stranger}}
		p := reconcile(t, s, replicaset.Options{})
		require.Len(t, p.Actions, 1, c.why)
		requireEqual(t, c.why, c.want, p.Actions[0].(replicaset.DeletePod).Name)
	}
}

func TestDeletingKeepsPods(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(1, func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 }), Pods: pods(3)}
	p := reconcile(t, s, replicaset.Options{})
	require.Empty(t, p.Actions)
	require.Equal(t, "held back: Deleting (3 of 1)", p.String())
	require.Equal(t, int32(3), p.Status.Replicas)
}

func TestWaiting(t *testing.T) {
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: web(1, minReady(10)), Pods: []podorder.Pod{pod("a", readyAgo(0))}}, replicaset.Options{})
	require.Equal(t, "held back: NotAvailable (0 of 1)", p.String())
	p = reconcile(t, replicaset.Snapshot{ReplicaSet: web(1), Pods: pods(1)}, replicaset.Options{})
	require.Equal(t, "nothing to do", p.String())
}

func TestUnsetReplicas(t *testing.T) {
	rs := web(0, func(rs *replicaset.ReplicaSet) { rs.Replicas = nil })
	p := reconcile(t, replicaset.Snapshot{ReplicaSet: rs}, replicaset.Options{})
	require.Equal(t, "Created 1 pods (TooFew)", p.String())
}

func TestAdmit(t *testing.T) {
	podOf := func(name, uid string) podorder.Pod {
		return pod(name, func(p *podorder.Pod) { p.UID = uid })
	}
	foreign := pod("a", owner("ReplicaSet", "x", "x"))
	for _, c := range []struct {
		why  string
		s    replicaset.Snapshot
		want string
	}{
		{"no name", replicaset.Snapshot{ReplicaSet: web(1, func(rs *replicaset.ReplicaSet) { rs.Name = "" })}, `ReplicaSet.Name: "": must be set`},
		{"no UID", replicaset.Snapshot{ReplicaSet: web(1, func(rs *replicaset.ReplicaSet) { rs.UID = "" })},
			`ReplicaSet.UID: "": must be set, because it decides which pods belong to the ReplicaSet`},
		{"negative", replicaset.Snapshot{ReplicaSet: web(-1)}, `ReplicaSet.Replicas: -1: must not be negative`},
		{"negative readiness", replicaset.Snapshot{ReplicaSet: web(1, minReady(-1))}, `ReplicaSet.MinReadySeconds: -1: must not be negative`},
		{"a name twice", replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{podOf("a", "1"), podOf("a", "2")}}, `Pods["a"].Name: "a": must be unique`},
		{"a UID twice", replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{podOf("b", "1"), podOf("a", "1")}}, `Pods["a"].UID: "1": must be unique`},
		{"no pod name", replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{podOf("", "1")}}, `Pods[""].Name: "": must be set`},
	} {
		_, err := replicaset.Reconcile(c.s, t0, replicaset.Options{})
		require.EqualError(t, err, c.want, c.why)
		require.ErrorIs(t, err, kplan.ErrInvalid)
		var field *kplan.FieldError
		require.True(t, errors.As(err, &field))
	}
	_, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1)}, time.Time{}, replicaset.Options{Burst: -1})
	require.EqualError(t, err, "Options.Burst: -1: must not be negative\nnow: \"\": must be set")
	_, err = replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1), Pods: []podorder.Pod{foreign, foreign, podOf("a", ""), podOf("b", "")}}, t0, replicaset.Options{})
	require.NoError(t, err, "others' pods do not matter, and UIDs may be unset")
}

func TestJSON(t *testing.T) {
	p := replicaset.Plan{
		Actions:   replicaset.Actions{replicaset.CreatePods{Count: 3, Reason: reason.TooFew}, replicaset.DeletePod{Name: "a", UID: "u", ResourceVersion: "7", Reason: reason.TooMany}},
		Holds:     []kplan.Hold{{Reason: reason.Burst, Have: 1200, Limit: 500}},
		RecheckAt: t0,
	}
	data, err := json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, `{"actions": [{"createPods": {"count": 3, "reason": "TooFew"}},
		{"deletePod": {"name": "a", "uid": "u", "resourceVersion": "7", "reason": "TooMany"}}],
		"holds": [{"reason": "Burst", "have": 1200, "limit": 500}], "status": {"replicas": 0}, "recheckAt": "2026-03-01T12:00:00Z"}`, string(data))
	var back replicaset.Plan
	require.NoError(t, json.Unmarshal(data, &back))
	requireEqual(t, "and back", p, back)
	require.Equal(t, "Created 3 pods (TooFew)\nDeleted pod: a (TooMany)\nheld back: Burst (1200 of 500)", p.String())

	for _, text := range []string{`[{"launchRocket": {}}]`, `[{}]`, `{}`, `x`} {
		var as replicaset.Actions
		require.Error(t, as.UnmarshalJSON([]byte(text)), text)
	}
	_, err = json.Marshal(replicaset.Actions{nil})
	require.ErrorContains(t, err, "unknown member <nil>")
}
