// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// nodesFor returns the nodes of the input and, until there are n, made ones: first the nodes that
// pods are bound or pinned to, then node-1, node-2 and so on. If zones is not 0, made nodes are in
// zone-1, zone-2 and so on in turn.
func (l *loader) nodesFor(pods []*corev1.Pod, n, zones int) []*corev1.Node {
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

// assumedNodes is the number of nodes if the input does not contain it.
const assumedNodes = 3

// AssumeNodes gives a DaemonSet nodes if the input has no nodes, and returns the assumption: the
// nodes of its pods, or else as many as its status counts, or else three. All of them match its
// nodeSelector and the first term of its node affinity. If before is not nil, it is the running
// DaemonSet, and its pods and status count.
func (d *DaemonSet) AssumeNodes(before *DaemonSet) (assumed []string) {
	if len(d.Nodes) > 0 {
		return nil
	}
	labels := map[string]string{corev1.LabelOSStable: "linux"}
	seen := d
	if before != nil {
		seen = before
		meet(labels, &before.Object.Spec.Template.Spec)
	}
	meet(labels, &d.Object.Spec.Template.Spec)
	var names []string
	for _, p := range seen.Controlled() {
		if pod := kube.DaemonSetPod(p); pod.NodeName+pod.PinnedNode != "" {
			names = append(names, pod.NodeName+pod.PinnedNode)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	text := "the nodes are the %d that its pods are on, since the input has none"
	if len(names) == 0 {
		n := assumedNodes
		if text = "there are %d nodes that fit, since the input has none; --nodes makes others"; isLive(seen.Object.UID) && seen.Object.Status.DesiredNumberScheduled > 0 {
			n = int(seen.Object.Status.DesiredNumberScheduled)
			text = "there are %d nodes that fit, as its status tells, since the input has none"
		}
		width := len(strconv.Itoa(n))
		for i := range n {
			names = append(names, fmt.Sprintf("node-%0*d", width, i+1))
		}
	}
	around := *d.surroundings // other workloads keep theirs
	for _, name := range names {
		own := maps.Clone(labels)
		own[corev1.LabelHostname] = name
		around.Nodes = append(around.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: own}})
	}
	d.surroundings = &around
	return []string{fmt.Sprintf(text, len(names))}
}

// meet adds the labels that a pod requires of its node.
func meet(labels map[string]string, p *corev1.PodSpec) {
	maps.Copy(labels, p.NodeSelector)
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil || p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	terms := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) == 0 {
		return
	}
	for _, e := range terms[0].MatchExpressions { // one matching term is enough
		_, has := labels[e.Key]
		switch {
		case e.Operator == corev1.NodeSelectorOpExists && !has:
			labels[e.Key] = "true"
		case e.Operator == corev1.NodeSelectorOpIn && len(e.Values) > 0 && !slices.Contains(e.Values, labels[e.Key]):
			labels[e.Key] = e.Values[0]
		}
	}
}
