package invariant_test

import (
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func instant(t *rapid.T, name string) time.Time {
	return pick(t, name, time.Time{}, t0, t0.Add(-time.Second), t0.Add(-9*time.Second), t0.Add(-10*time.Second), t0.Add(-time.Hour), t0.Add(-time.Hour-1), t0.Add(time.Minute))
}

// anyPod generates a pod of a ReplicaSet, or near one.
func anyPod(t *rapid.T, n int) podorder.Pod {
	p := podorder.Pod{
		Name: fmt.Sprint("p", n), UID: fmt.Sprint("u", n), ResourceVersion: fmt.Sprint("r", n),
		ControllerUID:     pick(t, "owner", "web-uid", "web-uid", "web-uid", "old-uid", "x", ""),
		CreationTimestamp: instant(t, "created"), NodeName: pick(t, "node", "", "n1", "n2", "n3"),
		Phase: pick(t, "phase", "", podorder.Pending, podorder.Running, podorder.Running, podorder.Failed, podorder.Succeeded, podorder.Unknown),
		Ready: rapid.Bool().Draw(t, "ready"), ReadySince: instant(t, "since"),
		Restarts: rapid.Int32Range(0, 2).Draw(t, "restarts"), SidecarRestarts: rapid.Int32Range(0, 1).Draw(t, "sidecars"),
		Labels: pick(t, "labels", nil, map[string]string{"app": "web"}, map[string]string{"app": "web"}, map[string]string{"app": "x"}),
		Annotations: pick(t, "cost", nil, nil, map[string]string{podorder.AnnotationDeletionCost: "5"}, map[string]string{podorder.AnnotationDeletionCost: "x"},
			map[string]string{podorder.AnnotationDeletePriority: "3"}, map[string]string{podorder.AnnotationDeletePriority: "-1"}),
	}
	if seldom(t, "terminating", 5) {
		p.DeletionTimestamp = t0
	}
	return p
}

func replicas(n int32) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{Name: "web", UID: "web-uid", Generation: 4, Replicas: &n, TemplateLabels: map[string]string{"app": "web"},
		Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
}

func replicaSets(t *rapid.T) replicaset.Snapshot {
	s := replicaset.Snapshot{ReplicaSet: replicas(size(t, "replicas", true))}
	rs := &s.ReplicaSet
	rs.MinReadySeconds = pick[int32](t, "min ready", 0, 10, math.MaxInt32)
	rs.TemplateLabels = pick(t, "labels", nil, map[string]string{"app": "web"})
	rs.ControllerUID = pick(t, "controller", "", "deployment")
	rs.Status.Conditions = pick(t, "conditions", nil, []replicaset.Condition{{Type: "ReplicaFailure", Status: "True"}})
	rs.Kind = pick(t, "kind", "", "", replicaset.KindController)
	rs.Selector = pick(t, "selector", nil, rs.Selector, rs.Selector, &selector.LabelSelector{}, &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: selector.NotIn, Values: []string{"x"}}}})
	if seldom(t, "deleting", 6) {
		rs.DeletionTimestamp = t0
	}
	if seldom(t, "expects", 4) {
		s.Expectations = replicaset.ExpectCreations(2, t0.Add(-pick(t, "expected", 0, time.Minute, 5*time.Minute, 5*time.Minute+1)))
	}
	s.Domains = podorder.Domains{"n1": "a", "n2": "a", "n3": "b"}
	s.Siblings = []replicaset.ReplicaSet{{Name: "old", UID: "old-uid", ControllerUID: "deployment"}}
	for n := range rapid.IntRange(0, 14).Draw(t, "pods") {
		s.Pods = append(s.Pods, anyPod(t, n))
	}
	return s
}

func replicaSetOptions(t *rapid.T) replicaset.Options {
	return replicaset.Options{
		Burst: pick[int32](t, "burst", 0, 1, 3), InitialBatch: pick[int32](t, "initial", 0, 2), Repair: replicaset.Quirks(rapid.Uint64Range(0, uint64(replicaset.RepairAll)).Draw(t, "repair")),
		Dialect: pick(t, "dialect", "", "", replicaset.Kubernetes15), Spread: seldom(t, "spread", 2), OmitTerminating: seldom(t, "omit", 3),
		Terminating: pick(t, "replace", "", replicaset.ReplaceTerminated), Order: podorder.Order{Priority: pick(t, "priority", "", podorder.PriorityFirst)},
	}
}

// stored is a template as revisions keep it.
func stored(image string) []byte {
	return []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"image":"` + image + `","name":"app"}]}}}}`)
}

func agentRevision(version string, n int64) revision.ControllerRevision {
	return revision.ControllerRevision{
		Name: "agent-" + version, UID: "uid-" + version, ResourceVersion: "r" + version, Labels: map[string]string{"app": "agent", daemonset.LabelHash: version},
		ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid", Data: stored(version), Revision: n,
	}
}

// agents is a DaemonSet of template nextRevision on n healthy nodes, with one pod of a version on
// each of the first ones.
func agents(n int, versions ...string) daemonset.Snapshot {
	s := daemonset.Snapshot{DaemonSet: daemonset.DaemonSet{
		Name: "agent", UID: "agent-uid", Generation: 3, Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
		Template: daemonset.Template{Hash: "v2", Data: stored("v2"), Labels: map[string]string{"app": "agent"}},
		Status:   daemonset.Status{ObservedGeneration: 3, DesiredNumberScheduled: int32(n)},
	}}
	s.Revisions = []revision.ControllerRevision{agentRevision("v1", 1), agentRevision("v2", 2)}
	for i := range n {
		s.Nodes = append(s.Nodes, daemonset.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": "a"}})
		if i < len(versions) {
			s.Pods = append(s.Pods, agentPod(fmt.Sprint("p", i), fmt.Sprint("n", i), versions[i]))
		}
	}
	return s
}

// agentPod is a pod that has been ready for an hour.
func agentPod(name, node, version string) daemonset.Pod {
	return daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: "uid-" + name, ResourceVersion: "r" + name, ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid",
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: version}, CreationTimestamp: t0.Add(-2 * time.Hour),
		NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-time.Hour),
	}}
}

func anyNode(t *rapid.T, i int) daemonset.Node {
	n := daemonset.Node{Name: fmt.Sprint("n", i), Rank: pick[int32](t, "rank", 0, 0, 0, 1)}
	n.Labels = pick(t, "labels", nil, map[string]string{"zone": "a"}, map[string]string{"zone": "b", "no": "daemon", "size": "7"})
	n.Taints = pick(t, "taints", nil, nil, nil, nil, []daemonset.Taint{{Key: "x", Effect: daemonset.NoSchedule}}, []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}},
		[]daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoExecute}, {Key: daemonset.TaintUnreachable, Effect: daemonset.NoSchedule}},
		[]daemonset.Taint{{Key: "maint", Value: "y", Effect: daemonset.NoExecute}, {Key: "z", Effect: daemonset.PreferNoSchedule}})
	return n
}

func anyAgentPod(t *rapid.T, i, nodes int) daemonset.Pod {
	p := agentPod(fmt.Sprint("p", i), fmt.Sprint("n", rapid.IntRange(0, nodes).Draw(t, "node")), pick(t, "version", "v1", "v1", "v2", "v2", "v0"))
	p.CreationTimestamp = t0.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "age")) * time.Hour)
	p.ReadySince = pick(t, "since", t0.Add(-time.Hour), t0.Add(-10*time.Second), t0.Add(-4*time.Second), time.Time{})
	unready := func() { p.Ready, p.ReadySince = false, time.Time{} }
	for _, c := range []struct {
		name   string
		of     int
		change func()
	}{
		{"unready", 4, unready}, {"failed", 8, func() { p.Phase = podorder.Failed; unready() }}, {"succeeded", 12, func() { p.Phase = podorder.Succeeded; unready() }},
		{"unbound", 10, func() { p.NodeName, p.PinnedNode, p.Phase = "", p.NodeName, podorder.Pending; unready() }},
		{"terminating", 8, func() { p.DeletionTimestamp = t0.Add(-time.Minute) }}, {"preparing", 10, func() { p.Labels[daemonset.LabelState] = daemonset.StatePreparingDelete }},
		{"gated", 3, func() { gate(&p) }}, {"orphan", 20, func() { p.ControllerUID, p.ControllerKind, p.ControllerName = "", "", "" }},
		{"other", 20, func() { p.ControllerUID = "x" }}, {"mismatch", 20, func() { p.Labels["app"] = "x" }}, {"hold", 3, func() { p.Labels["hold"] = "yes" }},
		{"generation", 8, func() { p.Labels[daemonset.LabelGeneration] = "5" }}, {"nowhere", 20, func() { p.NodeName, p.PinnedNode = "", "" }},
	} {
		if seldom(t, c.name, c.of) {
			c.change()
		}
	}
	return p
}

// gate makes a pod one that may be updated in place.
func gate(p *daemonset.Pod) {
	version := p.Labels[daemonset.LabelHash]
	p.ReadinessGates, p.InPlace = []string{inplace.Gate}, &inplace.ReadyCondition{True: true}
	p.Containers = []inplace.Container{{Name: "app", Image: version, Status: &inplace.ContainerStatus{ImageID: "id-" + version, Ready: true}}}
}

func daemonLimit(t *rapid.T, name string) rollout.IntOrPercent {
	return pick(t, name, rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Int(2), rollout.Percent(0), rollout.Percent(34), rollout.Percent(100))
}

// daemonSets generates DaemonSets on up to 7 nodes in any state.
func daemonSets(t *rapid.T) daemonset.Snapshot {
	n := rapid.IntRange(0, 7).Draw(t, "nodes")
	s := agents(0)
	d := &s.DaemonSet
	tidy := rapid.Bool().Draw(t, "tidy")
	for i := range n {
		s.Nodes = append(s.Nodes, anyNode(t, i))
		if tidy {
			s.Nodes[i].Labels = map[string]string{"zone": "a"}
			p := agentPod(fmt.Sprint("p", i), fmt.Sprint("n", i), pick(t, "version", "v1", "v1", "v2"))
			p.Ready = often(t, "ready", 3)
			p.ReadySince = pick(t, "since", t0.Add(-time.Hour), t0.Add(-10*time.Second), t0.Add(-4*time.Second))
			if seldom(t, "hold", 3) {
				p.Labels["hold"] = "yes"
			}
			s.Pods = append(s.Pods, p)
		}
	}
	for i := range rapid.IntRange(0, 2*n).Draw(t, "pods") {
		if !tidy {
			s.Pods = append(s.Pods, anyAgentPod(t, i, n))
		}
	}
	if seldom(t, "twins", 5) {
		s.Revisions = append(s.Revisions, agentRevision("v3", 3))
		s.Revisions[2].Data = stored("v2")
	}
	if seldom(t, "new", 9) {
		s.Revisions = s.Revisions[:1]
	}
	d.Template.NodeSelector = pick(t, "node selector", nil, nil, map[string]string{"zone": "a"})
	d.Template.Affinity = pick(t, "affinity", nil, nil, &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{MatchExpressions: []selector.Expression{{Key: "no", Operator: selector.DoesNotExist}}}}},
		&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{}, {MatchExpressions: []selector.Expression{{Key: "size", Operator: selector.Gt, Values: []string{"5"}}}}, {MatchFields: []selector.Expression{{Key: selector.FieldName, Operator: selector.In, Values: []string{"n1"}}}}}})
	d.Template.Tolerations = pick(t, "tolerations", nil, nil, []daemonset.Toleration{{Key: "maint", Operator: daemonset.TolerationExists, Seconds: new(int64(30))}}, []daemonset.Toleration{{Operator: daemonset.TolerationExists}})
	d.MaxSurge, d.MaxUnavailable = daemonLimit(t, "surge"), daemonLimit(t, "unavailable")
	if rapid.Bool().Draw(t, "no surge") {
		d.MaxSurge = rollout.IntOrPercent{}
	}
	d.MinReadySeconds = pick[int32](t, "min ready", 0, 0, 10)
	d.Strategy = pick(t, "strategy", daemonset.RollingUpdate, daemonset.RollingUpdate, "", daemonset.OnDelete)
	d.Status.DesiredNumberScheduled = int32(rapid.IntRange(0, n).Draw(t, "status"))
	d.RevisionHistoryLimit = pick(t, "history", nil, new(int32(0)))
	advanced(t, &s, n)
	return s
}

func advanced(t *rapid.T, s *daemonset.Snapshot, n int) {
	d := &s.DaemonSet
	if rapid.Bool().Draw(t, "generation") {
		d.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"}
	}
	if n > 0 && rapid.Bool().Draw(t, "backoff") {
		s.Backoff = daemonset.Backoff{{
			BackoffKey: daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: "n0"}, Delay: 8 * time.Second,
			Since: t0.Add(-time.Duration(rapid.IntRange(0, 2000).Draw(t, "backoff since")) * time.Second),
		}}
	}
	if rapid.Bool().Draw(t, "plain") {
		return
	}
	d.RollingType = pick(t, "type", daemonset.Standard, daemonset.InPlaceIfPossible, daemonset.Surging)
	d.Partition, d.Burst = daemonLimit(t, "partition"), daemonLimit(t, "burst")
	d.NodeSelector = pick(t, "update selector", nil, nil, &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}, &selector.LabelSelector{})
	d.Paused = seldom(t, "paused", 5)
	d.Progressive = rapid.Bool().Draw(t, "progressive")
	d.PreDelete = pick(t, "hook", nil, nil, &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}})
	s.Unseen = seldom(t, "unseen", 12)
}

func daemonSetOptions(t *rapid.T) daemonset.Options {
	return daemonset.Options{
		Dialect: pick(t, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: pick(t, "repair", 0, daemonset.RepairAll),
		Prune: seldom(t, "prune", 4), StrictUnavailable: seldom(t, "strict", 4), SkipDeadNodes: pick[int32](t, "skip", 0, 0, 1, 2),
		KeepHealthyDuplicate: seldom(t, "healthy", 4), FiniteTolerationMeansNo: seldom(t, "finite", 4), KeepUserTolerations: seldom(t, "user", 4),
		PartitionCreatesOld: seldom(t, "creates old", 4), Freeze: seldom(t, "freeze", 19),
	}
}
