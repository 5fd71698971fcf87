// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// sizing is a Deployment of a template, with a deadline and limits.
func sizing(name string, replicas int32, surge, unavailable rollout.IntOrPercent) deploy.Deployment {
	d := webDeployment(name, replicas)
	d.MaxSurge, d.MaxUnavailable = surge, unavailable
	d.ProgressDeadlineSeconds, d.RevisionHistoryLimit = ptr.To(int32(600)), ptr.To(int32(10))
	return d
}

// ten is one of ten pods: 13 at most may be wanted, and 8 at least must be available.
func ten(name string) deploy.Deployment { return sizing(name, 10, rollout.Int(3), rollout.Int(2)) }

// A traced world writes the changes of sizes since an instant. Passes are separated by bars.
type traced struct {
	*sim.World
	since  time.Time
	passes []string
}

func (w *traced) planned(p sim.Plan) {
	plan, ok := p.Plan.(deploy.Plan)
	if !ok || w.World == nil {
		return
	}
	var changes []string
	for _, a := range plan.Actions {
		at := p.Time.Sub(w.since)
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			changes = append(changes, fmt.Sprintf("%v: create %s %d", at, a.Name, a.Replicas))
		case deploy.ScaleReplicaSet:
			changes = append(changes, fmt.Sprintf("%v: %s %d->%d", at, a.Name, a.From, a.To))
		case deploy.DeleteReplicaSet:
			changes = append(changes, fmt.Sprintf("%v: delete %s", at, a.Name))
		}
	}
	if len(changes) > 0 {
		w.passes = append(w.passes, strings.Join(changes, ", "))
	}
}

// update wants something else for a minute.
func (w *traced) update(t *testing.T, d deploy.Deployment) {
	w.since, w.passes = w.Now(), nil
	require.NoError(t, w.Put(d))
	require.NoError(t, w.Run(w.since.Add(time.Minute)))
}

// startedWith is a world in which Deployments were wanted one after the other, each for a minute.
func startedWith(t *testing.T, end time.Duration, list ...deploy.Deployment) *traced {
	w := &traced{}
	s := cluster.Snapshot{Templates: map[string]cluster.Template{"bad": {NeverReady: true}}}
	w.World = newWorld(t, s, sim.Config{Times: cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(end)}, Planned: w.planned, Together: true})
	for _, d := range list {
		w.update(t, d)
	}
	return w
}

// stuck is a world of 8 old pods and 5 new ones that never become available.
func stuck(t *testing.T) *traced {
	w := startedWith(t, 0, ten("old"), ten("bad"))
	require.Equal(t, "0s: create web-bad 3, 0s: web-old 10->8 | 0s: web-bad 3->5", strings.Join(w.passes, " | "))
	return w
}

func recreated(name string) deploy.Deployment {
	d := sizing(name, 3, rollout.IntOrPercent{}, rollout.IntOrPercent{})
	d.Strategy = deploy.Recreate
	return d
}

var quarter = rollout.Percent(25)

// Traces of the Deployment controller that are worked out by hand.
var traces = []struct {
	name, why string
	start     func(t *testing.T) *traced
	to        deploy.Deployment
	want      string
	done      bool
}{
	{
		"ten", "surge 3 and unavailable 2 of 10: 13 wanted at most, 8 available at least",
		func(t *testing.T) *traced { return startedWith(t, 0, ten("old")) }, ten("new"),
		"0s: create web-new 3, 0s: web-old 10->8 | 0s: web-new 3->5 | 10s: web-old 8->3 | 10s: web-new 5->10 | 20s: web-old 3->0", true,
	},
	{
		"rollback", "one of the 8 good pods is unavailable, so one bad pod has to stay until new ones are",
		func(t *testing.T) *traced {
			w := stuck(t)
			for _, p := range w.View().Pods() {
				if p.ControllerName == "web-old" {
					require.True(t, w.Fail(p.Name)) // another one is created, which takes 10 seconds
					break
				}
			}
			return w
		}, ten("old"),
		"0s: web-bad 5->1 | 0s: web-old 8->10 | 10s: web-bad 1->0", true,
	},
	{
		"rollover", "the third template starts at 0 and the broken one goes first",
		stuck, ten("new2"),
		"0s: create web-new2 0, 0s: web-bad 5->0 | 0s: web-new2 0->5 | 10s: web-old 8->3 | 10s: web-new2 5->10 | 20s: web-old 3->0", true,
	},
	{
		"three", "25% of 3 is 1 above and none unavailable",
		func(t *testing.T) *traced { return startedWith(t, 0, sizing("old", 3, quarter, quarter)) }, sizing("new", 3, quarter, quarter),
		"0s: create web-new 1 | 10s: web-old 3->2 | 10s: web-new 1->2 | 20s: web-old 2->1 | 20s: web-new 2->3 | 30s: web-old 1->0", true,
	},
	{
		"one", "no surge and 1% of 1 is no pod, so one may be unavailable",
		func(t *testing.T) *traced {
			return startedWith(t, 0, sizing("old", 1, rollout.Int(0), rollout.Percent(1)))
		}, sizing("new", 1, rollout.Int(0), rollout.Percent(1)),
		"0s: create web-new 0, 0s: web-old 1->0 | 0s: web-new 0->1", true,
	},
	{
		"fifteen", "19 wanted at most, 12 available at least",
		func(t *testing.T) *traced { return startedWith(t, 0, sizing("old", 15, quarter, quarter)) }, sizing("new", 15, quarter, quarter),
		"0s: create web-new 4, 0s: web-old 15->12 | 0s: web-new 4->7 | 10s: web-old 12->5 | 10s: web-new 7->14 | 20s: web-old 5->0 | 20s: web-new 14->15", true,
	},
	{
		"scaled in between", "10 -> 15 with surge 3 gives 8 + 5 the sizes 11 + 7, also while paused",
		func(t *testing.T) *traced {
			w := startedWith(t, 0, ten("old"))
			require.NoError(t, w.Put(ten("new")))
			require.NoError(t, w.Run(w.Now().Add(5*time.Second)))
			return w
		}, func() deploy.Deployment {
			d := sizing("new", 15, rollout.Int(3), rollout.Int(2))
			d.Paused = true
			return d
		}(),
		"0s: web-old 8->11, 0s: web-new 5->7", false,
	},
	{
		"recreate", "nothing starts before the last old pod is gone",
		func(t *testing.T) *traced { return startedWith(t, 30*time.Second, recreated("old")) }, recreated("new"),
		"0s: web-old 3->0 | 30s: create web-new 3", true,
	},
	{
		"nothing", "the first rollout starts at full size",
		func(t *testing.T) *traced { return startedWith(t, 0) }, sizing("new", 4, quarter, quarter),
		"0s: create web-new 4", true,
	},
	{
		"finished", "a finished rollout has nothing to do",
		func(t *testing.T) *traced { return startedWith(t, 0, sizing("old", 4, quarter, quarter)) }, sizing("old", 4, quarter, quarter),
		"", true,
	},
}

func TestTraces(t *testing.T) {
	for _, tt := range traces {
		t.Run(tt.name, func(t *testing.T) {
			w := tt.start(t)
			w.update(t, tt.to)
			require.Equal(t, strings.Split(tt.want, " | "), strings.Split(strings.Join(w.passes, " | "), " | "), tt.why)
			d := w.View().Deployment("web")
			require.Equal(t, tt.done, deploy.Complete(d.Status, *tt.to.Replicas, d.Generation))
		})
	}
}

// A rollout leaves behind the annotations, the status and the conditions that that of Kubernetes does, and
// another wanted state keeps them.
func TestFinishedDeployment(t *testing.T) {
	d := sizing("old", 10, quarter, quarter)
	d.Annotations, d.Paused = map[string]string{"team": "shop"}, false
	w := startedWith(t, 0, d)
	sets := w.View().ReplicaSetsOf("web")
	require.Len(t, sets, 1)
	require.Equal(t, "web-old", sets[0].Name)
	require.Equal(t, map[string]string{
		"team": "shop", revision.AnnotationRevision: "1", revision.AnnotationDesired: "10", revision.AnnotationMax: "13",
	}, sets[0].Annotations)
	end := *w.View().Deployment("web")
	require.Equal(t, "1", end.Annotations[revision.AnnotationRevision])
	reasons := map[string]string{}
	for _, c := range end.Status.Conditions {
		reasons[c.Type] = c.Reason
	}
	require.Equal(t, map[string]string{"Available": "MinimumReplicasAvailable", "Progressing": "NewReplicaSetAvailable"}, reasons)
	end.Status.Conditions = nil
	require.Equal(t, deploy.Status{
		ObservedGeneration: 1, Replicas: 10, UpdatedReplicas: 10, ReadyReplicas: 10, AvailableReplicas: 10, TerminatingReplicas: new(int32),
	}, end.Status)

	require.NoError(t, w.Put(d))
	require.EqualValues(t, 1, w.View().Deployment("web").Generation, "nothing has changed")
	d.Replicas = ptr.To(int32(11))
	require.NoError(t, w.Put(d))
	next := w.View().Deployment("web")
	require.EqualValues(t, 2, next.Generation)
	require.EqualValues(t, 10, next.Status.Replicas, "the status is the cluster's")
	require.Equal(t, "1", next.Annotations[revision.AnnotationRevision], "and so is the revision")
}

// Time alone makes pods available, and lets a deadline pass.
func TestTimeAlone(t *testing.T) {
	d := sizing("new", 2, rollout.Int(1), rollout.Int(0))
	d.MinReadySeconds = 30
	w := startedWith(t, 0)
	require.NoError(t, w.Put(d))
	available := func(after time.Duration) int32 {
		require.NoError(t, w.Run(w.Start().Add(after)))
		return w.View().Deployment("web").Status.AvailableReplicas
	}
	require.EqualValues(t, 0, available(40*time.Second-1))
	require.EqualValues(t, 2, available(40*time.Second))

	d = sizing("bad", 2, rollout.Int(1), rollout.Int(0))
	d.ProgressDeadlineSeconds = ptr.To(int32(60))
	w = startedWith(t, 0)
	require.NoError(t, w.Put(d))
	settled(t, w.World)
	require.Equal(t, 60*time.Second+1, w.Now().Sub(w.Start()))
	progressing, _ := deploy.GetCondition(w.View().Deployment("web").Status.Conditions, deploy.ConditionProgressing)
	require.Equal(t, "ProgressDeadlineExceeded", progressing.Reason)
}

// With a latency controllers make fewer plans, in about the same time, and keep the same bounds.
func TestLatency(t *testing.T) {
	for name, put := range map[string]func(template string) any{
		"Deployment": func(template string) any { return sizing(template, 60, quarter, quarter) },
		"DaemonSet": func(template string) any {
			d := webDaemonSet(template)
			d.MaxUnavailable = rollout.Percent(10)
			return d
		},
	} {
		run := func(latency time.Duration) (plans, least int, takes time.Duration) {
			c := sim.Config{Times: cluster.Times{Ready: cluster.Between(10*time.Second, 20*time.Second), End: cluster.Exactly(time.Second)}, Latency: latency}
			w := newWorld(t, cluster.Snapshot{Nodes: equalNodes(60, 0)}, c)
			require.NoError(t, w.Put(put("v1")))
			settled(t, w)
			before, begin := w.Report().Plans, w.Now()
			require.NoError(t, w.Put(put("v2")))
			for least = 60; ; {
				more, err := w.Step()
				require.NoError(t, err)
				if !more {
					return w.Report().Plans - before, least, w.Now().Sub(begin)
				}
				least = min(least, serving(values(w.View().Pods()))+servingDaemons(w.View()))
			}
		}
		plans, least, takes := run(0)
		few, leastOfFew, takesFew := run(time.Second)
		require.Less(t, few, plans, name)
		require.Equal(t, least, leastOfFew, name)
		require.InDelta(t, takes, takesFew, float64(takes)/4, name)
	}
}

func servingDaemons(v sim.View) (n int) {
	for _, p := range v.DaemonPods() {
		if p.Active() && p.Ready {
			n++
		}
	}
	return n
}
