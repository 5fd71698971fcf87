// SPDX-License-Identifier: Apache-2.0

package preview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var (
	deployment  = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	cloneSet    = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	statefulSet = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}
	daemonSet   = workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "demo"}
	kruiseSet   = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "demo"}
)

func partitioned(ref workload.Ref, steps ...kruise.Step) kruise.Rollout {
	return kruise.Rollout{Name: "web", WorkloadRef: ref, Canary: &kruise.Strategy{Steps: steps}}
}

func parse(t require.TestingT, s string) rollout.IntOrPercent {
	v, err := rollout.Parse(s)
	require.NoError(t, err)
	return v
}

// New/old behind each pass.
func TestPreviewSizes(t *testing.T) {
	for _, c := range []struct {
		replicas           int32
		surge, unavailable string
		want               string
	}{
		{6, "25%", "25%", "0/6 | 2/6 2/4 | 3/4 3/3 | 5/3 5/0 6/0"},
		{6, "1", "0", "0/6 | 1/6 1/5 2/5 2/4 | 3/4 3/3 | 4/3 4/2 5/2 5/1 6/1 6/0"},
		{6, "0", "1", "1/5 | 1/4 2/4 | 2/3 3/3 | 3/2 4/2 4/1 5/1 5/0 6/0"},
		{6, "100%", "0", "0/6 | 2/6 2/4 | 3/4 3/3 | 6/3 6/0"},
		{10, "25%", "25%", "0/10 | 2/10 2/8 | 5/8 5/5 | 8/5 8/0 10/0"},
		{3, "25%", "25%", "0/3 | 1/3 1/2 | 2/2 2/1 | 3/1 3/0"},
		{2, "25%", "25%", "0/2 | 1/2 1/1 | | 2/1 2/0"},
		{1, "25%", "25%", "0/1 | 1/1 1/0 | |"},
		{1, "0", "1", "1/0 | | |"},
	} {
		limits := &partition.RollingUpdate{MaxSurge: parse(t, c.surge), MaxUnavailable: parse(t, c.unavailable)}
		p, err := preview.Of(preview.Input{
			Rollout:  partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(50), 120), step(rollout.Percent(100), 300)),
			Replicas: c.replicas, Limits: limits,
		}, kruise.Options{})
		require.NoError(t, err)
		got := []string{p.Begin.String()}
		for _, s := range p.Steps {
			var sizes []string
			for _, size := range s.Passes {
				sizes = append(sizes, size.String())
			}
			got = append(got, strings.Join(sizes, " "))
			require.Empty(t, s.Stuck, "%d %v", c.replicas, s)
			b := partition.Budget(c.replicas, limits, false)
			require.LessOrEqual(t, s.PeakTotal, b.MaxTotal())
			require.GreaterOrEqual(t, s.MinAvailable, min(b.MinAvailable(), c.replicas))
		}
		require.Equal(t, strings.Join(strings.Fields(c.want), " "), strings.Join(strings.Fields(strings.Join(got, " | ")), " "), "%d %s %s", c.replicas, c.surge, c.unavailable)
	}
}

func TestPreviewOfOthers(t *testing.T) {
	three := []kruise.Step{step(rollout.Percent(20), -1), step(rollout.Int(5), 10), step(rollout.Percent(100), -1)}
	ends := func(r kruise.Rollout) string {
		p, err := preview.Of(preview.Input{Rollout: r, Replicas: 10}, kruise.Options{})
		require.NoError(t, err)
		text := ""
		for _, s := range p.Steps {
			text += s.End.String() + " "
		}
		return text
	}
	for _, ref := range []workload.Ref{cloneSet, statefulSet, daemonSet, kruiseSet} {
		require.Equal(t, "2/8 5/5 10/0 ", ends(partitioned(ref, three...)), ref.Kind)
	}
	canary := partitioned(deployment, three...)
	canary.Canary.EnableExtraWorkloadForCanary = true
	require.Equal(t, "2/10 5/10 10/10 ", ends(canary))
	blueGreen := kruise.Rollout{Name: "web", WorkloadRef: deployment, BlueGreen: &kruise.Strategy{Steps: three}}
	require.Equal(t, "2/10 5/10 10/10 ", ends(blueGreen))
}

// A step that changes nothing has no passes, and labels none.
func TestPreviewPassesOfOthers(t *testing.T) {
	r := partitioned(cloneSet, step(rollout.Percent(20), -1), step(rollout.Int(2), -1), step(rollout.Int(5), -1), step(rollout.Percent(100), -1))
	p, err := preview.Of(preview.Input{Rollout: r, Replicas: 10}, kruise.Options{})
	require.NoError(t, err)
	var passes [][]preview.Sizes
	var labelled []int32
	for _, s := range p.Steps {
		passes, labelled = append(passes, s.Passes), append(labelled, s.Labelled)
	}
	require.Equal(t, [][]preview.Sizes{{{New: 2, Old: 8}}, nil, {{New: 5, Old: 5}}, {{New: 10}}}, passes)
	require.Equal(t, []int32{2, 0, 3, 5}, labelled)
	p.Steps[1].Traffic = rollout.Percent(20)
	require.Equal(t, "step 2 (2): 2/8, traffic 20%, waits for approval", p.Steps[1].String())
}

func TestPreviewFindsWhatNeverEnds(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Int(5), -1), step(rollout.Percent(100), 60))
	p, err := preview.Of(preview.Input{Rollout: r, Replicas: 10}, kruise.Options{})
	require.NoError(t, err)
	require.Equal(t, reason.TooFewUpdated, p.Steps[1].Stuck)
	require.Contains(t, p.String(), "step 2 (5): 2/8, waits for approval, never ends: TooFewUpdated")
	require.Contains(t, p.String(), "step 3: MixedPartitionsNeverEnd: ")
	p, err = preview.Of(preview.Input{Rollout: r, Replicas: 10}, kruise.Options{Repair: quirk.All})
	require.NoError(t, err)
	require.Empty(t, p.Steps[1].Stuck)
	require.Empty(t, p.Warnings)
	require.Equal(t, []any{kruise.PauseTimed, time.Minute}, []any{p.Steps[2].Pause, p.Steps[2].Duration})
}

func TestWarnings(t *testing.T) {
	texts := func(r kruise.Rollout, replicas int32) (list []string) {
		for _, w := range preview.Warnings(r, replicas, 0) {
			list = append(list, w.Quirk.String())
		}
		return list
	}
	require.Equal(t, []string{"LastPauseSkipped"}, texts(partitioned(deployment, step(rollout.Int(6), -1)), 6), "6 of 6 waits for a person")
	require.Equal(t, []string{"LastPauseSkipped"}, texts(partitioned(deployment, step(rollout.Percent(100), 60)), 6))
	require.Equal(t, []string{"CloneSetKeepsExtraPods"}, texts(partitioned(cloneSet, step(rollout.Percent(99), -1)), 101))
	require.Empty(t, texts(partitioned(cloneSet, step(rollout.Percent(50), -1)), 100))
	require.Empty(t, texts(kruise.Rollout{WorkloadRef: cloneSet, BlueGreen: &kruise.Strategy{Steps: []kruise.Step{step(rollout.Percent(99), -1)}}}, 101), "no old pod is kept by a share")
	require.Empty(t, preview.Warnings(kruise.Rollout{}, 3, 0))
	require.Equal(t, []string{""}, texts(partitioned(deployment, step(rollout.Percent(20), -1)), 1))
	require.Empty(t, texts(partitioned(deployment, step(rollout.Percent(0), -1)), 1), "0% is none of it")
	in := preview.Input{Rollout: partitioned(deployment, step(rollout.Percent(20), -1)), Replicas: 6, Limits: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
	for _, c := range []struct {
		repair quirk.Set
		want   int
	}{{0, 1}, {quirk.NewPodAtPartitionZero, 0}} {
		p, err := preview.Of(in, kruise.Options{Repair: c.repair})
		require.NoError(t, err)
		require.Len(t, p.Warnings, c.want, "a pod is lost at partition 0")
	}
}

func TestPreviewRejects(t *testing.T) {
	_, err := preview.Of(preview.Input{Replicas: -1}, kruise.Options{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.ErrorContains(t, err, "Replicas")
	require.ErrorContains(t, err, "Rollout.Canary")
}

// A third template comes in the pause of step 2. The middle one goes
// first.
func TestPreviewContinuousRelease(t *testing.T) {
	in := preview.Input{
		Rollout:  partitioned(deployment, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)),
		Replicas: 6, Generations: []int32{3, 3},
	}
	p, err := preview.Of(in, kruise.Options{})
	require.NoError(t, err)
	require.Equal(t, "begin: 0/3/3\nstep 1 (20%): 2/3/3 2/1/3, waits for approval\nstep 2 (50%): 3/1/3 3/3, waits for approval\nstep 3 (100%): 5/3 5/0 6/0", p.String())
	in.Rollout.WorkloadRef = cloneSet
	p, err = preview.Of(in, kruise.Options{})
	require.NoError(t, err)
	require.Equal(t, "2/4", p.Steps[0].End.String(), "other kinds do not tell old templates apart")
	in.Generations = []int32{3, -1}
	_, err = preview.Of(in, kruise.Options{})
	require.ErrorContains(t, err, "Generations[1]")
}
