// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/selector"
)

// besideOthers removes from templates the pod affinity terms that select a pod without an owner in
// the input, since these pods only take room in the world. Their labels, ports, claims and own
// terms are ignored.
func (w *worldReader) besideOthers() {
	if len(w.foreign) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(w.s.Templates)) {
		w.changeTemplate(id, func(t *cluster.Template) {
			if len(t.HostPorts)+len(t.PodAffinity)+len(t.PodAntiAffinity)+len(t.Claims) > 0 {
				w.unseen["labels, ports and volumes of pods of other workloads"] = true
			}
			t.PodAffinity = slices.DeleteFunc(slices.Clone(t.PodAffinity), w.besideOther)
		})
	}
}

// besideOther reports whether a term selects a pod without an owner in the input.
func (w *worldReader) besideOther(term cluster.PodTerm) bool {
	matches, err := selector.FromLabelSelector(term.Selector)
	return term.Selector != nil && err == nil && slices.ContainsFunc(w.foreign, func(p *corev1.Pod) bool {
		return (len(term.Namespaces) == 0 || slices.Contains(term.Namespaces, p.Namespace)) && matches.Matches(p.Labels)
	})
}
