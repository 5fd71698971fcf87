// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Shared is what all workloads of the input have to do with.
type Shared struct {
	Nodes []*corev1.Node // of the input, none of them made
	Pods  []*corev1.Pod  // of all namespaces, also those of what was read before
}

// beside adds what another source holds, which is of the same cluster: its nodes, unless
// this one has those of the same names, the nodes that its pods are bound to, and limits.
func (l *loader) beside(other *Set) {
	if other == nil {
		return
	}
	for _, n := range other.Shared.Nodes {
		if !slices.ContainsFunc(l.nodes, func(o source[corev1.Node]) bool { return o.object.Name == n.Name }) {
			l.nodes = append(l.nodes, source[corev1.Node]{n, ""})
		}
	}
	l.elsewhere = other.Shared.Pods
	l.limitObjects.beside(other.limits)
}

// shared returns what all workloads have to do with.
func (l *loader) shared() (s Shared) {
	for _, n := range l.nodes {
		s.Nodes = append(s.Nodes, n.object)
	}
	for _, p := range l.pods {
		s.Pods = append(s.Pods, p.object)
	}
	s.Pods = append(s.Pods, l.elsewhere...)
	return s
}
