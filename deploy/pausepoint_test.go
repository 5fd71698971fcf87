// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

var withPoints = deploy.Options{PausePoints: true}

// stops is a Deployment in the middle of a rollout from five old pods, p1 to p5 in
// deletion order, the given ones with a pause point. All five new pods are available
// and four old ones may go.
func stops(points map[string]string) deploy.Snapshot {
	s := snapshot(web(5, limits(4, 4)), set(1, 5), set(2, 5))
	s.Deployment.ResourceVersion = "7"
	for n := range 5 {
		p := podorder.Pod{
			Name: fmt.Sprint("p", n+1), UID: fmt.Sprint("uid-p", n+1), ControllerUID: "v1", NodeName: "n", Phase: podorder.Running,
			Ready: true, ReadySince: t0.Add(-time.Duration(1<<n) * time.Hour), // the youngest goes first
		}
		if value, ok := points[p.Name]; ok {
			p.Annotations = map[string]string{pausepoint.Annotation: value}
		}
		s.Pods = append(s.Pods, p)
	}
	return s
}

// passes runs passes, lets the ReplicaSets delete their pods in order, and resumes
// where told.
func passes(t *testing.T, s deploy.Snapshot, resume ...int) string {
	var steps []string
	for n := range 8 {
		if slices.Contains(resume, n) {
			s.Deployment.Paused = false
			steps = append(steps, "resume")
		}
		p := reconcileWith(t, s, withPoints)
		// The token is an annotation of the Deployment, and copied like any other.
		step := strings.TrimPrefix(strings.TrimPrefix(actions(p), "annotate web-v2"), ", ")
		if step != "" {
			steps = append(steps, step)
		}
		execute(t, &s, p)
		for left := int(*s.ReplicaSets[0].Replicas); len(s.Pods) > left; {
			s.Pods = s.Pods[1:]
		}
		settle(&s)
	}
	return strings.Join(steps, " | ")
}

func TestPausePoints(t *testing.T) {
	for _, c := range []struct {
		why    string
		points map[string]string
		resume []int
		want   string
	}{
		{"none", nil, nil, "web-v1 5->0"},
		{"before the third", map[string]string{"p3": "before"}, []int{3},
			"web-v1 5->3, pause before p3 | resume | web-v1 3->0"},
		{"after the third: it goes while the rollout is paused", map[string]string{"p3": "after"}, []int{3},
			"web-v1 5->3, pause after p3 | web-v1 3->2 | resume | web-v1 2->0"},
		{"two of them", map[string]string{"p1": "true", "p4": ""}, []int{2, 5},
			"pause before p1 | resume | web-v1 5->2, pause before p4 | resume | web-v1 2->0"},
		{"switched off", map[string]string{"p3": "off"}, nil, "web-v1 5->0"},
		{"unreadable: a stop is a stop", map[string]string{"p2": "maybe"}, nil, "web-v1 5->4, pause before p2"},
	} {
		t.Run(c.why, func(t *testing.T) { requireEqual(t, c.why, c.want, passes(t, stops(c.points), c.resume...)) })
	}
}

func TestPausePointWrite(t *testing.T) {
	p := reconcileWith(t, stops(map[string]string{"p3": "before"}), withPoints)
	requireEqual[deploy.Action](t, "one write, with preconditions", deploy.PauseDeployment{
		UID: "web-uid", ResourceVersion: "7", Pod: "p3", Mode: pausepoint.Before, Reason: reason.PausePoint,
		Set: map[string]string{pausepoint.AnnotationHit: "2;b:uid-p3"},
	}, p.Actions[len(p.Actions)-1])
	require.Contains(t, holds(p), "web-v1 PausePoint 2/5")
	require.Contains(t, p.Events, kplan.Event{Action: 1, Type: "Normal", Reason: "PausePointReached", Message: "Paused deployment web before deleting pod p3"})
	require.Equal(t, "web-v1 5->0", actions(reconcile(t, stops(map[string]string{"p3": "before"}))), "by default points are ignored")
}

// TestPausePointScaling: while the rollout waits, a change of replicas scales, and
// nothing is filled up otherwise.
func TestPausePointScaling(t *testing.T) {
	s := stops(map[string]string{"p1": "before"})
	execute(t, &s, reconcileWith(t, s, withPoints))
	require.True(t, s.Deployment.Paused)
	require.Equal(t, "annotate web-v2", actions(reconcileWith(t, s, withPoints)), "the token, and no pods")
	for i := range s.ReplicaSets {
		sized("5", "9")(&s.ReplicaSets[i])
	}
	s.Deployment.Replicas = ptr.To(int32(6))
	require.NotEmpty(t, actions(reconcileWith(t, s, withPoints)))
}

// TestPausePointNewRevision: the token of another rollout is void.
func TestPausePointNewRevision(t *testing.T) {
	s := stops(map[string]string{"p3": "before"})
	s.Deployment.Annotations[pausepoint.AnnotationHit] = "1;b:uid-p3"
	numbered("2")(&s.ReplicaSets[1])
	s.ReplicaSets[1].Annotations[pausepoint.AnnotationHit] = "1;b:uid-p3"
	require.Equal(t, "web-v1 5->3, pause before p3", actions(reconcileWith(t, s, withPoints)))
}

// TestPausePointRecreate: Recreate has nothing to pause.
func TestPausePointRecreate(t *testing.T) {
	s := stops(map[string]string{"p3": "before"})
	s.Deployment.Strategy = deploy.Recreate
	require.Equal(t, "web-v1 5->0", actions(reconcileWith(t, s, withPoints)))
}

// TestPausePointInSight: a point that this pass does not reach stops nothing, and
// where all may go nothing is held back.
func TestPausePointInSight(t *testing.T) {
	s := stops(map[string]string{"p2": "before"})
	s.Deployment.MaxSurge, s.Deployment.MaxUnavailable = rollout.Int(1), rollout.Int(0)
	counts(5, 1)(&s.ReplicaSets[1])
	require.Equal(t, "web-v1 5->4", actions(reconcileWith(t, s, withPoints)))
	for _, hold := range holds(reconcileWith(t, stops(nil), withPoints)) {
		require.NotContains(t, hold, "PausePoint")
	}
}

// TestPausePointNeighbours: which pod goes first depends on the neighbours of the whole
// Deployment, pods of the new set among them.
func TestPausePointNeighbours(t *testing.T) {
	s := stops(map[string]string{"p5": "before"})
	s.Pods[4].NodeName = "crowded"
	for n := range 5 {
		s.Pods = append(s.Pods, podorder.Pod{
			Name: fmt.Sprint("q", n+1), UID: fmt.Sprint("uid-q", n+1), ControllerUID: "v2", NodeName: "crowded", Phase: podorder.Running,
		})
	}
	require.Equal(t, "pause before p5", actions(reconcileWith(t, s, withPoints)), "p5 has the most neighbours")
}

// TestPausePointBack: a rollout back to the oldest set waits and goes on like any other.
func TestPausePointBack(t *testing.T) {
	s := stops(map[string]string{"p3": "after"})
	s.Deployment.Template = s.ReplicaSets[0].Template
	s.Deployment.Annotations = map[string]string{revision.AnnotationRevision: "3"}
	numbered("3")(&s.ReplicaSets[0])
	for i := range s.Pods {
		s.Pods[i].ControllerUID = "v2"
	}
	p := reconcileWith(t, s, withPoints)
	require.Equal(t, "web-v2 5->3, pause after p3", actions(p))
	execute(t, &s, p)
	s.Pods = s.Pods[2:]
	settle(&s)
	require.Contains(t, actions(reconcileWith(t, s, withPoints)), "web-v2 3->2")
}

// TestPausePointOrder: pause points and the planner of ReplicaSets agree on which pods go,
// whatever the order in which they go.
func TestPausePointOrder(t *testing.T) {
	s := stops(map[string]string{"p4": "before"})
	s.Pods[3].Annotations[podorder.AnnotationDeletePriority] = "9"
	owned := replicaset.Snapshot{ReplicaSet: s.ReplicaSets[0], Pods: s.Pods}
	for _, c := range []struct {
		why     string
		order   podorder.Order
		plan    string
		deleted []string
	}{
		{"by default p4 is the fourth", podorder.Order{}, "web-v1 5->2, pause before p4", []string{"p1", "p2", "p3"}},
		{"by priority it is the first", podorder.Order{Priority: podorder.PriorityAnnotatedFirst}, "pause before p4", nil},
		{"what the order holds by itself is replaced", podorder.Order{
			Neighbours: podorder.Neighbours{"n": 9}, Related: func(p *podorder.Pod) bool { return p.Name == "p4" },
			Now: t0.Add(-1000 * time.Hour),
		}, "web-v1 5->2, pause before p4", []string{"p1", "p2", "p3"}},
		{"p1 is protected: it goes last", podorder.Order{Protected: func(p *podorder.Pod) bool { return p.Name == "p1" }},
			"web-v1 5->3, pause before p4", []string{"p2", "p3"}},
	} {
		p := reconcileWith(t, s, deploy.Options{PausePoints: true, Order: c.order})
		require.Equal(t, c.plan, actions(p), c.why)
		if scale, ok := p.Actions[0].(deploy.ScaleReplicaSet); ok {
			owned.ReplicaSet.Replicas = ptr.To(scale.To)
		} else {
			owned.ReplicaSet.Replicas = ptr.To(int32(5))
		}
		q, err := replicaset.Reconcile(owned, t0, replicaset.Options{Order: c.order})
		require.NoError(t, err)
		var deleted []string
		for _, a := range q.Actions {
			if a, ok := a.(replicaset.DeletePod); ok {
				deleted = append(deleted, a.Name)
			}
		}
		slices.Sort(deleted)
		require.Equal(t, c.deleted, deleted, c.why)
	}
}

// TestPausePointRollback: a Deployment that waits at a pause point and is to go back keeps the
// revision to go back to.
func TestPausePointRollback(t *testing.T) {
	s := stops(map[string]string{"p3": "before"})
	execute(t, &s, reconcileWith(t, s, withPoints))
	require.True(t, s.Deployment.Paused)
	s.ReplicaSets = append(s.ReplicaSets, set(0, 0))
	s.Deployment.RevisionHistoryLimit = ptr.To(int32(0))
	require.Contains(t, actions(reconcileWith(t, s, withPoints)), "delete web-v0")
	s.Deployment.Annotations[revision.AnnotationRollback] = "1"
	require.NotContains(t, actions(reconcileWith(t, s, withPoints)), "delete")
}
