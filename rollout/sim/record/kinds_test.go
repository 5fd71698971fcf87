// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

func logs(template string) daemonset.DaemonSet {
	return daemonset.DaemonSet{
		Name: "log", UID: "log", Selector: selector.FromLabels(labels), MaxUnavailable: rollout.Int(1),
		Template: daemonset.Template{Hash: template, Data: []byte(`{"spec":"` + template + `"}`), Labels: labels},
	}
}

// sized is how many pods are old and new, ready and there, from an instant on.
func sized(z *record.Sizes, start time.Time) string {
	var n [4]int32
	for _, p := range z.Parts {
		i := 0
		if p.New {
			i = 2
		}
		n[i] += p.Ready
		n[i+1] += p.Wanted
	}
	return fmt.Sprintf("%v old %d/%d new %d/%d avail %d", z.Time.Sub(start), n[0], n[1], n[2], n[3], z.Available)
}

// sizes are those from an instant on, in lines.
func sizes(list []record.Sizes, start time.Time) (lines []string) {
	for i := range list {
		if !list[i].Time.Before(start) {
			lines = append(lines, sized(&list[i], start))
		}
	}
	return lines
}

// Of two nodes one after the other gets the new pod: the old one is asked to end, which takes five seconds.
func TestDaemonSet(t *testing.T) {
	nodes := []cluster.Node{{Node: daemonset.Node{Name: "n"}}, {Node: daemonset.Node{Name: "m"}}}
	w, steps, _ := begin(t, cluster.Snapshot{Nodes: nodes}, sim.Config{})
	require.NoError(t, w.Put(logs("v1")))
	settle(t, w)
	first, complete := steps.Workload(sim.KindDaemonSet, "log")
	require.Equal(t, 10*time.Second, complete.Sub(w.Start()))
	again := w.Now()
	require.NoError(t, w.Put(logs("v2")))
	settle(t, w)
	list, complete := steps.Workload(sim.KindDaemonSet, "log")
	require.Equal(t, 30*time.Second, complete.Sub(again))
	var told []string
	for _, s := range list[len(first)-1:] {
		told = append(told, fmt.Sprintf("%s +%d -%d, %d actions", sized(&s.Sizes, again), s.Created, s.Deleted, len(s.Plan.(daemonset.Plan).Actions)))
	}
	require.Equal(t, []string{
		"0s old 1/1 new 0/0 avail 2 +0 -1, 2 actions", // the other revision, and a pod
		"5s old 1/1 new 0/1 avail 1 +1 -0, 1 actions",
		"15s old 0/0 new 1/1 avail 2 +0 -1, 1 actions",
		"20s old 0/0 new 1/2 avail 1 +1 -0, 1 actions",
		"30s old 0/0 new 2/2 avail 2 +0 -0, 0 actions",
	}, told)
	require.Equal(t, []string{
		"0s old 1/1 new 0/0 avail 2", "5s old 1/1 new 0/1 avail 1", "15s old 0/0 new 1/1 avail 2",
		"20s old 0/0 new 1/2 avail 1", "30s old 0/0 new 2/2 avail 2",
	}, sizes(steps.Sizes(sim.KindDaemonSet, "log"), again))
}

// release is a Rollout of four pods: a quarter with a fifth of the requests, until a person approves, and
// then all.
func release(of workload.Ref) (kruise.Rollout, cluster.Snapshot) {
	r := kruise.Rollout{Name: "web", UID: "rollout", WorkloadRef: of, Canary: &kruise.Strategy{
		Steps:           []kruise.Step{{Replicas: rollout.Percent(25), Traffic: rollout.Percent(20)}, {Replicas: rollout.Percent(100), Pause: kruise.Pause{Duration: ptr.To(int32(0))}}},
		TrafficRoutings: []traffic.Routing{{Service: "s", GracePeriodSeconds: 1, Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("r")}}},
	}}
	rules := []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "s"}}}}
	return r, cluster.Snapshot{
		Services: []traffic.Service{{Name: "s", Selector: labels}}, Routes: []traffic.Route{{Name: "r", Rules: rules}},
		Rollouts: []kruise.Rollout{r},
	}
}

// A Rollout has the steps of all that release its workload, and the workload has none of its own.
func TestRollout(t *testing.T) {
	set := func(template string) cluster.Set {
		return cluster.Set{TemplateLabels: labels, Workload: workload.Workload{
			Ref: workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, UID: "web", Replicas: ptr.To(int32(4)),
			Template: revision.Template{ID: template}, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)},
		}}
	}
	for kind, put := range map[sim.Kind]func(template string) any{
		sim.KindDeployment: func(template string) any { return web("web", template, 4) },
		sim.KindSet:        func(template string) any { return set(template) },
	} {
		t.Run(string(kind), func(t *testing.T) {
			ref := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
			if kind == sim.KindSet {
				ref = set("").Ref
			}
			_, s := release(ref)
			w, steps, _ := begin(t, s, sim.Config{})
			require.NoError(t, w.Put(put("v1")))
			settle(t, w)
			again := w.Now()
			require.NoError(t, w.Put(put("v2")))
			settle(t, w)
			list, complete := steps.Workload(sim.KindRollout, "web")
			require.Zero(t, complete)
			last := list[len(list)-1]
			require.Equal(t, record.Progress{Phase: "Progressing", Step: 1, State: "StepPaused", Paused: true}, last.Progress)
			require.Equal(t, int32(20), last.Traffic)
			require.Equal(t, "rollout controller", last.By)
			require.NotEmpty(t, last.Plan.(kruise.Plan).Holds)
			by := map[string]bool{}
			for _, s := range list {
				by[s.By] = true
			}
			require.True(t, by["rollout controller"] && by["batch controller"], by)
			require.Equal(t, kind == sim.KindDeployment, by["deployment controller"])
			require.Equal(t, 1, w.Approve())
			settle(t, w)
			_, complete = steps.Workload(sim.KindRollout, "web")
			require.True(t, complete.After(again))
			var led []int32
			for _, z := range steps.Sizes(sim.KindRollout, "web") {
				if n := len(led); !z.Time.Before(again) && (n == 0 || led[n-1] != z.Traffic) {
					led = append(led, z.Traffic)
				}
			}
			require.Equal(t, int32(0), led[0])
			require.Contains(t, led, int32(20))
			require.Equal(t, int32(100), led[len(led)-1])
			none, _ := steps.Workload(kind, "web")
			require.Empty(t, none)
			end := steps.Sizes(sim.KindRollout, "web")
			require.Contains(t, sized(&end[len(end)-1], again), " old 0/0 new 4/4 avail 4")
		})
	}
}

// A canary of Argo: a fifth, until somebody approves, and all.
func TestArgo(t *testing.T) {
	canary := func(template string) cluster.ArgoRollout {
		return cluster.ArgoRollout{UID: "argo", TemplateLabels: labels, Rollout: argo.Rollout{
			Name: "web", TemplateHash: template, Replicas: ptr.To(int32(5)), MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
			Steps: []argo.Step{{SetWeight: ptr.To(int32(20))}, {Pause: &argo.Pause{}}},
		}}
	}
	w, steps, _ := begin(t, cluster.Snapshot{}, sim.Config{})
	require.NoError(t, w.Put(canary("v1")))
	settle(t, w)
	again := w.Now()
	require.NoError(t, w.Put(canary("v2")))
	settle(t, w)
	list, complete := steps.Workload(sim.KindArgoRollout, "web")
	require.Zero(t, complete)
	last := list[len(list)-1]
	require.Equal(t, int32(2), last.Step)
	require.True(t, last.Paused)
	require.Equal(t, int32(-1), last.Traffic)
	require.Contains(t, sized(&last.Sizes, again), " old 4/4 new 1/1 avail 5")
	require.Equal(t, 1, w.Approve())
	settle(t, w)
	_, complete = steps.Workload(sim.KindArgoRollout, "web")
	require.NotZero(t, complete)
	list, _ = steps.Workload(sim.KindArgoRollout, "web")
	require.Contains(t, sized(&list[len(list)-1].Sizes, again), " old 0/0 new 5/5 avail 5")
	require.Equal(t, int64(2), list[len(list)-1].Parts[1].Revision)
}

// In a world that begins in the middle of a release the extra Deployment is one of the Rollout as well.
func TestCanaryUnderWay(t *testing.T) {
	r, s := release(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"})
	r.Canary.EnableExtraWorkloadForCanary = true
	s.Rollouts = []kruise.Rollout{r}
	w, steps, _ := begin(t, s, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 4)))
	settle(t, w)
	require.NoError(t, w.Put(web("web", "v2", 4)))
	settle(t, w)
	sizes := steps.Sizes(sim.KindRollout, "web")
	before := sizes[len(sizes)-1]
	require.Len(t, before.Parts, 2)
	w, steps, _ = begin(t, w.Snapshot(), sim.Config{})
	settle(t, w)
	sizes = steps.Sizes(sim.KindRollout, "web")
	require.Equal(t, before.Parts, sizes[len(sizes)-1].Parts)
	require.Equal(t, before.Traffic, sizes[len(sizes)-1].Traffic)
}

// While a Rollout waits for a person, its step is that of the wait, also once the person has come.
func TestWaitForPerson(t *testing.T) {
	_, s := release(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"})
	w, steps, _ := begin(t, s, sim.Config{ApproveAfter: cluster.Exactly(time.Minute)})
	require.NoError(t, w.Put(web("web", "v1", 4)))
	settle(t, w)
	again := w.Now()
	require.NoError(t, w.Put(web("web", "v2", 4)))
	settle(t, w)
	list, _ := steps.Workload(sim.KindRollout, "web")
	i := slices.IndexFunc(list, func(s record.Step) bool {
		p, ok := s.Plan.(kruise.Plan)
		return ok && !s.Time.Before(again) && slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.Approval })
	})
	require.Positive(t, i)
	require.Equal(t, record.Progress{Phase: "Progressing", Step: 1, State: "StepPaused", Paused: true}, list[i].Progress)
	next := slices.IndexFunc(list[i:], func(s record.Step) bool { return s.State != "StepPaused" })
	require.Equal(t, time.Minute, list[i+next].Time.Sub(list[i].Time).Round(time.Second))
}

// A Rollout that waits for good does so since it began to, whatever statuses tell later.
func TestWaitsForGood(t *testing.T) {
	_, s := release(workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"})
	w, steps, _ := begin(t, s, sim.Config{})
	require.NoError(t, w.Put(web("web", "v1", 4)))
	settle(t, w)
	again := w.Now()
	require.NoError(t, w.Put(web("web", "v2", 4)))
	settle(t, w)
	require.Greater(t, w.Now().Sub(again), 10*time.Minute, "when the Deployment has exceeded its progress deadline")
	list, _ := steps.Workload(sim.KindRollout, "web")
	require.Less(t, list[len(list)-1].Time.Sub(again), time.Minute)
}
