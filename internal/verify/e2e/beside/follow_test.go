// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	model "github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// podsOf is the place of pods among the resources of a world.
const podsOf = 2

// place is the scheduler of the world: it takes the node with the most room for pods.
func place(p scheduler.Pod, nodes *scheduler.Nodes) (name string) {
	best := int64(math.MinInt64)
	for i := range nodes.Len() {
		if free := nodes.Free(i, podsOf); nodes.Fits(i, p) && free > best {
			name, best = nodes.At(i).Name, free
		}
	}
	return name
}

// chooses returns the node that the scheduler chooses for a pod of the real cluster. Whether the pod fits a node, the
// filters of Kubernetes say.
func (p *pair) chooses(name string) (chosen string) {
	asks, err := real.informers.Core().V1().Pods().Lister().Pods(p.namespace).Get(name)
	require.NoError(p, err)
	best := math.MinInt
	for _, n := range realNodes(p.namespace) {
		on := framework.NewNodeInfo()
		on.SetNode(n)
		for _, o := range realPods(p.namespace) {
			if pod := kube.Pod(o); pod.NodeName == n.Name && !pod.Finished() {
				on.AddPod(o)
			}
		}
		keepsOut := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
		_, tainted := corev1helpers.FindMatchingUntoleratedTaint(klog.FromContext(p.ctx), n.Spec.Taints, asks.Spec.Tolerations, keepsOut, false)
		if free := int(n.Status.Allocatable.Pods().Value()) - len(on.GetPods()); free > best && !tainted && len(kubescheduler.AdmissionCheck(asks, on, false)) == 0 {
			chosen, best = n.Name, free
		}
	}
	return chosen
}

// chosen returns the node that the scheduler chooses for the pod of the world for which is holds,
// with only the other pods for which counts holds.
func chosen(s model.Snapshot, is, counts func(*podorder.Pod) bool) string {
	ids := map[string]string{}
	for _, o := range slices.Concat(s.ReplicaSets, s.ReplicationControllers) {
		ids[o.UID] = o.Template.ID
	}
	nodes := scheduler.New(s.Nodes, len(s.Resources))
	var asks scheduler.Pod
	var pinned string
	take := func(pod *podorder.Pod, template, to string) {
		of := scheduler.Pod{Pod: pod, Template: s.Templates[template]}
		if is(pod) {
			asks, pinned = of, to
		} else if counts(pod) {
			nodes.Take(of, pod.NodeName)
		}
	}
	for i := range s.Pods {
		of := &s.Pods[i]
		revision := strings.TrimPrefix(of.Labels[daemonset.LabelHash], of.Labels[appLabel]+"-") // of a StatefulSet
		take(of, cmp.Or(ids[of.ControllerUID], revision), "")
	}
	for i := range s.DaemonPods {
		take(&s.DaemonPods[i].Pod, s.DaemonPods[i].Labels[daemonset.LabelHash], s.DaemonPods[i].PinnedNode)
	}
	if pinned == "" {
		return place(asks, nodes)
	}
	if i, ok := nodes.Index(pinned); ok && nodes.FitsPinned(i, asks) {
		return pinned
	}
	return ""
}

// crowded reports whether a pod of the world finds no node, and would if there were no pods of other workloads.
func (p *pair) crowded() bool {
	s := p.world.Snapshot()
	for i := range p.last.pods {
		o := &p.last.pods[i]
		is := func(of *podorder.Pod) bool { return of.Name == o.name }
		own := func(of *podorder.Pod) bool { return of.Labels[appLabel] == o.of[:2] }
		all := func(*podorder.Pod) bool { return true }
		if !o.bound && !o.end && chosen(s, is, all) == "" && chosen(s, is, own) != "" {
			return true
		}
	}
	return false
}

// gone returns the pods of the world, out of some, that are deleted or terminating in the real
// cluster. It waits until there are n, up to a time limit.
func (p *pair) gone(pods []podorder.Pod, n int) map[string]bool {
	for end := time.Now().Add(waitLimit); ; time.Sleep(15 * time.Millisecond) {
		gone, there := map[string]bool{}, map[string]bool{}
		for _, o := range realPods(p.namespace) {
			there[o.Name] = o.DeletionTimestamp == nil
		}
		for i := range pods {
			if name, known := p.real[pods[i].Name]; known && pods[i].Active() && !there[name] {
				gone[pods[i].Name] = true
			}
		}
		if len(gone) >= n || time.Now().After(end) {
			return gone
		}
	}
}

// planReplicaSet plans as usual, but deletes the same pods of several equal ones as the real
// cluster: it makes all times equal, and puts these pods first where the UID decides.
func (p *pair) planReplicaSet(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
	plan, err := replicaset.Reconcile(s, now, o)
	victims := slices.IndexFunc(plan.Actions, func(a replicaset.Action) bool { _, ok := a.(replicaset.DeletePod); return ok })
	own := slices.DeleteFunc(slices.Clone(s.Pods), func(of podorder.Pod) bool { return of.ControllerUID != s.ReplicaSet.UID })
	if err != nil || victims < 0 {
		return plan, err
	}
	first := p.gone(own, len(plan.Actions)-victims)
	even, seen := s, map[string]podorder.Pod{}
	even.Pods = slices.Clone(s.Pods)
	for i := range even.Pods {
		of := &even.Pods[i]
		seen[of.Name] = *of
		at := now.Add(-time.Duration(1<<45 + i))
		of.CreationTimestamp = at
		if of.Ready {
			of.ReadySince = at
		}
		of.UID = fmt.Sprint(map[bool]int{true: 0, false: 1}[first[of.Name]], of.UID)
	}
	again, err := replicaset.Reconcile(even, now, o)
	if err != nil || len(again.Actions) != len(plan.Actions) {
		return plan, err
	}
	for i := victims; i < len(plan.Actions); i++ {
		d := again.Actions[i].(replicaset.DeletePod)
		d.UID, d.ResourceVersion = seen[d.Name].UID, seen[d.Name].ResourceVersion
		plan.Actions[i] = d
	}
	return plan, nil
}

// planDaemonSet plans as usual, but deletes the same pods of several equal ones as the real
// cluster, and creates new pods on the same nodes of several equal ones.
func (p *pair) planDaemonSet(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
	plan, err := daemonset.Reconcile(s, now, o)
	if err == nil {
		p.deleteAsReal(&s, &plan)
		p.surgeAsReal(&s, &plan)
	}
	return plan, err
}

func (p *pair) deleteAsReal(s *daemonset.Snapshot, plan *daemonset.Plan) {
	planned := map[string]bool{}
	for _, a := range plan.Actions {
		if d, ok := a.(daemonset.DeletePod); ok {
			planned[d.Name] = true
		}
	}
	if len(planned) == 0 {
		return
	}
	pods, named := make([]podorder.Pod, len(s.Pods)), map[string]*daemonset.Pod{}
	for i := range s.Pods {
		pods[i], named[s.Pods[i].Name] = s.Pods[i].Pod, &s.Pods[i]
	}
	gone := p.gone(pods, len(planned))
	for i, a := range plan.Actions {
		d, ok := a.(daemonset.DeletePod)
		if !ok || gone[d.Name] {
			continue
		}
		for _, name := range sorted(gone) {
			if of := named[name]; !planned[name] && equal(of, named[d.Name]) {
				planned[name] = true
				d.Name, d.UID, d.ResourceVersion, d.Node = of.Name, of.UID, of.ResourceVersion, cmp.Or(of.NodeName, of.PinnedNode)
				plan.Actions[i] = d
				break
			}
		}
	}
}

// surgeAsReal chooses the nodes with a surge as the real cluster. If the quota does not admit all
// new pods, the admitted ones come first.
func (p *pair) surgeAsReal(s *daemonset.Snapshot, plan *daemonset.Plan) {
	old, taken := map[string]*daemonset.Pod{}, map[string]bool{} // by node
	for i := range s.Pods {
		of := &s.Pods[i]
		node := cmp.Or(of.NodeName, of.PinnedNode)
		if _, known := p.real[of.Name]; !known {
			taken[node] = true
		} else if of.Active() {
			old[node] = of
		}
	}
	var places []int
	wanted := map[string]bool{}
	for i, a := range plan.Actions {
		if c, ok := a.(daemonset.CreatePod); ok && old[c.Node] != nil {
			places = append(places, i)
			wanted[c.Node] = true
		}
	}
	made := p.made(plain(s.DaemonSet.Name), taken, min(len(places), p.admits()))
	var first, rest []daemonset.Action
	for _, i := range places {
		c := plan.Actions[i].(daemonset.CreatePod)
		for _, node := range sorted(made) {
			if !made[c.Node] && !wanted[node] && old[node] != nil && old[node].Ready == old[c.Node].Ready {
				wanted[node] = true
				c.Node = node
			}
		}
		if made[c.Node] {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	for i, c := range append(first, rest...) {
		plan.Actions[places[i]] = c
	}
}

// admits is how many more pods the quota of the world admits.
func (p *pair) admits() int {
	if p.retries {
		for _, q := range p.world.Snapshot().Quotas {
			return int(q.Hard["pods"] - q.Used["pods"])
		}
	}
	return math.MaxInt
}

// made returns the nodes with new pods of a DaemonSet in the real cluster, but for some, once these are as many as
// asked for, or it has had time for it.
func (p *pair) made(app string, but map[string]bool, n int) map[string]bool {
	known := map[string]bool{}
	for _, name := range p.real {
		known[name] = true
	}
	for end := time.Now().Add(waitLimit); ; time.Sleep(15 * time.Millisecond) {
		made := map[string]bool{}
		for _, o := range realPods(p.namespace) {
			read := kube.DaemonSetPod(o)
			if node := cmp.Or(read.NodeName, read.PinnedNode); o.Labels[appLabel] == app && read.Active() && !known[o.Name] && !but[node] {
				made[node] = true
			}
		}
		if len(made) >= n || time.Now().After(end) {
			return made
		}
	}
}

func sorted(of map[string]bool) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// equal reports whether a DaemonSet controller that walks over nodes in no order takes either pod.
func equal(a, b *daemonset.Pod) bool {
	return a.Labels[daemonset.LabelHash] == b.Labels[daemonset.LabelHash] && a.Ready == b.Ready && a.Phase == b.Phase
}
