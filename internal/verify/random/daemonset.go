// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// Stored is the data of a revision whose template has the image.
func Stored(image string) []byte {
	return []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"image":"` + image + `","name":"app"}]}}}}`)
}

// AgentRevision is the revision of a version of the DaemonSet.
func AgentRevision(version string, n int64) revision.ControllerRevision {
	return revision.ControllerRevision{
		Name: "agent-" + version, UID: "uid-" + version, ResourceVersion: "r" + version, Labels: map[string]string{"app": "agent", daemonset.LabelHash: version},
		ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid", Data: Stored(version), Revision: n,
	}
}

// Agents is a DaemonSet with template v2 on n healthy nodes, with one pod of each version on the
// first ones.
func Agents(n int, versions ...string) daemonset.Snapshot {
	s := daemonset.Snapshot{DaemonSet: daemonset.DaemonSet{
		Name: "agent", UID: "agent-uid", Generation: 3, Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
		Template: daemonset.Template{Hash: "v2", Data: Stored("v2"), Labels: map[string]string{"app": "agent"}},
		Status:   daemonset.Status{ObservedGeneration: 3, DesiredNumberScheduled: int32(n)},
	}}
	s.Revisions = []revision.ControllerRevision{AgentRevision("v1", 1), AgentRevision("v2", 2)}
	for i := range n {
		s.Nodes = append(s.Nodes, daemonset.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": "a"}})
		if i < len(versions) {
			s.Pods = append(s.Pods, AgentPod(fmt.Sprint("p", i), fmt.Sprint("n", i), versions[i]))
		}
	}
	return s
}

// AgentPod is a pod that has been ready for an hour.
func AgentPod(name, node, version string) daemonset.Pod {
	return daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: "uid-" + name, ResourceVersion: "r" + name, ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid",
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: version}, CreationTimestamp: Now.Add(-2 * time.Hour),
		NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: Now.Add(-time.Hour),
	}}
}

// gate adds a readiness gate to a pod, so that it can be updated in place.
func gate(p *daemonset.Pod) {
	version := p.Labels[daemonset.LabelHash]
	p.ReadinessGates, p.InPlace = []string{inplace.Gate}, &inplace.ReadyCondition{True: true}
	p.Containers = []inplace.Container{{Name: "app", Image: version, Status: &inplace.ContainerStatus{Image: version, ImageID: "id-" + version, Ready: true}}}
}

// DaemonSet draws a DaemonSet on up to eight nodes.
func DaemonSet(s Source, kind Kind) daemonset.Snapshot {
	switch kind {
	case CaughtUp:
		return healthyDaemonSet(s)
	case Midway:
		return midwayDaemonSet(s)
	}
	return daemonSet(s, kind)
}

// healthyDaemonSet draws a healthy pod with the old template on each node, for an update.
func healthyDaemonSet(s Source) daemonset.Snapshot {
	n := Between(s, "nodes", 1, 8)
	snapshot := Agents(n)
	for i := range n {
		snapshot.Nodes[i].Labels = map[string]string{"zone": OneOf(s, "zone", "a", "b")}
		p := AgentPod(fmt.Sprint("p", i), fmt.Sprint("n", i), "v1")
		gate(&p)
		snapshot.Pods = append(snapshot.Pods, p)
	}
	d := &snapshot.DaemonSet
	d.MaxUnavailable, d.MaxSurge = DaemonLimit(s, "unavailable"), OneOf(s, "surge", rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Percent(50))
	d.MinReadySeconds = OneOf[int32](s, "min ready", 0, 10)
	d.Partition = OneOf(s, "partition", rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Int(3), rollout.Percent(50), rollout.Int(99))
	d.NodeSelector = OneOf(s, "update selector", nil, nil, &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}})
	d.RollingType = OneOf(s, "type", "", daemonset.Standard, daemonset.InPlaceIfPossible)
	return snapshot
}

// midwayDaemonSet draws a moment of an update; some pods do not become ready.
func midwayDaemonSet(s Source) daemonset.Snapshot {
	snapshot := healthyDaemonSet(s)
	if Bool(s, "first") { // first creation instead of an update
		snapshot.Pods = snapshot.Pods[:Between(s, "there", 0, len(snapshot.Pods)-1)]
	}
	for range Between(s, "passes", 1, 6) {
		p, err := daemonset.Reconcile(snapshot, Now, daemonset.Options{})
		if err == nil {
			snapshot, err = p.Apply(snapshot, Now)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		var left []daemonset.Pod
		for _, p := range snapshot.Pods {
			if !p.DeletionTimestamp.IsZero() && Bool(s, "ends") {
				continue
			}
			if p.NodeName == "" && Bool(s, "bound") {
				p.NodeName = p.PinnedNode
			}
			if p.NodeName != "" && !p.Ready && Bool(s, "ready") {
				p.Phase, p.Ready, p.ReadySince = podorder.Running, true, Now
			}
			left = append(left, p)
		}
		snapshot.Pods = left
	}
	return snapshot
}

// DaemonSetOptions draws options of any kind.
func DaemonSetOptions(s Source) daemonset.Options {
	flag := func(name string) bool { return !Often(s, "not "+name, 4) }
	return daemonset.Options{
		Dialect: OneOf(s, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: quirks(s, quirk.All),
		Prune: flag("prune"), StrictUnavailable: flag("strict"), SkipDeadNodes: OneOf[int32](s, "skip", 0, 0, 1, 2),
		KeepHealthyDuplicate: flag("healthy"), FiniteTolerationMeansNo: flag("finite"), KeepUserTolerations: flag("user"),
		PartitionCreatesOld: flag("creates old"), VerticalScaling: flag("scaling"), Freeze: OneIn(s, "freeze", 20), SumHolds: flag("sum"),
	}
}
