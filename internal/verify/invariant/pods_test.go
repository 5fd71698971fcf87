// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func replicaSetPass(t *rapid.T, s replicaset.Snapshot, o replicaset.Options) (invariant.ReplicaSetPass, bool) {
	p, err := replicaset.Reconcile(s, t0, o)
	return invariant.ReplicaSetPass{Snapshot: s, Now: t0, Options: o, Plan: p}, err == nil
}

func TestReplicaSetPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.ReplicaSet), random.ReplicaSetOptions(random.Rapid(t))
		p, ok := replicaSetPass(t, s, o)
		if !ok {
			return
		}
		clean(t, &p)
		clean(t, &invariant.Expecting{Pass: p, After: p.Plan.Expect(s.Expectations, t0)})
		finished(t, p)
	})
}

// finished lets the calls of a plan succeed or fail.
func finished(t *rapid.T, p invariant.ReplicaSetPass) {
	r := replicaset.Report{Expectations: p.Plan.Expect(p.Snapshot.Expectations, t0)}
	outcome := func(answers ...kplan.ServerAnswer) kplan.Outcome {
		return kplan.Outcome{Answer: pick(t, "answer", answers...), Err: errors.New("no")}
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			clean(t, &invariant.SlowStart{Wanted: a.Count, Initial: a.Initial, Batches: a.Batches(), Next: func(made int32, failed bool) int32 {
				if made > 10_000 {
					return 0 // as many outcomes are too many for a test
				}
				outcomes := make([]kplan.Outcome, made)
				for i := range outcomes {
					outcomes[i].Answer = kplan.Done
				}
				if failed && made > 0 {
					outcomes[made-1].Answer = kplan.Failed
				}
				return a.NextBatch(outcomes)
			}})
			for range min(a.Count, 3) {
				r.Creates = append(r.Creates, outcome(kplan.Done, kplan.Failed, kplan.NamespaceTerminating))
			}
		case replicaset.DeletePod:
			r.Deletes = append(r.Deletes, outcome(kplan.Done, kplan.Done, kplan.NotFound, kplan.Failed))
		default:
			r.Claims = append(r.Claims, kplan.Outcome{Answer: kplan.Done})
		}
	}
	pass, err := replicaset.NewPass(p.Snapshot, t0, p.Options)
	if err != nil {
		t.Fatal(err)
	}
	clean(t, &invariant.Finished{Pass: p, Report: r, Result: pass.Finish(r)})
}

func TestReplicaSetPlanner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.ReplicaSet), random.ReplicaSetOptions(random.Rapid(t))
		if *s.ReplicaSet.Replicas > 1000 {
			s.ReplicaSet.Replicas = ptr.To(int32(1000)) // whatever is created is carried out
		}
		clean(t, &invariant.ReplicaSetPlanner{Snapshot: s, Now: t0, Options: o, Plan: replicaset.Reconcile})
	})
}

// TestBrokenReplicaSets: checks do not panic on any input.
func TestBrokenReplicaSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.ReplicaSet), random.ReplicaSetOptions(random.Rapid(t))
		s.ReplicaSet.Replicas = pick(t, "broken replicas", nil, ptr.To(int32(-1)))
		for i := range s.Pods {
			if seldom(t, "double", 2) {
				s.Pods[i].Name, s.Pods[i].UID = "p0", ""
			}
		}
		p, _ := replicaSetPass(t, s, o)
		invariant.Run(&p)
	})
}

func daemonSetPass(t *rapid.T, s daemonset.Snapshot, o daemonset.Options) (invariant.DaemonSetPass, bool) {
	p, err := daemonset.Reconcile(s, t0, o)
	return invariant.DaemonSetPass{Snapshot: s, Now: t0, Options: o, Plan: p}, err == nil
}

func TestDaemonSetPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if p, ok := daemonSetPass(t, anyKind(t, random.DaemonSet), daemonSetOptions(t)); ok {
			clean(t, &p)
		}
	})
}

func TestDaemonSetPlanner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean(t, &invariant.DaemonSetPlanner{Snapshot: anyKind(t, random.DaemonSet), Now: t0, Options: daemonSetOptions(t), Plan: daemonset.Reconcile})
	})
}

// TestDeadNodesChoice: one of two dead nodes is skipped: the first, while its pod is not ready, and
// then the second. Whether the old pod of the second has been deleted meanwhile depends on its
// availability when the plan was made.
func TestDeadNodesChoice(t *testing.T) {
	s := agents(3, "v2", "v1", "v1")
	s.Pods[0].Ready, s.Pods[0].ReadySince = false, time.Time{}
	for _, i := range []int{0, 2} {
		s.Nodes[i].Taints = []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}}
	}
	s.DaemonSet.Template.Tolerations = []daemonset.Toleration{{Operator: "Exists"}}
	s.Pods[1].Ready, s.Pods[1].ReadySince = false, time.Time{}
	s.Pods[2].ReadySince, s.DaemonSet.MinReadySeconds = t0.Add(-9500*time.Millisecond), 10
	s.DaemonSet.MaxUnavailable = rollout.Int(1)
	p := invariant.DaemonSetPlanner{Snapshot: s, Now: t0, Options: daemonset.Options{SkipDeadNodes: 1}, Plan: daemonset.Reconcile}
	require.Empty(t, invariant.Run(&p))
	p.Options.SkipDeadNodes = 2
	require.Empty(t, invariant.Run(&p), "both")
}

// TestBrokenDaemonSets: checks do not panic on any input.
func TestBrokenDaemonSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anyKind(t, random.DaemonSet), daemonSetOptions(t)
		s.DaemonSet.Selector = pick(t, "broken selector", nil, s.DaemonSet.Selector)
		for i := range s.Pods {
			if seldom(t, "double", 3) {
				s.Pods[i].Name, s.Pods[i].UID = "p0", ""
			}
		}
		if len(s.Nodes) > 1 && rapid.Bool().Draw(t, "same node") {
			s.Nodes[1].Name = s.Nodes[0].Name
		}
		p, _ := daemonSetPass(t, s, o)
		invariant.Run(&p)
	})
}

// TestEndOfAnyController: where pods count with any controller, they count at the end, too.
func TestEndOfAnyController(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{
		Name: "web", UID: "web-uid", Replicas: ptr.To(int32(1)), TemplateLabels: map[string]string{"app": "web"},
		Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
	for i, owner := range []string{"old-uid", "web-uid", "web-uid"} {
		s.Pods = append(s.Pods, podorder.Pod{
			Name: fmt.Sprint("p", i), UID: fmt.Sprint("u", i), ControllerUID: owner, Labels: map[string]string{"app": "web"},
			NodeName: []string{"n", "", ""}[i], Phase: podorder.Pending, CreationTimestamp: t0.Add(-time.Hour),
		})
	}
	clean(t, &invariant.ReplicaSetPlanner{Snapshot: s, Now: t0, Plan: replicaset.Reconcile, Options: replicaset.Options{
		Dialect: replicaset.Kubernetes15WithoutGarbageCollector, Burst: 1,
	}})
}
