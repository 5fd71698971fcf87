// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

// agentCase is a DaemonSet on two nodes with a healthy pod of an old template on each,
// an old revision and no current one.
func agentCase(now time.Time) *gen.DaemonSetCase {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "web", UID: "ds", Generation: 1}}
	ds.Spec.Selector, ds.Spec.Template = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, podTemplate("new")
	ds.Spec.RevisionHistoryLimit = new(int32(10))
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{
		MaxUnavailable: new(intstr.FromInt32(1)), MaxSurge: new(intstr.FromInt32(0)),
	}}
	c := &gen.DaemonSetCase{DaemonSet: ds, Revisions: []*appsv1.ControllerRevision{agentRevision(ds, "old", 1)}}
	for i := range 2 {
		name := "n" + strconv.Itoa(i)
		c.Nodes = append(c.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		p := healthyPod(now.Add(-time.Hour), i)
		p.Spec.NodeName, p.Labels = name, map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: "old"}
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		c.Pods = append(c.Pods, p)
	}
	return c
}

func agentRevision(ds *appsv1.DaemonSet, image string, number int64) *appsv1.ControllerRevision {
	of := ds.DeepCopy()
	of.Spec.Template = podTemplate(image)
	r := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
		Namespace: gen.Namespace, Name: image, UID: types.UID(image), Labels: map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: image},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))},
	}, Revision: number}
	r.Data.Raw = must(upstream.DaemonSetPatch(of))
	return r
}

var daemonSetExamples = map[string]func(time.Time) *gen.DaemonSetCase{
	"another owner's revision without a hash": func(now time.Time) *gen.DaemonSetCase {
		c := agentCase(now)
		r := agentRevision(c.DaemonSet, "new", 2)
		r.Name = "web-" + controller.ComputeHash(&c.DaemonSet.Spec.Template, nil)
		r.OwnerReferences[0].UID = "else"
		delete(r.Labels, appsv1.DefaultDaemonSetUniqueLabelKey)
		c.Revisions, c.Pods = append(c.Revisions, r), c.Pods[:1]
		return c
	},
	"missing node fails a surge without an error": func(now time.Time) *gen.DaemonSetCase {
		c := agentCase(now)
		c.Nodes = c.Nodes[:1]
		c.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxSurge = new(intstr.FromInt32(1))
		c.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(0))
		*c.DaemonSet.Spec.RevisionHistoryLimit = 0
		c.Revisions = append(c.Revisions, agentRevision(c.DaemonSet, "new", 2), agentRevision(c.DaemonSet, "older", 0))
		c.DaemonSet.Status = appsv1.DaemonSetStatus{ // so that upstream has nothing to write
			ObservedGeneration: 1, DesiredNumberScheduled: 1, CurrentNumberScheduled: 1, NumberReady: 1, NumberAvailable: 1,
		}
		return c
	},
}

func TestDaemonSetDifferences(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		for _, d := range daemonSetDifferences {
			example, ok := daemonSetExamples[d.name]
			require.True(t, ok, "the difference %q has no example", d.name)
			p, err := passDaemonSet(dsc, example(now), now)
			require.NoError(t, err)
			names, diff := explain(daemonSetDifferences, &p)
			require.Equal(t, []string{d.name}, names, diff)
		}
		require.Len(t, daemonSetExamples, len(daemonSetDifferences))
	})
}

// TestUpstreamDaemonSet runs only the upstream controller, to check the harness.
func TestUpstreamDaemonSet(t *testing.T) {
	inBubble(t, func(t bubble, now time.Time) {
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		pass := func(change func(*gen.DaemonSetCase)) daemonSetOutcome {
			c := agentCase(now)
			change(c)
			p, err := passDaemonSet(dsc, c, now)
			require.NoError(t, err)
			require.NoError(t, p.result.Err)
			return p.upstream
		}
		hash := controller.ComputeHash(&agentCase(now).DaemonSet.Spec.Template, nil)
		replaced := "an old available pod, where one should run: true"
		o := pass(func(*gen.DaemonSetCase) {})
		require.Equal(t, []string{replaced}, o.Deletes)
		require.Contains(t, o.Revisions[0], "create web-"+hash+" 2")
		require.EqualValues(t, 2, o.Status.NumberAvailable)
		o = pass(func(c *gen.DaemonSetCase) {
			c.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(2))
		})
		require.Equal(t, []string{replaced, replaced}, o.Deletes)
		o = pass(func(c *gen.DaemonSetCase) {
			c.DaemonSet.Spec.UpdateStrategy.RollingUpdate.MaxSurge = new(intstr.FromInt32(1))
		})
		require.Equal(t, []string{"beside an old available pod " + hash + " "}, o.Creates)
		o = pass(func(c *gen.DaemonSetCase) { c.Pods[0].Status.Phase = corev1.PodFailed })
		require.Equal(t, []string{"Warning FailedDaemonPod Found failed daemon pod ns/p0 on node n0, will try to kill it"}, o.Events)
		o = pass(func(c *gen.DaemonSetCase) { // it waits, and the update continues
			c.Pods[0].Status.Phase = corev1.PodFailed
			c.Failures = []upstream.Failure{{Node: "n0", Times: 3, At: now.Add(-3 * time.Second)}}
		})
		require.Empty(t, o.Events)
		require.Len(t, o.Deletes, 1)
	})
}
