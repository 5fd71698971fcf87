// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/replicaset/expect"
)

// A pass is one look at an object.
type pass func() reconcile.Result

func passes(t *testing.T, r reconcile.Reconciler) pass {
	return func() reconcile.Result {
		result, err := r.Reconcile(t.Context(), theWeb)
		require.NoError(t, err)
		return result
	}
}

// deployment returns a Deployment of three pods, and its ReplicaSet of another template with
// as many.
func deployment(strategy appsv1.RollingUpdateDeployment) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	d := &appsv1.Deployment{ObjectMeta: *meta.DeepCopy(), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: *spec.DeepCopy(),
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &strategy},
	}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "2"}}
	rs := replicaSet(3)
	rs.Name, rs.UID, rs.Labels = "web-1", "r1", pairs
	rs.Annotations = map[string]string{
		"deployment.kubernetes.io/revision": "1", "deployment.kubernetes.io/desired-replicas": "3", "deployment.kubernetes.io/max-replicas": "4",
	}
	rs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: d.UID, Controller: new(true)}}
	rs.Status = appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 3, ReadyReplicas: 3, AvailableReplicas: 3, FullyLabeledReplicas: 3}
	return d, rs
}

func limits(surge, unavailable int) appsv1.RollingUpdateDeployment {
	return appsv1.RollingUpdateDeployment{MaxSurge: new(intstr.FromInt(surge)), MaxUnavailable: new(intstr.FromInt(unavailable))}
}

// What was written and does not show is waited for: an event comes before, or a look every
// behindDelay, until behindLimit.
func TestWaitForWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := deployment(limits(1, 0))
		b, w := newBase(1000, d)
		look := passes(t, &deploymentReconciler{b})
		look()
		written := len(w.lines)
		for range behindLimit / behindDelay {
			require.Equal(t, behindDelay, look().RequeueAfter)
			require.Len(t, w.lines, written)
			time.Sleep(behindDelay)
		}
		time.Sleep(time.Nanosecond)
		look()
		require.Greater(t, len(w.lines), written)
	})
}

// The status of a ReplicaSet waits for the pods that it has created, and no longer than
// behindLimit.
func TestStatusWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w := newBase(0, replicaSet(3))
		look := passes(t, &replicaSetReconciler{base: b})
		require.Equal(t, behindLimit, look().RequeueAfter)
		time.Sleep(behindLimit - time.Nanosecond)
		require.Equal(t, time.Millisecond, look().RequeueAfter, "what is left, a millisecond at least")
		require.Zero(t, w.count("update replicasetsstatus"))
		time.Sleep(time.Nanosecond)
		look()
		require.Equal(t, 1, w.count("update replicasetsstatus"))
	})
}

// Pods that were created and never show are created again after five minutes, not before.
func TestExpectationsEnd(t *testing.T) {
	for kind, c := range map[string]struct {
		object client.Object
		look   func(t *testing.T, b base) pass
	}{
		"ReplicaSet": {replicaSet(2), func(t *testing.T, b base) pass { return passes(t, &replicaSetReconciler{base: b}) }},
		"DaemonSet": {&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
		}}, func(t *testing.T, b base) pass { return passes(t, &daemonSetReconciler{base: b}) }},
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, w := newBase(0, c.object.DeepCopyObject().(client.Object),
					&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n2"}})
				look := c.look(t, b)
				look()
				time.Sleep(5 * time.Minute)
				again := look().RequeueAfter
				require.Equal(t, 2, w.count("create pods"))
				require.Positive(t, again, "it looks again by itself")
				time.Sleep(again + time.Nanosecond)
				look()
				require.Equal(t, 4, w.count("create pods"))
			})
		})
	}
}

// A Deployment looks again when its progress deadline passes.
func TestDeploymentLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, rs := deployment(limits(1, 0))
		d.Spec.ProgressDeadlineSeconds = new(int32(60))
		b, w := newBase(0, d, rs)
		result := passes(t, &deploymentReconciler{b})()
		require.Equal(t, 1, w.count("create replicasets"))
		require.InDelta(t, 60*time.Second, result.RequeueAfter, float64(time.Second))
	})
}

// A ReplicaSet and a DaemonSet look again when pods that are ready will be available.
func TestAvailableLater(t *testing.T) {
	ready := func(kind string, since time.Duration) *corev1.Pod {
		p := ownedBy(kind, meta, "a")
		p.Spec.NodeName = "n1"
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Now().Add(-since))},
		}}
		return p
	}
	synctest.Test(t, func(t *testing.T) {
		rs := replicaSet(1)
		rs.Spec.MinReadySeconds = 30
		b, _ := newBase(0, rs, ready("ReplicaSet", 10*time.Second))
		require.InDelta(t, 20*time.Second, passes(t, &replicaSetReconciler{base: b})().RequeueAfter, float64(time.Second))
	})
	synctest.Test(t, func(t *testing.T) {
		ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec, MinReadySeconds: 30,
		}}
		b, _ := newBase(0, ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, ready("DaemonSet", 10*time.Second))
		require.InDelta(t, 20*time.Second, passes(t, &daemonSetReconciler{base: b})().RequeueAfter, float64(time.Second))
	})
}

// A daemon pod that fails is replaced at once, the next one a second later: how often it has
// failed is remembered from pass to pass.
func TestFailedDaemonPodsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ds := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pairs}, Template: spec,
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType},
		}}
		b, w := newBase(0, ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
		r := &daemonSetReconciler{base: b}
		look := passes(t, r)
		fail := func(i int) {
			p := ownedBy("DaemonSet", meta, fmt.Sprint("failed-", i))
			p.ResourceVersion, p.Spec.NodeName, p.Status.Phase = "", "n1", corev1.PodFailed
			require.NoError(t, b.cache.(client.Client).Create(t.Context(), p))
		}
		gone := func(i int) { // as the cache shows it
			p := ownedBy("DaemonSet", meta, fmt.Sprint("failed-", i))
			require.NoError(t, b.cache.(client.Client).Delete(t.Context(), p))
			q := events()
			r.podEvents().Delete(t.Context(), event.DeleteEvent{Object: p}, q)
			q.ShutDown() // ends its goroutine
		}
		fail(1)
		look()
		require.Equal(t, 1, w.count("delete pods"))
		gone(1)
		r.tracker.expect(meta.UID, func(expect.Expectations) expect.Expectations { return expect.Expectations{} })
		fail(2)
		result := look()
		require.Equal(t, 1, w.count("delete pods"), "it waits")
		require.InDelta(t, time.Second, result.RequeueAfter, float64(100*time.Millisecond))
		time.Sleep(result.RequeueAfter + time.Nanosecond)
		look()
		require.Equal(t, 2, w.count("delete pods"))
	})
}

// The pause between attempts that fail doubles from 5 ms up to the longest.
func TestRetries(t *testing.T) {
	limiter := retries(Options{MaxDelay: 30 * time.Millisecond})
	for _, want := range []time.Duration{5, 10, 20, 30, 30} {
		require.Equal(t, want*time.Millisecond, limiter.When(theWeb))
	}
	limiter.Forget(theWeb)
	require.Equal(t, 5*time.Millisecond, limiter.When(theWeb))
}
