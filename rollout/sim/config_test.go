// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// paths returns the paths of the errors that one joins. Each of them names a field, and says what
// it must hold.
func paths(t require.TestingT, err error) (all []string) {
	require.ErrorIs(t, err, kplan.ErrInvalid)
	joined, ok := err.(interface{ Unwrap() []error })
	if field, is := err.(*kplan.FieldError); is {
		require.NotEmpty(t, field.Path)
		require.NotEmpty(t, field.Detail)
		return []string{field.Path}
	}
	require.True(t, ok, "%T", err)
	for _, e := range joined.Unwrap() {
		all = append(all, paths(t, e)...)
	}
	return all
}

func nothing(sim.View, string) ([]sim.Write, time.Duration, error) { return nil, 0, nil }

func alone(sim.View) map[string]int32 { return nil }

// TestConfig: what is wrong with a configuration is told by New, all at once, with the field.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		config sim.Config
		paths  []string
	}{
		{sim.Config{Faults: sim.Faults{Crash: -1, Clocks: math.NaN(), Unready: math.Inf(1)}}, []string{"Config.Faults.Clocks", "Config.Faults.Crash", "Config.Faults.Unready"}},
		{sim.Config{Latency: -1, FaultsFor: math.MaxInt64, MaxPods: -1, MaxPlans: -1}, []string{"Config.FaultsFor", "Config.Latency", "Config.MaxPlans", "Config.MaxPods"}},
		{sim.Config{Latency: math.MaxInt64, FaultsFor: math.MinInt64}, []string{"Config.FaultsFor", "Config.Latency"}},
		{sim.Config{ApproveAfter: cluster.Exactly(-1), Analysis: cluster.Analysis{Takes: cluster.Spread{{Share: 2}}, Ends: "Late"}}, []string{"Config.Analysis.Ends", "Config.Analysis.Takes", "Config.ApproveAfter"}},
		{sim.Config{Without: []sim.Kind{"x", sim.KindDaemonSet, sim.KindNode, ""}}, []string{"Config.Without", "Config.Without", "Config.Without"}},
		{sim.Config{Controllers: []sim.Reconciler{{}}}, []string{`Config.Controllers[""].For`, `Config.Controllers[""].Name`, `Config.Controllers[""].Reconcile`}},
		{sim.Config{Controllers: []sim.Reconciler{{Name: "a", For: "x", Reconcile: nothing}, {Name: "a", For: "y", Reconcile: nothing}}}, []string{`Config.Controllers["a"].Name`}},
		{sim.Config{Controllers: []sim.Reconciler{{Name: "a", For: sim.KindRollout, Reconcile: nothing}}}, []string{`Config.Controllers["a"].For`}},
		{sim.Config{Autoscalers: []sim.Autoscaler{{}}}, []string{`Config.Autoscalers[""].Desired`, `Config.Autoscalers[""].Name`}},
		{sim.Config{Autoscalers: []sim.Autoscaler{{Name: "a", Every: 1, Desired: alone}, {Name: "b", Every: -1, Desired: alone}, {Name: "c", Every: math.MaxInt64, Desired: alone}}},
			[]string{`Config.Autoscalers["a"].Every`, `Config.Autoscalers["b"].Every`, `Config.Autoscalers["c"].Every`}},
		{sim.Config{Times: cluster.Times{End: cluster.Spread{{Share: 1}, {Share: 0}}, Pull: cluster.Exactly(-1), Start: cluster.Spread{{Share: math.NaN()}}, Ready: cluster.Exactly(math.MaxInt64)}},
			[]string{"Config.Times.End", "Config.Times.Pull", "Config.Times.Ready", "Config.Times.Start"}},
		{sim.Config{Times: cluster.Times{Start: cluster.Spread{{Share: 50, Time: 5 * time.Second}}, Pull: cluster.Spread{{Share: -0.1}}, End: cluster.Spread{{}, {Share: math.Inf(1)}}, Ready: cluster.Spread{{}, {Share: math.NaN()}}}},
			[]string{"Config.Times.End", "Config.Times.Pull", "Config.Times.Ready", "Config.Times.Start"}},
		{sim.Config{Times: cluster.Times{Start: cluster.Spread{{Share: 50, Time: 5 * time.Second}, {Share: 90, Time: 30 * time.Second}}}}, []string{"Config.Times.Start", "Config.Times.Start"}},
	} {
		w, err := sim.New(cluster.Snapshot{}, c.config)
		require.True(t, w == nil)
		require.Equal(t, c.paths, paths(t, err))
	}
	for _, bad := range []time.Time{time.Time{}.Add(1), time.Unix(1<<60, 0), time.Unix(-1<<60, 0)} {
		_, err := sim.New(cluster.Snapshot{Now: bad}, sim.Config{})
		require.Equal(t, []string{"Now"}, paths(t, err))
	}
}

// TestQuotasAreValid: amounts below 0, scopes that there are not, and names that occur twice are told with
// their fields, by New and by Put.
func TestQuotasAreValid(t *testing.T) {
	bad := cluster.Quota{
		Name: "a/q", Hard: map[string]int64{"pods": -1, "cpu": 0, "limits.cpu": math.MinInt64}, Used: map[string]int64{"pods": -2},
		Scopes: []cluster.QuotaScope{{Name: "Fast"}, {Name: cluster.ScopePriorityClass, Operator: "Has"}},
	}
	fields := []string{
		`Quotas["a/q"].Hard["limits.cpu"]`, `Quotas["a/q"].Hard["pods"]`,
		`Quotas["a/q"].Scopes["Fast"].Name`, `Quotas["a/q"].Scopes["PriorityClass"].Operator`, `Quotas["a/q"].Used["pods"]`,
	}
	_, err := sim.New(cluster.Snapshot{Quotas: []cluster.Quota{bad}}, sim.Config{})
	require.Equal(t, fields, paths(t, err))
	w := newWorld(t, cluster.Snapshot{}, sim.Config{})
	require.Equal(t, fields, paths(t, w.Put(bad)))
	require.ErrorIs(t, w.Put(cluster.Quota{}), kplan.ErrInvalid)
	require.Empty(t, w.Snapshot().Quotas)
	_, err = sim.New(cluster.Snapshot{
		Quotas: []cluster.Quota{{}, {Name: "b"}, {Name: "b"}}, Templates: map[string]cluster.Template{"v1": {Needs: []int64{1, -1}, Limits: []int64{-1}}},
	}, sim.Config{})
	require.Equal(t, []string{`Quotas[""].Name`, `Quotas["b"].Name`, `Templates["v1"].Limits`, `Templates["v1"].Needs`}, paths(t, err))
}

// TestSelectors: a workload that does not select its own pods would create pods for ever. As an API
// server does, New and Put refuse it; one without a selector is known by who owns its pods.
func TestSelectors(t *testing.T) {
	other := selector.FromLabels(map[string]string{"app": "other"})
	d, rs, rc, ds := webDeployment("v1", 1), webReplicaSet(1), webController("web", 1), webDaemonSet("v1")
	snapshot := func() cluster.Snapshot {
		return cluster.Snapshot{
			Deployments: []deploy.Deployment{d}, ReplicaSets: []replicaset.ReplicaSet{rs}, ReplicationControllers: []replicaset.ReplicaSet{rc}, DaemonSets: []daemonset.DaemonSet{ds},
		}
	}
	w, err := sim.New(snapshot(), sim.Config{})
	require.NoError(t, err)
	require.NoError(t, w.Put(d, rs, rc, ds))
	for _, s := range []**selector.LabelSelector{&d.Selector, &rs.Selector, &rc.Selector, &ds.Selector} {
		*s = other
	}
	_, err = sim.New(snapshot(), sim.Config{})
	fields := []string{`DaemonSets["web"].Selector`, `Deployments["web"].Selector`, `ReplicaSets["web"].Selector`, `ReplicationControllers["web"].Selector`}
	require.Equal(t, fields, paths(t, err))
	for i, o := range []any{ds, d, rs, rc} {
		for _, w := range []*sim.World{w, {}} {
			before := w.Snapshot()
			require.Equal(t, fields[i:i+1], paths(t, w.Put(o)))
			require.Equal(t, before, w.Snapshot())
		}
	}
	none := webDeployment("v1", 1)
	none.Name, none.Selector = "none", nil
	require.NoError(t, w.Put(none))
}

// TestReplicaKinds: each ReplicationController stands among those, and nothing else does.
func TestReplicaKinds(t *testing.T) {
	rs, rc, other := webReplicaSet(1), webController("web", 1), webController("web", 1)
	other.Name, other.Kind = "else", "ReplicaSet"
	_, err := sim.New(cluster.Snapshot{ReplicaSets: []replicaset.ReplicaSet{rs, rc}, ReplicationControllers: []replicaset.ReplicaSet{other, {Name: "else"}}}, sim.Config{})
	require.Equal(t, []string{`ReplicaSets["web"].Kind`, `ReplicaSets["web"].Name`, `ReplicationControllers["else"].Kind`, `ReplicationControllers["else"].Name`}, paths(t, err))
	rc.Kind = ""
	w := newWorld(t, cluster.Snapshot{ReplicaSets: []replicaset.ReplicaSet{rs}, ReplicationControllers: []replicaset.ReplicaSet{rc}}, sim.Config{})
	require.Equal(t, replicaset.KindController, w.View().ReplicationController("web").Kind)
	require.Empty(t, w.View().ReplicaSet("web").Kind)
	require.Empty(t, rc.Kind, "what was given is left alone")
}

// whatever draws one of some values, and most often the first, which is well-formed.
func whatever[T any](t *rapid.T, name string, of ...T) T {
	if rapid.IntRange(0, 11).Draw(t, name+" is another") > 0 {
		return of[0]
	}
	return rapid.SampledFrom(of).Draw(t, name)
}

// anyConfig draws a configuration that may be wrong in several fields, those of planners too.
func anyConfig(t *rapid.T) (c sim.Config) {
	durations := []time.Duration{0, 1, -1, time.Second, math.MaxInt64, math.MinInt64}
	rates := []float64{0, 0, 1, -1, math.NaN(), math.Inf(1), math.MaxFloat64}
	numbers := []int32{0, 1, -1, math.MaxInt32, math.MinInt32}
	spread := cluster.Spread{{Share: whatever(t, "share", rates...), Time: whatever(t, "time", durations...)}, {Share: whatever(t, "share", rates...)}}
	c.Faults = sim.Faults{Stale: whatever(t, "rate", rates...), Conflict: whatever(t, "rate", rates...)}
	c.Latency, c.FaultsFor, c.MaxPods = whatever(t, "latency", durations...), whatever(t, "faults for", durations...), int(whatever(t, "pods", numbers...))
	c.Without = whatever(t, "without", nil, []sim.Kind{sim.KindReplicaSet}, []sim.Kind{"x"})
	c.Times = cluster.Times{Start: whatever(t, "start", nil, spread)}
	c.Controllers = []sim.Reconciler{{Name: whatever(t, "name", "a", ""), For: whatever(t, "for", "x", "", sim.KindPod, sim.KindRollout), Reconcile: nothing}}
	c.Autoscalers = []sim.Autoscaler{{Name: "a", Every: whatever(t, "every", durations...), Desired: alone}}
	text := whatever(t, "text", "", "x", "OpenKruise")
	c.Deployment = deploy.Options{Paused: deploy.PausedPolicy(whatever(t, "paused", "", "x")), Sets: map[string]deploy.SetPolicy{text: {}}}
	c.ReplicaSet = replicaset.Options{Burst: whatever(t, "burst", numbers...), InitialBatch: whatever(t, "batch", numbers...), Dialect: replicaset.Dialect(text)}
	c.DaemonSet = daemonset.Options{SkipDeadNodes: whatever(t, "dead", numbers...), Dialect: daemonset.Dialect(text)}
	return c
}

// TestAnyConfig: New and all that a world does then survive every configuration, and whatever is
// wrong with one is an error with a field.
func TestAnyConfig(t *testing.T) {
	refused, ended, gone := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfig(t)
		s := cluster.Snapshot{Nodes: equalNodes(2, 5), Deployments: []deploy.Deployment{webDeployment("v1", 3)}, DaemonSets: []daemonset.DaemonSet{webDaemonSet("v1")}}
		w, err := sim.New(s, c)
		if err != nil {
			refused++
			paths(t, err)
			return
		}
		for range 500 {
			more, err := w.Step()
			if err != nil {
				ended++
				require.ErrorIs(t, err, kplan.ErrInvalid)
				var field *kplan.FieldError
				require.True(t, errors.As(err, &field) && field.Path != "", "%v", err)
			}
			if err != nil || !more {
				break
			}
		}
		gone++
	})
	t.Log(refused, "refused,", ended, "ended,", gone, "went on")
	require.Positive(t, min(refused, ended, gone))
}

// A world in which controllers make more plans than they may ends, and others do not.
func TestMaxPlans(t *testing.T) {
	plans := func(most int) (int, error) {
		w := newWorld(t, cluster.Snapshot{}, sim.Config{MaxPlans: most, Times: lives})
		require.NoError(t, w.Put(webDeployment("v1", 5)))
		_, err := w.Settle(24 * time.Hour)
		return w.Report().Plans, err
	}
	all, err := plans(0)
	require.NoError(t, err)
	_, err = plans(all)
	require.NoError(t, err)
	made, err := plans(all - 1)
	require.ErrorIs(t, err, sim.ErrTooLong)
	require.Equal(t, all, made)
}
