// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

type plant = properties.Plant[daemonset.Snapshot, daemonset.Options, daemonset.Plan]

// kill deletes at most so many pods that a filter picks and that stay.
func kill(most int, reason kplan.Reason, picks func(s *daemonset.Snapshot, p *daemonset.Pod) bool) func(*daemonset.Snapshot, *daemonset.Plan) {
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
		p.Actions = append(p.Actions, daemonset.CreatePod{Node: n.Name, Hash: "v2", Reason: reason.Missing})
	}
}

// drop leaves out actions.
func drop[A daemonset.Action](_ *daemonset.Snapshot, p *daemonset.Plan) {
	p.Actions = properties.Without(p.Actions, func(A) bool { return true })
}

// unknown is an action that nobody knows.
type unknown struct{ daemonset.Action }

func universal() []plant {
	return append([]plant{
		room.Refusal("no nodes are an error", func(s *daemonset.Snapshot) bool { return len(s.Nodes) == 0 }),
		room.InPlan("input untouched", "labels of a pod are handed out", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			if len(s.Pods) > 0 {
				p.Actions = append(p.Actions, daemonset.CreateRevision{Labels: s.Pods[0].Labels})
			}
		}),
		room.InPlan("order independence", "the first of the list goes", kill(1, reason.Rollout, old)),
		room.InPlan("no panic", "an index out of range", func(s *daemonset.Snapshot, p *daemonset.Plan) { p.Status.NumberReady = s.Pods[0].Restarts }),
		room.InPlan("actions take effect", "terminating pods are deleted again", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			for i := range s.Pods {
				if pod := &s.Pods[i]; !pod.DeletionTimestamp.IsZero() {
					object := daemonset.Object{Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion}
					p.Actions = append(p.Actions, daemonset.DeletePod{Object: object, Node: nodeOf(pod)})
				}
			}
		}),
		room.InPlan("convergence", "all pods are replaced forever", kill(99, reason.Rollout, func(*daemonset.Snapshot, *daemonset.Pod) bool { return true })),
		room.InPlan("no repeated state", "new pods are old ones", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			properties.Each(p.Actions, func(a *daemonset.CreatePod) {
				a.Hash = "v1"
			})
		}),
		room.InPlan("own objects only", "no UID as a precondition", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			properties.Each(p.Actions, func(a *daemonset.DeletePod) {
				a.UID = ""
			})
		}),
		room.InPlan("bounds after every prefix", "a node gets more pods than it may", everywhere),
		room.InPlan("bounds after every part", "pods are created before others are deleted", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			everywhere(s, p)
			kill(99, reason.Rollout, old)(s, p)
		}),
		room.InView("bounds from stale views", "it does not wait for its own writes", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.Unseen = false }),
		room.InPlan("everything explained", "an action without a reason", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			properties.Each(p.Actions, func(a *daemonset.CreatePod) {
				a.Reason = ""
			})
		}),
		room.InPlan("JSON round trip", "an action that JSON does not know", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
	}, room.Impurities(func(p *daemonset.Plan, n int32) { p.Status.NumberReady = n })...)
}

func nodes() []plant {
	return []plant{
		room.InView("placement", "taints are not seen", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			for i := range s.Nodes {
				s.Nodes[i].Taints = nil
			}
		}),
		room.InPlan("one pod per node", "a node gets two pods", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			everywhere(s, p)
			everywhere(s, p)
		}),
		room.InPlan("unavailable nodes bound", "more pods than may be unavailable", kill(99, reason.Rollout, oldAndReady)),
		room.InPlan("surging nodes bound", "all nodes surge at once", everywhere),
		room.InPlan("unavailable old pods first", "available pods go first", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			p.Actions = nil
			kill(99, reason.Rollout, oldAndReady)(s, p)
		}),
		room.InPlan("dead nodes bound", "dead nodes are passed over without limit", func(s *daemonset.Snapshot, p *daemonset.Plan) {
			for _, n := range s.Nodes {
				p.Holds = append(p.Holds, kplan.Hold{Node: n.Name, Reason: reason.DeadNode})
			}
		}),
		room.InView("failed pods back off", "the delay is not waited for", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.Backoff = nil }),
		room.InPlan("misplaced pods go", "misplaced pods stay", drop[daemonset.DeletePod]),
		room.InView("update stops at the partition", "the partition is not read", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.Partition = rollout.IntOrPercent{}
		}),
		room.InView("selected nodes only", "the selector is not read", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.DaemonSet.NodeSelector = &selector.LabelSelector{}
		}),
		room.InView("paused update", "the pause is not read", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Paused = false }),
		room.InView("pre-delete hook holds", "a hook is not read", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.PreDelete = nil }),
		room.InPlan("one revision per template", "duplicates stay", drop[daemonset.DeleteRevision]),
		room.InPlan("next revision", "numbers are left out", func(_ *daemonset.Snapshot, p *daemonset.Plan) {
			properties.Each(p.Actions, func(a *daemonset.CreateRevision) {
				a.Revision += 3
			})
		}),
		room.InView("cordon changes nothing", "a node with taints is no node", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) {
			s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n daemonset.Node) bool { return len(n.Taints) > 0 })
		}),
		room.InPlan("DaemonSet status recount", "a pod is ready twice", func(_ *daemonset.Snapshot, p *daemonset.Plan) { p.Status.NumberReady++ }),
		room.InView("burst bound", "the burst is not read", func(s *daemonset.Snapshot, _ *time.Time, _ *daemonset.Options) { s.DaemonSet.Burst = rollout.Int(99) }),
	}
}

func plants() []plant { return slices.Concat(universal(), nodes()) }

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, plants()) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	room.Elsewhere(t, plants(), []string{"bounds after every prefix", "unavailable nodes bound", "placement", "convergence"}, []string{"no repeated state", "everything explained"})
}

// The machine shows a planner what it sees when its cache lags behind its own writes: one that
// does not read Unseen creates its pods again.
func TestStaleViews(t *testing.T) {
	blind := func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
		s.Unseen = false
		return daemonset.Reconcile(s, now, o)
	}
	n := properties.Cases(t, Kit().Only("bounds after every prefix", "bounds from stale views").Machine(blind), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
