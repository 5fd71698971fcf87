// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// template returns the identity of a template whose ReplicaSet is named web-name.
func template(name string) revision.Template { return revision.Template{ID: name, Hash: name} }

func deployment(name string, replicas int32, surge, unavailable rollout.IntOrPercent) deploy.Deployment {
	return deploy.Deployment{
		Name: "web", UID: "d", Generation: 1, Replicas: ptr.To(replicas), Template: template(name),
		MaxSurge: surge, MaxUnavailable: unavailable, ProgressDeadlineSeconds: ptr.To(int32(600)), RevisionHistoryLimit: ptr.To(int32(10)),
	}
}

// finished returns a cluster in which d has been rolled out.
func finished(t require.TestingT, d deploy.Deployment) Cluster {
	c, err := Finished(d)
	require.NoError(t, err)
	return c
}

// updated returns the cluster with another wanted state.
func updated(c Cluster, d deploy.Deployment) Cluster {
	c = c.Clone()
	c.Update(d)
	return c
}

// trace writes the size changes of steps: passes are separated by bars.
func trace(steps []Step) string {
	var passes []string
	for _, s := range steps {
		var changes []string
		for _, a := range s.Actions {
			switch a := a.(type) {
			case deploy.CreateReplicaSet:
				changes = append(changes, fmt.Sprintf("%v: create %s %d", s.Time, a.Name, a.Replicas))
			case deploy.ScaleReplicaSet:
				changes = append(changes, fmt.Sprintf("%v: %s %d->%d", s.Time, a.Name, a.From, a.To))
			case deploy.DeleteReplicaSet:
				changes = append(changes, fmt.Sprintf("%v: delete %s", s.Time, a.Name))
			}
		}
		if len(changes) > 0 {
			passes = append(passes, strings.Join(changes, ", "))
		}
	}
	return strings.Join(passes, " | ")
}

func neverReady(names ...string) func(podorder.Pod, revision.Template) bool {
	return func(_ podorder.Pod, t revision.Template) bool {
		for _, name := range names {
			if t.ID == name {
				return true
			}
		}
		return false
	}
}

func tenSeconds() Kubelet { return Kubelet{ReadyAfter: 10 * time.Second} }

var deadEnd = Config{Kubelet: Kubelet{ReadyAfter: 10 * time.Second, NeverReady: neverReady("bad")}, TimeLimit: time.Minute}

func stuck(t *testing.T) Cluster {
	from := finished(t, deployment("old", 10, rollout.Int(3), rollout.Int(2)))
	result, err := Run(updated(from, deployment("bad", 10, rollout.Int(3), rollout.Int(2))), deadEnd)
	require.NoError(t, err)
	require.False(t, result.Done)
	require.Equal(t, "0s: create web-bad 3, 0s: web-old 10->8 | 0s: web-bad 3->5", trace(result.Steps),
		"new pods that never become available leave 8 + 5")
	return result.Cluster
}

// unready makes one pod of the ReplicaSet fail for good.
func unready(t *testing.T, c Cluster, rs string) Cluster {
	for _, p := range c.Pods {
		if p.ControllerName == rs && p.DeletionTimestamp.IsZero() {
			p.Ready, p.Labels = false, map[string]string{"fails": "yes"}
			return c
		}
	}
	require.Fail(t, "no pod of "+rs)
	return c
}

func failing(p podorder.Pod, t revision.Template) bool {
	return p.Labels["fails"] == "yes" || neverReady("bad")(p, t)
}

var quarter = rollout.Percent(25)

func recreate(name string) deploy.Deployment {
	d := deployment(name, 3, rollout.IntOrPercent{}, rollout.IntOrPercent{})
	d.Strategy = deploy.Recreate
	return d
}

func paused(d deploy.Deployment) deploy.Deployment {
	d.Paused = true
	return d
}

// Traces of the Deployment controller that are worked out by hand.
var traces = []struct {
	name, why string
	start     func(t *testing.T) Cluster
	kubelet   Kubelet
	want      string
	done      bool
}{
	{
		name: "ten", why: "surge 3 and unavailable 2 of 10: 13 wanted at most, 8 available at least",
		start: func(t *testing.T) Cluster {
			return updated(finished(t, deployment("old", 10, rollout.Int(3), rollout.Int(2))),
				deployment("new", 10, rollout.Int(3), rollout.Int(2)))
		},
		kubelet: tenSeconds(),
		want: "0s: create web-new 3, 0s: web-old 10->8 | 0s: web-new 3->5 | 10s: web-old 8->3 | " +
			"10s: web-new 5->10 | 20s: web-old 3->0",
		done: true,
	},
	{
		name: "rollback", why: "one of the 8 good pods is unavailable, so one bad pod has to stay until new ones are",
		start: func(t *testing.T) Cluster {
			return updated(unready(t, stuck(t), "web-old"), deployment("old", 10, rollout.Int(3), rollout.Int(2)))
		},
		kubelet: Kubelet{ReadyAfter: 10 * time.Second, NeverReady: failing},
		want:    "0s: web-bad 5->1 | 0s: web-old 8->10 | 10s: web-bad 1->0",
	},
	{
		name: "rollover", why: "the third template starts at 0 and the broken one goes first",
		start: func(t *testing.T) Cluster {
			return updated(stuck(t), deployment("new2", 10, rollout.Int(3), rollout.Int(2)))
		},
		kubelet: Kubelet{ReadyAfter: 10 * time.Second, NeverReady: neverReady("bad")},
		want: "0s: create web-new2 0, 0s: web-bad 5->0 | 0s: web-new2 0->5 | 10s: web-old 8->3 | " +
			"10s: web-new2 5->10 | 20s: web-old 3->0",
		done: true,
	},
	{
		name: "three", why: "25% of 3 is 1 above and none unavailable",
		start: func(t *testing.T) Cluster {
			return updated(finished(t, deployment("old", 3, quarter, quarter)), deployment("new", 3, quarter, quarter))
		},
		kubelet: tenSeconds(),
		want: "0s: create web-new 1 | 10s: web-old 3->2 | 10s: web-new 1->2 | 20s: web-old 2->1 | 20s: web-new 2->3 | " +
			"30s: web-old 1->0",
		done: true,
	},
	{
		name: "one", why: "no surge and 1% of 1 is no pod, so one may be unavailable",
		start: func(t *testing.T) Cluster {
			return updated(finished(t, deployment("old", 1, rollout.Int(0), rollout.Percent(1))),
				deployment("new", 1, rollout.Int(0), rollout.Percent(1)))
		},
		kubelet: tenSeconds(),
		want:    "0s: create web-new 0, 0s: web-old 1->0 | 0s: web-new 0->1",
		done:    true,
	},
	{
		name: "fifteen", why: "19 wanted at most, 12 available at least",
		start: func(t *testing.T) Cluster {
			return updated(finished(t, deployment("old", 15, quarter, quarter)), deployment("new", 15, quarter, quarter))
		},
		kubelet: tenSeconds(),
		want: "0s: create web-new 4, 0s: web-old 15->12 | 0s: web-new 4->7 | 10s: web-old 12->5 | 10s: web-new 7->14 | " +
			"20s: web-old 5->0 | 20s: web-new 14->15",
		done: true,
	},
	{
		name: "scaled in between", why: "10 -> 15 with surge 3 gives 8 + 5 the sizes 11 + 7, also while paused",
		start: func(t *testing.T) Cluster {
			from := finished(t, deployment("old", 10, rollout.Int(3), rollout.Int(2)))
			result, err := Run(updated(from, deployment("new", 10, rollout.Int(3), rollout.Int(2))),
				Config{Kubelet: tenSeconds(), TimeLimit: 5 * time.Second})
			require.NoError(t, err)
			return updated(result.Cluster, paused(deployment("new", 15, rollout.Int(3), rollout.Int(2))))
		},
		kubelet: tenSeconds(),
		want:    "0s: web-old 8->11, 0s: web-new 5->7",
	},
	{
		name: "recreate", why: "nothing starts before the last old pod is gone",
		start: func(t *testing.T) Cluster {
			return updated(finished(t, recreate("old")), recreate("new"))
		},
		kubelet: Kubelet{ReadyAfter: 10 * time.Second, TerminateAfter: 30 * time.Second},
		want:    "0s: web-old 3->0 | 30s: create web-new 3",
		done:    true,
	},
	{
		name: "nothing", why: "the first rollout starts at full size",
		start: func(t *testing.T) Cluster {
			return Cluster{Now: Epoch, Deployment: deployment("new", 4, quarter, quarter)}
		},
		kubelet: tenSeconds(),
		want:    "0s: create web-new 4",
		done:    true,
	},
	{
		name: "finished", why: "a finished rollout has nothing to do",
		start: func(t *testing.T) Cluster {
			return finished(t, deployment("old", 4, quarter, quarter))
		},
		kubelet: tenSeconds(),
		want:    "",
		done:    true,
	},
}

func TestTraces(t *testing.T) {
	for _, tt := range traces {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.why)
			result, err := Run(tt.start(t), Config{Kubelet: tt.kubelet, TimeLimit: time.Minute})
			require.NoError(t, err)
			if diff := cmp.Diff(strings.Split(tt.want, " | "), strings.Split(trace(result.Steps), " | ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
			require.Equal(t, tt.done, result.Done)
		})
	}
}
