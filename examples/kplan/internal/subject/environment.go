// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// seenOf returns the workload with the running pods.
func seenOf(w, old *manifest.Workload) *manifest.Workload {
	if old != nil {
		return old
	}
	return w
}

// environment applies the state of pods and nodes in the input to a beginning, where the world
// does not read it by itself. It returns notes about it for the user, and the resources that
// quotas leave too little of.
func (s *Settings) environment(w, old *manifest.Workload, b *world.Beginning) ([]string, []manifest.Shortage) {
	seen, most := seenOf(w, old), b.Most()
	notes := nodeNotes(w)
	if s.Heal {
		b.Heal()
		return append(notes, "all pods become ready, and nodes have room (--heal)"), nil
	}
	room := roomNote(w, seen)
	notes = append(notes, beliefsOf(b, room)...)
	notes = append(notes, refuse(b, w, seen, most)...)
	more, short := shortages(b, w, seen, most)
	return append(notes, more...), short
}

// beliefsOf returns notes about the assumptions on pods and nodes, and about the room of the
// nodes.
func beliefsOf(b *world.Beginning, room string) (notes []string) {
	for _, belief := range b.BelievedOf(b.Owns()) {
		notes = append(notes, belief.String())
		if belief.Then == cluster.FullNodes {
			room = ""
		}
	}
	if room != "" {
		notes = append(notes, room)
	}
	for _, what := range b.Unseen {
		notes = append(notes, "not looked at: "+what)
	}
	return notes
}

// believed applies the flags to a beginning. It returns the assumptions about pods, nodes and
// quotas.
func (s *Settings) believed(nodes []*corev1.Node, b *world.Beginning) []string {
	if s.Heal {
		some := len(b.Pods)+len(b.DaemonPods) > 0
		if b.Heal(); some {
			return []string{"all pods become ready, and nodes have room (--heal)"}
		}
		return nil
	}
	room := ""
	if hasRoom(nodes) {
		room = roomLeft
	}
	notes := beliefsOf(b, room)
	t := b.Templates[b.Template]
	if t.Refused != "" {
		notes = append(notes, "no new pod is made, as the API server says: "+t.Refused)
	}
	for _, q := range b.Quotas {
		for _, resource := range slices.Sorted(maps.Keys(q.Hard)) {
			if unset := t.Unset[resource]; len(unset) > 0 {
				notes = append(notes, fmt.Sprintf("ResourceQuota %s counts %s, which container %s does not set: creations fail", strings.TrimPrefix(q.Name, b.Namespace+"/"), resource, unset[0]))
			}
		}
	}
	return notes
}

// nodeNotes returns notes about nodes that take no new pod of a Deployment, and the reason.
func nodeNotes(w *manifest.Workload) []string {
	return barred(w.Nodes, "no new pod", func(n **corev1.Node) string { return barrier(*n, &w.Deployment.Spec.Template.Spec) })
}

// barred returns a note about nodes that take no pods, with the reasons.
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

// barrier returns the reason why a node takes no pod, except for lack of room, or "".
func barrier(n *corev1.Node, p *corev1.PodSpec) string {
	if n.Spec.Unschedulable {
		return "cordoned"
	}
	for _, taint := range kube.Node(n).Taints {
		hard := taint.Effect == daemonset.NoSchedule || taint.Effect == daemonset.NoExecute
		if hard && !slices.ContainsFunc(kube.Tolerations(p.Tolerations), func(t daemonset.Toleration) bool { return t.Tolerates(taint) }) {
			return view.Barrier(daemonset.Placement{Reason: reason.TaintNoSchedule, Taint: taint})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if value, has := n.Labels[key]; !has || value != p.NodeSelector[key] {
			return view.Barrier(daemonset.Placement{Reason: reason.NodeSelector, Key: key})
		}
	}
	var required *selector.NodeSelector
	if a := p.Affinity; a != nil && a.NodeAffinity != nil {
		required = kube.NodeSelector(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if ok, err := selector.NewNodeAffinity(nil, required).Match(n.Name, n.Labels); !ok || err != nil {
		return view.Barrier(daemonset.Placement{Reason: reason.Affinity})
	}
	return ""
}

// roomNote returns a note about the room that nodes of the input have for pods of a Deployment.
func roomNote(w, seen *manifest.Workload) string {
	switch {
	case hasRoom(w.Nodes):
		return roomLeft
	case len(seen.Pods) > 0 || w.HasNodes():
		return "nodes have room for all pods"
	}
	return ""
}

const roomLeft = "nodes have the room that the pods in the input leave"

// hasRoom reports whether any node has allocatable resources.
func hasRoom(nodes []*corev1.Node) bool {
	return slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return len(n.Status.Allocatable) > 0 })
}

// counted are the resources that limit the room of nodes.
var counted = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// requests returns the requests of a pod for the counted resources.
func requests(p *corev1.PodSpec) []int64 { return kube.PodRequests(p, counted) }

// running returns the number of pods that have not ended.
func running(pods []*corev1.Pod) (n int) {
	for _, p := range pods {
		if pod := kube.Pod(p); !pod.Finished() {
			n++
		}
	}
	return n
}
