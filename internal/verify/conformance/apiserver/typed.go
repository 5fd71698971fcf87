// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
)

// The typed clients define the methods that a controller calls. They resolve the ambiguity between
// calls and the embedded nil interface, which both have these methods.
type (
	deployments struct {
		appsclient.DeploymentInterface
		calls calls[*appsv1.Deployment]
	}
	replicaSets struct {
		appsclient.ReplicaSetInterface
		calls calls[*appsv1.ReplicaSet]
	}
	daemonSets struct {
		appsclient.DaemonSetInterface
		calls calls[*appsv1.DaemonSet]
	}
	revisions struct {
		appsclient.ControllerRevisionInterface
		calls calls[*appsv1.ControllerRevision]
	}
	pods struct {
		coreclient.PodInterface
		calls calls[*corev1.Pod]
	}
	controllers struct {
		coreclient.ReplicationControllerInterface
		calls calls[*corev1.ReplicationController]
	}
)

func (c deployments) Get(ctx context.Context, name string, o metav1.GetOptions) (*appsv1.Deployment, error) {
	return c.calls.Get(ctx, name, o)
}

func (c deployments) Update(ctx context.Context, x *appsv1.Deployment, o metav1.UpdateOptions) (*appsv1.Deployment, error) {
	return c.calls.Update(ctx, x, o)
}

func (c deployments) UpdateStatus(ctx context.Context, x *appsv1.Deployment, o metav1.UpdateOptions) (*appsv1.Deployment, error) {
	return c.calls.UpdateStatus(ctx, x, o)
}

func (c replicaSets) Get(ctx context.Context, name string, o metav1.GetOptions) (*appsv1.ReplicaSet, error) {
	return c.calls.Get(ctx, name, o)
}

func (c replicaSets) Create(ctx context.Context, x *appsv1.ReplicaSet, o metav1.CreateOptions) (*appsv1.ReplicaSet, error) {
	return c.calls.Create(ctx, x, o)
}

func (c replicaSets) Update(ctx context.Context, x *appsv1.ReplicaSet, o metav1.UpdateOptions) (*appsv1.ReplicaSet, error) {
	return c.calls.Update(ctx, x, o)
}

func (c replicaSets) UpdateStatus(ctx context.Context, x *appsv1.ReplicaSet, o metav1.UpdateOptions) (*appsv1.ReplicaSet, error) {
	return c.calls.UpdateStatus(ctx, x, o)
}

func (c replicaSets) Patch(ctx context.Context, name string, p types.PatchType, body []byte, o metav1.PatchOptions, sub ...string) (*appsv1.ReplicaSet, error) {
	return c.calls.Patch(ctx, name, p, body, o, sub...)
}

func (c replicaSets) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.calls.Delete(ctx, name, o)
}

func (c daemonSets) Get(ctx context.Context, name string, o metav1.GetOptions) (*appsv1.DaemonSet, error) {
	return c.calls.Get(ctx, name, o)
}

func (c daemonSets) UpdateStatus(ctx context.Context, x *appsv1.DaemonSet, o metav1.UpdateOptions) (*appsv1.DaemonSet, error) {
	return c.calls.UpdateStatus(ctx, x, o)
}

func (c revisions) Get(ctx context.Context, name string, o metav1.GetOptions) (*appsv1.ControllerRevision, error) {
	return c.calls.Get(ctx, name, o)
}

func (c revisions) Create(ctx context.Context, x *appsv1.ControllerRevision, o metav1.CreateOptions) (*appsv1.ControllerRevision, error) {
	return c.calls.Create(ctx, x, o)
}

func (c revisions) Update(ctx context.Context, x *appsv1.ControllerRevision, o metav1.UpdateOptions) (*appsv1.ControllerRevision, error) {
	return c.calls.Update(ctx, x, o)
}

func (c revisions) Patch(ctx context.Context, name string, p types.PatchType, body []byte, o metav1.PatchOptions, sub ...string) (*appsv1.ControllerRevision, error) {
	return c.calls.Patch(ctx, name, p, body, o, sub...)
}

func (c revisions) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.calls.Delete(ctx, name, o)
}

func (c pods) Create(ctx context.Context, x *corev1.Pod, o metav1.CreateOptions) (*corev1.Pod, error) {
	return c.calls.Create(ctx, x, o)
}

func (c pods) Patch(ctx context.Context, name string, p types.PatchType, body []byte, o metav1.PatchOptions, sub ...string) (*corev1.Pod, error) {
	return c.calls.Patch(ctx, name, p, body, o, sub...)
}

func (c pods) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	return c.calls.Delete(ctx, name, o)
}

func (c controllers) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ReplicationController, error) {
	return c.calls.Get(ctx, name, o)
}

func (c controllers) UpdateStatus(ctx context.Context, x *corev1.ReplicationController, o metav1.UpdateOptions) (*corev1.ReplicationController, error) {
	return c.calls.UpdateStatus(ctx, x, o)
}
