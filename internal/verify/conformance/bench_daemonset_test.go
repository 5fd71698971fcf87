// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/kube"
)

// demanding makes a template choose its nodes by an affinity of two terms and five
// tolerations.
func demanding(spec *corev1.PodSpec) {
	in := func(key string, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}
	}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{in("kubernetes.io/os", "linux"), in("kubernetes.io/arch", "arm64")}},
			{MatchExpressions: []corev1.NodeSelectorRequirement{in("kubernetes.io/os", "linux"), in("kubernetes.io/arch", "amd64", "386")}},
		},
	}}}
	for _, key := range []string{"dedicated", "spot", "gpu", "node-role.kubernetes.io/control-plane", "maintenance"} {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
}

// benchCluster returns n nodes, every tenth of them tainted, in no order of names, and
// a DaemonSet that runs on all of them. A share of the nodes has a new pod, and the
// others an old one.
func benchCluster(n int, updated float64) *gen.DaemonSetCase {
	ds := agentCase(benchNow).DaemonSet
	demanding(&ds.Spec.Template.Spec)
	ds.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromString("10%"))
	ds.Status.ObservedGeneration, ds.Status.DesiredNumberScheduled = 1, int32(n)
	c := &gen.DaemonSetCase{DaemonSet: ds}
	current := agentRevision(ds, "new", 2)
	current.Data.Raw = must(upstream.DaemonSetPatch(ds))
	c.Revisions = []*appsv1.ControllerRevision{agentRevision(ds, "old", 1), current}
	for i := range n {
		name := fmt.Sprintf("ip-10-%d-%d.ec2.internal", (i*7919)%n, i)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/os": "linux", "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": string(rune('a' + i%3)),
			"kubernetes.io/arch": "amd64", "node.kubernetes.io/instance-type": "m5.large",
		}}}
		if i%10 == 0 {
			node.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}
		c.Nodes = append(c.Nodes, node)
		pod := healthyPod(benchNow.Add(-time.Hour), i)
		pod.Name, pod.UID = fmt.Sprintf("web-%06d", (i*104729)%1000003), types.UID("uid-"+strconv.Itoa(i))
		pod.Spec.NodeName, pod.Labels = name, map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: "old"}
		if float64(i) < updated*float64(n) {
			pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = "new"
		}
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		c.Pods = append(c.Pods, pod)
	}
	return c
}

// BenchmarkDaemonSetPass is a whole pass: one that finds nothing to do, and one in the
// middle of a rolling update, which deletes as many pods as a pass may.
func BenchmarkDaemonSetPass(b *testing.B) {
	for _, bench := range []struct {
		name    string
		updated float64
	}{{"steady", 1}, {"rolling", 0.5}} {
		for _, n := range []int{1_000, 5_000, 50_000, 100_000} {
			axis := fmt.Sprintf("/case=%s/nodes=%d", bench.name, n)
			c := benchCluster(n, bench.updated)
			if n <= 50_000 { // beyond that only the growth of ours is of interest
				dsc, err := upstream.NewDaemonSets()
				if err != nil {
					b.Fatal(err)
				}
				dsc.Fill(c.DaemonSet, c.Revisions, c.Nodes, c.Pods, nil)
				measure(b, "upstream", axis, func() { dsc.Sync(c.DaemonSet) })
			}
			snapshot := func(pods []*corev1.Pod) daemonset.Snapshot {
				return must(kube.DaemonSetSnapshot(c.DaemonSet, c.Nodes, pods, c.Revisions))
			}
			s := snapshot(c.Pods)
			measure(b, "kplan", axis, func() { must(daemonset.Reconcile(s, benchNow, daemonset.Options{})) })
			measure(b, "kplan+kube", axis, func() {
				must(daemonset.ReconcileFrom(snapshot(nil), kube.DaemonSetPods(c.DaemonSet.Namespace, c.Pods), benchNow, daemonset.Options{}))
			})
			measure(b, "floor", axis, func() { lookOnce(&s) })
			measure(b, "floor+kube", axis, func() { lookAtObjectsOnce(c) })
		}
	}
}

// A look is the result of the floor of a pass.
type look struct {
	desired, updated, ready int
	old, gone               []int32 // available and unavailable old pods; gone are finally the victims
	unavailable             int     // nodes with a new pod that is not available
}

// lookOnce is the floor of a pass: of each node it reads the name and the labels in the affinity,
// and of each pod the owner, readiness, the selected label and the hash, and the node by a hash of
// its name. It chooses the victims: unavailable old pods, and then, within a tenth of the nodes,
// available ones in input order, where ours takes the first by name.
func lookOnce(s *daemonset.Snapshot) (l look) {
	nodes := make([]nodeTally, 1<<bits.Len(uint(2*len(s.Nodes))))
	for i := range s.Nodes {
		if labels := s.Nodes[i].Labels; labels["kubernetes.io/os"] == "linux" && labels["kubernetes.io/arch"] == "amd64" {
			countOn(nodes, s.Nodes[i].Name)
			l.desired++
		}
	}
	for i := range s.Pods {
		p := &s.Pods[i]
		if p.ControllerUID != s.DaemonSet.UID || p.Labels["app"] != "web" || nodes[countOn(nodes, p.NodeName)].pods != 2 {
			continue
		}
		l.pod(i, p.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == "new", p.Ready)
	}
	return l.choose(len(s.Pods))
}

// lookAtObjectsOnce is [lookOnce] for objects of the API, as any adapter has to read them.
func lookAtObjectsOnce(c *gen.DaemonSetCase) (l look) {
	nodes := make([]nodeTally, 1<<bits.Len(uint(2*len(c.Nodes))))
	for _, n := range c.Nodes {
		if n.Labels["kubernetes.io/os"] == "linux" && n.Labels["kubernetes.io/arch"] == "amd64" {
			countOn(nodes, n.Name)
			l.desired++
		}
	}
	for i, p := range c.Pods {
		if p.OwnerReferences[0].UID != c.DaemonSet.UID || p.Labels["app"] != "web" || nodes[countOn(nodes, p.Spec.NodeName)].pods != 2 {
			continue
		}
		ready := false
		for i := range p.Status.Conditions {
			if t := &p.Status.Conditions[i]; t.Type == corev1.PodReady && t.Status == corev1.ConditionTrue {
				ready = true
			}
		}
		l.pod(i, p.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == "new", ready)
	}
	return l.choose(len(c.Pods))
}

// pod counts a pod, which is available if it is ready.
func (l *look) pod(i int, updated, ready bool) {
	if ready {
		l.ready++
	}
	switch {
	case updated:
		l.updated++
		if !ready {
			l.unavailable++
		}
	case !ready:
		l.gone = append(l.gone, int32(i))
	case len(l.old) < burst: // more cannot go
		l.old = append(l.old, int32(i))
	}
}

// burst is how many pods a pass may delete.
const burst = 250

// choose says which pods go, if there are so many.
func (l look) choose(pods int) look {
	budget := (l.desired+9)/10 - l.unavailable - (l.desired - pods)
	l.gone = append(l.gone, l.old[:min(len(l.old), max(0, budget-len(l.gone)))]...)
	l.gone = l.gone[:min(len(l.gone), burst)]
	return l
}

// BenchmarkNodeShouldRun is one DaemonSet and one node, as a cluster autoscaler asks.
func BenchmarkNodeShouldRun(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		axis := fmt.Sprintf("/daemonsets=%d", n)
		c := benchCluster(1, 1)
		node, daemons, into := kube.Node(c.Nodes[0]), slices.Repeat([]daemonset.Daemon{kube.Daemon(c.DaemonSet, daemonset.Options{})}, n), map[string]int64{}
		measure(b, "upstream", axis, func() {
			for range n {
				upstream.ShouldRun(c.Nodes[0], c.DaemonSet)
			}
		})
		measure(b, "kplan", axis, func() { daemonset.Overhead(daemons, &node, into) })
		measure(b, "kplan+kube", axis, func() {
			node := kube.Node(c.Nodes[0])
			daemonset.Overhead(daemons, &node, into)
		})
	}
}

// The floor comes to the numbers of the status, and to as many pods that go.
func TestDaemonSetFloor(t *testing.T) {
	for _, share := range []float64{1, 0.5} {
		for _, n := range []int{1_000, 5_000} {
			c := benchCluster(n, share)
			s := must(kube.DaemonSetSnapshot(c.DaemonSet, c.Nodes, c.Pods, c.Revisions))
			plan := must(daemonset.Reconcile(s, benchNow, daemonset.Options{}))
			l := lookOnce(&s)
			require.Equal(t, []int32{plan.Status.DesiredNumberScheduled, plan.Status.UpdatedNumberScheduled, plan.Status.NumberReady}, []int32{int32(l.desired), int32(l.updated), int32(l.ready)})
			require.Len(t, plan.Actions, len(l.gone))
			for _, i := range l.gone {
				require.Equal(t, "old", c.Pods[i].Labels[appsv1.DefaultDaemonSetUniqueLabelKey])
			}
			require.Equal(t, l, lookAtObjectsOnce(c))
		}
	}
}

// TestBenchmarkedPasses: the benchmarks measure the stated pass, and both sides make it.
func TestBenchmarkedPasses(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		for updated, deletes := range map[float64]int{1: 0, 0.5: 100} {
			p, err := passDaemonSet(dsc, benchCluster(1_000, updated), now)
			require.NoError(t, err)
			intended, diff := p.verdict()
			require.Empty(t, intended+diff)
			require.Len(t, p.ours.Deletes, deletes)
		}
	})
}
