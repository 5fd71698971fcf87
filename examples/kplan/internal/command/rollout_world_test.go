// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// rests are the times, from the beginning, at which a release comes to rest between steps, each with its
// new and old pods, and at which it is complete, if it is.
func rests(t *testing.T, b world.Beginning) (list []string) {
	t.Helper()
	config := sim.Config{
		Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second)}, ApproveAfter: cluster.Exactly(5 * time.Minute), Together: true, Place: world.InTurn(),
	}
	b.Each(func(_ string, t *cluster.Template) { t.ReadyAfter, t.EndAfter, t.EndWithin = 0, 0, 0 })
	steps := record.NewSteps(&config)
	w, err := sim.New(b.Snapshot, config)
	require.NoError(t, err)
	require.NoError(t, w.Put(b.Applied...))
	_, err = w.Settle(time.Hour)
	require.NoError(t, err)
	paused := false
	for _, z := range steps.Sizes(sim.KindRollout, b.Name) {
		fresh, old := int32(0), int32(0)
		for _, p := range z.Parts {
			if p.New {
				fresh += p.Ready
			} else {
				old += p.Ready
			}
		}
		if z.Paused && !paused {
			list = append(list, fmt.Sprintf("%v: %d, %d", z.Time.Sub(b.Now).Round(time.Second), fresh, old))
		}
		paused = z.Paused
	}
	if _, complete := steps.Workload(sim.KindRollout, b.Name); !complete.IsZero() {
		list = append(list, complete.Sub(b.Now).Round(time.Second).String())
	}
	return list
}

func sourceOf(t *testing.T, files ...string) *manifest.Set {
	t.Helper()
	set, err := manifest.Load(manifest.Source{Filenames: files, WithoutNodes: true})
	require.NoError(t, err)
	return set
}

// Releases begin in a world with what ran before, an hour after it has been rolled out.
func TestReleaseInWorld(t *testing.T) {
	s := &simulation{}
	for kind, want := range map[string][]string{
		"cloneset":             {"21s: 1, 9", "1m46s: 5, 5", "4m20s"},
		"statefulset":          {"15s: 1, 4", "5m37s: 3, 2", "6m31s"},
		"advanced-statefulset": {"15s: 1, 5", "1m27s: 3, 3", "2m51s"},
	} {
		from := earlierOf(sourceOf(t, otherKinds+kind+"-v1.yaml"))
		r := &sourceOf(t, otherKinds+kind+"-v2.yaml", otherKinds+kind+"-rollout.yaml").Rollouts[0]
		b, err := s.beforeSetRelease(r, from.podSets[r.Set.Key()])
		require.NoError(t, err)
		require.Equal(t, want, rests(t, b), kind)
	}
	from := earlierOf(sourceOf(t, data+"echoserver-v1.yaml"))
	r := &sourceOf(t, data+"echoserver-v2.yaml", progressive+"echoserver.yaml").Rollouts[0]
	old := from.deployments[r.Deployment.Key()]
	old.Open()
	b, err := s.beforeRelease(r, old)
	require.NoError(t, err)
	require.Equal(t, []string{"21s: 2, 4", "1m36s: 3, 3", "3m48s"}, rests(t, b))
}

// Releases that are under way go on in a world from where their files say that they stand.
func TestReleaseUnderWayInWorld(t *testing.T) {
	s := &simulation{}
	s.now = instant{liveNow}
	for file, want := range map[string][]string{
		"batch": {}, "pause": {"0s: 2, 4", "52s: 3, 3", "6m4s"}, "approval": {"0s: 3, 3", "5m12s"}, "traffic": {"3s: 2, 4", "1m18s: 3, 3", "6m39s"}, "no-service": {},
	} {
		r := &sourceOf(t, progressive+file+".yaml").Rollouts[0]
		b, err := s.deploymentUnderWay(r)
		require.NoError(t, err)
		require.ElementsMatch(t, want, rests(t, b), "%s: %v", file, b.Believed)
		require.Equal(t, file == "batch", len(b.Held) > 0, "a pod without an image stays so")
		if file == "batch" {
			b.Heal()
			require.Equal(t, []string{"10s: 2, 4", "1m22s: 3, 3", "6m34s"}, rests(t, b))
		}
	}
	for _, kind := range []string{"CloneSet", "StatefulSet"} {
		set, err := manifest.Load(manifest.Source{Filenames: []string{"-"}, Stdin: bytes.NewReader(releasing(t, kind, creatingPod))})
		require.NoError(t, err)
		s.now = instant{set.Latest}
		b, err := s.setUnderWay(&set.Rollouts[0])
		require.NoError(t, err)
		end := map[string]string{"CloneSet": "2m4s", "StatefulSet": "2m44s"}[kind]
		require.Equal(t, []string{"10s: 1, 9", end}, rests(t, b), kind)
	}
}
