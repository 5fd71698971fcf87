// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"errors"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	daemonsetreason "github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	replicasetreason "github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

type replicaSetFunc = func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
type daemonSetFunc = func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)

// running is a ReplicaSet of some size with n ready pods.
func running(wanted int32, n int) replicaset.Snapshot {
	s := replicaset.Snapshot{ReplicaSet: replicas(wanted)}
	for i := range n {
		name := string(rune('a' + i))
		s.Pods = append(s.Pods, podorder.Pod{
			Name: name, UID: name, ControllerUID: "web-uid", NodeName: "n1", Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-5 * time.Second),
			Labels: map[string]string{"app": "web"}, CreationTimestamp: t0.Add(-time.Hour),
		})
	}
	return s
}

func replicaSetPlants() []plant {
	plan := func(name, bug string, s replicaset.Snapshot, change func(*replicaset.Plan)) plant {
		return inPlan(name, bug, replicaset.Reconcile, s, replicaset.Options{}, change)
	}
	deleted := func(name string) func(*replicaset.Plan) {
		return func(p *replicaset.Plan) { p.Actions = append(p.Actions, replicaset.DeletePod{Name: name, UID: name}) }
	}
	foreign := running(1, 3)
	foreign.Pods[2].ControllerUID = "other"
	orphans := running(3, 2)
	orphans.Pods[1].ControllerUID = ""
	orphans.Pods = append(orphans.Pods, podorder.Pod{Name: "x", UID: "x", ControllerUID: "other", Labels: map[string]string{"app": "web"}})
	ended := running(3, 3)
	ended.Pods[2].Phase = podorder.Failed
	deleting := running(3, 1)
	deleting.ReplicaSet.DeletionTimestamp = t0
	young := running(2, 2)
	young.ReplicaSet.MinReadySeconds = 10
	short := running(5, 2)
	adopts := func(name string) replicaset.AdoptPod {
		return replicaset.AdoptPod{Name: name, UID: name, Reason: replicasetreason.Orphan, Reference: claim.OwnerReference{Kind: "ReplicaSet", Name: "web", UID: "web-uid", Controller: ptr.To(true)}}
	}
	must := func(s replicaset.Snapshot) invariant.ReplicaSetPass {
		p, err := replicaset.Reconcile(s, t0, replicaset.Options{})
		if err != nil {
			panic(err)
		}
		return invariant.ReplicaSetPass{Snapshot: s, Now: t0, Plan: p}
	}
	expecting := must(short)
	failed := must(short)
	report := replicaset.Report{Expectations: failed.Plan.Expect(short.Expectations, t0), Creates: []kplan.Outcome{{Answer: kplan.Failed, Err: errors.New("quota")}}}
	pass, err := replicaset.NewPass(short, t0, replicaset.Options{})
	if err != nil {
		panic(err)
	}
	result := pass.Finish(report)
	return []plant{
		plan("exact difference", "one creation too many", short, func(p *replicaset.Plan) { p.Actions = replicaset.Actions{replicaset.CreatePods{Count: 4}} }),
		inCase("slow start", "the third batch is too large", invariant.SlowStart{Wanted: 10, Initial: 1, Batches: []int32{1, 2, 4, 3}}, func(c *invariant.SlowStart) { c.Batches = []int32{1, 2, 5, 2} }),
		inCase("slow start", "it goes on after a failure", invariant.SlowStart{Wanted: 3, Initial: 1, Batches: []int32{1, 2}, Next: func(int32, bool) int32 { return 0 }},
			func(c *invariant.SlowStart) { c.Next = func(int32, bool) int32 { return 2 } }),
		plan("own active pods only", "a pod of another is deleted", foreign, deleted("c")),
		plan("no surplus deletion", "one deletion too many", running(1, 3), deleted("a")),
		inCase("expectations count down", "one creation is not expected", invariant.Expecting{Pass: expecting, After: expecting.Plan.Expect(short.Expectations, t0)}, func(c *invariant.Expecting) { c.After = expect.Creations(2, t0) }),
		inCase("expectations count down", "a deletion counts twice", invariant.Expecting{Pass: must(running(1, 3)), After: expect.Deletions(deletedOf(must(running(1, 3)).Plan), t0)},
			func(c *invariant.Expecting) {
				c.Observe = func(e expect.Expectations, _ string) expect.Expectations { return e.Lower(0, 1) }
			}),
		plan("adoption and release", "an orphan is left alone", orphans, func(p *replicaset.Plan) { p.Actions = nil }),
		plan("one controller per pod", "a pod is taken from another controller", orphans, func(p *replicaset.Plan) { p.Actions = append(p.Actions, adopts("x")) }),
		plan("finished pods do not count", "failed pods count", ended, func(p *replicaset.Plan) { p.Status.Replicas++ }),
		plan("ReplicaSet status recount", "a pod is ready twice", running(3, 3), func(p *replicaset.Plan) { p.Status.ReadyReplicas++ }),
		plan("deleting ReplicaSet rests", "pods are created to the last", deleting, func(p *replicaset.Plan) { p.Actions = append(p.Actions, replicaset.CreatePods{Count: 2}) }),
		plan("availability instant", "it looks again a second late", young, func(p *replicaset.Plan) { p.RecheckAt = p.RecheckAt.Add(time.Second) }),
		inCase("ReplicaFailure condition", "a failure is not reported", invariant.Finished{Pass: failed, Report: report, Result: result}, func(c *invariant.Finished) { c.Result.Status.Conditions = nil }),
	}
}

func deletedOf(p replicaset.Plan) (names []string) {
	for _, a := range p.Actions {
		if a, ok := a.(replicaset.DeletePod); ok {
			names = append(names, a.Name)
		}
	}
	return names
}

// kill adds the deletion of pods of agents, by their numbers.
func kill(reason kplan.Reason, numbers ...string) func(*daemonset.Plan) {
	return func(p *daemonset.Plan) {
		for _, n := range numbers {
			p.Actions = append(p.Actions, daemonset.DeletePod{Object: daemonset.Object{Name: "p" + n, UID: "uid-p" + n, ResourceVersion: "rp" + n}, Node: "n" + n, Reason: reason})
		}
	}
}

func daemonSetPlants() []plant {
	plan := func(name, bug string, s daemonset.Snapshot, o daemonset.Options, change func(*daemonset.Plan)) plant {
		return inPlan(name, bug, daemonset.Reconcile, s, o, change)
	}
	olds := func() daemonset.Snapshot { return agents(4, "v1", "v1", "v1", "v1") }
	with := func(s daemonset.Snapshot, change func(*daemonset.Snapshot)) daemonset.Snapshot { change(&s); return s }
	create := func(node string) func(*daemonset.Plan) {
		return func(p *daemonset.Plan) {
			p.Actions = append(p.Actions, daemonset.CreatePod{Node: node, Hash: "v2", Reason: daemonsetreason.Missing})
		}
	}
	drop := func(gone func(daemonset.Action) bool) func(*daemonset.Plan) {
		return func(p *daemonset.Plan) { p.Actions = slices.DeleteFunc(p.Actions, gone) }
	}
	none := daemonset.Options{}
	kept := with(agents(1, "v2"), func(s *daemonset.Snapshot) {
		s.Nodes[0].Taints = []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}}
	})
	failed := with(agents(1, "v2"), func(s *daemonset.Snapshot) {
		s.Pods[0].Phase, s.Pods[0].Ready = podorder.Failed, false
		s.Backoff = daemonset.Backoff{{BackoffKey: daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: "n0"}, Delay: 8 * time.Second, Since: t0.Add(-time.Second)}}
	})
	held := with(olds(), func(s *daemonset.Snapshot) {
		s.DaemonSet.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}}
		for i := range s.Pods {
			s.Pods[i].Labels["hold"] = "yes"
		}
	})
	twins := with(agents(1, "v2"), func(s *daemonset.Snapshot) {
		s.Revisions = append(s.Revisions, agentRevision("v3", 3))
		s.Revisions[2].Data = stored("v2")
	})
	partitioned := with(agents(4, "v1", "v1"), func(s *daemonset.Snapshot) { s.DaemonSet.Partition = rollout.Int(1) })
	orphan := with(agents(1, "v2"), func(s *daemonset.Snapshot) { s.Pods[0].ControllerUID = "" })
	turns := func(states ...daemonset.Snapshot) (t invariant.DaemonSetTrace) {
		t.Fair = true
		for _, s := range states {
			t.Passes = append(t.Passes, invariant.DaemonSetPass{Snapshot: s, Now: t0})
		}
		return t
	}
	return []plant{
		inPlanner("bounds after every prefix", "the last node is forgotten", daemonset.Reconcile, partitioned, none, func(plan daemonSetFunc) daemonSetFunc {
			return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				p, err := plan(s, now, o)
				if creates := func(a daemonset.Action) bool { _, ok := a.(daemonset.CreatePod); return ok }; len(p.Actions) == 1 {
					drop(creates)(&p)
				}
				return p, err
			}
		}),
		inCase("no repeated state", "an orphan is adopted and let go", turns(orphan, agents(1, "v2"), agents(1)), func(t *invariant.DaemonSetTrace) { *t = turns(orphan, agents(1, "v2"), orphan) }),
		plan("placement", "a taint is not seen", with(agents(2), func(s *daemonset.Snapshot) {
			s.Nodes[1].Taints = []daemonset.Taint{{Key: "x", Effect: daemonset.NoSchedule}}
		}), none, create("n1")),
		plan("one pod per node", "a node gets two pods", agents(1), none, create("n0")),
		plan("unavailable nodes bound", "one pod more than may be unavailable", olds(), none, kill(daemonsetreason.Rollout, "1")),
		plan("surging nodes bound", "one node more than may surge", with(olds(), func(s *daemonset.Snapshot) {
			s.DaemonSet.MaxSurge, s.DaemonSet.MaxUnavailable = rollout.Int(1), rollout.Int(0)
		}), none, create("n1")),
		plan("unavailable old pods first", "an available pod goes first", with(olds(), func(s *daemonset.Snapshot) { s.Pods[0].Ready = false }), none, func(p *daemonset.Plan) {
			p.Actions = nil
			kill(daemonsetreason.Rollout, "1")(p)
		}),
		plan("dead nodes bound", "dead nodes are passed over without limit", olds(), none, func(p *daemonset.Plan) {
			p.Holds = append(p.Holds, kplan.Hold{Node: "n3", Reason: daemonsetreason.DeadNode})
		}),
		plan("failed pods back off", "the delay is not waited for", failed, none, kill(daemonsetreason.Failed, "0")),
		plan("misplaced pods go", "a pod stays where it may not", kept, none, func(p *daemonset.Plan) { p.Actions = nil }),
		plan("update stops at the partition", "one node more than the partition leaves", with(olds(), func(s *daemonset.Snapshot) {
			s.DaemonSet.Partition, s.DaemonSet.MaxUnavailable = rollout.Int(3), rollout.Int(2)
		}), none, kill(daemonsetreason.Rollout, "0")),
		plan("selected nodes only", "the selector is not read", with(olds(), func(s *daemonset.Snapshot) {
			s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": "b"}}
		}), none, kill(daemonsetreason.Rollout, "0")),
		plan("paused update", "the pause is not read", with(olds(), func(s *daemonset.Snapshot) { s.DaemonSet.Paused = true }), none, kill(daemonsetreason.Rollout, "0")),
		plan("pre-delete hook holds", "a pod that is held is deleted", held, none, kill(daemonsetreason.Rollout, "0")),
		plan("one revision per template", "duplicates stay", twins, none, drop(func(a daemonset.Action) bool { _, ok := a.(daemonset.DeleteRevision); return ok })),
		inPlanner("cordon changes nothing", "a cordon makes a node unfit", daemonset.Reconcile, agents(2), none, func(plan daemonSetFunc) daemonSetFunc {
			return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n daemonset.Node) bool { return len(n.Taints) > 0 })
				return plan(s, now, o)
			}
		}),
		plan("DaemonSet status recount", "a pod is ready twice", olds(), none, func(p *daemonset.Plan) { p.Status.NumberReady++ }),
		plan("burst bound", "one more than the burst", with(agents(3), func(s *daemonset.Snapshot) { s.DaemonSet.Burst = rollout.Int(1) }), none, create("n1")),
	}
}
