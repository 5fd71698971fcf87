// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func node(s Source, i int) daemonset.Node {
	n := daemonset.Node{Name: fmt.Sprint("n", i), Rank: OneOf[int32](s, "rank", 0, 0, 0, 1)}
	n.Labels = OneOf(s, "labels", nil, map[string]string{"zone": "a"}, map[string]string{"zone": "b", "no": "daemon", "size": "7"})
	unreachable := []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}, {Key: daemonset.TaintUnreachable, Effect: daemonset.NoSchedule}}
	n.Taints = OneOf(s, "taints", nil, nil, nil, nil, []daemonset.Taint{{Key: "x", Effect: daemonset.NoSchedule}}, []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}},
		unreachable, unreachable, []daemonset.Taint{{Key: "maint", Value: "y", Effect: daemonset.NoExecute}, {Key: "z", Effect: daemonset.PreferNoSchedule}})
	n.Taints = slices.Clone(n.Taints)
	return n
}

func unready(p *daemonset.Pod) { p.Ready, p.ReadySince = false, time.Time{} }

// agentPod draws the i-th pod of a DaemonSet, or one like it, on any node or a missing one.
func agentPod(s Source, i, nodes int) daemonset.Pod {
	p := AgentPod(fmt.Sprint("p", i), fmt.Sprint("n", Between(s, "node", 0, nodes)), OneOf(s, "version", "v1", "v1", "v2", "v2", "v0"))
	p.CreationTimestamp = Now.Add(-time.Duration(Between(s, "age", 1, 3)) * time.Hour)
	p.ReadySince = OneOf(s, "since", Now.Add(-time.Hour), Now.Add(-10*time.Second), Now.Add(-4*time.Second), time.Time{})
	for _, c := range []struct {
		name   string
		of     uint64
		change func()
	}{
		{"unready", 5, func() { unready(&p) }}, {"failed", 9, func() { p.Phase = podorder.Failed; unready(&p) }}, {"succeeded", 13, func() { p.Phase = podorder.Succeeded; unready(&p) }},
		{"unbound", 11, func() { p.NodeName, p.PinnedNode, p.Phase = "", p.NodeName, podorder.Pending; unready(&p) }},
		{"terminating", 9, func() { p.DeletionTimestamp = Now.Add(-time.Minute) }}, {"preparing", 11, func() { p.Labels[daemonset.LabelState] = daemonset.StatePreparingDelete }},
		{"gated", 4, func() { gate(&p) }}, {"orphan", 21, func() { p.ControllerUID, p.ControllerKind, p.ControllerName = "", "", "" }},
		{"other", 21, func() { p.ControllerUID = "x" }}, {"mismatch", 21, func() { p.Labels["app"] = "x" }}, {"hold", 4, func() { p.Labels["hold"] = "yes" }},
		{"generation", 9, func() { p.Labels[daemonset.LabelGeneration] = "5" }}, {"nowhere", 21, func() { p.NodeName, p.PinnedNode = "", "" }},
	} {
		if OneIn(s, c.name, c.of) {
			c.change()
		}
	}
	return p
}

// tidyPod draws the only pod of a node, which runs and may be unready or gated.
func tidyPod(s Source, i int) daemonset.Pod {
	p := AgentPod(fmt.Sprint("p", i), fmt.Sprint("n", i), OneOf(s, "version", "v1", "v1", "v2"))
	p.ReadySince = OneOf(s, "since", Now.Add(-time.Hour), Now.Add(-time.Hour), Now.Add(-10*time.Second), Now.Add(-4*time.Second))
	if !Often(s, "ready", 3) {
		unready(&p)
	}
	if Bool(s, "gated") {
		gate(&p)
	}
	if !Often(s, "no hold", 3) {
		p.Labels["hold"] = "yes"
	}
	return p
}

// daemonSet draws a DaemonSet on up to seven nodes: tidy, or in any state.
func daemonSet(s Source, kind Kind) daemonset.Snapshot {
	n := Between(s, "nodes", 0, 7)
	snapshot := Agents(0)
	d := &snapshot.DaemonSet
	tidy := kind == Truthful || Bool(s, "tidy")
	for i := range n {
		snapshot.Nodes = append(snapshot.Nodes, node(s, i))
		if tidy {
			snapshot.Nodes[i].Labels = map[string]string{"zone": "a"}
			snapshot.Pods = append(snapshot.Pods, tidyPod(s, i))
		}
	}
	if !tidy {
		for i := range Between(s, "pods", 0, 2*n) {
			snapshot.Pods = append(snapshot.Pods, agentPod(s, i, n))
		}
	}
	if !Often(s, "one revision each", 5) {
		snapshot.Revisions = append(snapshot.Revisions, AgentRevision("v3", 3))
		snapshot.Revisions[2].Data = Stored("v2")
	}
	if !Often(s, "not new", 9) {
		snapshot.Revisions = snapshot.Revisions[:1]
	}
	d.Template.NodeSelector = OneOf(s, "node selector", nil, nil, map[string]string{"zone": "a"})
	d.Template.Affinity = OneOf(s, "affinity", nil, nil, &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "no", Operator: selector.DoesNotExist}}}}},
		&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{}, {MatchExpressions: []selector.Expression{{Key: "size", Operator: selector.Gt, Values: []string{"5"}}}}, {MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{"n1"}}}}}})
	d.Template.Tolerations = OneOf(s, "tolerations", nil, nil, []daemonset.Toleration{{Key: "maint", Operator: daemonset.TolerationExists, Seconds: ptr.To(int64(30))}}, []daemonset.Toleration{{Operator: daemonset.TolerationExists}})
	d.MaxSurge, d.MaxUnavailable = DaemonLimit(s, "surge"), DaemonLimit(s, "unavailable")
	if Bool(s, "no surge") {
		d.MaxSurge = rollout.IntOrPercent{}
	}
	d.MinReadySeconds = OneOf[int32](s, "min ready", 0, 0, 10)
	d.Strategy = OneOf(s, "strategy", daemonset.RollingUpdate, daemonset.RollingUpdate, "", daemonset.OnDelete)
	d.Status.DesiredNumberScheduled = int32(Between(s, "status", 0, n))
	d.RevisionHistoryLimit = OneOf(s, "history", nil, ptr.To(int32(0)))
	advanced(s, &snapshot)
	if kind == Wrong {
		d.MaxUnavailable = OneOf(s, "wrong limit", d.MaxUnavailable, rollout.Int(-1), rollout.Percent(-1))
		d.Selector = OneOf(s, "wrong selector", d.Selector, nil, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "?"}}})
	}
	return snapshot
}

// advanced sets rare fields of a DaemonSet, and fields of OpenKruise.
func advanced(s Source, snapshot *daemonset.Snapshot) {
	d := &snapshot.DaemonSet
	if Bool(s, "generation") {
		d.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"}
	}
	if len(snapshot.Nodes) > 0 && Bool(s, "backoff") {
		snapshot.Backoff = daemonset.Backoff{{
			BackoffKey: daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: "n0"}, Delay: 8 * time.Second,
			Since: Now.Add(-time.Duration(Between(s, "backoff since", 0, 2000)) * time.Second),
		}}
	}
	if !Bool(s, "advanced") {
		return
	}
	d.RollingType = OneOf(s, "type", daemonset.Standard, daemonset.InPlaceIfPossible, daemonset.Surging)
	d.Partition, d.Burst = DaemonLimit(s, "partition"), DaemonLimit(s, "burst")
	d.NodeSelector = OneOf(s, "update selector", nil, nil, &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}, &selector.LabelSelector{})
	d.Paused = !Often(s, "not paused", 5)
	d.Progressive = Bool(s, "progressive")
	d.PreDelete = OneOf(s, "hook", nil, nil, &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}})
	snapshot.Unseen = OneIn(s, "unseen", 13)
}
