// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
)

var kruiseCorrected = daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}

// What surprises at upstream, as it goes on from pass to pass. The smallest input of each
// quirk is in TestQuirks.

// In OpenKruise the dead node does not use the budget at first, and then does.
func TestDefectDeadNode(t *testing.T) {
	dead := cluster(3, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"), pod("p3", "n3", "v1", unready))
	dead.Nodes[2].Taints = []daemonset.Taint{taint(daemonset.TaintUnreachable, daemonset.NoExecute), taint(daemonset.TaintUnreachable, daemonset.NoSchedule)}
	require.Equal(t, []string{"p3", "p2"}, deleted(mustPlan(t, dead, kruise)))
	gone := with(dead, func(s *daemonset.Snapshot) { terminating(&s.Pods[2]) })
	p := mustPlan(t, gone, kruise)
	require.Empty(t, p.Actions, "a standstill")
	require.Equal(t, "2 desired, 2 current, 2 ready, 0 updated, 2 available, 1 misscheduled", p.Status.String(), "although nothing is unavailable")
	require.Equal(t, []string{"p2"}, deleted(mustPlan(t, gone, daemonset.Options{Dialect: daemonset.OpenKruise, SkipDeadNodes: 1})))
}

// 10 pods have been ready for 30 of 60 seconds, and one may be unavailable.
func TestDefectAllAtOnce(t *testing.T) {
	s := with(cluster(10, olds(10, readyFor(30*time.Second))...), func(s *daemonset.Snapshot) {
		s.DaemonSet.MinReadySeconds, s.DaemonSet.MaxUnavailable = 60, rollout.Int(1)
	})
	for _, dialect := range []daemonset.Dialect{daemonset.Kubernetes, daemonset.OpenKruise} {
		require.Len(t, deleted(mustPlan(t, s, daemonset.Options{Dialect: dialect})), 10, dialect)
		require.Len(t, deleted(mustPlan(t, s, daemonset.Options{Dialect: dialect, StrictUnavailable: true})), 1, dialect)
	}
}

// Three bad updates in a row, of which each takes what the last one broke and one
// node more.
func TestDefectBadUpdates(t *testing.T) {
	for _, c := range []struct {
		why  string
		opts daemonset.Options
		left []int // ready pods behind each update
	}{
		{"until none is ready", kruise, []int{2, 1, 0}},
		{"corrected: what is broken uses the budget", kruiseCorrected, []int{2, 2, 2}},
		{"Kubernetes", daemonset.Options{}, []int{2, 2, 2}},
	} {
		s := cluster(3, olds(3)...)
		var left []int
		now := t0
		for i := range 3 {
			version := fmt.Sprint("bad", i)
			s.DaemonSet.Template.Hash, s.DaemonSet.Template.Data = version, stored(version)
			for range 6 {
				p, err := daemonset.Reconcile(s, now, c.opts)
				require.NoError(t, err)
				execute(&s, p, now)
				settle(&s, now, func(p *daemonset.Pod) bool { return p.Labels[daemonset.LabelHash] != "v1" })
				now = now.Add(time.Minute)
			}
			left = append(left, serving(&s))
		}
		require.Equal(t, c.left, left, c.why)
	}
}

// Age wins, also when the surge is turned off in the middle of an update.
func TestDefectDuplicates(t *testing.T) {
	pair := cluster(1, pod("a", "n1", "v2", unready), pod("b", "n1", "v2", aged(time.Hour)))
	require.Equal(t, []string{"b"}, deleted(mustPlan(t, pair, daemonset.Options{})), "the healthy one")
	require.Equal(t, []string{"a"}, deleted(mustPlan(t, pair, daemonset.Options{KeepHealthyDuplicate: true})))
	turned := cluster(1, pod("a", "n1", "v1"), pod("b", "n1", "v2", aged(time.Hour)))
	require.Equal(t, []string{"b"}, deleted(mustPlan(t, turned, daemonset.Options{})), "the new one, to be made again")
	require.Equal(t, []string{"a"}, deleted(mustPlan(t, turned, daemonset.Options{KeepHealthyDuplicate: true})))
	orphan := with(pair, func(s *daemonset.Snapshot) {
		s.Pods[0].ControllerUID, s.Pods[0].ControllerKind, s.Pods[0].ControllerName = "", "", ""
	})
	require.Equal(t, []string{"b"}, deleted(mustPlan(t, orphan, daemonset.Options{})), "an older orphan evicts the managed pod")
	require.Equal(t, []string{"a"}, deleted(mustPlan(t, orphan, daemonset.Options{KeepHealthyDuplicate: true})))
}

// The kubelet rejects every pod, and the controller looks once in a second for a
// minute.
func TestDefectRejected(t *testing.T) {
	for _, c := range []struct {
		why                    string
		surge                  bool
		opts                   daemonset.Options
		created, removed, left int
	}{
		{"a pod in every second", true, daemonset.Options{}, 60, 6, 54},
		{"in OpenKruise too", true, kruise, 60, 6, 54},
		{"corrected: it waits for the delay", true, daemonset.Options{Repair: quirk.All}, 7, 6, 1},
		{"without surge", false, daemonset.Options{}, 7, 6, 1},
	} {
		s := cluster(1)
		if c.surge {
			surgeOne(&s)
		}
		created, removed := 0, 0
		for i := range 60 {
			now := t0.Add(time.Duration(i) * time.Second)
			p, err := daemonset.Reconcile(s, now, c.opts)
			require.NoError(t, err)
			created, removed = created+len(choices(p.Actions).create), removed+len(choices(p.Actions).remove)
			execute(&s, p, now)
			for j := range s.Pods {
				s.Pods[j].Phase = podorder.Failed
			}
		}
		require.Equal(t, []int{c.created, c.removed, c.left}, []int{created, removed, len(s.Pods)}, c.why)
	}
}

// The partition reserves all 5 nodes, and 4 of them get new pods.
func TestDefectPartitionReservesAll(t *testing.T) {
	s := cluster(5, pod("p1", "n1", "v1"))
	s.DaemonSet.Partition = rollout.Int(5)
	for _, c := range []struct {
		opts daemonset.Options
		want string
	}{{kruise, "v2"}, {daemonset.Options{Dialect: daemonset.OpenKruise, PartitionCreatesOld: true}, "v1"}} {
		actions := mustPlan(t, s, c.opts).Actions
		require.Len(t, actions, 4)
		for _, a := range actions {
			require.Equal(t, c.want, a.(daemonset.CreatePod).Hash)
		}
	}
}

// Shares of a status that is not there yet, and of few nodes.
func TestDefectShares(t *testing.T) {
	first := with(cluster(5), func(s *daemonset.Snapshot) {
		s.DaemonSet.Partition, s.DaemonSet.Progressive, s.DaemonSet.Status = rollout.Percent(60), true, daemonset.Status{}
	})
	require.Len(t, mustPlan(t, first, kruise).Actions, 5)
	require.Len(t, mustPlan(t, first, kruiseCorrected).Actions, 2, "which was meant")
	burst := with(cluster(5), func(s *daemonset.Snapshot) {
		s.DaemonSet.Burst, s.DaemonSet.Status = rollout.Percent(100), daemonset.Status{}
	})
	require.Empty(t, mustPlan(t, burst, kruise).Actions, "any share of none is none")
	require.Len(t, mustPlan(t, burst, kruiseCorrected).Actions, 5)
	none := with(cluster(5, olds(5)...), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Int(0) })
	require.Empty(t, mustPlan(t, none, daemonset.Options{Repair: quirk.All}).Actions, "0 is meant to stop everything")
	few := with(cluster(5, olds(5)...), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Percent(10) })
	require.Empty(t, mustPlan(t, few, kruise).Actions, "no pod is ever updated")
	require.Equal(t, []string{"p5"}, deleted(mustPlan(t, few, kruiseCorrected)))
	all := with(cluster(7, olds(7)...), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Percent(10) })
	nodes, err := daemonset.FilterOnly(all, t0, kruise)
	require.NoError(t, err)
	require.Len(t, nodes, 7, "10% of 7 are 0")
}

// An owner is known by its UID, of whatever version its reference
// speaks.
func TestDefectOldOwners(t *testing.T) {
	d := agent()
	for _, o := range []daemonset.Options{{}, kruise, kruiseCorrected} {
		p := pod("p", "n", "v1")
		require.True(t, concerned(d, daemonset.Change{Pod: daemonset.PodEvent{Old: &p}}, o))
		p.ControllerUID = "x"
		require.False(t, concerned(d, daemonset.Change{Pod: daemonset.PodEvent{Old: &p}}, o), "the same kind and name, but another object")
	}
}

// Pruning leaves nodes out of the count, and deletes nothing there. There is no
// other way to have it: [Options].Prune is the gate.
func TestDefectPrune(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v1"), pod("p2", "n2", "v1"))
	s.Nodes[1].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	for _, prune := range []bool{false, true} {
		want := map[bool][]string{false: {"p2"}, true: {"p1"}}[prune] // from the last name
		require.Equal(t, want, deleted(mustPlan(t, s, daemonset.Options{Dialect: daemonset.OpenKruise, Prune: prune})))
		finished := with(s, func(s *daemonset.Snapshot) { s.Pods[0] = pod("p1", "n1", "v2"); s.Pods[1] = pod("p2", "n2", "v2") })
		require.Empty(t, deleted(mustPlan(t, finished, daemonset.Options{Dialect: daemonset.OpenKruise, Prune: prune})), "a misscheduled pod stays")
	}
}

// What crashes upstream has a result, with and without corrections.
func TestDefectCrashes(t *testing.T) {
	bare := with(cluster(2, olds(2)...), func(s *daemonset.Snapshot) {
		s.DaemonSet.RevisionHistoryLimit, s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable = nil, rollout.IntOrPercent{}, rollout.IntOrPercent{}
	})
	unlabelled := with(bare, func(s *daemonset.Snapshot) {
		s.Revisions = []revision.ControllerRevision{agentRevision("v1", 1)}
		s.Revisions[0].Labels = nil
	})
	for _, o := range []daemonset.Options{{}, kruise, {Repair: quirk.All}, kruiseCorrected} {
		require.Len(t, deleted(mustPlan(t, bare, o)), 1)
		require.NotEmpty(t, mustPlan(t, unlabelled, o).Actions)
	}
}

// A node whose labels change behind the decision loses the pod in the next pass.
// And nothing is remembered of the template before, whatever its generation.
func TestDefectNoMemory(t *testing.T) {
	s := cluster(1)
	s.DaemonSet.Template.NodeSelector = map[string]string{"disk": "ssd"}
	s.Nodes[0].Labels = map[string]string{"disk": "ssd"}
	p := mustPlan(t, s, daemonset.Options{})
	require.Equal(t, []string{"n1"}, choices(p.Actions).create)
	execute(&s, p, t0)
	moved := with(s, func(s *daemonset.Snapshot) { s.Nodes[0].Labels = nil })
	require.Len(t, deleted(mustPlan(t, moved, daemonset.Options{})), 1)
	changed := with(s, func(s *daemonset.Snapshot) { s.DaemonSet.Template.NodeSelector = map[string]string{"disk": "hdd"} })
	require.Equal(t, s.DaemonSet.Generation, changed.DaemonSet.Generation)
	require.Len(t, deleted(mustPlan(t, changed, daemonset.Options{})), 1)
	require.Empty(t, deleted(mustPlan(t, s, daemonset.Options{})))
}

// A pod that does not fit is pending forever and uses the budget. It stays so;
// the plan says which, and of two nodes that is all that can be done.
func TestDefectPending(t *testing.T) {
	s := cluster(2, pod("p1", "n1", "v2", unbound), pod("p2", "n2", "v1"))
	for _, o := range []daemonset.Options{{}, kruise, {Repair: quirk.All}, kruiseCorrected} {
		p := mustPlan(t, s, o)
		require.Empty(t, p.Actions)
		require.Contains(t, p.String(), "p1 on n1 held back: NotReady")
		reports, err := daemonset.Explain(s, t0, o)
		require.NoError(t, err)
		require.Equal(t, "n1: desired, new pod p1, uses the budget (NotReady)", reports[0].String())
	}
}

// A pod that a finalizer holds keeps its node empty without surge. Kubernetes makes
// an exception for one that has ended; OpenKruise does not.
func TestDefectTerminating(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v2", terminating))
	ended := cluster(1, pod("p1", "n1", "v2", terminating, failed))
	for _, c := range []struct {
		why  string
		s    daemonset.Snapshot
		opts daemonset.Options
		want int
	}{
		{"it waits", s, daemonset.Options{}, 0}, {"it waits", s, kruise, 0}, {"it is filled again", ended, daemonset.Options{}, 1}, {"it waits", ended, kruise, 0},
		{"with surge it does not wait", with(s, surgeOne), daemonset.Options{}, 1},
	} {
		require.Len(t, choices(mustPlan(t, c.s, c.opts).Actions).create, c.want, c.why)
	}
}
