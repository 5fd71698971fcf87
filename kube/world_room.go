// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// takeRoomOfWaiting removes the free room of nodes that would fit a pod that was observed waiting
// for room. Without nodes in the input, it adds the nodes of the pods.
func (w *worldReader) takeRoomOfWaiting() {
	if len(w.waiting) == 0 {
		return
	}
	if len(w.s.Nodes) == 0 {
		w.nodesOfPods()
	}
	if full := w.fitting(); len(full) > 0 {
		w.fill(full)
		w.s.Believed = append(w.s.Believed, cluster.Belief{Then: cluster.FullNodes})
	}
}

// nodesOfPods adds the nodes of the pods. Their labels are not known, so node selectors and
// terms on other labels than the host name are removed from templates.
func (w *worldReader) nodesOfPods() {
	names := map[string]bool{}
	for _, p := range w.seen {
		names[p.Spec.NodeName] = true
	}
	for _, p := range w.foreign {
		names[p.Spec.NodeName] = true
	}
	delete(names, "")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w.node(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}})
	}
	for id := range w.s.Templates {
		w.changeTemplate(id, func(t *cluster.Template) {
			bound := t.NodeSelector != nil || t.Affinity != nil || len(t.PodAffinity)+len(t.PodAntiAffinity)+len(t.TopologySpread) > 0
			t.NodeSelector, t.Affinity = nil, nil
			elsewhere := func(term cluster.PodTerm) bool { return term.TopologyKey != corev1.LabelHostname }
			t.PodAffinity = slices.DeleteFunc(slices.Clone(t.PodAffinity), elsewhere)
			t.PodAntiAffinity = slices.DeleteFunc(slices.Clone(t.PodAntiAffinity), elsewhere)
			t.TopologySpread = slices.DeleteFunc(slices.Clone(t.TopologySpread), func(s cluster.TopologySpread) bool { return s.TopologyKey != corev1.LabelHostname })
			if bound {
				w.unseen[unseenNodeLabels] = true
			}
		})
	}
}

// fitting returns, by index, the nodes that would fit pods that wait for room.
func (w *worldReader) fitting() map[int]bool {
	type asked struct{ template, pinned string }
	nodes, full, done := scheduler.New(w.s.Nodes, len(w.s.Resources)), map[int]bool{}, map[asked]bool{}
	w.eachBound(func(p *podorder.Pod, t cluster.Template) { nodes.Take(scheduler.Pod{Pod: p, Template: t}, p.NodeName) })
	for _, p := range w.waiting {
		of, pod := asked{p.template, pinnedNode(p.Pod)}, Pod(p.Pod)
		if done[of] {
			continue
		}
		done[of] = true
		pod.Name = p.name
		want := scheduler.Pod{Pod: &pod, Template: w.s.Templates[p.template]}
		for i := range nodes.Len() {
			switch {
			case of.pinned == "" && nodes.Fits(i, want), of.pinned == nodes.At(i).Name && nodes.FitsPinned(i, want):
				full[i] = true
			}
		}
	}
	return full
}

// fill reduces the room of nodes to the room that their pods take.
func (w *worldReader) fill(full map[int]bool) {
	taken := map[string][]int64{}
	for i := range full {
		room := make([]int64, len(w.s.Resources))
		w.s.Nodes[i].Room, taken[w.s.Nodes[i].Name] = room, room
	}
	w.eachBound(func(p *podorder.Pod, t cluster.Template) {
		if room := taken[p.NodeName]; room != nil {
			for i, amount := range t.Needs {
				room[i] += amount
			}
		}
	})
}

// eachBound calls f for each pod that takes room on its node.
func (w *worldReader) eachBound(f func(*podorder.Pod, cluster.Template)) {
	each := func(p *podorder.Pod) {
		if p.NodeName != "" && !p.Finished() {
			f(p, w.s.Templates[w.templateOf(p)])
		}
	}
	for i := range w.s.Pods {
		each(&w.s.Pods[i])
	}
	for i := range w.s.DaemonPods {
		each(&w.s.DaemonPods[i].Pod)
	}
}
