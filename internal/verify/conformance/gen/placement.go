// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A PlacementCase is a DaemonSet and a node.
type PlacementCase struct {
	DaemonSet *appsv1.DaemonSet
	Node      *corev1.Node
}

// Placement draws a node, and a DaemonSet with constraints on nodes: 10 % name a node, a third
// select labels, half of these labels of the node, half have an affinity, right or wrong, and two
// thirds tolerations.
func Placement(t random.Source) *PlacementCase {
	c := &PlacementCase{
		DaemonSet: &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "web", UID: "ds"}},
		Node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: random.OneOf(t, "name", "n1", "n2"), Labels: random.Labels(t, "labels")},
			Spec:       corev1.NodeSpec{Taints: Taints(t)},
		},
	}
	c.DaemonSet.Spec.Template = bare(0, map[string]string{"app": "web"})
	spec := &c.DaemonSet.Spec.Template.Spec
	if random.Percent(t, "named", 10) {
		spec.NodeName = random.OneOf(t, "node name", "n1", "n2", "gone")
	}
	if random.OneIn(t, "node selector", 3) {
		spec.NodeSelector = random.Labels(t, "wanted")
		if random.OneIn(t, "of the node", 2) {
			spec.NodeSelector = someOf(t, c.Node.Labels)
		}
	}
	if random.OneIn(t, "affinity", 2) {
		spec.Affinity = Affinity(t)
	}
	if !random.OneIn(t, "tolerates nothing", 3) {
		spec.Tolerations = Tolerations(t)
	}
	spec.HostNetwork = random.OneIn(t, "host network", 4)
	return c
}

// someOf draws a part of a map.
func someOf(t random.Source, m map[string]string) map[string]string {
	part := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if random.OneIn(t, "taken", 2) {
			part[k] = m[k]
		}
	}
	return part
}

// Affinity draws an affinity with each of its parts nil, empty or set.
func Affinity(t random.Source) *corev1.Affinity {
	a := &corev1.Affinity{}
	if random.OneIn(t, "pods only", 8) {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
		return a
	}
	a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: NodeSelector(t)}
	if random.OneIn(t, "preferred", 4) {
		a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 1}}
	}
	return a
}

// wellKnown are the keys of the taints that Kubernetes itself sets.
var wellKnown = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
}

func taintKey(t random.Source) string {
	if random.OneIn(t, "well-known", 3) {
		return random.OneOf(t, "well-known key", wellKnown...)
	}
	return random.OneOf(t, "taint key", "dedicated", "other", "")
}

// Taints draws up to three taints, a few of them with an unknown effect.
func Taints(t random.Source) (taints []corev1.Taint) {
	for range max(0, random.Below(t, "taints", 6)-2) {
		taints = append(taints, corev1.Taint{
			Key: taintKey(t), Value: random.OneOf(t, "taint value", "", "x", "5"),
			Effect: random.OneOf(t, "taint effect", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule,
				corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule, "", "Odd"),
		})
	}
	return taints
}

// Tolerations draws up to three tolerations. A third are for well-known taints; some of these are
// tolerations of every daemon pod, but may have seconds.
func Tolerations(t random.Source) (list []corev1.Toleration) {
	for range random.Below(t, "tolerations", 4) {
		o := corev1.Toleration{
			Key: taintKey(t), Value: random.OneOf(t, "tolerated value", "", "", "x", "5"),
			Operator: random.OneOf(t, "operator", corev1.TolerationOpExists, corev1.TolerationOpExists, corev1.TolerationOpEqual, "", "Lt", "Gt", "In"),
			Effect: random.OneOf(t, "tolerated effect", "", "", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute,
				corev1.TaintEffectPreferNoSchedule),
			TolerationSeconds: random.OneOf(t, "seconds", nil, nil, new(int64(0)), new(int64(30))),
		}
		if strings.HasPrefix(o.Key, "node.kubernetes.io/") && random.OneIn(t, "a default", 2) {
			o.Operator, o.Value, o.Effect = corev1.TolerationOpExists, "", corev1.TaintEffectNoExecute
			if o.Key != corev1.TaintNodeNotReady && o.Key != corev1.TaintNodeUnreachable {
				o.Effect = corev1.TaintEffectNoSchedule
			}
		}
		list = append(list, o)
	}
	return list
}

// NodePods draws up to four pods of a DaemonSet on the node: half of them healthy, a sixth failed,
// with the hashes "new", "old" or "older", some with a template generation; one in eight has only
// the affinity to the node. Names are in no order.
func NodePods(t random.Source, now time.Time, node string) []*corev1.Pod {
	pods := make([]*corev1.Pod, random.Below(t, "pods", 5))
	for i := range pods {
		p := Pod(t, now, i)
		p.Name = random.OneOf(t, "name", "p", "q") + p.Name
		if random.OneIn(t, "healthy", 2) {
			makeHealthy(p)
		}
		if random.OneIn(t, "failed", 6) {
			p.Status.Phase = corev1.PodFailed
		}
		p.Spec.NodeName = node
		if random.OneIn(t, "pinned", 8) {
			p.Spec.NodeName, p.Spec.Affinity = "", pinned(node)
		}
		p.Labels = map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: random.OneOf(t, "hash", "new", "new", "old", "old", "older", "")}
		if random.Percent(t, "generation label", 20) {
			p.Labels["pod-template-generation"] = random.OneOf(t, "pod generation", "1", "2", "02")
		}
		if random.Percent(t, "no labels", 4) {
			p.Labels = nil
		}
		pods[i] = p
	}
	return pods
}

func pinned(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}}}},
	}}}
}

// Generation draws the annotation with the template generation, or nil.
func Generation(t random.Source) map[string]string {
	if random.OneIn(t, "no generation", 2) {
		return nil
	}
	return map[string]string{appsv1.DeprecatedTemplateGeneration: random.OneOf(t, "generation", "2", "1", "+2", "02", "x", "", "9223372036854775808")}
}
