// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// released is a release of six pods of a kind in steps of 20%, 50% and 100%.
func released(apiVersion, kind string, change func(*podset.Set)) sim.RolloutRelease {
	r := echoserver(ptr.To(int32(60)), ptr.To(int32(120)), ptr.To(int32(300)))
	r.Set = &podset.Set{Workload: workload.Workload{
		Ref: workload.Ref{APIVersion: apiVersion, Kind: kind, Name: "echoserver"}, Replicas: ptr.To(int32(6)), Template: revision.Template{ID: "v1"},
		RollingUpdate: &partition.RollingUpdate{},
	}}
	change(r.Set)
	return r
}

// TestRunRolloutOfSets: the sizes of releases over workloads that have no ReplicaSets. Each
// pauses with the same numbers as a Deployment does, and moves in its own way in between.
func TestRunRolloutOfSets(t *testing.T) {
	const clones, advanced = "apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"
	limits := func(surge, unavailable int32) *partition.RollingUpdate {
		return &partition.RollingUpdate{MaxSurge: rollout.Int(surge), MaxUnavailable: rollout.Int(unavailable)}
	}
	oneByOne := []string{"0/6", "0/5", "1/5", "1/4", "2/4", "2/3", "3/3", "3/2", "4/2", "4/1", "5/1", "5/0", "6/0"}
	tests := []struct {
		name    string
		release sim.RolloutRelease
		want    []string
		least   int32 // available
		most    int32 // there
	}{
		{"CloneSet", released(clones, "CloneSet", func(*podset.Set) {}), []string{
			"0/6", "0/5", "0/4", "1/4", "2/4", "2/3", "3/3", "3/2", "3/1", "4/1", "5/1", "5/0", "6/0",
		}, 4, 6},
		{"CloneSet with a surge", released(clones, "CloneSet", func(s *podset.Set) { s.RollingUpdate = limits(2, 0) }), []string{
			"0/6", "1/6", "2/6", "2/5", "2/4", "3/4", "3/3", "4/3", "5/3", "5/2", "5/1", "6/1", "6/0",
		}, 6, 8},
		{"CloneSet in place", released(clones, "CloneSet", func(s *podset.Set) { s.InPlace, s.RollingUpdate = true, limits(0, 3) }), []string{
			"0/6", "1/5", "2/4", "3/3", "4/2", "5/1", "6/0",
		}, 3, 6},
		{"StatefulSet", released("apps/v1", "StatefulSet", func(*podset.Set) {}), oneByOne, 5, 6},
		{"Advanced StatefulSet", released(advanced, "StatefulSet", func(s *podset.Set) { s.RollingUpdate, s.Parallel = limits(0, 2), true }), []string{
			"0/6", "0/5", "0/4", "1/4", "2/4", "2/3", "3/3", "3/2", "3/1", "4/1", "5/1", "5/0", "6/0",
		}, 4, 6},
		{"Advanced StatefulSet in any order", released(advanced, "StatefulSet", func(s *podset.Set) { s.Unordered, s.MinReadySeconds = true, 5 }), oneByOne, 5, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := sim.RunRollout(tt.release, sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second}})
			require.NoError(t, err)
			require.True(t, r.Done, "%v", r.Holds)
			require.Equal(t, tt.want, sizes(r))
			paused := map[int32]string{}
			for _, s := range r.Steps {
				require.GreaterOrEqual(t, s.Available, tt.least)
				require.LessOrEqual(t, s.New+s.Old, tt.most)
				if s.State == kruise.StatePaused {
					paused[s.Step] = fmt.Sprintf("%d/%d", s.New, s.Old)
				}
			}
			require.Equal(t, map[int32]string{1: "2/4", 2: "3/3", 3: "6/0"}, paused)
			again, err := sim.RunRollout(tt.release, sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second}})
			require.NoError(t, err)
			require.Equal(t, r, again, "equal arguments give equal results")
		})
	}
}

// TestRunRolloutOfDaemonSets: those of OpenKruise have a partition, and those of Kubernetes a
// helper that deletes pods.
func TestRunRolloutOfDaemonSets(t *testing.T) {
	for _, apiVersion := range []string{"apps/v1", "apps.kruise.io/v1alpha1"} {
		t.Run(apiVersion, func(t *testing.T) {
			template := func(hash string) daemonset.Template {
				return daemonset.Template{Hash: hash, Data: []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"agent","image":"agent:` + hash + `"}]}}}}`)}
			}
			r := echoserver(ptr.To(int32(60)), ptr.To(int32(120)), ptr.To(int32(300)))
			r.Template = revision.Template{ID: "v2"}
			r.DaemonSet = &sim.DaemonSetRelease{
				Ref: workload.Ref{APIVersion: apiVersion, Kind: "DaemonSet"}, Template: template("v2"),
				DaemonSet: daemonset.DaemonSet{Strategy: daemonset.RollingUpdate, Template: template("v1"), MaxUnavailable: rollout.Int(1)},
			}
			for i := range 6 {
				r.DaemonSet.Nodes = append(r.DaemonSet.Nodes, daemonset.Node{Name: fmt.Sprintf("node-%d", i)})
			}
			if apiVersion != "apps/v1" {
				r.DaemonSet.Options.Dialect = daemonset.OpenKruise
			}
			result, err := sim.RunRollout(r, sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second}})
			require.NoError(t, err)
			require.True(t, result.Done, "%v", result.Holds)
			paused := map[int32]string{}
			for _, s := range result.Steps {
				require.GreaterOrEqual(t, s.NewReady+s.OldReady, int32(5))
				if s.State == kruise.StatePaused {
					paused[s.Step] = fmt.Sprintf("%d/%d", s.New, s.Old)
				}
			}
			require.Equal(t, map[int32]string{1: "2/4", 2: "3/3", 3: "6/0"}, paused)
		})
	}
}
