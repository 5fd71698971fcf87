// SPDX-License-Identifier: Apache-2.0

package smallscope_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/smallscope"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout"
)

// A plant is a planner with a bug, and the property that finds it.
type plant struct {
	property, bug string
	explore       func(until string) smallscope.Report
}

// planted explores a Deployment of two pods with a changed view, or changed plans.
func planted(property, bug string, see func(*deploy.Snapshot), change func(deploy.Snapshot, *deploy.Plan) error, options ...func(*smallscope.Deployments)) plant {
	d := smallscope.Deployments{Options: deploy.Options{Repair: quirk.All}, Surge: 1, Replicas: []int8{2}, Templates: 2, Changes: 1}
	for _, set := range options {
		set(&d)
	}
	d.Plan = func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
		if see != nil {
			see(&s)
		}
		p, err := deploy.Reconcile(s, now, o)
		if change != nil {
			err = errors.Join(err, change(s, &p))
		}
		return p, err
	}
	return plant{property, bug, func(until string) smallscope.Report { return smallscope.Explore(&d, until) }}
}

// rescale changes the size of each ReplicaSet that is scaled.
func rescale(to func(a deploy.ScaleReplicaSet) int32) func(deploy.Snapshot, *deploy.Plan) error {
	return func(_ deploy.Snapshot, p *deploy.Plan) error {
		for i, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				a.To = to(a)
				p.Actions[i] = a
			}
		}
		return nil
	}
}

func recreate(d *smallscope.Deployments) { d.Strategy, d.Surge, d.Ending = deploy.Recreate, 0, true }
func batches(d *smallscope.Deployments) {
	d.Batches = []rollout.IntOrPercent{rollout.Percent(50), rollout.Percent(100)}
}

func deploymentPlants() []plant {
	surge := func(s *deploy.Snapshot) { s.Deployment.MaxSurge = rollout.Int(2) }
	down := func(s *deploy.Snapshot) { s.Deployment.MaxUnavailable = rollout.Int(2) }
	grown := func(s deploy.Snapshot, p *deploy.Plan) error {
		if rs := s.ReplicaSets[0]; len(p.Actions) == 0 && rs.Status.ReadyReplicas == 2 {
			p.Actions = deploy.Actions{deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: *rs.Replicas, To: 3}}
		}
		return nil
	}
	return []plant{
		planted("surge", "it ignores maxSurge", surge, nil),
		planted("plan: surge", "it ignores maxSurge", surge, nil),
		planted("available", "it forgets maxUnavailable", down, nil),
		planted("plan: available", "it forgets maxUnavailable", down, nil),
		planted("available", "it deletes one pod too many", nil, rescale(func(a deploy.ScaleReplicaSet) int32 {
			if a.To < a.From {
				return max(0, a.To-1)
			}
			return a.To
		})),
		planted("negative", "it goes below 0", nil, rescale(func(a deploy.ScaleReplicaSet) int32 {
			if a.To == 0 {
				return -1
			}
			return a.To
		})),
		planted("goal", "it never finishes", nil, func(_ deploy.Snapshot, p *deploy.Plan) error {
			p.Actions = slices.DeleteFunc(p.Actions, func(a deploy.Action) bool { a2, ok := a.(deploy.ScaleReplicaSet); return ok && a2.To == 0 })
			return nil
		}),
		planted("goal", "it goes in circles", nil, rescale(func(a deploy.ScaleReplicaSet) int32 { return min(a.To, 1) })),
		planted("rest", "it does not rest", nil, grown),
		planted("recreate", "it does not wait for the last old pod", func(s *deploy.Snapshot) {
			s.Pods = nil
			for i := range s.ReplicaSets {
				s.ReplicaSets[i].Status = replicaset.Status{}
			}
		}, nil, recreate),
		planted("partition", "it ignores the partition", func(s *deploy.Snapshot) {
			if s.Deployment.Partitioned != nil {
				s.Deployment.Partitioned.Partition = rollout.Percent(100)
			}
		}, nil, batches),
		planted("available after sharing", "it forgets maxUnavailable", func(s *deploy.Snapshot) { s.Deployment.Partitioned.RollingUpdate.MaxUnavailable = rollout.Int(3) }, nil,
			batches, func(d *smallscope.Deployments) { d.Pauses, d.Changes, d.Replicas = true, 2, []int8{3} }),
		planted("plan", "it fails", nil, func(s deploy.Snapshot, _ *deploy.Plan) error {
			if len(s.ReplicaSets) > 1 {
				return errors.New("two are too many")
			}
			return nil
		}),
	}
}

func plantedSet(property, bug string, see func(*replicaset.Snapshot), change func(replicaset.Snapshot, *replicaset.Plan)) plant {
	r := smallscope.ReplicaSets{Replicas: []int8{2, 1, 0}, Changes: 1, Losses: 1}
	r.Plan = func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
		if see != nil {
			see(&s)
		}
		p, err := replicaset.Reconcile(s, now, o)
		if change != nil {
			change(s, &p)
		}
		return p, err
	}
	return plant{property, bug, func(until string) smallscope.Report { return smallscope.Explore(&r, until) }}
}

func replicaSetPlants() []plant {
	forget := func(s *replicaset.Snapshot) { s.Expectations = expect.Expectations{} }
	more := func(_ replicaset.Snapshot, p *replicaset.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(replicaset.CreatePods); ok {
				a.Count++
				p.Actions[i] = a
			}
		}
	}
	fewer := func(s replicaset.Snapshot, p *replicaset.Plan) {
		for _, pod := range s.Pods {
			if a := (replicaset.DeletePod{Name: pod.Name, UID: pod.UID}); len(p.Actions) == 1 && pod.Active() && p.Actions[0] != replicaset.Action(a) {
				if _, ok := p.Actions[0].(replicaset.DeletePod); ok {
					p.Actions = append(p.Actions, a)
				}
			}
		}
	}
	return []plant{
		plantedSet("surge", "it expects nothing", forget, nil),
		plantedSet("available", "it expects nothing", forget, nil),
		plantedSet("surge", "it creates one pod too many", nil, more),
		plantedSet("plan", "it creates one pod too many", nil, more),
		plantedSet("available", "it deletes one pod too many", nil, fewer),
		plantedSet("plan", "it deletes ready pods first", func(s *replicaset.Snapshot) {
			for i := range s.Pods {
				s.Pods[i].Ready = !s.Pods[i].Ready
			}
		}, nil),
		plantedSet("goal", "it never creates", nil, func(_ replicaset.Snapshot, p *replicaset.Plan) {
			p.Actions = slices.DeleteFunc(p.Actions, func(a replicaset.Action) bool { _, ok := a.(replicaset.CreatePods); return ok })
		}),
		plantedSet("rest", "it does not rest", nil, func(s replicaset.Snapshot, p *replicaset.Plan) {
			if len(s.Pods) == 1 && len(p.Actions) == 0 {
				p.Actions = replicaset.Actions{replicaset.CreatePods{Count: 1}}
			}
		}),
	}
}

func plantedDaemons(property, bug string, surge int8, see func(*daemonset.Snapshot), change func(daemonset.Snapshot, *daemonset.Plan)) plant {
	d := smallscope.DaemonSets{Nodes: 2, Surge: surge, Unavailable: 1 - surge, Templates: 2, Changes: 1, Losses: 1}
	d.Plan = func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
		if see != nil {
			see(&s)
		}
		p, err := daemonset.Reconcile(s, now, o)
		if change != nil {
			change(s, &p)
		}
		return p, err
	}
	return plant{property, bug, func(until string) smallscope.Report { return smallscope.Explore(&d, until) }}
}

func daemonSetPlants() []plant {
	first := func(s daemonset.Snapshot, p *daemonset.Plan) {
		if pod := s.Pods[0]; len(p.Actions) == 0 && len(s.Pods) == 2 && !s.Unseen {
			p.Actions = daemonset.Actions{daemonset.DeletePod{Object: daemonset.Object{Name: pod.Name, UID: pod.UID}, Node: pod.NodeName}}
		}
	}
	return []plant{
		plantedDaemons("available", "it forgets maxUnavailable", 0, func(s *daemonset.Snapshot) { s.DaemonSet.MaxUnavailable = rollout.Int(2) }, nil),
		plantedDaemons("surge", "it ignores maxSurge", 1, func(s *daemonset.Snapshot) { s.DaemonSet.MaxSurge = rollout.Int(2) }, nil),
		plantedDaemons("available", "it deletes one pod too many", 0, nil, func(s daemonset.Snapshot, p *daemonset.Plan) {
			for _, pod := range s.Pods {
				p.Actions = append(p.Actions, daemonset.DeletePod{Object: daemonset.Object{Name: pod.Name, UID: pod.UID}, Node: pod.NodeName})
			}
		}),
		plantedDaemons("pods", "it does not see pods that are not ready", 0, func(s *daemonset.Snapshot) {
			s.Pods = slices.DeleteFunc(s.Pods, func(p daemonset.Pod) bool { return p.Phase == podorder.Running && !p.Ready })
		}, nil),
		plantedDaemons("goal", "it never updates", 0, func(s *daemonset.Snapshot) { s.DaemonSet.Paused = true }, nil),
		plantedDaemons("rest", "it does not rest", 0, nil, first),
		plantedDaemons("plan", "it does not wait for its own writes", 0, func(s *daemonset.Snapshot) { s.Unseen = false }, nil),
	}
}

// TestPlants: each property is seen to fail.
func TestPlants(t *testing.T) {
	for _, p := range slices.Concat(deploymentPlants(), replicaSetPlants(), daemonSetPlants(), rolloutPlants()) {
		t.Run(p.property+", "+p.bug, func(t *testing.T) {
			r := p.explore(p.property)
			require.Contains(t, r.Properties(), p.property, "%d states", r.States)
			for _, v := range r.Violations {
				require.NotEmpty(t, v.Trace)
				require.NotEmpty(t, v.Detail)
			}
		})
	}
}
