package gen

import (
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// A PlacementCase is a DaemonSet and a node.
type PlacementCase struct {
	DaemonSet *appsv1.DaemonSet
	Node      *corev1.Node
}

// Placement draws a node, and a DaemonSet whose template demands something of it:
// 10 % name a node, a third want labels, half of which the node has, half have an
// affinity, right or wrong, and two thirds tolerations.
func Placement(t *rapid.T) *PlacementCase {
	c := &PlacementCase{
		DaemonSet: &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "web", UID: "ds"}},
		Node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: from(t, "name", "n1", "n2"), Labels: Labels(t, "labels")},
			Spec:       corev1.NodeSpec{Taints: Taints(t)},
		},
	}
	c.DaemonSet.Spec.Template = bare(0, map[string]string{"app": "web"})
	spec := &c.DaemonSet.Spec.Template.Spec
	if percent(t, 10, "named") {
		spec.NodeName = from(t, "node name", "n1", "n2", "gone")
	}
	if OneIn(t, 3, "node selector") {
		spec.NodeSelector = Labels(t, "wanted")
		if OneIn(t, 2, "of the node") {
			spec.NodeSelector = someOf(t, c.Node.Labels)
		}
	}
	if OneIn(t, 2, "affinity") {
		spec.Affinity = Affinity(t)
	}
	if !OneIn(t, 3, "tolerates nothing") {
		spec.Tolerations = Tolerations(t)
	}
	spec.HostNetwork = OneIn(t, 4, "host network")
	return c
}

// someOf draws a part of a map.
func someOf(t *rapid.T, m map[string]string) map[string]string {
	part := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if OneIn(t, 2, "taken") {
			part[k] = m[k]
		}
	}
	return part
}

// Affinity draws an affinity with each of its parts nil, empty or set.
func Affinity(t *rapid.T) *corev1.Affinity {
	a := &corev1.Affinity{}
	if OneIn(t, 8, "pods only") {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
		return a
	}
	a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: NodeSelector(t)}
	if OneIn(t, 4, "preferred") {
		a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 1}}
	}
	return a
}

// wellKnown are the keys of the taints that Kubernetes itself sets.
var wellKnown = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
}

func taintKey(t *rapid.T) string {
	if OneIn(t, 3, "well-known") {
		return from(t, "well-known key", wellKnown...)
	}
	return from(t, "taint key", "dedicated", "other", "")
}

// Taints draws up to three taints, a few of them with an effect that nobody knows.
func Taints(t *rapid.T) (taints []corev1.Taint) {
	for range max(0, UpTo(t, 6, "taints")-2) {
		taints = append(taints, corev1.Taint{
			Key: taintKey(t), Value: from(t, "taint value", "", "x", "5"),
			Effect: from(t, "taint effect", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule,
				corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule, "", "Odd"),
		})
	}
	return taints
}

// Tolerations draws up to three tolerations: a third of well-known taints, of which
// some are those that every daemon has, but for the seconds.
func Tolerations(t *rapid.T) (list []corev1.Toleration) {
	for range UpTo(t, 4, "tolerations") {
		o := corev1.Toleration{
			Key: taintKey(t), Value: from(t, "tolerated value", "", "", "x", "5"),
			Operator: from(t, "operator", corev1.TolerationOpExists, corev1.TolerationOpExists, corev1.TolerationOpEqual, "", "Lt", "Gt", "In"),
			Effect: from(t, "tolerated effect", "", "", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute,
				corev1.TaintEffectPreferNoSchedule),
			TolerationSeconds: from(t, "seconds", nil, nil, new(int64(0)), new(int64(30))),
		}
		if strings.HasPrefix(o.Key, "node.kubernetes.io/") && OneIn(t, 2, "a default") {
			o.Operator, o.Value, o.Effect = corev1.TolerationOpExists, "", corev1.TaintEffectNoExecute
			if o.Key != corev1.TaintNodeNotReady && o.Key != corev1.TaintNodeUnreachable {
				o.Effect = corev1.TaintEffectNoSchedule
			}
		}
		list = append(list, o)
	}
	return list
}

// NodePods draws up to four pods of a DaemonSet that belong to the node: half of them
// healthy, a sixth failed, with the hashes "new", "old" or "older", at times a template generation, and
// one in eight only pinned. Names are in no order.
func NodePods(t *rapid.T, now time.Time, node string) []*corev1.Pod {
	pods := make([]*corev1.Pod, UpTo(t, 5, "pods"))
	for i := range pods {
		p := Pod(t, now, i)
		p.Name = from(t, "name", "p", "q") + p.Name
		if OneIn(t, 2, "healthy") {
			makeHealthy(p)
		}
		if OneIn(t, 6, "failed") {
			p.Status.Phase = corev1.PodFailed
		}
		p.Spec.NodeName = node
		if OneIn(t, 8, "pinned") {
			p.Spec.NodeName, p.Spec.Affinity = "", pinned(node)
		}
		p.Labels = map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: from(t, "hash", "new", "new", "old", "old", "older", "")}
		if percent(t, 20, "generation label") {
			p.Labels["pod-template-generation"] = from(t, "pod generation", "1", "2", "02")
		}
		if percent(t, 4, "no labels") {
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
func Generation(t *rapid.T) map[string]string {
	if OneIn(t, 2, "no generation") {
		return nil
	}
	return map[string]string{appsv1.DeprecatedTemplateGeneration: from(t, "generation", "2", "1", "+2", "02", "x", "", "9223372036854775808")}
}
