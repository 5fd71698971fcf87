// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func TestInvalid(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(s *daemonset.Snapshot, now *time.Time, o *daemonset.Options)
		want      string
	}{
		{"now", "without a time every pod has been ready for 2000 years", func(_ *daemonset.Snapshot, now *time.Time, _ *daemonset.Options) { *now = time.Time{} }, "now"},
		{"name", "it names revisions", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Name = "" }, "DaemonSet.Name"},
		{"uid", "it decides about ownership", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.UID = "" }, "DaemonSet.UID"},
		{"hash", "it names revisions", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Template.Hash = "" }, "DaemonSet.Template.Hash"},
		{"no selector", "all pods would be released", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Selector = nil }, "DaemonSet.Selector"},
		{"bad selector", "an unknown operator", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "Near"}}}
		}, "DaemonSet.Selector"},
		{"bad update selector", "values are missing", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: selector.In}}}
		}, "DaemonSet.NodeSelector"},
		{"strategy", "unknown", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Strategy = "Recreate" }, "DaemonSet.Strategy"},
		{"type", "unknown", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.RollingType = "x" }, "DaemonSet.RollingType"},
		{"dialect", "unknown", func(_ *daemonset.Snapshot, _ *time.Time, o *daemonset.Options) { o.Dialect = "x" }, "Options.Dialect"},
		{"skip", "negative", func(_ *daemonset.Snapshot, _ *time.Time, o *daemonset.Options) { o.SkipDeadNodes = -1 }, "Options.SkipDeadNodes"},
		{"min ready", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.MinReadySeconds = -1 }, "DaemonSet.MinReadySeconds"},
		{"history", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.RevisionHistoryLimit = ptr.To(int32(-1))
		}, "DaemonSet.RevisionHistoryLimit"},
		{"surge", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.MaxSurge = rollout.Percent(-1)
		}, "DaemonSet.MaxSurge"},
		{"unavailable", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.MaxUnavailable = rollout.Int(-1)
		}, "DaemonSet.MaxUnavailable"},
		{"partition", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.Partition = rollout.Int(-1)
		}, "DaemonSet.Partition"},
		{"burst", "negative", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Burst = rollout.Int(-1) }, "DaemonSet.Burst"},
		{"node twice", "names are unique", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Nodes = append(s.Nodes, daemonset.Node{Name: "n1"})
		}, `Nodes["n1"].Name`},
		{"node without name", "names are there", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Nodes = append(s.Nodes, daemonset.Node{})
		}, `Nodes[""].Name`},
		{"pod without name", "names are there, even of the only pod", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Pods = s.Pods[:1]
			s.Pods[0].Name = ""
		}, `Pods[""].Name`},
		{"pod twice", "names are unique", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Pods = append(s.Pods, s.Pods[0])
			s.Pods[2].UID = ""
		}, `Pods["p1"].Name`},
		{"pod uid twice", "so are UIDs", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.Pods[1].UID = s.Pods[0].UID }, `Pods["p1"].UID`},
		{"revision twice", "names are unique", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Revisions = append(s.Revisions, revision.ControllerRevision{Name: "agent-v1", ControllerUID: "agent-uid"})
		}, `Revisions["agent-v1"].Name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			s, now, opts := cluster(2, olds(2)...), t0, daemonset.Options{}
			c.change(&s, &now, &opts)
			p, err := daemonset.Reconcile(s, now, opts)
			require.Empty(t, cmp.Diff(daemonset.Plan{}, p))
			require.ErrorIs(t, err, kplan.ErrInvalid)
			var fe *kplan.FieldError
			require.True(t, errors.As(err, &fe))
			require.Equal(t, c.want, fe.Path)
			_, err2 := daemonset.Explain(s, now, opts)
			require.EqualError(t, err2, err.Error())
		})
	}
	_, err := daemonset.Reconcile(daemonset.Snapshot{}, time.Time{}, daemonset.Options{})
	require.ErrorContains(t, err, "DaemonSet.Name")
	require.ErrorContains(t, err, "now")

	s := cluster(1, pod("p", "n1", "v2"), pod("p", "n1", "v2", func(p *daemonset.Pod) { p.ControllerUID = "x" }))
	_, err = daemonset.Reconcile(s, t0, daemonset.Options{})
	require.NoError(t, err, "pods of others are nobody's business")
}

// Odd values that have a meaning are no errors, and nothing panics.
func TestOdd(t *testing.T) {
	s := cluster(2, olds(2)...)
	d := &s.DaemonSet
	d.MaxSurge, d.MaxUnavailable, d.Partition, d.Burst = rollout.Percent(math.MaxInt32), rollout.Int(math.MaxInt32), rollout.Percent(500), rollout.Percent(900)
	d.MinReadySeconds, d.RevisionHistoryLimit = math.MaxInt32, ptr.To(int32(math.MaxInt32))
	d.Status.DesiredNumberScheduled, d.Status.CollisionCount = math.MaxInt32, ptr.To(int32(math.MaxInt32))
	s.Pods[0].CreationTimestamp, s.Pods[0].ReadySince = t0.Add(1e18), t0.Add(1e18)
	for _, opts := range []daemonset.Options{{}, kruise, {Repair: quirk.All}, {Dialect: daemonset.OpenKruise, Repair: quirk.All}} {
		mustPlan(t, s, opts)
	}
	d.Status.DesiredNumberScheduled = math.MinInt32
	d.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "x", Operator: selector.DoesNotExist}}}
	s.Revisions[0].Labels = nil // where upstream crashes
	require.Contains(t, mustPlan(t, s, daemonset.Options{}).String(), "Labelled controller revision agent-v1")
	s.Backoff = daemonset.Backoff{{Delay: math.MinInt64, Since: t0}, {Delay: math.MaxInt64}}
	mustPlan(t, s, daemonset.Options{})
}

// Unset limits.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		why                string
		surge, unavailable rollout.IntOrPercent
		opts               daemonset.Options
		want               daemonset.Budget
		text               string
	}{
		{"both unset", rollout.IntOrPercent{}, rollout.IntOrPercent{}, daemonset.Options{}, daemonset.Budget{Desired: 3, Unavailable: 1}, "3 nodes, at most 1 unavailable"},
		{"only surge: Kubernetes defaults each alone", rollout.Int(1), rollout.IntOrPercent{}, daemonset.Options{}, daemonset.Budget{Desired: 3, Surge: 1, Unavailable: 1}, "3 nodes, at most 1 with a second pod"},
		{"only surge: OpenKruise both together", rollout.Int(1), rollout.IntOrPercent{}, kruise, daemonset.Budget{Desired: 3, Surge: 1}, "3 nodes, at most 1 with a second pod"},
		{"rounded up", rollout.IntOrPercent{}, rollout.Percent(34), daemonset.Options{}, daemonset.Budget{Desired: 3, Unavailable: 2}, "3 nodes, at most 2 unavailable"},
	} {
		s := cluster(3, olds(3)...)
		s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable = c.surge, c.unavailable
		p := mustPlan(t, s, c.opts)
		require.Equal(t, c.want, p.Budget, c.why)
		require.Equal(t, c.text, p.Budget.String())
	}
	require.Equal(t, daemonset.Budget{Desired: 0}, daemonset.Resolve(daemonset.RollingUpdate, rollout.Int(0), rollout.Int(0), 0))
	require.True(t, daemonset.SurgeAllowed("", rollout.Percent(1)))
	require.False(t, daemonset.SurgeAllowed(daemonset.OnDelete, rollout.Int(1)))
	// A share of few nodes.
	require.Equal(t, int32(0), daemonset.Burst(rollout.Percent(10), 5))
	s := cluster(5)
	s.DaemonSet.Burst = rollout.Percent(10)
	require.Empty(t, mustPlan(t, s, kruise).Actions)
	require.Len(t, mustPlan(t, s, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All}).Actions, 1)
}

func TestActionsJSON(t *testing.T) {
	all := daemonset.Actions{
		daemonset.CreateRevision{Name: "r"}, daemonset.UpdateRevision{}, daemonset.DeleteRevision{}, daemonset.AdoptRevision{}, daemonset.ReleaseRevision{},
		daemonset.AdoptPod{}, daemonset.ReleasePod{}, daemonset.RelabelPod{}, daemonset.CreatePod{}, daemonset.DeletePod{Object: daemonset.Object{Name: "p"}},
		daemonset.PreparePod{}, daemonset.UpdatePod{}, daemonset.RefreshPod{},
	}
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back daemonset.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Empty(t, cmp.Diff(all, back))
	for _, a := range all {
		require.NotEmpty(t, a.String())
	}
	for _, bad := range []string{`[{}]`, `[{"x":{}}]`, `{}`, `[{"deletePod":{"x":1}}]`} {
		require.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
	_, err = json.Marshal(daemonset.Actions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", daemonset.Plan{}.String())
	require.True(t, daemonset.Plan{}.Empty())
}
