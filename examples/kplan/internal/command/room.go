// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// nodesOf returns the nodes on which new pods of a Deployment may be started, and their
// zones: those of the input or, if it has none, those that its pods run on. None is made
// beside them.
func nodesOf(w, seen *manifest.Workload) (names []string, zones podorder.Domains, notes []string) {
	zones = kube.Domains(w.Nodes, corev1.LabelTopologyZone)
	for _, n := range w.Nodes {
		if barrier(n, &w.Deployment.Spec.Template.Spec) == "" {
			names = append(names, n.Name)
		}
	}
	notes = barred(w.Nodes, "no new pod", func(n **corev1.Node) string { return barrier(*n, &w.Deployment.Spec.Template.Spec) })
	if len(w.Nodes) == 0 {
		names = boundNodes(seen.Pods)
	}
	for _, zone := range zones {
		if zone != "" {
			return names, zones, notes
		}
	}
	return names, nil, notes
}

// barred tells how many nodes take no pods, and why.
func barred[N any](nodes []N, what string, why func(*N) string) []string {
	var reasons []string
	counts, out := map[string]int{}, 0
	for i := range nodes {
		if reason := why(&nodes[i]); reason != "" {
			if out++; counts[reason] == 0 {
				reasons = append(reasons, reason)
			}
			counts[reason]++
		}
	}
	if out == 0 {
		return nil
	}
	for i, reason := range reasons {
		if len(reasons) > 1 {
			reasons[i] = fmt.Sprintf("%s (%d)", reason, counts[reason])
		}
	}
	return []string{fmt.Sprintf("%d of %d nodes take %s: %s", out, len(nodes), what, view.Folded(reasons))}
}

// barrier returns why a node is not fit for pods, whatever room it has, "" if it is.
func barrier(n *corev1.Node, p *corev1.PodSpec) string {
	if n.Spec.Unschedulable {
		return "cordoned"
	}
	for _, taint := range kube.Node(n).Taints {
		hard := taint.Effect == daemonset.NoSchedule || taint.Effect == daemonset.NoExecute
		if hard && !slices.ContainsFunc(kube.Tolerations(p.Tolerations), func(t daemonset.Toleration) bool { return t.Tolerates(taint) }) {
			return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonTaintNoSchedule, Taint: taint})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if value, has := n.Labels[key]; !has || value != p.NodeSelector[key] {
			return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonNodeSelector, Key: key})
		}
	}
	var required *selector.NodeSelector
	if a := p.Affinity; a != nil && a.NodeAffinity != nil {
		required = kube.NodeSelector(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if ok, err := selector.NewNodeAffinity(nil, required).Match(n.Name, n.Labels); !ok || err != nil {
		return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonAffinity})
	}
	return ""
}

// roomOf returns what room nodes have for pods of a Deployment, nil for any. If pods found
// none there is only that of pods that go. Otherwise it is what nodes have allocatable less
// what the pods of the input request.
func roomOf(w, seen *manifest.Workload, names []string, full bool) (*sim.Room, string) {
	if full {
		free := map[string][]int64{}
		for _, name := range names {
			free[name] = []int64{0}
		}
		one := func(podorder.Pod, revision.Template) []int64 { return []int64{1} }
		return &sim.Room{Free: free, Needs: one}, "nodes have no room, as pods are Unschedulable, but what pods leave that go"
	}
	known := slices.ContainsFunc(w.Nodes, func(n *corev1.Node) bool { return len(n.Status.Allocatable) > 0 })
	switch {
	case !known && len(seen.Pods)+len(w.Shared().Nodes) > 0:
		return nil, "nodes have room for all pods"
	case !known:
		return nil, ""
	}
	free := map[string][]int64{}
	for _, n := range w.Nodes {
		free[n.Name] = amounts(n.Status.Allocatable, math.MaxInt64/4)
	}
	for _, p := range w.Shared().Pods {
		if pod := kube.Pod(p); !pod.Finished() && free[p.Spec.NodeName] != nil {
			for i, n := range requests(&p.Spec) {
				free[p.Spec.NodeName][i] -= n
			}
		}
	}
	needs := map[string][]int64{}
	for _, d := range []*appsv1.Deployment{seen.Deployment, w.Deployment} { // that of manifests has no ReplicaSet yet
		needs[kube.TemplateID(&d.Spec.Template)] = requests(&d.Spec.Template.Spec)
	}
	for _, rs := range seen.ReplicaSets {
		needs[kube.TemplateID(&rs.Spec.Template)] = requests(&rs.Spec.Template.Spec)
	}
	return &sim.Room{Free: free, Needs: func(_ podorder.Pod, t revision.Template) []int64 { return needs[t.ID] }},
		"nodes have the room that the pods in the input leave"
}

// takeRoom takes the room of the pods that a simulation begins with and no file holds.
func takeRoom(room *sim.Room, c *sim.Cluster, seen *manifest.Workload) {
	if room == nil || len(seen.Pods) > 0 { // which are reckoned with
		return
	}
	templates := map[string]revision.Template{}
	for i := range c.ReplicaSets {
		templates[c.ReplicaSets[i].UID] = c.ReplicaSets[i].Template
	}
	for _, p := range c.Pods {
		free := room.Free[p.NodeName]
		if free == nil {
			continue
		}
		for j, n := range room.Needs(*p, templates[p.ControllerUID]) {
			free[j] -= n
		}
	}
}

// counted are the resources that room is counted in.
var counted = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// amounts returns how much there is of each resource, in thousandths for CPU.
func amounts(list corev1.ResourceList, unknown int64) []int64 {
	values := make([]int64, len(counted))
	for i, name := range counted {
		q, ok := list[name]
		switch {
		case !ok:
			values[i] = unknown
		case name == corev1.ResourceCPU:
			values[i] = q.MilliValue()
		default:
			values[i] = q.Value()
		}
	}
	return values
}

// requests returns what a pod requests of what is counted.
func requests(p *corev1.PodSpec) []int64 { return kube.PodRequests(p, counted) }

// running returns how many pods have not ended.
func running(pods []*corev1.Pod) (n int) {
	for _, p := range pods {
		if pod := kube.Pod(p); !pod.Finished() {
			n++
		}
	}
	return n
}

// boundNodes returns the nodes that pods are bound to.
func boundNodes(pods []*corev1.Pod) (names []string) {
	for _, p := range pods {
		if p.Spec.NodeName != "" && !slices.Contains(names, p.Spec.NodeName) {
			names = append(names, p.Spec.NodeName)
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}
