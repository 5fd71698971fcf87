package gen

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/conformance/upstream"
)

// A DaemonSetCase is what the DaemonSet controller sees in one pass.
type DaemonSetCase struct {
	DaemonSet *appsv1.DaemonSet
	Revisions []*appsv1.ControllerRevision
	Nodes     []*corev1.Node
	Pods      []*corev1.Pod
	Failures  []upstream.Failure
}

// DaemonSet draws a DaemonSet, up to six nodes, up to two pods for each of them, and up
// to four revisions.
//
// A quarter of the nodes are tainted, in half of the cases pods want the label of some
// nodes, 10 % are OnDelete and 40 % surge. Of the pods half are of the current template;
// 6 % belong to a node that does not exist, 5 % are orphans, 4 % no longer match, and
// some have failed or ended. 15 % of the revisions of the current template are missing,
// 5 % are there twice, and some have no hash or no owner.
func DaemonSet(t *rapid.T, now time.Time) *DaemonSetCase {
	c := &DaemonSetCase{DaemonSet: daemonSet(t, now)}
	for i := range UpTo(t, 7, "nodes") {
		c.Nodes = append(c.Nodes, clusterNode(t, i))
	}
	hashes := c.revisions(t)
	where := []string{"gone"}
	for _, n := range c.Nodes {
		where = append(where, n.Name, n.Name)
	}
	for i, node := range where {
		if i == 0 && !percent(t, 20, "missing node") || i > 0 && i%2 == 0 && !OneIn(t, 3, "second pod") || OneIn(t, 8, "no pod") {
			continue
		}
		c.Pods = append(c.Pods, c.pod(t, now, i, node, from(t, "hash", hashes...)))
	}
	slices.SortFunc(c.Pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) }) // the planner's order
	for _, n := range c.Nodes {
		if percent(t, 10, "failed before") {
			c.Failures = append(c.Failures, upstream.Failure{
				Node: n.Name, Times: 1 + UpTo(t, 3, "times"), At: now.Add(-time.Duration(UpTo(t, 6, "failed at")) * time.Second),
			})
		}
	}
	return c
}

func daemonSet(t *rapid.T, now time.Time) *appsv1.DaemonSet {
	labels := map[string]string{"app": "web"}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: Namespace, Name: "web", UID: "ds", ResourceVersion: "1", Generation: 1 + int64(UpTo(t, 3, "generation")), Labels: labels,
	}}
	if percent(t, 40, "template generation") {
		ds.Annotations = map[string]string{"deprecated.daemonset.template.generation": from(t, "template generation", "2", "1", "x")}
	}
	ds.Spec = appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: bare(0, labels), MinReadySeconds: from[int32](t, "min ready", 0, 0, 10, 60),
		RevisionHistoryLimit: new(from[int32](t, "limit", 10, 2, 1, 0)),
	}
	if percent(t, 10, "expressions") {
		ds.Spec.Selector = Selector(t, "app", "web")
	}
	if percent(t, 3, "odd") {
		ds.Spec.Selector = from(t, "odd selector", &metav1.LabelSelector{}, &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Is"}}})
	}
	if OneIn(t, 3, "placed") {
		ds.Spec.Template.Spec.NodeSelector = map[string]string{"zone": "a"}
	}
	if percent(t, 15, "tolerates") {
		ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: from(t, "tolerated", "dedicated", ""), Operator: corev1.TolerationOpExists}}
	}
	if percent(t, 10, "affinity") {
		ds.Spec.Template.Spec.Affinity = Affinity(t)
	}
	ds.Spec.Template.Spec.HostNetwork = percent(t, 10, "host network")
	ds.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
	if percent(t, 10, "on delete") {
		ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	} else {
		r := &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: new(from(t, "unavailable", intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%"), intstr.FromString("10%"))),
			MaxSurge:       new(intstr.FromInt32(0)),
		}
		if percent(t, 40, "surges") {
			r.MaxUnavailable, r.MaxSurge = new(intstr.FromInt32(0)), new(from(t, "surge", intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%")))
		}
		ds.Spec.UpdateStrategy.RollingUpdate = r
	}
	if percent(t, 4, "deleting") {
		ds.DeletionTimestamp = new(metav1.NewTime(now))
	}
	s := &ds.Status
	s.ObservedGeneration = ds.Generation - int64(UpTo(t, 2, "behind"))
	s.DesiredNumberScheduled, s.NumberReady = int32(UpTo(t, 4, "reported")), int32(UpTo(t, 4, "reported ready"))
	if percent(t, 10, "collisions") {
		s.CollisionCount = new(int32(UpTo(t, 3, "collision count")))
	}
	return ds
}

func clusterNode(t *rapid.T, i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n" + strconv.Itoa(i), Labels: map[string]string{"zone": from(t, "zone", "a", "a", "b")}}}
	if OneIn(t, 4, "tainted") {
		n.Spec.Taints = []corev1.Taint{{
			Key:    from(t, "taint", "dedicated", corev1.TaintNodeNotReady, corev1.TaintNodeUnschedulable, "other"),
			Effect: from(t, "effect", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule),
		}}
	}
	return n
}

// revisions draws the revisions of the case, and returns the hashes that pods may have.
func (c *DaemonSetCase) revisions(t *rapid.T) (hashes []string) {
	ds := c.DaemonSet
	add := func(name string, k int, number int64) *appsv1.ControllerRevision {
		of := ds.DeepCopy()
		of.Spec.Template.Spec.Containers[0].Image = "i:" + strconv.Itoa(k)
		data, err := upstream.DaemonSetPatch(of)
		if err != nil {
			t.Fatal(err)
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
		switch pick(t, "revision oddity", 85, 5, 5, 5) {
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
	present := !percent(t, 15, "no current revision")
	current := controller.ComputeHash(&ds.Spec.Template, ds.Status.CollisionCount)
	for i := range UpTo(t, 4, "old revisions") {
		hashes = append(hashes, add("r"+strconv.Itoa(i), i+1, int64(1+UpTo(t, 5, "number"))).Name)
	}
	if present {
		current = add("s0", 0, int64(1+UpTo(t, 6, "current number"))).Name
		if percent(t, 5, "twice") {
			add("s1", 0, int64(7+UpTo(t, 2, "number of the second")))
			hashes = append(hashes, "s1")
		}
	} else if percent(t, 10, "taken") {
		add(ds.Name+"-"+current, UpTo(t, 2, "by"), 3).OwnerReferences = []metav1.OwnerReference{owner("DaemonSet", "other", "other")}
	}
	for range max(1, len(hashes)) {
		hashes = append(hashes, current)
	}
	return append(hashes, "older")
}

// pod draws a pod of a node.
func (c *DaemonSetCase) pod(t *rapid.T, now time.Time, i int, node, hash string) *corev1.Pod {
	p := Pod(t, now, i)
	if OneIn(t, 2, "healthy") {
		makeHealthy(p)
	}
	p.Spec.NodeName = node
	if percent(t, 12, "pinned") || node == "gone" && OneIn(t, 2, "unbound") {
		p.Spec.NodeName = ""
		p.Spec.Affinity = pinned(node)
		if OneIn(t, 10, "nowhere") {
			p.Spec.Affinity = nil
		}
	}
	p.Labels = map[string]string{"app": "web", "controller-revision-hash": hash}
	if percent(t, 15, "generation label") {
		p.Labels["pod-template-generation"] = from(t, "pod generation", "1", "2")
	}
	p.OwnerReferences = []metav1.OwnerReference{owner("DaemonSet", c.DaemonSet.Name, string(c.DaemonSet.UID))}
	switch pick(t, "pod ownership", 88, 5, 4, 3) {
	case 1: // upstream lists them last, and the planner goes by name
		p.OwnerReferences, p.Name = nil, "q"+strconv.Itoa(i)
	case 2:
		p.Labels["app"] = "former"
	case 3:
		p.OwnerReferences[0].UID, p.OwnerReferences[0].Name = "else", "else"
	}
	return p
}
