// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/replicaset/expect"
)

func daemonSetPass(t *testing.T, m *memory, row optionRow[daemonset.Options], opts daemonset.Options) {
	ds, revisions := list[*appsv1.DaemonSet](m)[0], list[*appsv1.ControllerRevision](m)
	s, err := kubekruise.AdvancedDaemonSetSnapshot(ds, row.advanced, list[*corev1.Node](m), list[*corev1.Pod](m), revisions)
	require.NoError(t, err)
	pass, err := daemonset.NewPass(s, at, opts)
	require.NoError(t, err)
	p := pass.Plan
	report := execute(m).DaemonSet(t.Context(), ds, revisions, p)
	report.Expectations = p.Expect(expect.Expectations{}, at)
	for i, a := range p.Actions {
		if a, ok := a.(daemonset.UpdatePod); ok { // left to those who can wait for its next steps
			if resize, needed := kubekruise.ResizePodPatch(a.Object, a.Patch); needed {
				require.NoError(t, m.Do(t.Context(), kube.Request{Verb: kube.VerbPatch, Object: podNamedIn("ns", a.Name), Patch: resize}))
			}
			require.NoError(t, m.Do(t.Context(), kube.Request{Verb: kube.VerbPatch, Object: podNamedIn("ns", a.Name), Patch: kubekruise.UpdatePodPatch(a)}))
			report.Outcomes[i] = kplan.Outcome{Answer: kplan.Done}
		}
	}
	r := pass.Finish(report)
	require.NoError(t, r.Err)
	if r.WriteStatus {
		require.NoError(t, m.Do(t.Context(), kube.DaemonSetStatusRequest(ds, r.Status)))
	}
}

// webDaemon wants image v2 on all nodes, and lets one be unavailable.
func webDaemon(edits ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: webTemplate("v2", ""),
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: ptr.To(intstr.FromInt32(1)), MaxSurge: ptr.To(intstr.FromInt32(0)),
		}},
		RevisionHistoryLimit: ptr.To(int32(9)),
	}}
	for _, edit := range edits {
		edit(ds)
	}
	return ds
}

// webRevision holds the template of ds with another image.
func webRevision(ds *appsv1.DaemonSet, image string, number int64) *appsv1.ControllerRevision {
	ds = ds.DeepCopy()
	ds.Spec.Template.Spec.Containers[0].Image = image
	r := &appsv1.ControllerRevision{Revision: number, ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "web-" + image, OwnerReferences: owned("DaemonSet", "web"),
		Labels: map[string]string{"app": "web", daemonset.LabelHash: image},
	}}
	d, err := kube.DaemonSet(ds)
	if err != nil {
		panic(err)
	}
	r.Data.Raw = d.Template.Data
	return r
}

// webCluster is a DaemonSet with both revisions, and so many nodes.
func webCluster(ds *appsv1.DaemonSet, nodes int, others ...kube.Object) []kube.Object {
	all := []kube.Object{ds, webRevision(ds, "v1", 1), webRevision(ds, "v2", 2)}
	for i := range nodes {
		all = append(all, zoned("n"+string(rune('1'+i)), "1"))
	}
	return append(all, others...)
}

func tainted(node, key string, effect corev1.TaintEffect, effects ...corev1.TaintEffect) *corev1.Node {
	n := zoned(node, "1")
	for _, e := range append(effects, effect) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: e})
	}
	return n
}

func old(p *corev1.Pod) { p.Labels[daemonset.LabelHash] = "v1" }

func current(p *corev1.Pod) { p.Labels[daemonset.LabelHash] = "v2" }

func succeeded(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }

func older(p *corev1.Pod) { p.CreationTimestamp.Time = p.CreationTimestamp.Add(-time.Hour) }

// tolerant tolerates the end of its node for half a minute.
func tolerant(ds *appsv1.DaemonSet) {
	ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(30))},
		{Key: "gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(30))},
	}
}

// asking lets pods of image v1 ask for processors.
func asking(cpu string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Containers[0].Image = "v1"
		ds.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(cpu)}
	}
}

// readyGated makes a pod of image v1 one that may be updated in place.
func readyGated(p *corev1.Pod) {
	p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: inplace.Gate}}
	p.Spec.Containers = []corev1.Container{{Name: "c", Image: "v1"}}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: inplace.Gate, Status: corev1.ConditionTrue})
}

func ripening(ds *appsv1.DaemonSet) { ds.Spec.MinReadySeconds = 60 }

const (
	never = -time.Second
	long  = time.Hour
)

func TestDaemonSetOptionsOnObjects(t *testing.T) {
	mine := func(name, node string, ready time.Duration, edits ...func(*corev1.Pod)) *corev1.Pod {
		return webPod(name, "DaemonSet", "web", node, ready, edits...)
	}
	kruise := daemonset.Options{Dialect: daemonset.OpenKruise}
	dead := tainted("n0", corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule)
	requireOptions(t, map[string]optionRow[daemonset.Options]{
		"Dialect": { // OpenKruise leaves pods that have ended
			value: daemonset.OpenKruise, objects: webCluster(webDaemon(), 1, mine("a", "n1", never, current, succeeded)), with: "pods/a",
		},
		"Repair": {
			value: quirk.SucceededPodsStay, both: kruise, objects: webCluster(webDaemon(), 1, mine("a", "n1", never, current, succeeded)), without: "pods/a",
		},
		"Prune": { // a pod may stay where no new one is put
			value: true, objects: webCluster(webDaemon(), 0, tainted("n0", "x", corev1.TaintEffectNoSchedule), mine("a", "n0", long, old)),
			with: "pods/a",
		},
		"BindDirectly": {
			value: true, objects: webCluster(webDaemon(), 1), with: "created web- n1.spec.nodeName=n1",
		},
		"VerticalScaling": {
			value: true, both: kruise, advanced: kubekruise.Advanced{RollingType: daemonset.InPlaceIfPossible},
			objects: []kube.Object{webDaemon(asking("2")), webRevision(webDaemon(asking("1")), "v1", 1), zoned("n1", "1"), mine("a", "n1", long, old, readyGated)},
			with:    "pods/a.spec.containers[0].resources.requests.cpu=2",
		},
		"StrictUnavailable": {
			value: true, objects: webCluster(webDaemon(ripening), 2, mine("a", "n1", time.Second, old), mine("b", "n2", time.Second, old)),
			with: "pods/b",
		},
		"SumHolds": {
			value: true, objects: webCluster(webDaemon(), 2, mine("a", "n1", never, current), mine("b", "n2", long, old)), same: true,
		},
		"SkipDeadNodes": {
			value: int32(1), both: kruise, objects: webCluster(webDaemon(), 1, dead, mine("a", "n1", long, old), mine("b", "n0", never, old, going)),
			without: "pods/a",
		},
		"KeepHealthyDuplicate": {
			value: true, objects: webCluster(webDaemon(), 1, mine("a", "n1", never, current, older), mine("b", "n1", long, current)),
			without: "pods/a", with: "pods/b",
		},
		"FiniteTolerationMeansNo": {
			value: true, objects: webCluster(webDaemon(tolerant), 0, tainted("n0", "gpu", corev1.TaintEffectNoExecute)), without: "created web- n0",
		},
		"KeepUserTolerations": {
			value: true, objects: webCluster(webDaemon(tolerant), 1), with: "created web- n1.spec.tolerations[0].tolerationSeconds=30",
		},
		"PartitionCreatesOld": {
			value: true, advanced: kubekruise.Advanced{Partition: ptr.To(intstr.FromInt32(1))}, objects: webCluster(webDaemon(), 1),
			without: "created web- n1.spec.containers[0].image=v2", with: "created web- n1.spec.containers[0].image=v1",
		},
		"Freeze": {
			value: true, objects: webCluster(webDaemon(), 1), without: "created web- n1",
		},
	}, daemonSetPass)
}
