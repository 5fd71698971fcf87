// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A person approves a Rollout after five minutes.
func ExampleConfig_approveAfter() {
	c := tenSeconds
	c.ApproveAfter = cluster.Exactly(5 * time.Minute)
	w := world(cluster.Snapshot{Rollouts: []kruise.Rollout{canary()}}, c, 4)
	_ = w.Put(deployment("web", "v2", 4))
	for range 2 {
		done, _ := w.Settle(4 * time.Minute)
		fmt.Println(done, w.View().Deployment("web").Status.UpdatedReplicas, "new")
	}
	// Output:
	// false 2 new
	// true 4 new
}

// An analysis takes two minutes, and fails: the update is given up.
func ExampleConfig_analysis() {
	w, err := sim.New(cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{analysed("v1")}}, sim.Config{
		Analysis: cluster.Analysis{Takes: cluster.Exactly(2 * time.Minute), Ends: argo.RunFailed},
	})
	fmt.Println(err)
	for _, template := range []string{"v1", "v2"} {
		_ = w.Put(analysed(template))
		done, err := w.Settle(time.Hour)
		fmt.Println(done, err, w.View().ArgoRollouts()[0].Status.Phase)
	}
	// Output:
	// <nil>
	// true <nil> Healthy
	// true <nil> Degraded
}

// analysed goes to a fifth of ten pods, and on when an analysis says so.
func analysed(template string) cluster.ArgoRollout {
	r := argoCanary(template, 10)
	r.Steps = []argo.Step{{SetWeight: ptr.To(int32(20))}, {Other: argo.StepAnalysis}}
	return r
}

// approvedTwice has two pauses for a person, and one of five seconds between them.
func approvedTwice(template string) cluster.ArgoRollout {
	r := argoCanary(template, 10)
	r.Steps = []argo.Step{
		{SetWeight: ptr.To(int32(20))}, {Pause: &argo.Pause{}}, {Pause: &argo.Pause{Duration: ptr.To(int32(5))}}, {Pause: &argo.Pause{}},
	}
	return r
}

// updated is a world in which a Rollout of Argo has been rolled out and is then updated. It returns when.
func updated(t *testing.T, s cluster.Snapshot, c sim.Config, of func(template string) cluster.ArgoRollout) (*sim.World, time.Time) {
	s.ArgoRollouts = []cluster.ArgoRollout{of("v1")}
	w := newWorld(t, s, c)
	settled(t, w)
	require.NoError(t, w.Put(of("v2")))
	return w, w.Now()
}

// took is how long a world takes until nothing is written any more, to the second.
func took(t *testing.T, w *sim.World, since time.Time) time.Duration {
	last, version := since, ""
	for more := true; more; {
		var err error
		more, err = w.Step()
		require.NoError(t, err)
		require.Less(t, w.Now().Sub(since), time.Hour)
		if r := w.View().ArgoRollouts()[0]; r.ResourceVersion != version {
			last, version = w.Now(), r.ResourceVersion
		}
	}
	return last.Sub(since).Round(time.Second)
}

// A person approves each pause so long after it has begun. A pause that ends by itself is waited for
// beside that. Without a time nobody comes, and at once is a time.
func TestApprovedAfterAWhile(t *testing.T) {
	for _, c := range []struct {
		after cluster.Spread
		takes time.Duration
		phase argo.Phase
	}{
		{cluster.Exactly(5 * time.Minute), 10*time.Minute + 5*time.Second, argo.PhaseHealthy},
		{cluster.Exactly(0), 5 * time.Second, argo.PhaseHealthy},
		{nil, 0, argo.PhasePaused},
	} {
		w, begun := updated(t, cluster.Snapshot{}, sim.Config{ApproveAfter: c.after}, approvedTwice)
		require.Equal(t, c.takes, took(t, w, begun))
		require.Equal(t, c.phase, w.View().ArgoRollouts()[0].Status.Phase)
	}
}

// A pause that the caller ends earlier does not make the next one shorter. An approval that is still to
// come is something that is left to happen.
func TestApprovedBefore(t *testing.T) {
	w, begun := updated(t, cluster.Snapshot{}, sim.Config{ApproveAfter: cluster.Exactly(5 * time.Minute)}, approvedTwice)
	done, err := w.Settle(2 * time.Minute)
	require.NoError(t, err)
	require.False(t, done)
	require.Equal(t, 1, w.Approve())
	require.Equal(t, 2*time.Minute+5*time.Second+5*time.Minute, took(t, w, begun))
	require.Equal(t, argo.PhaseHealthy, w.View().ArgoRollouts()[0].Status.Phase)
}

// A change in the middle of a pause does not make it longer.
func TestApprovedAfterAChange(t *testing.T) {
	w, begun := updated(t, cluster.Snapshot{}, sim.Config{ApproveAfter: cluster.Exactly(5 * time.Minute)}, approvedTwice)
	require.NoError(t, w.Run(begun.Add(2*time.Minute)))
	require.True(t, w.Scale(sim.KindArgoRollout, "web", 20))
	require.Equal(t, 10*time.Minute+5*time.Second, took(t, w, begun))
	require.Equal(t, map[string]int{"v2": 20}, ofTemplates(w.View()))
}

// A Rollout that waits when the world begins is approved so long after that, and its other half goes on.
func TestApprovedFromTheBeginning(t *testing.T) {
	w, _ := updated(t, cluster.Snapshot{}, sim.Config{}, approvedTwice)
	settled(t, w)
	again := newWorld(t, w.Snapshot(), sim.Config{ApproveAfter: cluster.Exactly(time.Minute)})
	require.Equal(t, 2*time.Minute+5*time.Second, took(t, again, again.Start()))
	require.Equal(t, argo.PhaseHealthy, again.View().ArgoRollouts()[0].Status.Phase)
}

// Each analysis takes its time and ends as it is told to, also one that has begun already.
func TestAnalysisEnds(t *testing.T) {
	takes := cluster.Exactly(2 * time.Minute)
	for _, c := range []struct {
		ends    argo.RunPhase
		approve cluster.Spread
		takes   time.Duration
		phase   argo.Phase
	}{
		{"", nil, 2 * time.Minute, argo.PhaseHealthy},
		{argo.RunSuccessful, nil, 2 * time.Minute, argo.PhaseHealthy},
		{argo.RunFailed, nil, 2 * time.Minute, argo.PhaseDegraded},
		{argo.RunError, nil, 2 * time.Minute, argo.PhaseDegraded},
		{argo.RunInconclusive, nil, 2 * time.Minute, argo.PhasePaused},
		{argo.RunInconclusive, cluster.Exactly(time.Minute), 2*time.Minute + time.Minute + 2*time.Minute, argo.PhaseHealthy},
		{argo.RunRunning, nil, 0, argo.PhaseProgressing},
	} {
		config := sim.Config{Analysis: cluster.Analysis{Takes: takes, Ends: c.ends}, ApproveAfter: c.approve}
		w, begun := updated(t, cluster.Snapshot{}, config, analysed)
		require.Equal(t, c.takes, took(t, w, begun), c.ends)
		require.Equal(t, c.phase, w.View().ArgoRollouts()[0].Status.Phase, c.ends)

		w, _ = updated(t, cluster.Snapshot{}, config, analysed)
		_, err := w.Settle(90 * time.Second)
		require.NoError(t, err)
		require.Equal(t, argo.RunRunning, w.View().ArgoRollouts()[0].Status.Runs.Step.Phase)
		again := newWorld(t, w.Snapshot(), config)
		require.Equal(t, c.takes, took(t, again, again.Start()), c.ends)
		require.Equal(t, c.phase, again.View().ArgoRollouts()[0].Status.Phase, c.ends)
	}
}

// An analysis that takes no time may fail as well.
func TestAnalysisFailsAtOnce(t *testing.T) {
	w, begun := updated(t, cluster.Snapshot{}, sim.Config{Analysis: cluster.Analysis{Ends: argo.RunFailed}}, analysed)
	require.Zero(t, took(t, w, begun))
	require.Equal(t, argo.PhaseDegraded, w.View().ArgoRollouts()[0].Status.Phase)
	require.Equal(t, map[string]int{"v1": 10}, ofTemplates(w.View()))
}

// The analyses before and behind a promotion take their time each.
func TestAnalysesOfAPromotion(t *testing.T) {
	of := func(template string) cluster.ArgoRollout {
		r := blueGreen(template, 4)
		r.BlueGreen = &argo.BlueGreen{PrePromotionAnalysis: true, PostPromotionAnalysis: true}
		return r
	}
	w, begun := updated(t, cluster.Snapshot{Services: argoServices()}, sim.Config{Analysis: cluster.Analysis{Takes: cluster.Exactly(2 * time.Minute)}}, of)
	for _, active := range []string{"v1", "v2"} {
		require.NoError(t, w.Run(w.Now().Add(90*time.Second)))
		require.Equal(t, active, w.Snapshot().Services[0].Selector[argo.HashLabel])
		require.Equal(t, "v1", w.View().ArgoRollouts()[0].Status.StableRS)
	}
	require.NoError(t, w.Run(begun.Add(4*time.Minute+time.Second)))
	require.Equal(t, "v2", w.View().ArgoRollouts()[0].Status.StableRS)
}

// An update that is given up during its analysis, and begun again, has a new analysis.
func TestAnalysisOfASecondTry(t *testing.T) {
	w, _ := updated(t, cluster.Snapshot{}, sim.Config{Analysis: cluster.Analysis{Takes: cluster.Exactly(2 * time.Minute)}}, analysed)
	require.NoError(t, w.Run(w.Now().Add(time.Minute)))
	require.NoError(t, w.Put(analysed("v1")))
	require.NoError(t, w.Run(w.Now().Add(30*time.Second)))
	require.NoError(t, w.Put(analysed("v2")))
	second := w.Now()
	require.Equal(t, 2*time.Minute, took(t, w, second))
	require.Equal(t, map[string]int{"v2": 10}, ofTemplates(w.View()))
}

// What nobody waits for any more does not end.
func TestAnalysisThatIsGivenUp(t *testing.T) {
	w, begun := updated(t, cluster.Snapshot{}, sim.Config{Analysis: cluster.Analysis{Takes: cluster.Exactly(2 * time.Minute)}}, analysed)
	require.NoError(t, w.Run(begun.Add(time.Minute)))
	given := analysed("v2")
	given.Status.Abort = true
	require.NoError(t, w.Put(given))
	require.Equal(t, time.Minute, took(t, w, begun))
	require.Equal(t, map[string]int{"v1": 10}, ofTemplates(w.View()))
}
