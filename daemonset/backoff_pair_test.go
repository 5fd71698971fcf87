// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// failedBesidePair is a node with a new pod that is ready and not available, an old one
// beside it, and two failed pods. A delay of 2 s was last used 1801 s ago, and so is
// forgotten.
func failedBesidePair(ready time.Duration) daemonset.Snapshot {
	s := cluster(1,
		pod("p10", "n1", "v2", aged(300*time.Second), readyFor(ready)),
		pod("p21", "n1", "v1", aged(200*time.Second), failed, func(p *daemonset.Pod) { p.NodeName, p.PinnedNode = "", "n1" }),
		pod("p2", "n1", "v1", gated, func(p *daemonset.Pod) { p.InPlace = &inplace.ReadyCondition{} }),
		pod("p3", "n1", "v1", failed),
	)
	s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable, s.DaemonSet.MinReadySeconds = rollout.Int(1), rollout.Int(0), 10
	s.Backoff = daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: 2 * time.Second, Since: t0.Add(-1801 * time.Second)}}
	return s
}

func agentKey(node string) daemonset.BackoffKey {
	d := agent()
	return daemonset.BackoffKey{UID: d.UID, Generation: d.Status.ObservedGeneration, Node: node}
}

// The first failed pod goes and starts a delay, which the second one waits for,
// whatever the pair beside them waits for. The new pod becomes available after 10
// seconds; OpenKruise looks again after what is left of these, and not if nothing is.
func TestFailedBesidePair(t *testing.T) {
	for _, tt := range []struct {
		name           string
		ready, recheck time.Duration
		opts           daemonset.Options
		requeue        time.Duration
	}{
		{"the boundary of OpenKruise", 10 * time.Second, 1, kruise, time.Second},
		{"the delay ends first", 3 * time.Second, time.Second, kruise, time.Second},
		{"the delay ends first, Kubernetes", 3 * time.Second, time.Second, daemonset.Options{}, time.Second},
		{"available before the delay ends", 9500 * time.Millisecond, 500*time.Millisecond + 1, kruise, 500 * time.Millisecond},
		{"available before the delay ends, Kubernetes", 9500 * time.Millisecond, 500 * time.Millisecond, daemonset.Options{}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := failedBesidePair(tt.ready)
			rules := daemonset.NodeRules{
				Surge: true, Version: daemonset.NewVersion("v2", nil), Options: tt.opts,
				Availability: daemonset.Availability{MinReadySeconds: 10, Now: t0, Strict: tt.opts.Dialect == daemonset.OpenKruise},
			}
			c := daemonset.NodeCase{ShouldRun: true, ShouldContinueRunning: true, Exists: true, NextDelay: time.Second}
			for i := range s.Pods {
				c.Pods = append(c.Pods, &s.Pods[i])
			}
			d := rules.Decide(&c)
			require.Equal(t, tt.requeue, d.Requeue)
			require.Equal(t, tt.recheck, d.RecheckAt.Sub(t0))
			require.Equal(t, []daemonset.Deletion{{Pod: &s.Pods[1], Reason: reason.Failed}}, d.Delete)

			p := mustPlan(t, s, tt.opts)
			require.Equal(t, []string{"p21"}, deleted(p))
			require.Equal(t, daemonset.Backoff{{BackoffKey: agentKey("n1"), Delay: time.Second, Since: t0}}, p.Backoff)
			require.Contains(t, p.Holds, kplan.Hold{Node: "n1", Name: "p3", Reason: reason.Backoff, Limit: 1}, "the delay, not what the pair waits for")
			require.Equal(t, tt.recheck, p.RecheckAt.Sub(t0))
		})
	}
}
