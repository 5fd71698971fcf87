package rollout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// Limits, lower bound and sizes.
func TestPartitionFormulas(t *testing.T) {
	p, n := rollout.Percent, rollout.Int
	partitions := []rollout.IntOrPercent{n(0), p(1), p(20), p(50), p(99), p(100), p(101), n(5), n(50), {}}
	for replicas, limits := range map[int32][]int32{
		1: {0, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 2: {0, 1, 1, 1, 1, 2, 1, 2, 2, 0}, 6: {0, 1, 2, 3, 5, 6, 5, 5, 6, 0}, 100: {0, 1, 20, 50, 99, 100, 99, 5, 50, 0},
	} {
		for i, v := range partitions {
			require.Equal(t, limits[i], rollout.PartitionLimit(v, replicas), "%v of %d", v, replicas)
		}
	}
	budget := func(replicas int32, surge, unavailable rollout.IntOrPercent) rollout.Budget {
		return rollout.PartitionBudget(replicas, &rollout.RollingUpdate{MaxSurge: surge, MaxUnavailable: unavailable}, 0)
	}
	require.Equal(t, rollout.Budget{Replicas: 6, Surge: 2, Unavailable: 1}, budget(6, p(25), p(25)))
	require.Equal(t, rollout.Budget{Replicas: 6}, rollout.PartitionBudget(6, nil, 0), "no limits at all")
	exact := rollout.LimitsWrapAround
	require.Equal(t, rollout.Budget{Replicas: 6}, rollout.PartitionBudget(6, nil, exact), "no limits at all")
	require.Equal(t, rollout.Budget{Replicas: 6, Surge: 2}, rollout.PartitionBudget(6, &rollout.RollingUpdate{MaxSurge: n(2)}, exact))
	require.Equal(t, rollout.Budget{Replicas: 6, Unavailable: 1}, budget(6, n(0), n(0)), "both 0")
	require.Equal(t, rollout.Budget{Replicas: 6, Unavailable: 1}, budget(6, unset, unset), "both unset")
	require.Equal(t, rollout.Budget{}, budget(0, n(0), n(0)), "capped")
	require.Equal(t, rollout.Budget{Replicas: 3, Unavailable: 3}, budget(3, n(0), n(9)))
	for _, c := range []struct{ surge, replicas, want int32 }{{1, 6, 0}, {0, 6, 1}, {0, 0, 0}} {
		require.Equal(t, c.want, rollout.PartitionLowerBound(rollout.Budget{Replicas: c.replicas, Surge: c.surge}))
	}
	six := budget(6, p(25), p(25))
	for _, c := range []struct {
		why        string
		partition  rollout.IntOrPercent
		total      int64
		size, want int32
	}{
		{"the only one ignores the partition", p(20), 1, 1, 6}, {"at the limit", p(20), 6, 2, 2}, {"above it, it never shrinks", p(20), 6, 5, 5}, {"no surge left", p(100), 8, 3, 3},
		{"as far as the surge", p(100), 6, 3, 5}, {"to the limit", p(20), 6, 0, 2}, {"by one", p(50), 6, 2, 3},
	} {
		require.Equal(t, c.want, rollout.PartitionNewSize(c.partition, six, c.total, c.size), c.why)
	}
	require.Equal(t, int64(2), rollout.PartitionOldLimit(p(20), 6, 6, 2))
	require.Equal(t, int64(-1), rollout.PartitionOldLimit(p(20), 6, 3, 0), "old pods are missing")
	require.Equal(t, int64(3), rollout.PartitionOldLimit(p(20), 6, 4, 5), "the new one is over its limit")
}

// The defaults of the annotation.
func TestStrategyDefaults(t *testing.T) {
	p, n := rollout.Percent, rollout.Int
	for _, c := range []struct {
		why                string
		style              string
		ru                 *rollout.RollingUpdate
		surge, unavailable rollout.IntOrPercent
	}{
		{"nothing is there", "Partition", nil, unset, p(25)}, {"the surge stays unset, and the other is lost", "Partition", &rollout.RollingUpdate{MaxUnavailable: n(2)}, unset, p(25)},
		{"unset unavailability", "Partition", &rollout.RollingUpdate{MaxSurge: n(2)}, n(2), p(25)}, {"both", "Partition", &rollout.RollingUpdate{MaxSurge: n(2), MaxUnavailable: n(3)}, n(2), n(3)},
		{"both 0", "Partition", &rollout.RollingUpdate{MaxSurge: p(0), MaxUnavailable: n(0)}, n(0), n(1)},
		{"another style", "partition", &rollout.RollingUpdate{MaxSurge: n(2)}, n(2), unset},
	} {
		got := rollout.DeploymentStrategy{RollingStyle: c.style, RollingUpdate: c.ru}.Default(0).RollingUpdate
		require.Equal(t, rollout.RollingUpdate{MaxSurge: c.surge, MaxUnavailable: c.unavailable}, *got, c.why)
	}
	require.Nil(t, rollout.DeploymentStrategy{}.Default(0).RollingUpdate)
}

// Which pods of a native DaemonSet go.
func TestNativeVictims(t *testing.T) {
	old := func(name string, change func(p *rollout.DaemonSetPod)) rollout.DaemonSetPod {
		p := rollout.DaemonSetPod{Name: name, Revision: "old", Ready: true, CreationTimestamp: now}
		if change != nil {
			change(&p)
		}
		return p
	}
	pods := []rollout.DaemonSetPod{
		old("older", func(p *rollout.DaemonSetPod) { p.CreationTimestamp = now.Add(-time.Hour) }), old("newer", nil),
		old("dear", func(p *rollout.DaemonSetPod) { p.DeletionCost = "5" }), old("cheap", func(p *rollout.DaemonSetPod) { p.DeletionCost = "-5" }),
		old("unready", func(p *rollout.DaemonSetPod) { p.Ready = false }), old("pending", func(p *rollout.DaemonSetPod) { p.Ready, p.Pending = false, true }),
	}
	fresh := rollout.DaemonSetPod{Name: "fresh", Revision: "new", Ready: true}
	broken := rollout.DaemonSetPod{Name: "broken", Revision: "new"}
	for _, c := range []struct {
		why       string
		partition string
		limit     rollout.IntOrPercent
		more      []rollout.DaemonSetPod
		want      string
	}{
		{"pending, not ready, then by cost and age", "0", rollout.Int(9), nil, "[pending unready cheap newer older dear]"},
		{"the leading number is the partition", "3x", rollout.Int(9), nil, "[pending unready cheap]"}, {"50% is 50", "50%", rollout.Int(9), nil, "[]"},
		{"blanks in front are skipped", " 3 ", rollout.Int(9), nil, "[pending unready cheap]"},
		{"ready ones are limited, others are not", "0", unset, nil, "[pending unready cheap]"}, {"what is updated and not ready uses the limit", "0", rollout.Int(1), []rollout.DaemonSetPod{broken}, "[pending unready]"},
		{"a share, rounded down", "0", rollout.Percent(34), nil, "[pending unready cheap newer]"}, {"at least 1", "0", rollout.Percent(1), nil, "[pending unready cheap]"},
		{"no need", "6", rollout.Int(9), []rollout.DaemonSetPod{fresh}, "[]"}, {"need 2 less 1", "5", rollout.Int(9), []rollout.DaemonSetPod{fresh}, "[pending]"},
	} {
		b := rollout.NativeBatch{Partition: c.partition, Revision: "new", MaxUnavailable: c.limit, DesiredNumberScheduled: 6, Pods: append(c.more, pods...)}
		got, err := b.Victims(0)
		require.NoError(t, err)
		require.Equal(t, c.want, fmt.Sprint(got), c.why)
	}
	_, err := rollout.NativeBatch{Partition: "x", Revision: "new", Pods: pods}.Victims(0)
	require.ErrorIs(t, err, rollout.ErrInvalid)
}

// The table, the weights and the worked passes of Argo.
func TestArgoCounts(t *testing.T) {
	for _, c := range []struct{ replicas, weight, surge, canary, stable int32 }{
		{10, 20, 1, 2, 8}, {3, 50, 1, 2, 2}, {3, 50, 0, 2, 1}, {1, 50, 1, 1, 1}, {1, 50, 0, 1, 0}, {5, 10, 0, 1, 4}, {6, 20, 2, 1, 5}, {0, 50, 1, 0, 0},
		{6, 50, 2, 3, 3}, {6, 100, 2, 6, 0}, {6, 0, 2, 0, 6},
	} {
		require.Equal(t, rollout.ArgoCounts{Canary: c.canary, Stable: c.stable}, rollout.ArgoApproximate(c.replicas, c.weight, 100, c.surge), "%+v", c)
	}
	weight := func(w int32) rollout.ArgoStep { return rollout.ArgoStep{SetWeight: &w} }
	index := func(i int32) *int32 { return &i }
	steps := []rollout.ArgoStep{{Pause: &rollout.ArgoPause{}}, weight(10), {Pause: &rollout.ArgoPause{}}, weight(40)}
	for _, c := range []struct {
		why    string
		change func(r *rollout.ArgoRollout)
		want   int32
	}{
		{"none yet", func(r *rollout.ArgoRollout) { r.CurrentStepIndex = index(0) }, 0}, {"at it", func(r *rollout.ArgoRollout) { r.CurrentStepIndex = index(1) }, 10},
		{"the last before", func(r *rollout.ArgoRollout) { r.CurrentStepIndex = index(2) }, 10}, {"behind the end", func(r *rollout.ArgoRollout) { r.CurrentStepIndex = index(4) }, 100},
		{"no steps", func(r *rollout.ArgoRollout) { r.Steps = nil }, 100}, {"aborted", func(r *rollout.ArgoRollout) { r.Abort = true }, 0},
		{"promoted in full, aborted or not", func(r *rollout.ArgoRollout) { r.PromoteFull, r.Abort = true, true }, 100},
		{"no stable one", func(r *rollout.ArgoRollout) { r.StableRS = "" }, 100}, {"it is the stable one", func(r *rollout.ArgoRollout) { r.CurrentPodHash = "s" }, 100},
	} {
		r := rollout.ArgoRollout{Steps: steps, CurrentStepIndex: index(1), CurrentPodHash: "n", StableRS: "s"}
		c.change(&r)
		require.Equal(t, c.want, r.DesiredWeight(), c.why)
	}
	for _, c := range []struct{ replicas, weight, surge, unavailable, canary, stable, wantCanary, wantStable int32 }{
		{10, 10, 1, 1, 0, 10, 1, 9}, {10, 30, 3, 0, 0, 10, 3, 10}, {10, 30, 0, 5, 0, 10, 0, 7}, {1, 5, 1, 0, 0, 1, 1, 1},
	} {
		set := func(n int32) *rollout.ArgoSet {
			return &rollout.ArgoSet{Replicas: n, AvailableReplicas: n, StatusReplicas: n}
		}
		r := rollout.ArgoRollout{
			Replicas: &c.replicas, MaxSurge: rollout.Int(c.surge), MaxUnavailable: rollout.Int(c.unavailable), Steps: []rollout.ArgoStep{weight(c.weight)},
			CurrentStepIndex: index(0), CurrentPodHash: "n", StableRS: "s", Canary: set(c.canary), Stable: set(c.stable),
		}
		require.Equal(t, rollout.ArgoCounts{Canary: c.wantCanary, Stable: c.wantStable}, r.Basic(), "%+v", c)
		r.Others = []rollout.ArgoSet{{Replicas: 1}}
		require.Equal(t, c.stable, r.Basic().Stable, "other templates have pods: nothing shrinks")
	}
}

// Sizes with traffic routing.
func TestArgoRoutedCounts(t *testing.T) {
	weight := func(w int32) rollout.ArgoStep { return rollout.ArgoStep{SetWeight: &w} }
	scale := func(s rollout.ArgoCanaryScale) rollout.ArgoStep { return rollout.ArgoStep{SetCanaryScale: &s} }
	for _, c := range []struct {
		why            string
		change         func(r *rollout.ArgoRollout)
		canary, stable int32
	}{
		{"25% of 10, rounded up", func(r *rollout.ArgoRollout) {}, 3, 10},
		{"of another largest weight", func(r *rollout.ArgoRollout) { r.MaxTrafficWeight = 1000 }, 1, 10},
		{"so many pods", func(r *rollout.ArgoRollout) {
			r.Steps = append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(7))}))
		}, 7, 10},
		{"so much weight", func(r *rollout.ArgoRollout) {
			r.Steps = append(r.Steps, scale(rollout.ArgoCanaryScale{Weight: new(int32(50))}))
		}, 5, 10},
		{"as the traffic again", func(r *rollout.ArgoRollout) {
			r.Steps = append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(7)), MatchTrafficWeight: true}))
		}, 3, 10},
		{"at least", func(r *rollout.ArgoRollout) { r.MinPodsPerReplicaSet = new(int32(4)) }, 4, 10},
		{"but no more than there are", func(r *rollout.ArgoRollout) { r.MinPodsPerReplicaSet = new(int32(99)) }, 10, 10},
		{"not of so many pods", func(r *rollout.ArgoRollout) {
			r.MinPodsPerReplicaSet, r.Steps = new(int32(4)), append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(2))}))
		}, 2, 10},
		{"the stable ones follow", func(r *rollout.ArgoRollout) { r.DynamicStableScale = true }, 3, 8},
		{"but not before the traffic", func(r *rollout.ArgoRollout) {
			r.DynamicStableScale, r.Weights = true, &rollout.ArgoWeights{Stable: 95, Canary: 5}
		}, 3, 10},
		{"dynamic, so many pods: the weight is 0", func(r *rollout.ArgoRollout) {
			r.DynamicStableScale, r.Steps = true, append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(2))}))
		}, 2, 10},
		{"aborted", func(r *rollout.ArgoRollout) { r.Abort = true }, 0, 10},
		{"aborted: a scale is ignored", func(r *rollout.ArgoRollout) {
			r.Abort, r.Steps = true, append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(2))}))
		}, 0, 10},
		{"unless its pods are kept for ever", func(r *rollout.ArgoRollout) {
			r.Abort, r.AbortScaleDownDelaySeconds, r.Steps = true, new(int32(0)), append(r.Steps, scale(rollout.ArgoCanaryScale{Replicas: new(int32(2))}))
		}, 2, 10},
	} {
		r := rollout.ArgoRollout{Replicas: new(int32(10)), TrafficRouting: true, Steps: []rollout.ArgoStep{weight(25)}, CurrentPodHash: "n", StableRS: "s"}
		c.change(&r)
		r.CurrentStepIndex = new(int32(len(r.Steps) - 1))
		require.Equal(t, rollout.ArgoCounts{Canary: c.canary, Stable: c.stable}, r.Routed(), c.why)
	}
	pods, percent := &rollout.ArgoThreshold{Type: "Pods", Value: 3}, &rollout.ArgoThreshold{Type: "Percent", Value: 30}
	var none *rollout.ArgoThreshold
	odd := &rollout.ArgoThreshold{Type: "odd", Value: 3} // is a number of pods, as Argo reads it
	for _, c := range []struct {
		threshold                *rollout.ArgoThreshold
		spec, available, desired int32
		want                     bool
	}{
		{none, 10, 10, 10, true}, {none, 10, 9, 10, false}, {none, 9, 10, 10, false}, {&rollout.ArgoThreshold{Type: "Pods", Value: -1}, 10, 9, 10, false},
		{pods, 10, 3, 10, true}, {pods, 10, 2, 10, false}, {percent, 10, 3, 10, true}, {percent, 10, 2, 10, false}, {percent, 0, 0, 0, true},
		{&rollout.ArgoThreshold{Type: "Percent", Value: 2_000_000}, 1, 20_000, 1, true}, // exactly, where the tolerance is lost in rounding
		{odd, 10, 10, 10, true}, {odd, 10, 2, 10, false}, {odd, 9, 10, 10, true}, {odd, 10, 3, 10, true},
		{&rollout.ArgoThreshold{Value: 3}, 10, 3, 10, true}, {&rollout.ArgoThreshold{Value: 3}, 10, 2, 10, false},
	} {
		require.Equal(t, c.want, c.threshold.Met(c.spec, c.available, c.desired), "%+v", c)
	}
	// An aborted canary whose stable pods come back serves what they do not yet, and
	// what its own pods can, unless these are about to go.
	for _, c := range []struct {
		delay *int32
		want  int32
	}{{nil, 60}, {new(int32(0)), 60}, {new(int32(30)), 20}} {
		r := rollout.ArgoRollout{
			Replicas: new(int32(10)), TrafficRouting: true, DynamicStableScale: true, Abort: true, AbortScaleDownDelaySeconds: c.delay,
			Stable: &rollout.ArgoSet{AvailableReplicas: 6}, Canary: &rollout.ArgoSet{AvailableReplicas: 8},
			Steps: []rollout.ArgoStep{weight(20), weight(60), weight(90)}, CurrentPodHash: "n", StableRS: "s",
		}
		require.Equal(t, c.want, r.CanaryWeight(), "%v", c.delay)
	}
	// Delays: 30 s, none without traffic, for ever with 0.
	for _, c := range []struct {
		style      rollout.ArgoStyle
		configured *int32
		down       int32
		abort      *int32
	}{
		{rollout.ArgoStyleCanary, new(int32(5)), 0, new(int32(0))}, {rollout.ArgoStyleRouted, nil, 30, new(int32(30))},
		{rollout.ArgoStyleBlueGreen, new(int32(5)), 5, new(int32(5))}, {rollout.ArgoStyleRouted, new(int32(0)), 0, nil},
	} {
		require.Equal(t, c.down, rollout.ArgoScaleDownDelay(c.style, c.configured))
		abort, _ := rollout.ArgoAbortDelay(c.style, c.configured)
		require.Equal(t, c.abort, abort)
	}
}
