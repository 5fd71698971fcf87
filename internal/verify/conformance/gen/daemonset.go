// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

// A DaemonSetCase is the input of the DaemonSet controller for one pass.
type DaemonSetCase struct {
	DaemonSet *appsv1.DaemonSet
	Revisions []*appsv1.ControllerRevision
	Nodes     []*corev1.Node
	Pods      []*corev1.Pod
	Failures  []upstream.Failure
}

// DaemonSet draws a DaemonSet, up to six nodes, up to two pods for each of them, and up to four
// revisions.
//
// A quarter of the nodes are tainted, in half of the cases pods select a label of some nodes, 10 %
// are OnDelete and 40 % surge. Half of the pods have the current template; a tenth belong to a node
// that does not exist, 5 % are orphans, 4 % no longer match, and some have failed or ended. 15 % of
// the revisions of the current template are missing, 5 % exist twice, and some have no hash or no
// owner.
func DaemonSet(t random.Source, now time.Time) *DaemonSetCase {
	c := &DaemonSetCase{DaemonSet: daemonSet(t, now)}
	for i := range random.Below(t, "nodes", 7) {
		c.Nodes = append(c.Nodes, clusterNode(t, i))
	}
	hashes := c.revisions(t)
	where := []string{"gone"}
	for _, n := range c.Nodes {
		where = append(where, n.Name, n.Name)
	}
	for i, node := range where {
		if i == 0 && !random.OneIn(t, "missing node", 3) || i > 0 && i%2 == 0 && !random.OneIn(t, "second pod", 3) || random.OneIn(t, "no pod", 8) {
			continue
		}
		c.Pods = append(c.Pods, c.pod(t, now, i, node, random.OneOf(t, "hash", hashes...)))
	}
	slices.SortFunc(c.Pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) }) // the planner's order
	for _, n := range c.Nodes {
		if random.Percent(t, "failed before", 10) {
			c.Failures = append(c.Failures, upstream.Failure{
				Node: n.Name, Times: 1 + random.Below(t, "times", 3), At: now.Add(-time.Duration(random.Below(t, "failed at", 6)) * time.Second),
			})
		}
	}
	return c
}

func daemonSet(t random.Source, now time.Time) *appsv1.DaemonSet {
	labels := map[string]string{"app": "web"}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: Namespace, Name: "web", UID: "ds", ResourceVersion: "1", Generation: 1 + int64(random.Below(t, "generation", 3)), Labels: labels,
	}}
	if random.Percent(t, "template generation", 40) {
		ds.Annotations = map[string]string{"deprecated.daemonset.template.generation": random.OneOf(t, "template generation", "2", "1", "x")}
	}
	ds.Spec = appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: bare(0, labels), MinReadySeconds: random.OneOf[int32](t, "min ready", 0, 0, 10, 60),
		RevisionHistoryLimit: new(random.OneOf[int32](t, "limit", 10, 2, 1, 0)),
	}
	if random.Percent(t, "expressions", 10) {
		ds.Spec.Selector = Selector(t, "app", "web")
	}
	if random.Percent(t, "odd", 3) {
		ds.Spec.Selector = random.OneOf(t, "odd selector", &metav1.LabelSelector{}, &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Is"}}})
	}
	if random.OneIn(t, "placed", 3) {
		ds.Spec.Template.Spec.NodeSelector = map[string]string{"zone": "a"}
	}
	if random.Percent(t, "tolerates", 15) {
		ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: random.OneOf(t, "tolerated", "dedicated", ""), Operator: corev1.TolerationOpExists}}
	}
	if random.Percent(t, "affinity", 10) {
		ds.Spec.Template.Spec.Affinity = Affinity(t)
	}
	ds.Spec.Template.Spec.HostNetwork = random.Percent(t, "host network", 10)
	ds.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
	if random.Percent(t, "on delete", 10) {
		ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	} else {
		r := &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: new(random.OneOf(t, "unavailable", intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%"), intstr.FromString("10%"))),
			MaxSurge:       new(intstr.FromInt32(0)),
		}
		if random.Percent(t, "surges", 40) {
			r.MaxUnavailable, r.MaxSurge = new(intstr.FromInt32(0)), new(random.OneOf(t, "surge", intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%")))
		}
		ds.Spec.UpdateStrategy.RollingUpdate = r
	}
	if random.Percent(t, "deleting", 4) {
		ds.DeletionTimestamp = new(metav1.NewTime(now))
	}
	s := &ds.Status
	s.ObservedGeneration = ds.Generation - int64(random.Below(t, "behind", 2))
	s.DesiredNumberScheduled, s.NumberReady = int32(random.Below(t, "reported", 4)), int32(random.Below(t, "reported ready", 4))
	if random.Percent(t, "collisions", 10) {
		s.CollisionCount = new(int32(random.Below(t, "collision count", 3)))
	}
	return ds
}

func clusterNode(t random.Source, i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n" + strconv.Itoa(i), Labels: map[string]string{"zone": random.OneOf(t, "zone", "a", "a", "b")}}}
	if random.OneIn(t, "tainted", 4) {
		n.Spec.Taints = []corev1.Taint{{
			Key:    random.OneOf(t, "taint", "dedicated", corev1.TaintNodeNotReady, corev1.TaintNodeUnschedulable, "other"),
			Effect: random.OneOf(t, "effect", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule),
		}}
	}
	return n
}

// revisions draws the revisions of the case, and returns the possible hashes of pods.
func (c *DaemonSetCase) revisions(t random.Source) (hashes []string) {
	ds := c.DaemonSet
	add := func(name string, k int, number int64) *appsv1.ControllerRevision {
		of := ds.DeepCopy()
		of.Spec.Template.Spec.Containers[0].Image = "i:" + strconv.Itoa(k)
		data, err := upstream.DaemonSetPatch(of)
		if err != nil {
			panic(err)
		}
		r := &appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: Namespace, Name: name, UID: types.UID(name), ResourceVersion: "1",
				Labels:          map[string]string{"app": "web", "controller-revision-hash": name},
				OwnerReferences: []metav1.OwnerReference{owner("DaemonSet", ds.Name, string(ds.UID))},
			},
			Revision: number,
		}
		r.Data.Raw = data
		switch random.Weighted(t, "revision oddity", 70, 14, 8, 8) {
		case 1:
			delete(r.Labels, "controller-revision-hash")
		case 2:
			r.OwnerReferences = nil
		case 3:
			r.Labels = map[string]string{"app": "former", "controller-revision-hash": name}
		}
		c.Revisions = append(c.Revisions, r)
		return r
	}
	present := !random.Percent(t, "no current revision", 15)
	current := controller.ComputeHash(&ds.Spec.Template, ds.Status.CollisionCount)
	for i := range random.Below(t, "old revisions", 4) {
		hashes = append(hashes, add("r"+strconv.Itoa(i), i+1, int64(1+random.Below(t, "number", 5))).Name)
	}
	if present {
		current = add("s0", 0, int64(1+random.Below(t, "current number", 6))).Name
		if random.Percent(t, "twice", 5) {
			add("s1", 0, int64(7+random.Below(t, "number of the second", 2)))
			hashes = append(hashes, "s1")
		}
	} else if random.Percent(t, "taken", 10) {
		add(ds.Name+"-"+current, random.Below(t, "by", 2), 3).OwnerReferences = []metav1.OwnerReference{owner("DaemonSet", "other", "other")}
	}
	for range max(1, len(hashes)) {
		hashes = append(hashes, current)
	}
	return append(hashes, "older")
}

// pod draws a pod of a node.
func (c *DaemonSetCase) pod(t random.Source, now time.Time, i int, node, hash string) *corev1.Pod {
	p := Pod(t, now, i)
	if random.OneIn(t, "healthy", 2) {
		makeHealthy(p)
	}
	p.Spec.NodeName = node
	if random.Percent(t, "pinned", 12) || node == "gone" && random.OneIn(t, "unbound", 2) {
		p.Spec.NodeName = ""
		p.Spec.Affinity = pinned(node)
		if random.OneIn(t, "nowhere", 10) {
			p.Spec.Affinity = nil
		}
	}
	p.Labels = map[string]string{"app": "web", "controller-revision-hash": hash}
	if random.Percent(t, "generation label", 15) {
		p.Labels["pod-template-generation"] = random.OneOf(t, "pod generation", "1", "2")
	}
	p.OwnerReferences = []metav1.OwnerReference{owner("DaemonSet", c.DaemonSet.Name, string(c.DaemonSet.UID))}
	switch random.Weighted(t, "pod ownership", 88, 5, 4, 3) {
	case 1: // upstream lists orphans last; with this name the planner does, too
		p.OwnerReferences, p.Name = nil, "q"+strconv.Itoa(i)
	case 2:
		p.Labels["app"] = "former"
	case 3:
		p.OwnerReferences[0].UID, p.OwnerReferences[0].Name = "else", "else"
	}
	return p
}
