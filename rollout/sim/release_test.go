// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/workload"
)

// inThirds is a Rollout in steps of 20%, 50% and 100%.
func inThirds(of workload.Ref) kruise.Rollout {
	s := &kruise.Strategy{}
	for i, percent := range []int32{20, 50, 100} {
		s.Steps = append(s.Steps, kruise.Step{Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: ptr.To(60 * int32(i+1))}})
	}
	return kruise.Rollout{Name: "web", UID: "rollout", WorkloadRef: of, Canary: s}
}

// thirdsOf are six pods of a kind.
func thirdsOf(apiVersion, kind string, change func(*cluster.Set)) func(template string) any {
	return func(template string) any {
		s := webSet(template, 6)
		s.Ref, s.RollingUpdate = workload.Ref{APIVersion: apiVersion, Kind: kind, Name: "web"}, &partition.RollingUpdate{}
		change(&s)
		return s
	}
}

// TestReleasedSizes: the sizes, new and old pods at the end of each instant, of releases over workloads of all kinds. Each pauses with the
// same numbers, and moves in its own way in between.
func TestReleasedSizes(t *testing.T) {
	const clones, advanced = "apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"
	limits := func(surge, unavailable int32) *partition.RollingUpdate {
		return &partition.RollingUpdate{MaxSurge: rollout.Int(surge), MaxUnavailable: rollout.Int(unavailable)}
	}
	daemons := func(template string) any {
		d := webDaemonSet(template)
		d.MaxUnavailable = rollout.Int(1)
		return d
	}
	oneByOne := []string{"0/6", "0/5", "1/5", "1/4", "2/4", "2/3", "3/3", "3/2", "4/2", "4/1", "5/1", "5/0", "6/0"}
	for _, tt := range []struct {
		name        string
		ref         workload.Ref
		put         func(template string) any
		want        []string
		least, most int32 // of the pods that are available, and there
	}{
		{"Deployment", deploymentOf("web"), func(template string) any { return sizing(template, 6, quarter, quarter) }, []string{
			"0/6", "2/5", "2/4", "3/3", "6/2", "6/0",
		}, 5, 8},
		{"CloneSet", workload.Ref{}, thirdsOf(clones, "CloneSet", func(*cluster.Set) {}), []string{
			"0/6", "2/4", "3/3", "5/1", "6/0",
		}, 4, 6},
		{"CloneSet with a surge", workload.Ref{}, thirdsOf(clones, "CloneSet", func(s *cluster.Set) { s.RollingUpdate = limits(2, 0) }), []string{
			"0/6", "2/6", "2/4", "3/4", "3/3", "5/3", "6/1", "6/0",
		}, 6, 8},
		{"CloneSet in place", workload.Ref{}, thirdsOf(clones, "CloneSet", func(s *cluster.Set) { s.InPlace, s.RollingUpdate = true, limits(0, 3) }), []string{
			"0/6", "2/4", "3/3", "6/0",
		}, 3, 6},
		{"StatefulSet", workload.Ref{}, thirdsOf("apps/v1", "StatefulSet", func(*cluster.Set) {}), oneByOne, 5, 6},
		{"Advanced StatefulSet", workload.Ref{}, thirdsOf(advanced, "StatefulSet", func(s *cluster.Set) { s.RollingUpdate, s.Parallel = limits(0, 2), true }), []string{
			"0/6", "0/4", "2/4", "2/3", "3/3", "3/1", "5/1", "5/0", "6/0",
		}, 4, 6},
		{"Advanced StatefulSet in any order", workload.Ref{}, thirdsOf(advanced, "StatefulSet", func(s *cluster.Set) { s.Unordered, s.MinReadySeconds = true, 5 }), oneByOne, 5, 6},
		{"DaemonSet", workload.Ref{APIVersion: "apps/v1", Kind: daemonset.Kind, Name: "web"}, daemons, oneByOne, 5, 6},
		{"DaemonSet of OpenKruise", workload.Ref{APIVersion: clones, Kind: daemonset.Kind, Name: "web"}, daemons, oneByOne, 5, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if s, ok := tt.put("").(cluster.Set); ok {
				tt.ref = s.Ref
			}
			config := sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)}, Together: tt.ref.Kind == "Deployment"}
			steps := record.NewSteps(&config)
			w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(6, 0), Rollouts: []kruise.Rollout{inThirds(tt.ref)}}, config)
			require.NoError(t, w.Put(tt.put("v1")))
			settled(t, w)
			begin := w.Now()
			require.NoError(t, w.Put(tt.put("v2")))
			settled(t, w)
			require.Equal(t, kruise.PhaseHealthy, w.View().Rollouts()[0].Status.Phase)
			var got []string
			paused := map[int32]string{}
			for _, z := range steps.Sizes(sim.KindRollout, "web") {
				if z.Time.Before(begin) {
					continue
				}
				fresh, old := int32(0), int32(0)
				for _, p := range z.Parts {
					if p.New {
						fresh += p.Wanted
					} else {
						old += p.Wanted
					}
				}
				line := fmt.Sprintf("%d/%d", fresh, old)
				if len(got) == 0 || got[len(got)-1] != line {
					got = append(got, line)
				}
				require.GreaterOrEqual(t, z.Available, tt.least, line)
				require.LessOrEqual(t, fresh+old, tt.most, line)
				if z.State == string(kruise.StatePaused) {
					paused[z.Step] = line
				}
			}
			if i := slices.Index(got, "0/6"); i > 0 {
				got = got[i:]
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, map[int32]string{1: "2/4", 2: "3/3"}, paused, "the pause of a last step of 100% is ignored")
		})
	}
}

// What a person has written beside the hash of the strategy stays.
func TestReleaseKeepsAnnotations(t *testing.T) {
	r := inThirds(deploymentOf("web"))
	r.Annotations = map[string]string{"team": "shop"}
	w := newWorld(t, cluster.Snapshot{Rollouts: []kruise.Rollout{r}}, sim.Config{Times: lives})
	for _, template := range []string{"v1", "v2"} {
		require.NoError(t, w.Put(webDeployment(template, 4)))
		settled(t, w)
	}
	annotations := w.View().Rollouts()[0].Annotations
	require.Equal(t, "shop", annotations["team"])
	require.NotEmpty(t, annotations[workload.AnnotationHash])
}

// A Rollout is gone when its controller, behind the rest, makes one more BatchRelease. That is deleted as well,
// or it would hold the pods of the workload at its partition for ever.
func TestOrphanedReleaseIsCollected(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{Rollouts: []kruise.Rollout{inThirds(deploymentOf("web"))}}, sim.Config{Times: lives})
	require.NoError(t, w.Put(webDeployment("v1", 4)))
	settled(t, w)
	require.True(t, w.Delete(sim.KindRollout, "web"))
	settled(t, w)
	require.Empty(t, w.View().Rollouts())
	server, _, _ := w.Inside()
	orphan := &store.BatchRelease{Release: batchrelease.Release{Name: "orphan", WorkloadRef: deploymentOf("web")}, OwnerUID: "rollout"}
	_, answer := apiserver.Create(server, &server.BatchReleases, byUser("orphan"), orphan)
	require.Equal(t, apiserver.Done, answer)
	settled(t, w)
	require.Nil(t, server.BatchReleases.Get("orphan"))
}
