// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// nodesFor returns the nodes of the input and, until there are n, made ones: first the nodes that
// pods are bound or pinned to, then node-1, node-2 and so on. If zones is not 0, made nodes are in
// zone-1, zone-2 and so on in turn.
func (l *loader) nodesFor(n, zones int) []*corev1.Node {
	var nodes []*corev1.Node
	seen := map[string]bool{}
	for _, source := range l.nodes {
		if seen[source.object.Name] {
			l.notes = append(l.notes, fmt.Sprintf("%s: skipped %s: there is one of this name already", source.file, describe("Node", source.object.Name)))
			continue
		}
		seen[source.object.Name] = true
		nodes = append(nodes, source.object)
	}
	made := 0
	add := func(name string) {
		if name != "" && !seen[name] && len(nodes) < n {
			seen[name] = true
			labels := map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux"}
			if zones > 0 {
				labels[corev1.LabelTopologyZone] = fmt.Sprintf("zone-%d", made%zones+1)
			}
			made++
			nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
		}
	}
	pods := l.shared().Pods
	for _, p := range pods {
		add(p.Spec.NodeName)
	}
	for _, p := range pods {
		add(kube.DaemonSetPod(p).PinnedNode)
	}
	width := len(fmt.Sprint(n))
	for i := 1; len(nodes) < n; i++ {
		add(fmt.Sprintf("node-%0*d", width, i))
	}
	return nodes
}
