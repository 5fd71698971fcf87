// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// fourBatches is a release of a Deployment with so many pods in four batches.
func fourBatches(replicas int32) RolloutRelease {
	c := RolloutRelease{
		Now: Epoch, Template: revision.Template{ID: "v2"}, Rollout: kruise.Rollout{Name: "web", Canary: &kruise.Strategy{}},
		Deployment: deploy.Deployment{
			Replicas: ptr.To(replicas), Template: revision.Template{ID: "v1"}, Strategy: deploy.RollingUpdate,
			MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		},
	}
	for _, percent := range []int32{25, 50, 75, 100} {
		c.Rollout.Canary.Steps = append(c.Rollout.Canary.Steps, kruise.Step{
			Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: ptr.To(int32(60))},
		})
	}
	return c
}

// TestRecorderCounts: the ready pods that a recorder counts by what has changed are those
// that there are.
func TestRecorderCounts(t *testing.T) {
	for seed := range uint64(5) {
		k := Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: 5 * time.Second, Seed: seed}
		w, rec, err := beginRollout(fourBatches(20), RolloutConfig{Kubelet: k})
		require.NoError(t, err)
		writes := 0
		w.Observer.Write = func(e Write) error {
			writes++
			ready := map[string]int32{}
			for _, p := range e.After.Pods {
				if p.Ready && p.Phase == podorder.Running && p.DeletionTimestamp.IsZero() {
					ready[p.ControllerUID]++
				}
			}
			for uid, n := range rec.ready {
				require.Equal(t, ready[uid], n)
				delete(ready, uid)
			}
			require.Empty(t, ready)
			return nil
		}
		require.NoError(t, w.runCalm(0, 0))
		require.True(t, rec.result().Done)
		require.Greater(t, writes, 100)
	}
}

// TestRolloutPlansFew: pods that are labelled at once are not planned for one by one.
func TestRolloutPlansFew(t *testing.T) {
	w, rec, err := beginRollout(fourBatches(1_000), RolloutConfig{Kubelet: Kubelet{ReadyAfter: 10 * time.Second}})
	require.NoError(t, err)
	require.NoError(t, w.runCalm(0, 0))
	require.True(t, rec.result().Done)
	require.Less(t, w.Plans, 500)
}

// TestRunRolloutFollows: a release goes the same way whether Trackers plan for its Deployment,
// its ReplicaSets and its batches or all pods are read each time, with each write and each plan.
func TestRunRolloutFollows(t *testing.T) {
	styles := map[string]func(*kruise.Strategy) kruise.Rollout{
		"partition": func(s *kruise.Strategy) kruise.Rollout { return kruise.Rollout{Name: "web", Canary: s} },
		"canary": func(s *kruise.Strategy) kruise.Rollout {
			s.EnableExtraWorkloadForCanary = true
			return kruise.Rollout{Name: "web", Canary: s}
		},
		"blue-green": func(s *kruise.Strategy) kruise.Rollout { return kruise.Rollout{Name: "web", BlueGreen: s} },
	}
	for name, style := range styles {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(12) {
				went := map[bool][]string{}
				for _, follows := range []bool{false, true} {
					c := fourBatches(int32(3 + seed))
					c.Rollout = style(c.Rollout.Canary)
					k := Kubelet{ScheduleAfter: time.Second, ReadyAfter: 3 * time.Second, TerminateAfter: 2 * time.Second, Jitter: 5 * time.Second, Seed: seed, Nodes: 3}
					w, rec, err := beginRollout(c, RolloutConfig{Kubelet: k})
					require.NoError(t, err)
					w.followed, w.Trace = follows, func(line string) { went[follows] = append(went[follows], line) }
					w.Observer.Batch = func(p Planned[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]) error {
						require.True(t, !follows || len(p.Snapshot.Pods) == 0, "nobody lists the pods of a batch")
						return nil
					}
					require.NoError(t, w.runCalm(time.Duration(3+seed)*time.Minute, 0))
					require.NotEmpty(t, rec.result().Steps)
				}
				require.Equal(t, went[false], went[true], "seed %d", seed)
			}
		})
	}
}
