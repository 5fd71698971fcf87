// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// TestFollowedRuns: a run of Trackers, which see of pods what has changed and is of their concern, is one of
// planners that see all, whatever the order in which pods go. There are more changes than the journal
// remembers, and among the pods that go are new ones that have no node yet.
func TestFollowedRuns(t *testing.T) {
	unusual := podorder.Order{Stages: []podorder.Stage{{Rule: podorder.RuleNeighbours}, {Rule: podorder.RuleUnassigned}}}
	for i, order := range []podorder.Order{{}, unusual} {
		for seed := range uint64(6) {
			size := int32(20)
			if seed == 0 && i == 0 {
				size = 700
			}
			k := Kubelet{ScheduleAfter: time.Second, ReadyAfter: 5 * time.Second, TerminateAfter: 3 * time.Second, Jitter: 4 * time.Second, Seed: seed, Nodes: 3}
			cfg := Config{Kubelet: k, TimeLimit: 3 * time.Second, ReplicaSetOptions: replicaset.Options{Burst: 1_000, Order: order}}
			start := updated(finished(t, deployment("old", size, quarter, quarter)), deployment("new", size, quarter, quarter))
			for _, next := range []string{"old", "new", ""} {
				got := followedRun(t, start, cfg, fmt.Sprint(order, seed, next))
				start = updated(got.Cluster, deployment(next, size, quarter, quarter))
				cfg.TimeLimit = map[string]time.Duration{"old": 4 * time.Second}[next]
			}
		}
	}
}

// TestFollowedRunsOfAll: so it is whatever else a run is made of. Controllers of a run are not told of what no
// plan reads; planners that see all are asked then, too.
func TestFollowedRunsOfAll(t *testing.T) {
	for name, change := range map[string]func(*Config, *deploy.Deployment){
		"recreate":    func(_ *Config, d *deploy.Deployment) { d.Strategy = deploy.Recreate },
		"deadline":    func(_ *Config, d *deploy.Deployment) { d.ProgressDeadlineSeconds = ptr.To(int32(3)) },
		"available":   func(_ *Config, d *deploy.Deployment) { d.MinReadySeconds = 2 },
		"quota":       func(c *Config, _ *deploy.Deployment) { c.Kubelet.MaxPods = ptr.To(42) },
		"burst":       func(c *Config, _ *deploy.Deployment) { c.ReplicaSetOptions.Burst = 2 },
		"terminating": func(c *Config, _ *deploy.Deployment) { c.Options.Terminating = deploy.TerminationComplete },
		"unreported":  func(c *Config, _ *deploy.Deployment) { c.ReplicaSetOptions.OmitTerminating = true },
		"late":        func(c *Config, _ *deploy.Deployment) { c.Latency = time.Second },
		"autoscaled":  func(c *Config, _ *deploy.Deployment) { c.Autoscaled = ptr.To(int32(55)) },
		"scaled in":   func(c *Config, _ *deploy.Deployment) { c.Autoscaled = ptr.To(int32(7)) },
		"never ready": func(c *Config, _ *deploy.Deployment) {
			c.Kubelet.NeverReady = func(p podorder.Pod, t revision.Template) bool { return t.ID == "new" && Serial(p.UID)%3 == 0 }
		},
		"room": func(c *Config, _ *deploy.Deployment) {
			c.Kubelet.Room = &Room{
				Free:  map[string][]int64{"node-1": {12}, "node-2": {5}, "node-3": {4}},
				Needs: func(podorder.Pod, revision.Template) []int64 { return []int64{1} },
			}
		},
	} {
		for seed := range uint64(4) {
			cfg := Config{
				Kubelet:   Kubelet{ScheduleAfter: time.Second, ReadyAfter: 5 * time.Second, TerminateAfter: 3 * time.Second, Jitter: 4 * time.Second, Seed: seed, Nodes: 3},
				TimeLimit: 5 * time.Minute,
			}
			d := deployment("new", 40, quarter, quarter)
			change(&cfg, &d)
			followedRun(t, updated(finished(t, deployment("old", 40, quarter, quarter)), d), cfg, fmt.Sprint(name, seed))
		}
	}
}

// TestFollowedRunsThatClaim: so it is of pods that are adopted and released before the quota refuses others.
func TestFollowedRunsThatClaim(t *testing.T) {
	for seed := range uint64(4) {
		start := finished(t, deployment("old", 40, quarter, quarter))
		start.ReplicaSets[0].Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "NotIn", Values: []string{"c"}}}}
		for i, p := range start.Pods[:12] {
			claimed := *p
			if claimed.Labels = map[string]string{"a": "c"}; i < 6 {
				claimed.Labels, claimed.ControllerUID, claimed.ControllerName, claimed.ControllerKind = nil, "", "", ""
			}
			start.Pods[i] = &claimed
		}
		k := Kubelet{ScheduleAfter: time.Second, ReadyAfter: 5 * time.Second, Jitter: 4 * time.Second, Seed: seed, Nodes: 3, MaxPods: ptr.To(42)}
		followedRun(t, updated(start, deployment("new", 40, quarter, quarter)), Config{Kubelet: k, TimeLimit: 5 * time.Minute}, fmt.Sprint(seed))
	}
}

// followedRun returns a run, which is that of planners that see all.
func followedRun(t *testing.T, start Cluster, cfg Config, what string) Result {
	seen := cfg
	seen.PlanDeployment, seen.PlanReplicaSet = deploy.Reconcile, replicaset.Reconcile
	want, err := Run(start, seen)
	require.NoError(t, err, what)
	got, err := Run(start, cfg)
	require.NoError(t, err, what)
	require.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreUnexported(Cluster{})), what)
	return got
}
