// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"context"
	"errors"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// syncDeployment plans from the caches, carries the plan out through the clientset, and records its
// events.
func (dc *DeploymentController) syncDeployment(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	d, err := dc.dLister.Deployments(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	ours("deploy.Reconcile, Executor.Deployment, Finish")
	var pods []*v1.Pod
	for _, o := range dc.podIndexer.List() {
		if pod := o.(*v1.Pod); pod.Namespace == namespace {
			pods = append(pods, pod)
		}
	}
	sets, err := dc.rsLister.ReplicaSets(namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	s, err := kube.Snapshot(d, sets, pods)
	if err != nil {
		return err
	}
	return dc.pass(ctx, d, sets, s)
}

func (dc *DeploymentController) pass(ctx context.Context, d *apps.Deployment, sets []*apps.ReplicaSet, s deploy.Snapshot) error {
	now, client := nowFn(), controller.Client{Set: dc.client, Owner: d}
	for {
		pass, err := deploy.NewPass(s, now, deploy.Options{})
		if err != nil {
			return err
		}
		report := kube.Executor{Client: client, Retry: kube.NoRetry}.Deployment(ctx, d, sets, pass.Plan)
		result := pass.Finish(report)
		if result.Again != nil {
			s = *result.Again
			continue
		}
		for _, e := range result.Events {
			dc.eventRecorder.Event(d, e.Type, e.Reason, e.Message)
		}
		err = result.Err
		if result.WriteStatus {
			err = errors.Join(err, client.Do(ctx, kube.DeploymentStatusRequest(d, result)))
		}
		if err == nil && !result.RecheckAt.IsZero() {
			dc.enqueueAfter(d, result.RecheckAt.Sub(now))
		}
		return err
	}
}

func generateReplicaSetName(deploymentName, podTemplateSpecHash string) string {
	ours("ReplicaSetName")
	return revision.ReplicaSetName(deploymentName, podTemplateSpecHash)
}

// getNewReplicaSet creates a planned new ReplicaSet and otherwise calls upstream's function.
func (dc *DeploymentController) getNewReplicaSet(ctx context.Context, d *apps.Deployment, rsList, oldRSs []*apps.ReplicaSet, createIfNotExisted bool) (*apps.ReplicaSet, error) {
	if !createIfNotExisted {
		return dc.upstreamgetNewReplicaSet(ctx, d, rsList, oldRSs, createIfNotExisted)
	}
	ours("deploy.Reconcile, NewReplicaSet")
	s, err := kube.Snapshot(d, rsList, nil)
	if err != nil {
		return nil, err
	}
	plan, err := deploy.Reconcile(s, nowFn(), deploy.Options{})
	if err != nil {
		return nil, err
	}
	for _, a := range plan.Actions {
		if a, ok := a.(deploy.CreateReplicaSet); ok {
			return dc.client.AppsV1().ReplicaSets(d.Namespace).Create(ctx, kube.NewReplicaSet(d, a), metav1.CreateOptions{})
		}
	}
	return dc.upstreamgetNewReplicaSet(ctx, d, rsList, oldRSs, createIfNotExisted)
}

func (dc *DeploymentController) cleanupDeployment(ctx context.Context, oldRSs []*apps.ReplicaSet, deployment *apps.Deployment) error {
	ours("revision.CleanUp")
	remove, _ := revision.CleanUp(kube.Entries(oldRSs), deployment.Spec.RevisionHistoryLimit, revision.Options{})
	for _, i := range remove {
		rs := oldRSs[i]
		if err := dc.client.AppsV1().ReplicaSets(rs.Namespace).Delete(ctx, rs.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
