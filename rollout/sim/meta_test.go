// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// inSteps is a Rollout in a namespace, which waits a minute after each half, and leads traffic.
func inSteps(ref workload.Ref, style func(*kruise.Strategy)) cluster.Snapshot {
	s := &kruise.Strategy{TrafficRoutings: []traffic.Routing{{Service: "shop/web", Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("shop/web")}}}}
	for _, percent := range []int32{20, 50, 100} {
		s.Steps = append(s.Steps, kruise.Step{Traffic: rollout.Percent(min(percent, 50)), Replicas: rollout.Percent(percent), Pause: kruise.Pause{Duration: ptr.To(int32(60))}})
	}
	style(s)
	return cluster.Snapshot{
		Rollouts: []kruise.Rollout{{Name: "shop/web", WorkloadRef: ref, Canary: s}},
		Services: []traffic.Service{{Name: "shop/web", Selector: map[string]string{"app": "web"}}},
		Routes:   []traffic.Route{{Name: "shop/web", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "shop/web"}}}}}},
	}
}

// released are workloads of each kind of a release, with a function that gives them another template.
var released = map[string]struct {
	style func(*kruise.Strategy)
	put   func(template string) any
}{
	"a Deployment by partition": {func(*kruise.Strategy) {}, webShop},
	"a canary":                  {func(s *kruise.Strategy) { s.EnableExtraWorkloadForCanary = true }, webShop},
	"a CloneSet": {func(*kruise.Strategy) {}, func(template string) any {
		return aSet(workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "shop/web"}, template)
	}},
	"a StatefulSet": {func(*kruise.Strategy) {}, func(template string) any {
		return aSet(workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "shop/web"}, template)
	}},
	"a DaemonSet": {func(*kruise.Strategy) {}, func(template string) any {
		return daemonset.DaemonSet{
			Name: "shop/web", UID: "w", Selector: selector.FromLabels(map[string]string{"app": "web"}), Strategy: daemonset.RollingUpdate, MaxUnavailable: rollout.Int(1),
			Template: daemonset.Template{Hash: template, Labels: map[string]string{"app": "web"}, Data: fmt.Appendf(nil, `{"spec":{"template":{"spec":{"containers":[{"image":%q}]}}}}`, template)},
		}
	}},
}

// webShop is a Deployment whose templates have IDs that are no hashes, as those of files.
func webShop(template string) any {
	return deploy.Deployment{
		Name: "shop/web", UID: "w", Replicas: ptr.To(int32(6)), Selector: selector.FromLabels(map[string]string{"app": "web"}), TemplateLabels: map[string]string{"app": "web"},
		Strategy: deploy.RollingUpdate, MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25), Template: revision.Template{ID: "digest of " + template, Hash: template},
	}
}

func aSet(ref workload.Ref, template string) any {
	return cluster.Set{TemplateLabels: map[string]string{"app": "web"}, Workload: workload.Workload{
		Ref: ref, UID: "w", Replicas: ptr.To(int32(6)), Template: revision.Template{ID: "digest of " + template, Hash: template}, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)},
	}}
}

func refOf(object any) workload.Ref {
	switch o := object.(type) {
	case cluster.Set:
		return o.Ref
	case daemonset.DaemonSet:
		return workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: o.Name}
	}
	return workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "shop/web"}
}

// A release that is under way goes on in another world as in its own, whatever it releases: its JSON has all
// that there is of it. At the end all pods are of the new template, and nothing of the release is left.
func TestReleaseGoesOn(t *testing.T) {
	config := sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)}}
	for name, c := range released {
		t.Run(name, func(t *testing.T) {
			s := inSteps(refOf(c.put("v1")), c.style)
			for i := range 6 {
				s.Nodes = append(s.Nodes, cluster.Node{Node: daemonset.Node{Name: fmt.Sprint("n", i)}})
			}
			w, err := sim.New(s, config)
			require.NoError(t, err)
			require.NoError(t, w.Put(c.put("v1")))
			settled(t, w)
			require.NoError(t, w.Put(c.put("v2")))
			for range 30 {
				require.NoError(t, w.Run(w.Now().Add(10*time.Second)))
				text, err := json.Marshal(w.Snapshot())
				require.NoError(t, err)
				var again cluster.Snapshot
				require.NoError(t, json.Unmarshal(text, &again))
				next, err := sim.New(again, config)
				require.NoError(t, err)
				require.Equal(t, again.Meta, next.Snapshot().Meta)
				settled(t, next)
				finished(t, next, s)
			}
		})
	}
}

// finished requires that all pods are of the new template, and that what the release has made is gone.
func finished(t *testing.T, w *sim.World, began cluster.Snapshot) {
	t.Helper()
	s := w.Snapshot()
	require.Equal(t, kruise.PhaseHealthy, s.Rollouts[0].Status.Phase)
	require.Empty(t, s.Releases)
	require.Equal(t, began.Services, s.Services)
	require.Len(t, s.Routes, 1)
	require.Equal(t, "shop/web", s.Routes[0].Rules[0].BackendRefs[0].Name)
	require.Len(t, s.Routes[0].Rules[0].BackendRefs, 1)
	require.LessOrEqual(t, len(s.Deployments), 1)
	require.Len(t, podsOf(s, "v2"), 6)
	require.Empty(t, podsOf(s, "v1"))
}

// podsOf are the pods of a template.
func podsOf(s cluster.Snapshot, template string) (names []string) {
	of := func(p podorder.Pod) {
		for _, label := range []string{p.Labels[workload.LabelPodTemplateHash], p.Labels[workload.LabelControllerRevision]} {
			if workload.LastPart(label) == template {
				names = append(names, p.Name)
				return
			}
		}
	}
	for _, p := range s.Pods {
		of(p)
	}
	for _, p := range s.DaemonPods {
		of(p.Pod)
	}
	return names
}

// Pods are told their batch, of whatever kind their workload is, and their labels have no namespace.
func TestBatchesOfPods(t *testing.T) {
	for name, c := range released {
		t.Run(name, func(t *testing.T) {
			s, labels := inSteps(refOf(c.put("v1")), c.style), map[string]string{workload.LabelRolloutID: "1"}
			for i := range 6 {
				s.Nodes = append(s.Nodes, cluster.Node{Node: daemonset.Node{Name: fmt.Sprint("n", i)}})
			}
			switch o := c.put("v1").(type) {
			case deploy.Deployment:
				s.Deployments, s.Meta = []deploy.Deployment{o}, []cluster.Meta{{Kind: deploy.Kind, Name: o.Name, Labels: labels}}
			case daemonset.DaemonSet:
				s.DaemonSets, s.Meta = []daemonset.DaemonSet{o}, []cluster.Meta{{Kind: daemonset.Kind, Name: o.Name, Labels: labels}}
			case cluster.Set:
				o.Labels = labels
				s.Sets = []cluster.Set{o}
			}
			w, err := sim.New(s, sim.Config{})
			require.NoError(t, err)
			settled(t, w)
			require.NoError(t, w.Put(c.put("v2")))
			require.NoError(t, w.Run(w.Now().Add(30*time.Second)))
			s = w.Snapshot()
			require.NotEmpty(t, podsOf(s, "v2"))
			batches := map[string]int{}
			note := func(p podorder.Pod) {
				if revision := p.Labels[workload.LabelControllerRevision]; workload.LastPart(revision) == "v2" || p.Labels[workload.LabelPodTemplateHash] == "v2" {
					batches[p.Labels[workload.LabelBatchID]]++
					require.Contains(t, []string{"v2", "web-v2"}, revision)
				}
			}
			for _, p := range s.Pods {
				note(p)
			}
			for _, p := range s.DaemonPods {
				note(p.Pod)
			}
			require.Equal(t, map[string]int{"1": 2}, batches, "20 of 100 of 6")
		})
	}
}

// What a Rollout has made goes with it, also in a world that begins in the middle of a release.
func TestReleaseGoesWithItsRollout(t *testing.T) {
	w, err := sim.New(inSteps(refOf(webShop("v1")), func(*kruise.Strategy) {}), sim.Config{})
	require.NoError(t, err)
	require.NoError(t, w.Put(webShop("v1")))
	settled(t, w)
	require.NoError(t, w.Put(webShop("v2")))
	require.NoError(t, w.Run(w.Now().Add(30*time.Second)))
	s := w.Snapshot()
	require.Len(t, s.Releases, 1)
	require.Len(t, s.Services, 2)
	s.Rollouts[0].Finalizers, s.Releases[0].Finalizers = nil, nil
	w, err = sim.New(s, sim.Config{Without: []sim.Kind{sim.KindRollout}})
	require.NoError(t, err)
	require.True(t, w.Delete(sim.KindRollout, "shop/web"))
	settled(t, w)
	require.Empty(t, w.Snapshot().Releases)
	require.Len(t, w.Snapshot().Services, 1)
}

// Metadata of what is not there is an error with its place.
func TestMetaOfNothing(t *testing.T) {
	_, err := sim.New(cluster.Snapshot{Meta: []cluster.Meta{{Kind: "Deployment", Name: "web"}}}, sim.Config{})
	require.ErrorContains(t, err, `Meta["web"].Kind`)
}
