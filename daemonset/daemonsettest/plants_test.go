// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

type plant = properties.Plant[daemonset.Snapshot, daemonset.Options, daemonset.Plan]

// inPlan plants a bug into the plans of a planner.
func inPlan(name, bug string, change func(s *daemonset.Snapshot, p *daemonset.Plan)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
			p, err := plan(s, now, o)
			if err == nil {
				change(&s, &p)
			}
			return p, err
		}
	}}
}

// blind plants one into what a planner sees.
func blind(name, bug string, change func(s *daemonset.Snapshot, o *daemonset.Options)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
			change(&s, &o)
			return plan(s, now, o)
		}
	}}
}

// kill deletes at most so many pods that a filter picks and that stay.
func kill(most int, reason daemonset.Reason, picks func(s *daemonset.Snapshot, p *daemonset.Pod) bool) func(*daemonset.Snapshot, *daemonset.Plan) {
	return func(s *daemonset.Snapshot, plan *daemonset.Plan) {
		gone := map[string]bool{}
		for _, a := range plan.Actions {
			if o, ok := daemonset.ObjectOf(a); ok {
				gone[o.Name] = true
			}
		}
		n := 0
		for i := range s.Pods {
			p := &s.Pods[i]
			if n == most || gone[p.Name] || !p.DeletionTimestamp.IsZero() || !picks(s, p) {
				continue
			}
			n++
			object := daemonset.Object{Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion}
			plan.Actions = append(plan.Actions, daemonset.DeletePod{Object: object, Node: nodeOf(p), Reason: reason})
		}
	}
}

func old(s *daemonset.Snapshot, p *daemonset.Pod) bool {
	return p.ControllerUID == s.DaemonSet.UID && p.Labels[daemonset.LabelHash] == "v1" && p.Phase != "Failed"
}
func oldAndReady(s *daemonset.Snapshot, p *daemonset.Pod) bool { return old(s, p) && p.Ready }

// everywhere creates a pod on each node.
func everywhere(s *daemonset.Snapshot, p *daemonset.Plan) {
	for _, n := range s.Nodes {
		p.Actions = append(p.Actions, daemonset.CreatePod{Node: n.Name, Hash: "v2", Reason: daemonset.ReasonMissing})
	}
}

// drop leaves out actions.
func drop[A daemonset.Action](_ *daemonset.Snapshot, p *daemonset.Plan) {
	p.Actions = slices.DeleteFunc(p.Actions, func(a daemonset.Action) bool { _, ok := a.(A); return ok })
}

// unknown is an action that nobody knows.
type unknown struct{ daemonset.Action }

var calls atomic.Int32

func universal() []plant {
	return []plant{
		{Name: properties.Accepted, Bug: "no nodes are an error", Wrap: func(plan Planner) Planner {
			return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				if len(s.Nodes) == 0 {
					return daemonset.Plan{}, errors.New("no nodes")
				}
				return plan(s, now, o)
			}
		}},
		inPlan("determinism", "calls are counted", func(_ *daemonset.Snapshot, p *daemonset.Plan) { p.Status.NumberReady = calls.Add(1) }),
		inPlan("input untouched", "labels of a pod are handed out", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			if len(s.Pods) > 0 {
				p.Actions = append(p.Actions, daemonset.CreateRevision{Labels: s.Pods[0].Labels})
			}
		}),
		inPlan("order independence", "the first of the list goes", kill(1, daemonset.ReasonRollout, old)),
		inPlan("no panic", "an index out of range", func(s *daemonset.Snapshot, p *daemonset.Plan) { p.Status.NumberReady = s.Pods[0].Restarts }),
		inPlan("actions take effect", "terminating pods are deleted again", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			for i := range s.Pods {
				if pod := &s.Pods[i]; !pod.DeletionTimestamp.IsZero() {
					object := daemonset.Object{Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion}
					p.Actions = append(p.Actions, daemonset.DeletePod{Object: object, Node: nodeOf(pod)})
				}
			}
		}),
		inPlan("convergence", "all pods are replaced forever", kill(99, daemonset.ReasonRollout, func(*daemonset.Snapshot, *daemonset.Pod) bool { return true })),
		inPlan("no repeated state", "new pods are old ones", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(daemonset.CreatePod); ok {
					a.Hash = "v1"
					p.Actions[i] = a
				}
			}
		}),
		inPlan("own objects only", "no UID as a precondition", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(daemonset.DeletePod); ok {
					a.UID = ""
					p.Actions[i] = a
				}
			}
		}),
		inPlan("bounds after every prefix", "a node gets more pods than it may", everywhere),
		inPlan("bounds after every part", "pods are created before others are deleted", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			everywhere(s, p)
			kill(99, daemonset.ReasonRollout, old)(s, p)
		}),
		blind("bounds from stale views", "it does not wait for its own writes", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.Unseen = false }),
		inPlan("everything explained", "an action without a reason", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(daemonset.CreatePod); ok {
					a.Reason = ""
					p.Actions[i] = a
				}
			}
		}),
		inPlan("JSON round trip", "an action that JSON does not know", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
		{Name: "time shift", Bug: "the time of day decides", Wrap: func(plan Planner) Planner {
			return func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
				p, err := plan(s, now, o)
				p.Status.NumberReady = int32(now.Unix() % 1000)
				return p, err
			}
		}},
	}
}

func nodes() []plant {
	return []plant{
		blind("placement", "taints are not seen", func(s *daemonset.Snapshot, _ *daemonset.Options) {
			for i := range s.Nodes {
				s.Nodes[i].Taints = nil
			}
		}),
		inPlan("one pod per node", "a node gets two pods", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			everywhere(s, p)
			everywhere(s, p)
		}),
		inPlan("unavailable nodes bound", "more pods than may be unavailable", kill(99, daemonset.ReasonRollout, oldAndReady)),
		inPlan("surging nodes bound", "all nodes surge at once", everywhere),
		inPlan("unavailable old pods first", "available pods go first", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			p.Actions = nil
			kill(99, daemonset.ReasonRollout, oldAndReady)(s, p)
		}),
		inPlan("dead nodes bound", "dead nodes are passed over without limit", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			for _, n := range s.Nodes {
				p.Holds = append(p.Holds, kplan.Hold[daemonset.Reason]{Node: n.Name, Reason: daemonset.ReasonDeadNode})
			}
		}),
		blind("failed pods back off", "the delay is not waited for", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.Backoff = nil }),
		inPlan("misplaced pods go", "misplaced pods stay", drop[daemonset.DeletePod]),
		blind("update stops at the partition", "the partition is not read", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.DaemonSet.Partition = rollout.IntOrPercent{} }),
		blind("selected nodes only", "the selector is not read", func(s *daemonset.Snapshot, _ *daemonset.Options) {
			s.DaemonSet.NodeSelector = &selector.LabelSelector{}
		}),
		blind("paused update", "the pause is not read", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.DaemonSet.Paused = false }),
		blind("pre-delete hook holds", "a hook is not read", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.DaemonSet.PreDelete = nil }),
		inPlan("one revision per template", "duplicates stay", drop[daemonset.DeleteRevision]),
		inPlan("next revision", "numbers are left out", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(daemonset.CreateRevision); ok {
					a.Revision += 3
					p.Actions[i] = a
				}
			}
		}),
		blind("cordon changes nothing", "a node with taints is no node", func(s *daemonset.Snapshot, _ *daemonset.Options) {
			s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n daemonset.Node) bool { return len(n.Taints) > 0 })
		}),
		inPlan("DaemonSet status recount", "a pod is ready twice", func(_ *daemonset.Snapshot, p *daemonset.Plan) { p.Status.NumberReady++ }),
		blind("burst bound", "the burst is not read", func(s *daemonset.Snapshot, _ *daemonset.Options) { s.DaemonSet.Burst = rollout.Int(99) }),
	}
}

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, slices.Concat(universal(), nodes())) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	for _, p := range slices.Concat(universal(), nodes()) {
		if slices.Contains([]string{"bounds after every prefix", "unavailable nodes bound", "placement", "convergence"}, p.Name) {
			t.Run("machine "+p.Name, func(t *testing.T) {
				if properties.Cases(t, Machine(p.Wrap(daemonset.Reconcile), Only(p.Name)), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains([]string{"no repeated state", "everything explained"}, p.Name) {
			t.Run("trace "+p.Name, func(t *testing.T) {
				if properties.Cases(t, room.Loops(p.Wrap(daemonset.Reconcile), settings{Only: []string{p.Name}}), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains(derived, p.Name) {
			t.Run("change "+p.Name, func(t *testing.T) {
				if properties.Cases(t, changes(p.Wrap(daemonset.Reconcile), p.Name), 3000) == 0 {
					t.Fatal("not found in 3000 cases")
				}
			})
		}
	}
}

// changes looks at what is made of the pods by a planner's plans.
func changes(plan Planner, name string) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := Snapshots(0).Draw(t, "snapshot"), Options().Draw(t, "options")
		p, err := plan(s, Now(), o)
		if err != nil {
			return
		}
		if after, err := p.Actions.Apply(s, Now()); err == nil {
			CheckChange(t, Change{Before: s, After: after, Now: Now(), Options: o}, Only(name))
		}
	}
}

// Our own planner passes as a loop, too.
func TestLoops(t *testing.T) { rapid.Check(t, room.Loops(daemonset.Reconcile, settings{})) }

// The machine shows a planner what it sees when its cache lags behind its own writes: one that
// does not read Unseen creates its pods again.
func TestStaleViews(t *testing.T) {
	blind := func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
		s.Unseen = false
		return daemonset.Reconcile(s, now, o)
	}
	n := properties.Cases(t, Machine(blind, Only("bounds after every prefix", "bounds from stale views")), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
