// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

func TestRevisions(t *testing.T) {
	duplicates := cluster(3, pod("p1", "n1", "v2"), pod("p2", "n2", "v3"), pod("p3", "n3", "v1"))
	duplicates.Revisions = append(duplicates.Revisions, agentRevision("v3", 3))
	duplicates.Revisions[2].Data = stored("v2")
	taken := cluster(1, pod("p1", "n1", "v1"))
	taken.Revisions = []revision.ControllerRevision{agentRevision("v1", 1), agentRevision("v2", 2)}
	taken.Revisions[1].Data = stored("other")
	foreign := with(taken, func(s *daemonset.Snapshot) { s.Revisions[1].Data, s.Revisions[1].ControllerUID = stored("v2"), "x" })
	history := cluster(1, pod("p1", "n1", "v2"), pod("p2", "n1", "h1", terminating))
	history.DaemonSet.RevisionHistoryLimit = ptr.To(int32(2))
	history.Revisions = []revision.ControllerRevision{agentRevision("h3", 3), agentRevision("h1", 1), agentRevision("v2", 5), agentRevision("h4", 4), agentRevision("h2", 2)}
	corrected := daemonset.Options{Repair: quirk.All}
	runPlans(t, []planCase{
		{"new", "finding the current revision", with(cluster(1, pod("p1", "n1", "v1")), func(s *daemonset.Snapshot) { s.Revisions = s.Revisions[:1] }), daemonset.Options{}, `
			Created controller revision agent-v2, number 2 (NewTemplate)
			Deleted pod: p1 on node n1 (Rollout)`},
		{"rollback", "finding the current revision", with(cluster(0), func(s *daemonset.Snapshot) { s.Revisions[0].Revision = 7 }), daemonset.Options{}, `
			Renumbered controller revision agent-v2 from 2 to 8 (Rollback)`},
		{"no label", "finding the current revision", with(cluster(0), func(s *daemonset.Snapshot) { delete(s.Revisions[0].Labels, daemonset.LabelHash) }), daemonset.Options{}, `
			Labelled controller revision agent-v1 with agent-v1 (Unlabelled)`},
		{"no label on the current one", "its name is its hash then", with(cluster(1, pod("p1", "n1", "agent-v2")), func(s *daemonset.Snapshot) { delete(s.Revisions[1].Labels, daemonset.LabelHash) }), daemonset.Options{}, `
			Labelled controller revision agent-v2 with agent-v2 (Unlabelled)`},
		{"rollback, no label on another one", "labels come first, whatever the order of the revisions", with(cluster(0), func(s *daemonset.Snapshot) {
			s.Revisions[0].Revision = 7
			delete(s.Revisions[0].Labels, daemonset.LabelHash)
			s.Revisions[0].Name, s.Revisions[1].Name = "agent-z", "agent-a"
		}), daemonset.Options{}, `
			Labelled controller revision agent-z with agent-z (Unlabelled)
			Renumbered controller revision agent-a from 2 to 8 (Rollback)`},
		{"duplicates", "all pods are relabelled", duplicates, daemonset.Options{}, `
			Relabelled pod p1 from "v2" to "v3" (Duplicate)
			Relabelled pod p3 from "v1" to "v3" (Duplicate)
			Deleted controller revision agent-v2 (Duplicate)`},
		{"duplicates, corrected", "p3 still has to be updated", duplicates, corrected, `
			Relabelled pod p1 from "v2" to "v3" (Duplicate)
			Deleted controller revision agent-v2 (Duplicate)
			Deleted pod: p3 on node n3 (Rollout)`},
		{"taken", "the next hash comes first", taken, daemonset.Options{}, `held back: Collision (1 of 0)`},
		{"taken by the same", "it is used, whoever owns it", foreign, daemonset.Options{}, `
			Deleted pod: p1 on node n1 (Rollout)`},
		{"history", "the example; a pod on its way out holds its revision", history, daemonset.Options{}, `
			Deleted controller revision agent-h2 (HistoryLimit)
			Deleted controller revision agent-h3 (HistoryLimit)`},
		{"history, a pod of no node", "it does not hold its revision", with(history, func(s *daemonset.Snapshot) { s.Pods[1].NodeName = "" }), daemonset.Options{}, `
			Deleted controller revision agent-h1 (HistoryLimit)
			Deleted controller revision agent-h2 (HistoryLimit)`},
		{"adopted and released", "ownership", with(cluster(1, pod("p1", "n1", "v2")), func(s *daemonset.Snapshot) {
			s.Revisions[0].ControllerUID, s.Revisions[0].ControllerKind, s.Revisions[0].ControllerName = "", "", ""
			s.Revisions[1].Labels["app"] = "x"
			s.Revisions = append(s.Revisions, agentRevision("v3", 3))
			s.Revisions[2].Data = stored("v2")
			s.Pods = append(s.Pods, pod("p2", "n1", "v3", label("app", "x")), pod("p3", "n1", "v3"))
			s.Pods[2].ControllerUID, s.Pods[2].ControllerKind, s.Pods[2].ControllerName = "", "", ""
			aged(time.Minute)(&s.Pods[2])
		}), daemonset.Options{}, `
			Adopted controller revision agent-v1 (Orphan)
			Released controller revision agent-v2 (NoMatch)
			Released pod p2 (NoMatch)
			Adopted pod p3 (Orphan)
			Deleted pod: p3 on node n1 (Duplicate)
			held back: ManageFirst (1 of 0)`},
		{"being deleted", "when nothing is done", with(cluster(2), func(s *daemonset.Snapshot) { s.DaemonSet.DeletionTimestamp = t0 }), daemonset.Options{}, `held back: Deleting`},
		{"being deleted, OpenKruise", "when nothing is done", with(cluster(2), func(s *daemonset.Snapshot) {
			s.DaemonSet.DeletionTimestamp = t0
			s.DaemonSet.Selector.MatchLabels = nil
		}), kruise, `held back: Deleting`},
		{"being deleted, no selector", "upstream does not look at it", with(cluster(2, olds(1)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.DeletionTimestamp, s.DaemonSet.Selector = t0, nil
		}), daemonset.Options{}, `held back: Deleting`},
		{"being deleted, no selector, OpenKruise", "upstream does not look at it", with(cluster(2, olds(1)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.DeletionTimestamp, s.DaemonSet.Selector = t0, nil
		}), kruise, `held back: Deleting`},
		{"being deleted, unusable selectors", "upstream does not look at them", with(cluster(2, olds(1)...), func(s *daemonset.Snapshot) {
			s.DaemonSet.DeletionTimestamp = t0
			s.DaemonSet.Selector.MatchExpressions = []selector.Expression{{Key: "app", Operator: "Is"}}
			s.DaemonSet.NodeSelector = s.DaemonSet.Selector
		}), daemonset.Options{}, `held back: Deleting`},
		{"selecting all", "an empty selector", with(cluster(2), func(s *daemonset.Snapshot) {
			s.DaemonSet.DeletionTimestamp = t0
			s.DaemonSet.Selector.MatchLabels = nil
		}), daemonset.Options{}, `held back: SelectingAll`},
	})
	require.Equal(t, "SelectingAll", mustPlan(t, with(cluster(2), func(s *daemonset.Snapshot) { s.DaemonSet.Selector.MatchLabels = nil }), kruise).Events[0].Reason)

	// The collision count.
	require.Equal(t, ptr.To(int32(1)), mustPlan(t, taken, daemonset.Options{}).Status.CollisionCount)
	taken.DaemonSet.Status.CollisionCount = ptr.To(int32(4))
	require.Equal(t, ptr.To(int32(5)), mustPlan(t, taken, daemonset.Options{}).Status.CollisionCount)
	require.Equal(t, ptr.To(int32(4)), mustPlan(t, taken, kruise).Status.CollisionCount, "OpenKruise never raises it")
	require.Equal(t, ptr.To(int32(5)), mustPlan(t, taken, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}).Status.CollisionCount)

	// What a new revision is.
	fresh := with(cluster(0), func(s *daemonset.Snapshot) {
		s.Revisions, s.DaemonSet.Annotations = nil, map[string]string{"a": "b"}
	})
	require.Equal(t, daemonset.Actions{daemonset.CreateRevision{
		Name: "agent-v2", Hash: "v2", Revision: 1, Labels: map[string]string{"app": "agent", daemonset.LabelHash: "v2"},
		Annotations: map[string]string{"a": "b"}, Data: stored("v2"), Reason: reason.NewTemplate,
	}}, mustPlan(t, fresh, daemonset.Options{}).Actions)

	// OpenKruise cleans up and has observed only without other work.
	busy := with(history, func(s *daemonset.Snapshot) { s.Nodes = nodes(2); s.DaemonSet.Generation = 4 })
	p := mustPlan(t, busy, kruise)
	require.Len(t, p.Actions, 1)
	require.Equal(t, int64(3), p.Status.ObservedGeneration)
	p = mustPlan(t, busy, daemonset.Options{})
	require.Len(t, p.Actions, 3)
	require.Equal(t, int64(4), p.Status.ObservedGeneration)
}

// A template generation that came with the manifest hides an old hash.
func TestGenerationHidesHash(t *testing.T) {
	s := cluster(1, pod("p1", "n1", "v1", label(daemonset.LabelGeneration, "5")))
	s.DaemonSet.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"}
	require.Empty(t, mustPlan(t, s, daemonset.Options{}).Actions)
	require.Equal(t, []string{"p1"}, deleted(mustPlan(t, s, daemonset.Options{Repair: quirk.All})))
	s.DaemonSet.Annotations[daemonset.AnnotationGeneration] = "05"
	s.Pods[0].Labels[daemonset.LabelGeneration] = "05"
	require.Equal(t, []string{"p1"}, deleted(mustPlan(t, s, daemonset.Options{})), "the text must be that of the number")
}

func TestStatus(t *testing.T) {
	s := cluster(4, pod("p1", "n1", "v1", aged(3*time.Hour), terminating), pod("q1", "n1", "v2", aged(time.Hour)),
		pod("p2", "n2", "v2", readyFor(4*time.Second)), pod("p4", "n4", "v2"))
	s.Nodes[3].Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	s.DaemonSet.MinReadySeconds, s.DaemonSet.Generation = 10, 9
	unready(&s.Pods[0])
	want := daemonset.Status{
		ObservedGeneration: 9, DesiredNumberScheduled: 3, CurrentNumberScheduled: 2, NumberMisscheduled: 1, NumberReady: 1,
		NumberUnavailable: 3, UpdatedNumberScheduled: 1,
	}
	p := mustPlan(t, s, daemonset.Options{})
	require.Equal(t, want, p.Status, "n1 counts by its oldest pod, which goes")
	require.Equal(t, "3 desired, 2 current, 1 ready, 1 updated, 0 available, 1 misscheduled", p.Status.String())
	require.Equal(t, t0.Add(6*time.Second), p.RecheckAt, "when p2 becomes available")
	want.NumberReady, want.NumberAvailable, want.NumberUnavailable, want.UpdatedNumberScheduled = 2, 1, 2, 2
	require.Equal(t, want, mustPlan(t, s, daemonset.Options{Repair: quirk.All}).Status, "StatusCountsDeletedPod")

	// OpenKruise waits for updates in place, and names the revision.
	s.Pods[1].InPlace, s.Pods[1].ReadinessGates = &inplace.ReadyCondition{}, []string{inplace.Gate}
	s.Pods = s.Pods[1:2]
	s.Nodes = s.Nodes[:1]
	p = mustPlan(t, s, kruise)
	require.Equal(t, "v2", p.Status.UpdateRevision)
	require.Equal(t, int32(0), p.Status.NumberAvailable)
	require.Equal(t, int32(1), mustPlan(t, s, daemonset.Options{}).Status.NumberAvailable)
	s.Pods[0].InPlace = nil
	require.Equal(t, int32(1), mustPlan(t, s, kruise).Status.NumberAvailable, "a missing condition is fine")
}

// The boundary, to the nanosecond.
func TestAvailability(t *testing.T) {
	p := pod("p", "n", "v1")
	for _, c := range []struct {
		why       string
		minReady  int32
		age       time.Duration
		available bool
		strict    bool
	}{
		{"no minimum", 0, -time.Hour, true, true},
		{"before", 10, 10*time.Second - 1, false, false},
		{"at", 10, 10 * time.Second, true, false},
		{"after", 10, 10*time.Second + 1, true, true},
	} {
		p.ReadySince = t0.Add(-c.age)
		kubernetes := daemonset.Availability{MinReadySeconds: c.minReady, Now: t0}
		strict := daemonset.Availability{MinReadySeconds: c.minReady, Now: t0, Strict: true}
		require.Equal(t, c.available, kubernetes.Available(&p), c.why)
		require.Equal(t, c.strict, strict.Available(&p), c.why)
	}
	p.ReadySince = time.Time{}
	never := daemonset.Availability{MinReadySeconds: 1, Now: t0}
	require.False(t, never.Available(&p), "ready since when is not known")
	always := daemonset.Availability{Now: t0}
	require.True(t, always.Available(&p))
	p.Ready = false
	require.False(t, always.Available(&p))
}

// Of several old revisions reserved nodes get the newest, whatever its name.
func TestPartitionCreatesNewestOld(t *testing.T) {
	opts := kruise
	opts.PartitionCreatesOld = true
	for _, c := range []struct {
		numbers [2]int64 // of v0 and v1
		want    string
	}{{[2]int64{1, 2}, "v1"}, {[2]int64{2, 1}, "v0"}} {
		s := with(cluster(1), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(1) })
		s.Revisions = []revision.ControllerRevision{agentRevision("v0", c.numbers[0]), agentRevision("v1", c.numbers[1]), agentRevision("v2", 3)}
		require.Equal(t, c.want, mustPlan(t, s, opts).Actions[0].(daemonset.CreatePod).Hash)
	}
}

// A selector of a label and of an expression is not empty.
func TestSelectorOfBothKinds(t *testing.T) {
	s := cluster(1)
	s.DaemonSet.Selector = &selector.LabelSelector{
		MatchLabels: map[string]string{"app": "agent"}, MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.Exists}},
	}
	require.Equal(t, "Created pod on node n1 (Missing)", mustPlan(t, s, kruise).String())
}
