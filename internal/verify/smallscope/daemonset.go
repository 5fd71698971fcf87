// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A DaemonSets is a DaemonSet on a few nodes, its planner and a cluster. The controller sees
// its own writes before it plans again, because of its expectations.
type DaemonSets struct {
	Plan    func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
	Options daemonset.Options
	// Check checks each plan. It may be nil.
	Check func(daemonset.Snapshot, daemonset.Plan) []Breach

	Nodes              int // at most 4
	Surge, Unavailable int8
	Templates          int8
	Changes            int8 // of the template, and pauses, by users
	Losses             int8 // of pods

	plans   memo[daemonSetState, plannedDaemonSet]
	effects memo[daemonWrite, nodeState]
}

// A daemonPod is a pod of a node, oldest first; deleted tells that the plan deletes it.
type daemonPod struct {
	is       podPhase
	template int8
	deleted  bool
}

// A nodeState is a node. Create is the template of the pod that the plan creates, plus 1.
type nodeState struct {
	pods   [4]daemonPod
	create int8
}

// A daemonSetState is a state.
type daemonSetState struct {
	template, changes, losses int8
	paused                    bool
	nodes                     [4]nodeState
}

type plannedDaemonSet struct {
	nodes    [4]nodeState // with the planned writes
	moves    bool
	breaches []Breach
}

// PropertyPods requires one pod on each node, or two with surge.
const PropertyPods = "pods"

func (d *DaemonSets) Starts() []daemonSetState {
	s := daemonSetState{changes: d.Changes, losses: d.Losses}
	for i := range d.Nodes {
		s.nodes[i].pods[0] = daemonPod{is: phaseReady}
	}
	return []daemonSetState{s}
}

// tally returns the number of nodes without a ready pod, the number of nodes with two pods,
// and the largest number of pods on a node.
func (d *DaemonSets) tally(s *daemonSetState) (unavailable, double, most int8) {
	for _, n := range s.nodes[:d.Nodes] {
		staying, ready := int8(0), false
		for _, p := range n.pods {
			if p.is == phaseFresh || p.is == phaseReady {
				staying++
			}
			ready = ready || p.is == phaseReady
		}
		if !ready {
			unavailable++
		}
		if staying > 1 {
			double++
		}
		most = max(most, staying)
	}
	return unavailable, double, most
}

func (d *DaemonSets) Breaches(s daemonSetState) (list []Breach) {
	unavailable, double, most := d.tally(&s)
	lost := d.Losses - s.losses
	may, pods := d.Unavailable, int8(1)
	if d.Surge > 0 {
		may, pods = 0, 2
	}
	if unavailable > may+lost {
		list = append(list, breach(PropertyAvailable, "%d nodes without a ready pod, of %d and %d lost", unavailable, may, lost))
	}
	if double > d.Surge+lost {
		list = append(list, breach(PropertySurge, "%d nodes with two pods, of %d and %d lost", double, d.Surge, lost))
	}
	if most > pods {
		list = append(list, breach(PropertyPods, "%d pods on a node, of %d", most, pods))
	}
	if d.done(&s) && d.planned(s).moves {
		list = append(list, breach(PropertyRest, "all is done, and yet pods change"))
	}
	return list
}

// done reports whether every node has exactly one pod, of the current template and ready.
func (d *DaemonSets) done(s *daemonSetState) bool {
	for _, n := range s.nodes[:d.Nodes] {
		if n != (nodeState{pods: [4]daemonPod{{is: phaseReady, template: s.template}}}) {
			return false
		}
	}
	return !s.paused
}

func (d *DaemonSets) Goal(s daemonSetState) bool { return d.done(&s) && !d.planned(s).moves }

func (d *DaemonSets) Moves(s daemonSetState, do func(Move, daemonSetState, []Breach)) {
	if !d.write(s, do) {
		if p := d.planned(s); p.moves || len(p.breaches) > 0 {
			t := s
			t.nodes = p.nodes
			do(Move{"the DaemonSet is planned", -1, false}, t, p.breaches)
		}
	}
	for i := range d.Nodes {
		for k := range s.nodes[i].pods {
			d.live(s, i, k, do)
		}
	}
	if s.paused {
		t := s
		t.paused = false
		do(Move{"the update is resumed", -1, false}, t, nil)
	}
	if s.changes == 0 {
		return
	}
	s.changes--
	for template := range d.Templates {
		if t := s; template != s.template {
			t.template = template
			do(Move{"the template changes", int(template), true}, t, nil)
		}
	}
	if t := s; !s.paused {
		t.paused = true
		do(Move{"the update is paused", -1, true}, t, nil)
	}
}

// write makes the moves for the next write of a plan, if there is one: the write is carried
// out or dropped, or the controller crashes.
func (d *DaemonSets) write(s daemonSetState, do func(Move, daemonSetState, []Breach)) bool {
	for i := range s.nodes {
		done, dropped := s, s
		what := ""
		if s.nodes[i].create > 0 {
			done.nodes[i], dropped.nodes[i].create = d.after(s.nodes[i], -1), 0
			what = "a pod is created"
		}
		for k, p := range s.nodes[i].pods {
			if p.deleted && what == "" {
				done.nodes[i], dropped.nodes[i].pods[k].deleted = d.after(s.nodes[i], int8(k)), false
				what = "a pod is deleted"
			}
		}
		if what == "" {
			continue
		}
		do(Move{what, i, false}, done, nil)
		do(Move{"a write is dropped", i, true}, dropped, nil)
		for i := range s.nodes {
			s.nodes[i].create = 0
			for k := range s.nodes[i].pods {
				s.nodes[i].pods[k].deleted = false
			}
		}
		do(Move{"the controller crashes", -1, true}, s, nil)
		return true
	}
	return false
}

func (n *nodeState) add(p daemonPod) {
	for k := range n.pods {
		if n.pods[k] == (daemonPod{}) {
			n.pods[k] = p
			return
		}
	}
	n.pods[len(n.pods)-1] = p // far too many already
}

// live makes the moves of a pod.
func (d *DaemonSets) live(s daemonSetState, i, k int, do func(Move, daemonSetState, []Breach)) {
	to := func(what string, unfair bool, phase podPhase) {
		t := s
		pods := &t.nodes[i].pods
		pods[k].is = phase
		if phase == phaseGone {
			copy(pods[k:], pods[k+1:])
			pods[len(pods)-1] = daemonPod{}
		}
		if unfair {
			t.losses--
		}
		do(Move{what, i, unfair}, t, nil)
	}
	switch p := s.nodes[i].pods[k]; {
	case p.is == phaseFresh:
		to("a pod becomes ready", false, phaseReady)
	case p.is == phaseEnding:
		to("a pod ends", false, phaseGone)
	case p.is == phaseReady && s.losses > 0:
		to("a pod is no longer ready", true, phaseFresh)
		to("a pod is lost", true, phaseGone)
	}
}

// planned returns the plan for the controller's view. Each view is planned once.
func (d *DaemonSets) planned(s daemonSetState) plannedDaemonSet {
	s.changes, s.losses = 0, 0
	return d.plans.of(s, func() plannedDaemonSet { return d.plan(s) })
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i) }

func (d *DaemonSets) snapshot(s daemonSetState) daemonset.Snapshot {
	labels := map[string]string{"app": "agent"}
	snapshot := daemonset.Snapshot{DaemonSet: daemonset.DaemonSet{
		Name: "agent", UID: "agent", Generation: 1, Selector: &selector.LabelSelector{MatchLabels: labels},
		Template: daemonset.Template{Hash: templateOf(s.template).Hash, Data: stored(s.template), Labels: labels},
		MaxSurge: rollout.Int(int32(d.Surge)), MaxUnavailable: rollout.Int(int32(d.Unavailable)), Paused: s.paused,
		Status: daemonset.Status{ObservedGeneration: 1, DesiredNumberScheduled: int32(d.Nodes)},
	}}
	for t := range d.Templates {
		number := int64(t) + 1
		if t == s.template {
			number = 10
		}
		name := "agent-" + templateOf(t).Hash
		snapshot.Revisions = append(snapshot.Revisions, revision.ControllerRevision{
			Name: name, UID: name, Labels: map[string]string{"app": "agent", daemonset.LabelHash: templateOf(t).Hash}, Data: stored(t), Revision: number,
			ControllerKind: daemonset.Kind, ControllerName: "agent", ControllerUID: "agent", CreationTimestamp: now.Add(-time.Hour),
		})
	}
	for i, n := range s.nodes[:d.Nodes] {
		snapshot.Nodes = append(snapshot.Nodes, daemonset.Node{Name: nodeName(i)})
		for k, p := range n.pods {
			if p.is == phaseGone {
				continue
			}
			pod := podOf(nodeName(i), k, p.is == phaseReady, p.is == phaseEnding)
			pod.ControllerKind, pod.ControllerName, pod.ControllerUID = daemonset.Kind, "agent", "agent"
			pod.Labels = map[string]string{"app": "agent", daemonset.LabelHash: templateOf(p.template).Hash}
			pod.CreationTimestamp, pod.NodeName, pod.Phase = now.Add(time.Duration(k)*time.Second-time.Hour), nodeName(i), podorder.Running
			snapshot.Pods = append(snapshot.Pods, daemonset.Pod{Pod: pod})
		}
	}
	return snapshot
}

func stored(template int8) []byte {
	return fmt.Appendf(nil, `{"spec":{"template":{"metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"name":"app","image":%q}]},"$patch":"replace"}}}`, templateOf(template).ID)
}

func (d *DaemonSets) plan(s daemonSetState) plannedDaemonSet {
	snapshot := d.snapshot(s)
	p := plannedDaemonSet{nodes: s.nodes}
	plan, err := d.Plan(snapshot, now, d.Options)
	if err != nil {
		p.breaches = []Breach{breach(PropertyPlan, "%v", err)}
		return p
	}
	for _, a := range plan.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			p.nodes[a.Node[1]-'0'].create = int8(a.Hash[0]-'a') + 1
		case daemonset.DeletePod:
			p.nodes[a.Node[1]-'0'].pods[a.Name[len(a.Name)-1]-'0'].deleted = true
		default:
			p.breaches = append(p.breaches, breach(PropertyPlan, "not known here: %v", a))
			continue
		}
		p.moves = true
	}
	snapshot.Unseen = true
	if blind, err := d.Plan(snapshot, now, d.Options); err != nil || len(blind.Actions) > 0 {
		p.breaches = append(p.breaches, breach(PropertyPlan, "writes that are not seen yet do not stop %v (%v)", blind.Actions, err))
	}
	snapshot.Unseen = false
	if d.Check != nil {
		p.breaches = append(p.breaches, d.Check(snapshot, plan)...)
	}
	return p
}

func (s daemonSetState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%c", 'a'+rune(s.template))
	if s.paused {
		b.WriteString(", paused")
	}
	for i, n := range s.nodes {
		if n == (nodeState{}) {
			continue
		}
		fmt.Fprintf(&b, "; %s:", nodeName(i))
		for _, p := range n.pods {
			if p == (daemonPod{}) {
				continue
			}
			fmt.Fprintf(&b, " %c %s", 'a'+rune(p.template), []string{"gone", "fresh", "ready", "ending"}[p.is])
			if p.deleted {
				b.WriteString("(to go)")
			}
		}
		if n.create > 0 {
			fmt.Fprintf(&b, " +%c", 'a'+rune(n.create-1))
		}
	}
	return b.String()
}
