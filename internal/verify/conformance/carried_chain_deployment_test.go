// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsdefaults "k8s.io/kubernetes/pkg/apis/apps/v1"

	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
)

// deploymentCase is the case that a cache shows.
func deploymentCase(cached []metav1.Object) *gen.DeploymentCase {
	c := &gen.DeploymentCase{Pods: podsOf(cached)}
	for _, o := range cached {
		switch o := o.(type) {
		case *appsv1.Deployment:
			c.Deployment = o
		case *appsv1.ReplicaSet:
			c.ReplicaSets = append(c.ReplicaSets, o)
		}
	}
	return c
}

// start draws the beginning of a chain.
func (x *carriedDeployments) start(t random.T, dc *upstream.Deployments, now time.Time) *chain {
	first := gen.Deployment(t, now)
	appsdefaults.SetDefaults_Deployment(first.Deployment)
	cached := deploymentObjects(first)
	return &chain{
		server: served(cached), cached: cached, live: x.live, edit: editDeployment, serial: 100,
		pass: func(c *chain, rules []apiserver.Rule, now time.Time) (*carriedPass, func() string) {
			seen, before := deploymentCase(c.cached), c.memory
			p := x.pass(seen, deploymentObjects(seen), c.server, rules, now)
			p.memory = &before
			return p, func() string {
				intended, _ := passDeployment(dc, seen, now).verdict()
				if strings.HasPrefix(intended, "no recheck") || strings.HasPrefix(intended, "name of the new") {
					return ""
				}
				return intended
			}
		},
	}
}

// editDeployment changes the spec, ReplicaSets and their statuses, and pods.
func editDeployment(t random.T, c *chain, now time.Time) {
	c.replicaSetController(t)
	owner := c.server.Stored(apiserver.KeyOf(c.cached[0].(apiserver.Object)))
	ask := func(f func(*appsv1.Deployment)) {
		c.change(apiserver.KeyOf(owner), true, func(o apiserver.Object) { f(o.(*appsv1.Deployment)) })
	}
	for range random.Below(t, "edits", 3) {
		switch what := random.Below(t, "edit", 40); {
		case what < 8:
			ask(func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("i:%d", random.Below(t, "image", 5))
			})
		case what < 16:
			ask(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(random.Below(t, "replicas", 12))) })
		case what < 18:
			ask(func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = int32(5 * random.Below(t, "min ready", 3)) })
		case what < 21:
			ask(func(d *appsv1.Deployment) { d.Spec.Paused = !d.Spec.Paused })
		case what < 23:
			ask(func(d *appsv1.Deployment) { editStrategy(t, d) })
		case what < 25:
			ask(func(d *appsv1.Deployment) {
				d.Annotations = maps.Clone(d.Annotations)
				if d.Annotations == nil {
					d.Annotations = map[string]string{}
				}
				d.Annotations[revision.AnnotationRollback] = random.OneOf[string](t, "rollback", "0", "1", "2", "99")
			})
		case what < 29:
			c.editSet(t, now)
		case what < 32:
			c.editPod(t, now)
		case what < 34:
			c.podOfSet(t, now)
		case what < 39:
			c.touch(t)
		case random.OneIn(t, "deletion", 3):
			c.deleted(now)
		}
	}
}

func editStrategy(t random.T, d *appsv1.Deployment) {
	if random.OneIn(t, "recreate", 3) {
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		return
	}
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
		MaxSurge:       new(intstr.FromInt32(int32(1 + random.Below(t, "surge", 3)))),
		MaxUnavailable: new(intstr.FromString(random.OneOf[string](t, "unavailable", "0%", "25%", "50%"))),
	}}
}

// replicaSetController lets ReplicaSets report: mostly their sizes, at times less.
func (c *chain) replicaSetController(t random.T) {
	for _, rs := range storedOf[*appsv1.ReplicaSet](c) {
		if random.OneIn(t, "slow", 3) {
			continue
		}
		size := int32(0)
		if rs.Spec.Replicas != nil {
			size = max(0, *rs.Spec.Replicas)
		}
		status := rs.Status.DeepCopy()
		status.ObservedGeneration, status.Replicas, status.TerminatingReplicas = rs.Generation, size, new(int32(0))
		status.ReadyReplicas = max(0, size-int32(max(0, random.Below(t, "not ready", 6)-3)))
		status.AvailableReplicas = max(0, status.ReadyReplicas-int32(max(0, random.Below(t, "not available", 6)-4)))
		if random.OneIn(t, "terminating", 10) {
			status.TerminatingReplicas = new(int32(1))
		}
		c.change(apiserver.KeyOf(rs), false, func(o apiserver.Object) { o.(*appsv1.ReplicaSet).Status = *status })
	}
}

// editSet scales, removes or relabels a ReplicaSet, or takes its owner away.
func (c *chain) editSet(t random.T, now time.Time) {
	sets := storedOf[*appsv1.ReplicaSet](c)
	if len(sets) == 0 {
		return
	}
	rs := random.OneOf(t, "set", sets...)
	what := random.Below(t, "what of the set", 6)
	if what == 0 {
		c.server.Remove(apiserver.KeyOf(rs))
		return
	}
	c.change(apiserver.KeyOf(rs), what == 1, func(o apiserver.Object) {
		rs := o.(*appsv1.ReplicaSet)
		switch what {
		case 1:
			rs.Spec.Replicas = new(int32(random.Below(t, "size", 8)))
		case 2, 3:
			rs.OwnerReferences = nil
		case 4:
			rs.Labels = map[string]string{"app": "former"}
		default:
			if rs.DeletionTimestamp == nil {
				rs.DeletionTimestamp, rs.Finalizers = new(metav1.NewTime(now.Truncate(time.Second))), []string{"orphan"}
			}
		}
	})
}

// podOfSet adds a pod to a ReplicaSet.
func (c *chain) podOfSet(t random.T, now time.Time) {
	sets := storedOf[*appsv1.ReplicaSet](c)
	if len(sets) == 0 {
		return
	}
	rs := random.OneOf(t, "set of the pod", sets...)
	c.serial++
	c.server.Put(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: gen.Namespace, Name: fmt.Sprintf("z%d", c.serial), UID: types.UID(fmt.Sprintf("z%d", c.serial)),
			Labels: map[string]string{"app": "web"}, CreationTimestamp: metav1.NewTime(now.Truncate(time.Second)),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	})
}

// TestChainedDeployments carries out plans of Deployments pass after pass, and compares them with
// upstream's controller.
func TestChainedDeployments(t *testing.T) {
	testChained(t, "chained: Deployments", deploymentTargets, false, func(t bubble) func(random.T, time.Time) *chain {
		x, err := newCarriedDeployments()
		require.NoError(t, err)
		dc, err := upstream.NewDeployments()
		require.NoError(t, err)
		return func(t random.T, now time.Time) *chain { return x.start(t, dc, now) }
	})
}
