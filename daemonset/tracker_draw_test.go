// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// node draws a node of few names.
func (m *machine) node() *daemonset.Node {
	n := daemonset.Node{Name: fmt.Sprint("n", random.Below(m.S, "node", m.names)), Labels: map[string]string{"zone": "a"}}
	m.likely(&n, nil)
	if m.One("any node", 3) && !(m.calm && m.S.Below("not so calm", 10) > 0) {
		any := random.DaemonSet(m.S, random.Anything)
		if len(any.Nodes) > 0 {
			name := n.Name
			n = any.Nodes[random.Below(m.S, "of them", len(any.Nodes))]
			n.Name = name
		}
	}
	if m.concern(&n, nil); m.One("nameless", 50) {
		n.Name = ""
	}
	return &n
}

// likely draws what makes a node or a pod count for something else, one time in some.
func (m *machine) likely(n *daemonset.Node, p *daemonset.Pod) {
	switch {
	case n != nil && m.One("other node", 3):
		n.Labels = random.OneOf(m.S, "labels of it", map[string]string{"zone": "b"}, map[string]string{"zone": "a", "no": "daemon"}, nil)
		n.Taints = random.OneOf(m.S, "taint of it", nil, []daemonset.Taint{{Key: "maint", Value: "y", Effect: daemonset.NoExecute}}, []daemonset.Taint{{Key: "maint", Effect: daemonset.NoSchedule}})
	case p != nil && m.One("other version", 6):
		p.Labels[daemonset.LabelHash] = random.OneOf(m.S, "older", "v0", "v3", "v4")
	case p != nil && m.One("with generation", 6):
		p.Labels[daemonset.LabelGeneration] = "5"
	}
}

// pod draws a pod of few names and UIDs.
func (m *machine) pod() *daemonset.Pod {
	i := random.Below(m.S, "pod", 2*m.names)
	p := random.AgentPod(fmt.Sprint("p", i), fmt.Sprint("n", i%m.names), random.OneOf(m.S, "version", "v1", "v2", "v2"))
	m.likely(nil, &p)
	if m.One("any pod", 2) && !(m.calm && m.S.Below("no odd pod", 10) > 0) {
		if any := random.DaemonSet(m.S, random.Anything).Pods; len(any) > 0 {
			node := p.NodeName
			p = any[random.Below(m.S, "of the pods", len(any))]
			if p.Name = fmt.Sprint("p", i); p.NodeName != "" {
				p.NodeName = random.OneOf(m.S, "on", node, node, p.NodeName)
			}
		}
	}
	if p.Ready {
		p.ReadySince = random.OneOf(m.S, "ready since", p.ReadySince, m.Now, m.Now.Add(-time.Duration(m.S.Below("ready for", 12_000))*time.Millisecond))
	}
	if m.One("not yet", 4) {
		p.Ready, p.ReadySince = false, time.Time{}
	}
	if m.One("far", 60) {
		p.ReadySince = time.Date(random.OneOf(m.S, "year", 1600, 2400, 9999), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	m.concern(nil, &p)
	switch m.S.Below("pod is", 40) {
	case 0:
		p.UID = "again"
	case 1:
		p.UID = ""
	case 2:
		p.Name = ""
	}
	p.ResourceVersion = m.pods.Version(m.S)
	return &p
}

// rest draws a change of other things than nodes and pods.
func (m *machine) rest(w *world) (d daemonset.Delta) {
	kind := random.OneOf(m.S, "kind", random.CaughtUp, random.Truthful, random.Anything)
	if m.One("wrong", 12) {
		kind = random.Wrong
	}
	any := random.DaemonSet(m.S, kind)
	ds := w.rest.DaemonSet
	switch m.S.Below("of the rest", 12) {
	case 0:
		ds = any.DaemonSet
	case 1, 2, 3:
		version := random.OneOf(m.S, "template", "v1", "v2", "v3")
		ds.Template.Hash, ds.Template.Data, ds.Generation = version, random.Stored(version), ds.Generation+1
	case 4:
		ds.MinReadySeconds = random.OneOf[int32](m.S, "ready for", 0, 10, 5)
	case 5:
		ds.Template.NodeSelector, ds.Template.Affinity, ds.Template.Tolerations = any.DaemonSet.Template.NodeSelector, any.DaemonSet.Template.Affinity, any.DaemonSet.Template.Tolerations
		ds.Template.NodeName = random.OneOf(m.S, "node name", "", "", "", "n1")
	case 6:
		in := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.In, Values: []string{random.OneOf(m.S, "in", "agent", "x")}}}}
		ds.Selector = random.OneOf(m.S, "selector", in, selector.FromLabels(map[string]string{"app": "agent"}), any.DaemonSet.Selector)
	case 7:
		ds.DeletionTimestamp = random.OneOf(m.S, "deleted", time.Time{}, time.Time{}, m.Now)
	case 8:
		version := func(label string) *expect.Versions {
			return &expect.Versions{Children: random.OneOf(m.S, label+" pods", "", "7", "12"), Owner: random.OneOf(m.S, label+" sets", "", "7", "12")}
		}
		d.Written, d.Read = version("written"), version("read")
		if m.S.Below("all is read", 4) > 0 {
			d.Written = &expect.Versions{}
		}
	case 9:
		unseen := m.One("unseen", 4)
		d.Unseen, d.Backoff = &unseen, &any.Backoff
	case 10:
		d.Revisions = any.Revisions
	default:
		ds.MaxSurge, ds.MaxUnavailable, ds.Burst, ds.Strategy, ds.Status = any.DaemonSet.MaxSurge, any.DaemonSet.MaxUnavailable, any.DaemonSet.Burst, any.DaemonSet.Strategy, any.DaemonSet.Status
		ds.UID = random.OneOf(m.S, "uid", "agent-uid", "agent-uid", "agent-uid", "x", "")
	}
	d.DaemonSet = &ds
	return d
}

// tune draws a change of one of the things that nodes and pods are counted by, half of the time
// back to what it was in the beginning.
func (m *machine) tune(w *world) (d daemonset.Delta) {
	ds, began := w.rest.DaemonSet, random.Agents(0).DaemonSet
	t := &ds.Template
	switch m.S.Below("tuned", 10) {
	case 0:
		version := random.OneOf(m.S, "template", "v1", "v2", "v3")
		t.Hash, t.Data, ds.Generation = version, random.Stored(version), ds.Generation+1
	case 1:
		ds.Annotations = random.OneOf(m.S, "generation", nil, map[string]string{daemonset.AnnotationGeneration: "5"}, map[string]string{daemonset.AnnotationGeneration: "6"})
	case 2:
		ds.MinReadySeconds = random.OneOf[int32](m.S, "ready for", 0, 10, 5)
	case 3:
		t.NodeSelector = random.OneOf(m.S, "node selector", nil, map[string]string{"zone": "a"})
	case 4:
		terms := []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "no", Operator: selector.DoesNotExist}}}}
		t.Affinity = random.OneOf(m.S, "affinity", nil, &selector.NodeSelector{Terms: terms})
	case 5:
		t.Tolerations = random.OneOf(m.S, "tolerations", nil, []daemonset.Toleration{{Key: "maint", Operator: daemonset.TolerationExists}})
	case 6:
		in := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.In, Values: []string{"x"}}}}
		ds.Selector = random.OneOf(m.S, "selector", began.Selector, in)
	case 7:
		ds.RevisionHistoryLimit = random.OneOf(m.S, "history", nil, ptr.To(int32(0)), ptr.To(int32(1)))
		for i, version := range []string{"v0", "v1", "v2", "v3", "v4"} {
			d.Revisions = append(d.Revisions, random.AgentRevision(version, int64(i)))
		}
	case 8:
		ds.MaxUnavailable, ds.MaxSurge = random.OneOf(m.S, "unavailable", rollout.Int(1), rollout.Int(2), rollout.Int(0)), random.OneOf(m.S, "surge", rollout.Int(0), rollout.Int(1))
		ds.Burst = random.OneOf(m.S, "burst", rollout.IntOrPercent{}, rollout.Int(1), rollout.Int(2))
		ds.Strategy, ds.Paused = random.OneOf(m.S, "strategy", daemonset.RollingUpdate, daemonset.RollingUpdate, daemonset.OnDelete), m.One("paused", 6)
	case 9: // what holds a plan back, or all of it
		m.opts = daemonset.Options{Repair: m.opts.Repair, SkipDeadNodes: random.OneOf[int32](m.S, "skip", 0, 1), StrictUnavailable: m.One("strict", 2), Prune: m.One("prune", 2), SumHolds: m.One("sum", 2)}
	}
	if m.One("as it was", 3) {
		t.NodeName, t.NodeSelector, t.Affinity, t.Tolerations, ds.Selector, ds.DeletionTimestamp, ds.NodeSelector = "", nil, nil, nil, began.Selector, time.Time{}, nil
		ds.UID, ds.Partition, d.Written, d.Read = began.UID, rollout.IntOrPercent{}, &expect.Versions{}, &expect.Versions{}
	}
	d.DaemonSet = &ds
	return d
}

// concern makes half of the nodes and pods such that what the machine is about matters to them.
func (m *machine) concern(n *daemonset.Node, p *daemonset.Pod) {
	if m.about == "" || m.One("as others", 2) {
		return
	}
	switch {
	case n != nil && m.about == "affinity":
		n.Labels = map[string]string{"zone": "a", "no": "daemon"}
	case n != nil && (m.about == "tolerations" || m.about == "seconds"):
		n.Taints = []daemonset.Taint{{Key: "maint", Value: "y", Effect: random.OneOf(m.S, "effect", daemonset.NoExecute, daemonset.NoSchedule)}}
	case n != nil && m.about == "dead nodes":
		n.Taints = []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}}
	case n != nil && m.about == "ranks":
		n.Rank = random.Between[int32](m.S, "rank", -2, 2)
	case p != nil && m.about == "generation":
		p.Labels[daemonset.LabelGeneration] = random.OneOf(m.S, "of generation", "5", "6")
	case p != nil && m.about == "in place":
		p.ReadinessGates, p.InPlace = []string{inplace.Gate}, random.OneOf(m.S, "condition", nil, &inplace.ReadyCondition{}, &inplace.ReadyCondition{True: true})
	}
}

// vary draws a change of what the machine is about.
func (m *machine) vary(w *world) (d daemonset.Delta) {
	ds := w.rest.DaemonSet
	t := &ds.Template
	maint := daemonset.Toleration{Key: "maint", Operator: daemonset.TolerationExists}
	switch m.about {
	case "generation":
		ds.Annotations = random.OneOf(m.S, "generation", nil, map[string]string{daemonset.AnnotationGeneration: "5"}, map[string]string{daemonset.AnnotationGeneration: "6"})
	case "affinity":
		terms := []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "no", Operator: selector.DoesNotExist}}}}
		t.Affinity = random.OneOf(m.S, "affinity", nil, &selector.NodeSelector{Terms: terms})
	case "tolerations":
		t.Tolerations = random.OneOf(m.S, "tolerations", nil, []daemonset.Toleration{maint})
	case "seconds":
		maint.Seconds = ptr.To(int64(30))
		t.Tolerations, m.opts = []daemonset.Toleration{maint}, daemonset.Options{FiniteTolerationMeansNo: m.One("finite", 2)}
	case "in place":
		ds.RollingType = random.OneOf(m.S, "type", daemonset.Standard, daemonset.InPlaceIfPossible)
	case "dead nodes":
		m.opts = daemonset.Options{SkipDeadNodes: random.Between[int32](m.S, "skip", 0, 2)}
	case "revisions": // of which several may have the template
		for i, version := range []string{"v1", "v2", "v3"} {
			r := random.AgentRevision(version, int64(i))
			if r.Data = random.Stored(random.OneOf(m.S, "template of it", version, "v2")); m.S.Below("kept", 3) > 0 {
				d.Revisions = append(d.Revisions, r)
			}
		}
	case "ranks":
		t.Hash = random.OneOf(m.S, "template", "v1", "v2")
		t.Data = random.Stored(t.Hash)
	}
	d.DaemonSet = &ds
	return d
}
