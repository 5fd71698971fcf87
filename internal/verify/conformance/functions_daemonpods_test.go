// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

var daemonPodFunctions = []function{
	{"findUpdatedPodsOnNode", compareUpdatedPods},
	{"podsShouldBeOnNode", compareOnNode},
	{"getUnscheduledPodsWithoutNode", compareWithoutNode},
	{"Backoff.Next, IsInBackOffSinceUpdate, GC", compareDelays},
	{"updateNode, syncNodeUpdate", compareNodeEvent},
}

// onNode is a node and the pods of a DaemonSet on it.
type onNode struct {
	DaemonSet *appsv1.DaemonSet
	Node      *corev1.Node
	Pods      []*corev1.Pod
	Failures  []upstream.Failure
	Empty     bool // the node is known to have had pods, if it has none
}

// drawOnNode draws a DaemonSet with the current hash "new", a node and its pods: 60 % of the nodes
// have no taint, half of the DaemonSets surge, and on a third of the nodes pods have failed before.
func drawOnNode(t random.T, now time.Time) onNode {
	p := gen.Placement(t)
	surges := []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromString("1%"), intstr.FromString("0%"), intstr.FromString("x")}
	l := daemonLimits{Limits: limits{Surge: new(surges[random.Below(t, "surge", len(surges))])}}
	o := onNode{DaemonSet: l.object(), Node: p.Node, Pods: gen.NodePods(t, now, p.Node.Name), Empty: random.OneIn(t, "empty", 8)}
	o.DaemonSet.Spec.Template = p.DaemonSet.Spec.Template
	if random.OneIn(t, "everywhere", 2) {
		o.DaemonSet.Spec.Template.Spec = corev1.PodSpec{}
	}
	o.DaemonSet.Annotations = gen.Generation(t)
	o.DaemonSet.Spec.MinReadySeconds = []int32{0, 0, 5, 60}[random.Below(t, "min ready", 4)]
	o.DaemonSet.Status.ObservedGeneration = int64(random.Below(t, "observed", 3))
	if random.OneIn(t, "failed before", 3) {
		ago := []time.Duration{0, time.Second, 3 * time.Second, 900 * time.Second, 1800 * time.Second, 1801 * time.Second}[random.Below(t, "ago", 6)]
		o.Failures = []upstream.Failure{{Node: o.Node.Name, Times: 1 + random.Below(t, "times", 12), At: now.Add(-ago)}}
	}
	return o
}

// backoff is the table that the failures leave.
func (o onNode) backoff() (b daemonset.Backoff, key daemonset.BackoffKey) {
	key = daemonset.BackoffKey{UID: string(o.DaemonSet.UID), Generation: o.DaemonSet.Status.ObservedGeneration, Node: o.Node.Name}
	for _, f := range o.Failures {
		for range f.Times {
			b = b.Advance(key, f.At)
		}
	}
	return b, key
}

// nodeOutcome is the result for a node. Delay is the backoff of a failed pod.
type nodeOutcome struct {
	Creates int
	Deletes []string
	Events  []string
	Waits   time.Duration
	Backoff time.Duration
}

func compareOnNode(t random.T, c *caseCounts, now time.Time) {
	o := drawOnNode(t, now)
	pods := map[string][]*corev1.Pod{}
	if len(o.Pods) > 0 || o.Empty {
		pods[o.Node.Name] = o.Pods
	}
	d := upstream.OnNode(o.DaemonSet, o.Node, pods, "new", o.Failures)
	theirs := nodeOutcome{Creates: d.Creates, Deletes: d.Deletes, Backoff: d.Backoff}
	for _, e := range d.Events {
		theirs.Events = append(theirs.Events, e.Reason)
	}
	for _, r := range d.Requeues {
		if theirs.Waits != 0 && theirs.Waits != r.After {
			t.Fatalf("upstream asks for %v and %v", theirs.Waits, r.After)
		}
		theirs.Waits = r.After
	}
	run, _ := upstream.ShouldRun(o.Node, o.DaemonSet)
	judge(t, c, slices.Concat(onNodeCorners, []corner[decision[onNode]]{
		{"creates beside failed pods", func(d decision[onNode]) bool { return d.upstream.(nodeOutcome).Creates > 0 && len(d.in.Pods) > 1 }},
		{"may keep a pod that it should not run", func(d decision[onNode]) bool {
			return !run && len(d.in.Pods) > 0 && len(d.upstream.(nodeOutcome).Deletes) == 0
		}},
	}), nil, decision[onNode]{o, theirs, o.ours(now)})
}

// ours decides about the node.
func (o onNode) ours(now time.Time) nodeOutcome {
	ds, node := o.DaemonSet, kube.Node(o.Node)
	template := must(kube.DaemonSet(&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: ds.Spec.Template}})).Template
	placer := daemonset.NewPlacer(&template, daemonset.Options{})
	place := placer.Place(&node)
	surge, err := limit(ds.Spec.UpdateStrategy.RollingUpdate.MaxSurge)
	rules := daemonset.NodeRules{
		Surge:   err == nil && daemonset.SurgeAllowed(daemonset.RollingUpdate, surge),
		Version: daemonset.NewVersion("new", ds.Annotations), Availability: daemonset.Availability{MinReadySeconds: ds.Spec.MinReadySeconds, Now: now},
	}
	c := daemonset.NodeCase{ShouldRun: place.ShouldRun, ShouldContinueRunning: place.ShouldContinueRunning, Exists: len(o.Pods) > 0 || o.Empty}
	for _, p := range o.Pods {
		c.Pods = append(c.Pods, new(kube.DaemonSetPod(p)))
	}
	b, key := o.backoff()
	next := b.Advance(key, now)
	c.NextDelay = next.Delay(key)
	if until, waits := b.Until(key, now); waits {
		c.Until, c.Delay = until, b.Delay(key)
	}
	d := rules.Decide(&c)
	if d.Failed {
		b = next
	}
	ours := nodeOutcome{Waits: d.Requeue, Backoff: b.Delay(key)}
	if d.Create {
		ours.Creates = 1
	}
	for _, gone := range d.Delete {
		ours.Deletes = append(ours.Deletes, gone.Pod.Name)
		if gone.Reason == reason.Failed || gone.Reason == reason.Succeeded {
			ours.Events = append(ours.Events, string(gone.Reason)+"DaemonPod")
		}
	}
	return ours
}

var onNodeCorners = []corner[decision[onNode]]{
	outcomeIs[onNode]("nothing", nodeOutcome{}), outcomeIs[onNode]("creates", nodeOutcome{Creates: 1}),
	{"creates and deletes", func(d decision[onNode]) bool {
		o := d.upstream.(nodeOutcome)
		return o.Creates > 0 && len(o.Deletes) > 0
	}},
	{"deletes several", func(d decision[onNode]) bool { return len(d.upstream.(nodeOutcome).Deletes) > 2 }},
	{"a failed pod waits", func(d decision[onNode]) bool { return d.upstream.(nodeOutcome).Waits > 0 }},
	{"one failed pod goes and another waits", func(d decision[onNode]) bool {
		o := d.upstream.(nodeOutcome)
		return o.Waits > 0 && slices.Contains(o.Events, "FailedDaemonPod")
	}},
	{"the longest delay", func(d decision[onNode]) bool { return d.upstream.(nodeOutcome).Backoff == 15*time.Minute }},
	{"the delay is forgotten", func(d decision[onNode]) bool {
		return len(d.in.Failures) > 0 && d.in.Failures[0].Times > 2 && d.upstream.(nodeOutcome).Backoff == time.Second
	}},
	{"a succeeded pod goes", func(d decision[onNode]) bool {
		return slices.Contains(d.upstream.(nodeOutcome).Events, "SucceededDaemonPod")
	}},
	{"known and empty", func(d decision[onNode]) bool {
		return d.in.Empty && len(d.in.Pods) == 0 && d.upstream.(nodeOutcome).Creates > 0
	}},
	{"the old one of two stays", func(d decision[onNode]) bool {
		healthy := len(d.in.Pods) == 2 && !slices.ContainsFunc(d.in.Pods, func(p *corev1.Pod) bool {
			return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil
		})
		return healthy && len(d.upstream.(nodeOutcome).Deletes) == 0
	}},
}

// updatedPods are the pods of a node by version.
type updatedPods struct {
	New, Old string
	OK       bool
}

func compareUpdatedPods(t random.T, c *caseCounts, now time.Time) {
	o := drawOnNode(t, now)
	o.DaemonSet.Spec.Template.Spec, o.Node.Spec.Taints = corev1.PodSpec{}, nil
	o.DaemonSet.Spec.UpdateStrategy.RollingUpdate = nil
	var theirs updatedPods
	n, old, ok := upstream.UpdatedPods(o.DaemonSet, o.Pods, "new")
	theirs.OK = ok
	if n != nil {
		theirs.New = n.Name
	}
	if old != nil {
		theirs.Old = old.Name
	}
	owned(o.DaemonSet, o.Pods)
	o.DaemonSet.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "other", Operator: metav1.LabelSelectorOpDoesNotExist}, // pods without labels belong to it too
	}}
	s := must(kube.DaemonSetSnapshot(o.DaemonSet, []*corev1.Node{o.Node}, o.Pods, nil))
	s.DaemonSet.Template.Hash = "new"
	reports := must(daemonset.Explain(s, now, daemonset.Options{}))
	ours := updatedPods{reports[0].New, reports[0].Old, reports[0].Uses != reason.TooManyPods}
	judge(t, c, []corner[decision[onNode]]{
		outcomeIs[onNode]("none", updatedPods{OK: true}), outcomeIs[onNode]("too many", updatedPods{}),
		{"new", func(d decision[onNode]) bool { return theirs.New != "" && theirs.Old == "" }},
		{"old", func(d decision[onNode]) bool { return theirs.New == "" && theirs.Old != "" }},
		{"both", func(d decision[onNode]) bool { return theirs.New != "" && theirs.Old != "" }},
		{"one of several, the others being deleted", func(d decision[onNode]) bool { return theirs.New != "" && len(d.in.Pods) > 2 }},
	}, nil, decision[onNode]{o, theirs, ours})
}

// owned makes ds the controller of pods.
func owned(ds *appsv1.DaemonSet, pods []*corev1.Pod) {
	for _, p := range pods {
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
	}
}

func compareWithoutNode(t random.T, c *caseCounts, now time.Time) {
	o := drawOnNode(t, now)
	s := scheduled{DaemonSet: o.DaemonSet, Nodes: []*corev1.Node{o.Node}, Pods: o.Pods}
	s.DaemonSet.Spec.UpdateStrategy.RollingUpdate = nil
	for _, node := range []string{"gone", "lost"} {
		s.Pods = append(s.Pods, gen.NodePods(t, now, node)...)
	}
	if random.OneIn(t, "no node", 4) {
		s.Nodes = nil
	}
	byNode := map[string][]*corev1.Pod{}
	for i, p := range s.Pods {
		p.Name, p.UID, p.Labels = "p"+strconv.Itoa(i), types.UID(strconv.Itoa(i)), map[string]string{"app": "web"}
		if node, err := daemonutil.GetTargetNodeName(p); err == nil && (p.DeletionTimestamp == nil || !podutil.IsPodTerminal(p)) {
			byNode[node] = append(byNode[node], p) // the controller leaves out ended pods that are being deleted
		}
	}
	theirs := upstream.PodsWithoutNode(s.Nodes, byNode)
	slices.Sort(theirs)
	owned(s.DaemonSet, s.Pods)
	plan := must(daemonset.Reconcile(must(kube.DaemonSetSnapshot(s.DaemonSet, s.Nodes, s.Pods, nil)), now, daemonset.Options{}))
	var ours []string
	for _, a := range plan.Actions {
		if d, ok := a.(daemonset.DeletePod); ok && d.Reason == reason.NodeGone {
			ours = append(ours, d.Name)
		}
	}
	slices.Sort(ours)
	judge(t, c, []corner[decision[scheduled]]{
		{"none", func(decision[scheduled]) bool { return len(theirs) == 0 }}, {"several", func(decision[scheduled]) bool { return len(theirs) > 1 }},
		in("no node", func(s scheduled) bool { return len(s.Nodes) == 0 && len(theirs) > 0 }),
		in("being deleted", func(s scheduled) bool {
			return slices.ContainsFunc(s.Pods, func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil && slices.Contains(theirs, p.Name) })
		}),
	}, nil, decision[scheduled]{s, theirs, ours})
}

// failing is when pods of a node failed, and when that is looked at.
type failing struct {
	At    []time.Time
	Now   time.Time
	Sweep bool
}

type podDelay struct {
	Length time.Duration
	Waits  bool
}

func compareDelays(t random.T, c *caseCounts, now time.Time) {
	gaps := []time.Duration{
		0, 1, time.Second - 1, time.Second, 2 * time.Second, 100 * time.Second, 512 * time.Second, 900*time.Second - 1, 900 * time.Second,
		1800 * time.Second, 1800*time.Second + 1,
	}
	f := failing{Now: now, Sweep: random.OneIn(t, "sweep", 2)}
	for range random.Below(t, "failures", 16) {
		f.At = append(f.At, f.Now)
		f.Now = f.Now.Add(gaps[random.Below(t, "gap", len(gaps))])
	}
	var theirs, ours podDelay
	theirs.Length, theirs.Waits = upstream.Delay(f.At, f.Now, f.Sweep)
	var b daemonset.Backoff
	key := daemonset.BackoffKey{UID: "ds", Node: "n1"}
	for _, at := range f.At {
		b = b.Advance(key, at)
	}
	if f.Sweep {
		b = b.Sweep(f.Now)
	}
	ours.Length = b.Delay(key)
	_, ours.Waits = b.Until(key, f.Now)
	judge(t, c, []corner[decision[failing]]{
		outcomeIs[failing]("none", podDelay{}), outcomeIs[failing]("a second, which is over", podDelay{Length: time.Second}),
		outcomeIs[failing]("the longest", podDelay{15 * time.Minute, true}), outcomeIs[failing]("the longest, which is over", podDelay{Length: 15 * time.Minute}),
		{"forgotten", func(d decision[failing]) bool { return d.in.Sweep && len(d.in.At) > 0 && d.upstream == podDelay{} }},
		{"started anew", func(d decision[failing]) bool { return len(d.in.At) > 2 && d.upstream == podDelay{time.Second, true} }},
	}, nil, decision[failing]{f, theirs, ours})
}

// nodeEvent is a node before and after, and the pods that are bound to it.
type nodeEvent struct {
	DaemonSet    *appsv1.DaemonSet
	Old, Changed *corev1.Node
	Pods         []*corev1.Pod
}

func compareNodeEvent(t random.T, c *caseCounts, now time.Time) {
	o := drawOnNode(t, now)
	e := nodeEvent{DaemonSet: o.DaemonSet, Changed: o.Node}
	for _, p := range o.Pods {
		if p.Spec.NodeName != "" && random.OneIn(t, "here", 2) {
			e.Pods = append(e.Pods, p)
		}
	}
	owned(e.DaemonSet, e.Pods)
	e.DaemonSet.Status.NumberMisscheduled = int32(random.Below(t, "misscheduled", 2))
	if !random.OneIn(t, "added", 3) {
		e.Old = e.Changed.DeepCopy()
		e.Old.Spec.Unschedulable = true // no controller reads it
		switch random.Below(t, "change", 4) {
		case 0:
			e.Old.Spec.Taints = gen.Taints(t)
		case 1:
			e.Old.Labels = random.Labels(t, "old labels")
		case 2:
			e.Old.Spec.Taints = append(e.Old.Spec.Taints, corev1.Taint{Key: "last", Effect: corev1.TaintEffectNoExecute})
		}
	}
	e.DaemonSet.Spec.UpdateStrategy.RollingUpdate = nil
	change := daemonset.Change{Node: daemonset.NodeEvent{New: new(kube.Node(e.Changed))}}
	if e.Old != nil {
		change.Node.Old = new(kube.Node(e.Old))
	}
	if len(e.Pods) > 0 {
		change.Bound = []string{string(e.DaemonSet.UID)}
	}
	ours := len(daemonset.Effects(change, []daemonset.DaemonSet{must(kube.DaemonSet(e.DaemonSet))}, daemonset.Options{})) > 0
	looks := func(name string, is func(nodeEvent) bool) corner[decision[nodeEvent]] {
		return corner[decision[nodeEvent]]{name, func(d decision[nodeEvent]) bool { return d.upstream.(bool) && is(d.in) }}
	}
	judge(t, c, []corner[decision[nodeEvent]]{
		outcomeIs[nodeEvent]("no", false),
		looks("added", func(e nodeEvent) bool { return e.Old == nil }), looks("to create", func(e nodeEvent) bool { return len(e.Pods) == 0 }),
		looks("to delete", func(e nodeEvent) bool { return len(e.Pods) > 0 && e.DaemonSet.Status.NumberMisscheduled == 0 }),
		looks("to count", func(e nodeEvent) bool { return len(e.Pods) > 0 && e.DaemonSet.Status.NumberMisscheduled > 0 }),
		{"unchanged", func(d decision[nodeEvent]) bool {
			return d.in.Old != nil && len(d.in.Old.Spec.Taints) == len(d.in.Changed.Spec.Taints) && !d.upstream.(bool)
		}},
	}, nil, decision[nodeEvent]{e, upstream.NodeEvent(e.DaemonSet, e.Old, e.Changed, e.Pods), ours})
}
