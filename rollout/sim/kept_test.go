// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A keeper keeps what a world has shown, and what it was then.
type keeper struct {
	objects []any
	were    []string
}

func (k *keeper) keep(o any) {
	k.objects, k.were = append(k.objects, o), append(k.were, text(o))
}

func text(o any) string {
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// keepAll keeps what a view shows that may be kept.
func (k *keeper) keepAll(v sim.View) {
	k.keep(v.Deployments())
	k.keep(v.ReplicaSets())
	for _, d := range v.Deployments() {
		k.keep(v.Deployment(d.Name))
		k.keep(v.ReplicaSetsOf(d.UID))
	}
	for _, rs := range v.ReplicaSets() {
		k.keep(v.ReplicaSet(rs.Name))
	}
}

// Property: Deployments and ReplicaSets that somebody has read stay what they were, whatever becomes
// of the world, and so does what planners have seen, and all of a snapshot.
func TestShownStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &keeper{}
		c := sim.Config{Times: lives, Latency: time.Duration(rapid.IntRange(0, 1).Draw(t, "latency")) * time.Second}
		if rapid.Bool().Draw(t, "planners") {
			c.PlanDeployment = func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
				p, err := deploy.Reconcile(s, now, o)
				s.ReplicaSets = slices.Clone(s.ReplicaSets)
				k.keep([]any{s.Deployment, s.ReplicaSets, p})
				return p, err
			}
			c.PlanReplicaSet = func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := replicaset.Reconcile(s, now, o)
				k.keep([]any{s.ReplicaSet, slices.Clone(s.Siblings), p})
				return p, err
			}
		}
		if rapid.Bool().Draw(t, "observer") {
			c.Autoscalers = []sim.Autoscaler{{Name: "looks", Desired: func(v sim.View) map[string]int32 { k.keepAll(v); return nil }}}
		}
		w, err := sim.New(cluster.Snapshot{Nodes: equalNodes(3, 8)}, c)
		require.NoError(t, err)
		for range rapid.IntRange(1, 8).Draw(t, "deeds") {
			d := many(1, rapid.Int32Range(0, 6).Draw(t, "replicas"), fmt.Sprint("v", rapid.IntRange(1, 3).Draw(t, "template")))[0].(deploy.Deployment)
			d.Name = fmt.Sprint("web-", rapid.IntRange(0, 2).Draw(t, "whom"))
			d.UID, d.TemplateLabels = d.Name, map[string]string{"app": d.Name}
			d.Paused = rapid.IntRange(0, 5).Draw(t, "paused") == 0
			require.NoError(t, w.Put(d))
			k.keepAll(w.View())
			for range rapid.IntRange(0, 40).Draw(t, "steps") {
				_, err := w.Step()
				require.NoError(t, err)
			}
			k.keepAll(w.View())
			k.keep(w.Snapshot())
		}
		_, err = w.Settle(time.Hour)
		require.NoError(t, err)
		for i, o := range k.objects {
			require.Equal(t, k.were[i], text(o))
		}
	})
}
