// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/selector"
)

// echoserver is the release of the article: six pods in steps of 20%, 50% and 100%.
func echoserver(pauses ...*int32) sim.RolloutRelease {
	labels := map[string]string{"app": "echoserver"}
	r := sim.RolloutRelease{
		Now: sim.Epoch, Template: revision.Template{ID: "v2"}, Rollout: kruise.Rollout{Name: "echoserver", Canary: &kruise.Strategy{}},
		Deployment: deploy.Deployment{
			Name: "echoserver", Replicas: ptr.To(int32(6)), Template: revision.Template{ID: "v1"}, TemplateLabels: labels,
			Selector: selector.FromLabels(labels), Strategy: deploy.RollingUpdate, MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		},
	}
	for i, percent := range []int32{20, 50, 100} {
		r.Rollout.Canary.Steps = append(r.Rollout.Canary.Steps, kruise.Step{Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: pauses[i]}})
	}
	return r
}

func sizes(r sim.RolloutResult) (list []string) {
	for _, s := range r.Steps {
		if text := fmt.Sprintf("%d/%d", s.New, s.Old); len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	return list
}

// The sizes at the end of each step are those of the worked example. In between an old
// pod goes at once, because one may be unavailable, and the others when new ones are
// available, which takes 10 seconds here.
func TestRunRollout(t *testing.T) {
	r, err := sim.RunRollout(echoserver(ptr.To(int32(60)), ptr.To(int32(120)), ptr.To(int32(300))), sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second}})
	require.NoError(t, err)
	require.True(t, r.Done)
	require.Equal(t, []string{"0/6", "2/6", "2/5", "2/4", "3/4", "3/3", "5/3", "5/2", "6/2", "6/0"}, sizes(r))
	paused := map[int32]time.Duration{}
	for i, s := range r.Steps {
		require.GreaterOrEqual(t, s.Available, int32(5))
		require.LessOrEqual(t, s.New+s.Old, int32(8))
		if s.State == kruise.StatePaused && i+1 < len(r.Steps) {
			require.Equal(t, map[int32]string{1: "2/4", 2: "3/3", 3: "6/0"}[s.Step], fmt.Sprintf("%d/%d", s.New, s.Old))
			paused[s.Step] += r.Steps[i+1].Time - s.Time
		}
	}
	require.GreaterOrEqual(t, paused[1], time.Minute)
	require.GreaterOrEqual(t, paused[2], 2*time.Minute)
	require.Less(t, paused[3], time.Minute, "the pause of a last step of 100% is ignored")
}

// TestRecordingOfRollouts: what was before the release is how its recording begins: six ready
// pods, and one state of the Deployment.
func TestRecordingOfRollouts(t *testing.T) {
	rec := &sim.Recording{}
	config := sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second, Recording: rec}}
	r, err := sim.RunRollout(echoserver(ptr.To(int32(60)), ptr.To(int32(120)), ptr.To(int32(300))), config)
	require.NoError(t, err)
	old := 0
	for _, p := range rec.Pods {
		first := p.Stages[0]
		require.False(t, first.At.Before(rec.Start), "%v", p)
		if first.At.Equal(rec.Start) && first.Stage == sim.Ready {
			old++
		}
	}
	require.EqualValues(t, r.Steps[0].Old, old)
	require.Len(t, rec.Pods, 12)
	require.Equal(t, "echoserver-v1", rec.Pods[0].Pod.ControllerName)
	require.True(t, strings.HasPrefix(rec.Pods[0].Pod.Name, "echoserver-v1-"))
	require.Equal(t, "echoserver", rec.Deployments[0].Object.Name)
	require.Equal(t, rec.Start, rec.Deployments[0].At)
	require.True(t, rec.Deployments[1].At.After(rec.Start))
}

// With a person who never confirms it waits, and says for what; traffic follows steps.
func TestRunRolloutWaits(t *testing.T) {
	c := echoserver(ptr.To(int32(60)), nil, nil)
	c.Rollout.Canary.Steps[0].Traffic, c.Rollout.Canary.Steps[1].Traffic = rollout.Percent(20), rollout.Percent(50)
	c.Rollout.Canary.TrafficRoutings = []traffic.Routing{{Service: "s", Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("r")}}}
	c.Traffic = traffic.Objects{
		Stable: &traffic.Service{Name: "s", Selector: map[string]string{"app": "web"}},
		Route:  &traffic.Route{Name: "r", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "s"}}}}},
	}
	cfg := sim.RolloutConfig{Kubelet: sim.Kubelet{ReadyAfter: 10 * time.Second}, ApproveAfter: -1}
	r, err := sim.RunRollout(c, cfg)
	require.NoError(t, err)
	require.False(t, r.Done)
	last := r.Steps[len(r.Steps)-1]
	require.EqualValues(t, 2, last.Step)
	require.EqualValues(t, 50, last.Traffic)
	require.Equal(t, []kruise.Hold{{Reason: kruise.ReasonApproval, Have: 2, Limit: 3}}, r.Holds)

	cfg.ApproveAfter = 10 * time.Minute
	r, err = sim.RunRollout(c, cfg)
	require.NoError(t, err)
	require.True(t, r.Done)
	last = r.Steps[len(r.Steps)-1]
	require.EqualValues(t, 100, last.Traffic, "all pods are new, and the stable Service selects them")
	require.Greater(t, last.Time, 10*time.Minute)
	again, err := sim.RunRollout(c, cfg)
	require.NoError(t, err)
	require.Equal(t, r, again, "equal arguments give equal results")
}

// With a latency controllers have fewer passes, and a release takes a little longer.
func TestLatencyOfRollout(t *testing.T) {
	release := echoserver(ptr.To(int32(60)), ptr.To(int32(120)), ptr.To(int32(300)))
	release.Deployment.Replicas = ptr.To(int32(60))
	run := func(latency time.Duration) (steps int, end time.Duration) {
		k := sim.Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: time.Second, Jitter: 10 * time.Second}
		r, err := sim.RunRollout(release, sim.RolloutConfig{Kubelet: k, Latency: latency})
		require.NoError(t, err)
		require.True(t, r.Done)
		for _, s := range r.Steps {
			require.LessOrEqual(t, s.New+s.Old, int32(75))
		}
		return len(r.Steps), r.Steps[len(r.Steps)-1].Time
	}
	steps, end := run(0)
	few, endOfFew := run(2 * time.Second)
	require.Less(t, few, steps)
	require.Greater(t, endOfFew, end)
	require.InDelta(t, end, endOfFew, float64(end)/4)
}
