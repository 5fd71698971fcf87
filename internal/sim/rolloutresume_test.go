// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// clusterOf returns what a store holds as a release that is under way. Its templates are
// known by other IDs than their hashes, as those of a real cluster are.
func clusterOf(s *State) (c RolloutCluster, ok bool) {
	if len(s.Rollouts) != 1 || len(s.Deployments)+len(s.Sets)+len(s.DaemonSets) == 0 {
		return c, false
	}
	c = RolloutCluster{Now: s.Now, Rollout: s.Rollouts[0].Rollout}
	for _, o := range s.Sets {
		set := o.Set
		set.Template = revision.Template{ID: "digest-" + o.Template.ID}
		c.Set = &set
	}
	for _, d := range s.DaemonSets {
		c.DaemonSet = daemonStateOf(s, d)
	}
	known := func(t revision.Template) revision.Template {
		return revision.Template{ID: "digest-" + t.ID, Hash: t.ID}
	}
	for _, d := range s.Deployments {
		o := *d
		o.Template = known(o.Template)
		if o.Name == "web" {
			c.Deployment = o
		} else {
			c.Canaries = append(c.Canaries, o)
		}
	}
	for _, rs := range s.ReplicaSets {
		o := *rs
		o.Template = known(o.Template)
		c.ReplicaSets = append(c.ReplicaSets, o)
	}
	for _, p := range s.Pods {
		c.Pods = append(c.Pods, *p)
	}
	if len(s.BatchReleases) > 0 {
		c.BatchRelease = &s.BatchReleases[0].Release
	}
	for _, o := range s.Services {
		if o.Name == "web" {
			c.Traffic.Stable = &o.Service
		} else {
			c.Traffic.Canary = &o.Service
		}
	}
	for _, o := range s.Ingresses {
		if o.Name == "web" {
			c.Traffic.Ingress = o
		} else {
			c.Traffic.CanaryIngress = o
		}
	}
	for _, o := range s.Routes {
		c.Traffic.Route = o
	}
	return c, true
}

func daemonStateOf(s *State, d *DaemonSet) *DaemonSetState {
	state := &DaemonSetState{Ref: s.Rollouts[0].WorkloadRef, DaemonSetCluster: DaemonSetCluster{DaemonSet: d.DaemonSet}}
	if state.Ref.Group() != "apps" {
		state.Options.Dialect = daemonset.OpenKruise
	}
	state.DaemonSet.Template.Hash = "" // kplan reckons another one than OpenKruise
	for _, n := range s.Nodes {
		state.Nodes = append(state.Nodes, n.Node)
	}
	for _, p := range s.Daemons {
		state.Pods = append(state.Pods, *p)
	}
	for _, r := range s.Revisions {
		state.Revisions = append(state.Revisions, *r)
	}
	return state
}

// A release that is taken over during a pause goes on exactly as if nothing had happened:
// nothing but the pause is under way then.
func TestResumeRolloutPaused(t *testing.T) {
	labels := map[string]string{"app": "web"}
	strategy := &kruise.Strategy{TrafficRoutings: []traffic.Routing{{Service: "web", Ingress: &traffic.IngressRef{Name: "web"}}}}
	for i, percent := range []int32{20, 50, 80, 100} {
		strategy.Steps = append(strategy.Steps, kruise.Step{
			Replicas: rollout.Percent(percent), Traffic: rollout.Percent(percent), Pause: kruise.Pause{Duration: []*int32{ptr.To(int32(60)), nil, nil, nil}[i]},
		})
	}
	release := RolloutRelease{
		Now: Epoch, Template: revision.Template{ID: "v2"}, Rollout: kruise.Rollout{Name: "r", Canary: strategy},
		Deployment: deploy.Deployment{
			Name: "web", Replicas: ptr.To(int32(10)), Template: revision.Template{ID: "v1"}, TemplateLabels: labels, Selector: selector.FromLabels(labels),
			Strategy: deploy.RollingUpdate, MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
		},
		Traffic: traffic.Objects{Stable: &traffic.Service{Name: "web", Selector: labels}, Ingress: &traffic.Ingress{Name: "web"}},
	}
	for _, style := range []workload.Style{workload.Partition, workload.Canary, workload.BlueGreen} {
		t.Run(string(style), func(t *testing.T) {
			release := release
			styled := *strategy
			styled.EnableExtraWorkloadForCanary = style == workload.Canary
			release.Rollout.Canary = &styled
			if style == workload.BlueGreen {
				release.Rollout.Canary, release.Rollout.BlueGreen = nil, &styled
			}
			resumePauses(t, release)
		})
	}
}

// So it is with the other kinds.
func TestResumeKindsPaused(t *testing.T) {
	labels := map[string]string{"app": "web"}
	strategy := &kruise.Strategy{}
	for i, percent := range []int32{20, 50, 80, 100} {
		strategy.Steps = append(strategy.Steps, kruise.Step{Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: []*int32{ptr.To(int32(60)), nil, nil, nil}[i]}})
	}
	template := func(hash string) daemonset.Template {
		return daemonset.Template{Hash: hash, Labels: labels, Data: []byte(`{"spec":{"template":{"spec":{"containers":[{"image":"agent:` + hash + `"}]}}}}`)}
	}
	for _, ref := range []workload.Ref{
		{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet"}, {APIVersion: "apps/v1", Kind: "StatefulSet"}, {APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet"},
		{APIVersion: "apps/v1", Kind: "DaemonSet"}, {APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet"},
	} {
		t.Run(ref.APIVersion+" "+ref.Kind, func(t *testing.T) {
			release := RolloutRelease{Now: Epoch, Template: revision.Template{ID: "v2"}, Rollout: kruise.Rollout{Name: "r", Canary: strategy}}
			if ref.Kind != "DaemonSet" {
				release.Set = &podset.Set{Workload: workload.Workload{Ref: ref, Replicas: ptr.To(int32(10)), Template: revision.Template{ID: "v1"}, RollingUpdate: &partition.RollingUpdate{}}}
				resumePauses(t, release)
				return
			}
			release.DaemonSet = &DaemonSetRelease{Ref: ref, Template: template("v2"), DaemonSet: daemonset.DaemonSet{Strategy: daemonset.RollingUpdate, Template: template("v1"), MaxUnavailable: rollout.Int(1)}}
			for i := range 10 {
				release.DaemonSet.Nodes = append(release.DaemonSet.Nodes, daemonset.Node{Name: fmt.Sprint("node-", i)})
			}
			if ref.Group() != "apps" {
				release.DaemonSet.Options.Dialect = daemonset.OpenKruise
			}
			resumePauses(t, release)
		})
	}
}

func resumePauses(t *testing.T, release RolloutRelease) {
	cfg := RolloutConfig{Kubelet: Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: time.Second}, ApproveAfter: 5 * time.Minute}
	run, rec, err := beginRollout(release, cfg)
	require.NoError(t, err)
	type moment struct {
		cluster RolloutCluster
		step    int // of the run
	}
	var pauses []moment
	run.Observer.Write = func(w Write) error {
		last := len(rec.steps) - 1
		if rec.steps[last].State == kruise.StatePaused && (last == 0 || rec.steps[last-1].State != kruise.StatePaused) {
			if c, ok := clusterOf(&w.After); ok && (len(pauses) == 0 || pauses[len(pauses)-1].step != last) {
				pauses = append(pauses, moment{c, last})
			}
		}
		return nil
	}
	require.NoError(t, run.runCalm(0, 0))
	whole := rec.result()
	require.True(t, whole.Done)
	require.GreaterOrEqual(t, len(pauses), 3)
	for _, p := range pauses {
		rest, err := ResumeRollout(p.cluster, cfg)
		require.NoError(t, err)
		require.True(t, rest.Done)
		var want, got []string
		for _, s := range whole.Steps[p.step:] {
			s.Time -= whole.Steps[p.step].Time
			want = append(want, describeStep(s))
		}
		for _, s := range rest.Steps {
			got = append(got, describeStep(s))
		}
		require.Equal(t, want, got, "taken over at step %d", whole.Steps[p.step].Step)
	}
}

// describeStep leaves out who has made the change, which the first step does not know.
func describeStep(s RolloutStep) string {
	s.By = ""
	return fmt.Sprintf("%+v", s)
}

// Whatever a release has come to, with requests lost and controllers restarted on the way,
// it can be taken over in the middle of any pass and comes to its end.
func TestResumeRolloutAnywhere(t *testing.T) {
	taken := map[workload.Style]int{}
	for seed := range uint64(40) {
		faults := Faults{Request: 1, Crash: 1, Stale: 1, Visibility: 1}
		w := NewRollouts(seed, faults)
		var clusters []RolloutCluster
		w.Observer.Write = func(write Write) error {
			c, ok := clusterOf(&write.After)
			underWay := c.Rollout.Status.Phase == kruise.PhaseProgressing || c.Deployment.Annotations[workload.AnnotationInProgress] != ""
			if ok && underWay && write.Kind != KindPod {
				clusters = append(clusters, c)
			}
			return nil
		}
		require.NoError(t, w.Run(400), "seed %d", seed)
		for i := 0; i < len(clusters); i += 7 {
			c := clusters[i]
			taken[c.Rollout.Style()]++
			r, err := ResumeRollout(c, RolloutConfig{
				Kubelet: Kubelet{ReadyAfter: 3 * time.Second, TerminateAfter: time.Second}, Options: kruise.Options{Repair: workload.RepairAll},
			})
			require.NoError(t, err, "seed %d, moment %d", seed, i)
			require.True(t, r.Done, "seed %d, moment %d: %+v, holds %v", seed, i, r.Steps[len(r.Steps)-1], r.Holds)
		}
	}
	for _, style := range []workload.Style{workload.Partition, workload.Canary, workload.BlueGreen} {
		require.Greater(t, taken[style], 30, style)
	}
}

// So it is with CloneSets and StatefulSets whose controllers have seen what is asked for.
func TestResumeSetsAnywhere(t *testing.T) {
	taken := map[string]int{}
	for seed := range uint64(40) {
		w := NewSets(seed, Faults{Request: 1, Crash: 1, Stale: 1, Visibility: 1})
		var clusters []RolloutCluster
		w.Observer.Write = func(write Write) error {
			c, ok := clusterOf(&write.After)
			if !ok || c.Set == nil || write.Kind == KindPod {
				return nil
			}
			underWay := c.Rollout.Status.Phase == kruise.PhaseProgressing || c.Set.Annotations[workload.AnnotationInProgress] != ""
			if underWay && c.Set.Status.ObservedGeneration == c.Set.Generation {
				clusters = append(clusters, c)
			}
			return nil
		}
		require.NoError(t, w.Run(400), "seed %d", seed)
		for i := 0; i < len(clusters); i += 7 {
			taken[clusters[i].Set.GroupKind()]++
			r, err := ResumeRollout(clusters[i], RolloutConfig{
				Kubelet: Kubelet{ReadyAfter: 3 * time.Second, TerminateAfter: time.Second}, Options: kruise.Options{Repair: workload.RepairAll},
			})
			require.NoError(t, err, "seed %d, moment %d", seed, i)
			require.True(t, r.Done, "seed %d, moment %d: %+v, holds %v", seed, i, r.Steps[len(r.Steps)-1], r.Holds)
		}
	}
	for _, kind := range []string{podset.CloneSet, podset.StatefulSet, podset.AdvancedStatefulSet} {
		require.Greater(t, taken[kind], 30, kind)
	}
}

// What a person has written beside the hash of the strategy stays, and a class of Ingress
// of any name tells of its traffic.
func TestRolloutKeepsAnnotations(t *testing.T) {
	for class, want := range map[string]int32{"": 20, "aliyun-alb": 20} {
		release := fourBatches(4)
		release.Rollout.Annotations = map[string]string{"team": "shop"}
		release.Rollout.Canary.Steps[0].Traffic = rollout.Percent(20)
		release.Rollout.Canary.TrafficRoutings = []traffic.Routing{{Service: "web", Ingress: &traffic.IngressRef{Name: "web", ClassType: class}}}
		release.Traffic = traffic.Objects{Stable: &traffic.Service{Name: "web", Selector: appWeb}, Ingress: &traffic.Ingress{Name: "web"}}
		w, rec, err := beginRollout(release, RolloutConfig{})
		require.NoError(t, err)
		require.NoError(t, w.runCalm(0, 0))
		annotations := w.store.rollouts.all()[0].Annotations
		require.Equal(t, "shop", annotations["team"])
		require.NotEmpty(t, annotations[workload.AnnotationHash])
		paused := int32(0)
		for _, s := range rec.result().Steps {
			if s.Step == 1 && s.State == kruise.StatePaused {
				paused = s.Traffic
			}
		}
		require.Equal(t, want, paused, "class %q", class)
	}
}
