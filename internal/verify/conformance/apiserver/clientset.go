// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Clientset returns a client for Kubernetes' own controllers. Methods that they are not expected to
// call panic, because the embedded interfaces are nil.
func (s *Server) Clientset() kubernetes.Interface { return Clientset{Of: func() *Server { return s }} }

// A Clientset is a client of the server that Of returns, which may change between passes.
type Clientset struct {
	kubernetes.Interface
	Of func() *Server
}

// AppsV1 returns the client of apps/v1.
func (c Clientset) AppsV1() appsclient.AppsV1Interface { return apps{c: c} }

// CoreV1 returns the client of the core group.
func (c Clientset) CoreV1() coreclient.CoreV1Interface { return core{c: c} }

type apps struct {
	appsclient.AppsV1Interface
	c Clientset
}

func (a apps) Deployments(ns string) appsclient.DeploymentInterface {
	return deployments{calls: calls[*appsv1.Deployment]{a.c.Of, "Deployment", ns}}
}

func (a apps) ReplicaSets(ns string) appsclient.ReplicaSetInterface {
	return replicaSets{calls: calls[*appsv1.ReplicaSet]{a.c.Of, "ReplicaSet", ns}}
}

func (a apps) DaemonSets(ns string) appsclient.DaemonSetInterface {
	return daemonSets{calls: calls[*appsv1.DaemonSet]{a.c.Of, "DaemonSet", ns}}
}

func (a apps) ControllerRevisions(ns string) appsclient.ControllerRevisionInterface {
	return revisions{calls: calls[*appsv1.ControllerRevision]{a.c.Of, "ControllerRevision", ns}}
}

type core struct {
	coreclient.CoreV1Interface
	c Clientset
}

func (a core) Pods(ns string) coreclient.PodInterface {
	return pods{calls: calls[*corev1.Pod]{a.c.Of, "Pod", ns}}
}

func (a core) ReplicationControllers(ns string) coreclient.ReplicationControllerInterface {
	return controllers{calls: calls[*corev1.ReplicationController]{a.c.Of, "ReplicationController", ns}}
}

// calls makes the calls for one kind in a namespace.
type calls[T Object] struct {
	of        func() *Server
	kind      string
	namespace string
}

func (c calls[T]) key(name string) Key { return Key{c.kind, c.namespace, name} }

func typed[T Object](o Object, err error) (T, error) {
	t, _ := o.(T)
	return t, err
}

func (c calls[T]) Get(_ context.Context, name string, _ metav1.GetOptions) (T, error) {
	return typed[T](c.of().callGet(c.key(name)))
}

func (c calls[T]) Create(_ context.Context, o T, _ metav1.CreateOptions) (T, error) {
	o = o.DeepCopyObject().(T)
	o.SetNamespace(c.namespace)
	return typed[T](c.of().callCreate(o))
}

func (c calls[T]) Update(_ context.Context, o T, _ metav1.UpdateOptions) (T, error) {
	return typed[T](c.of().callUpdate(o, false))
}

func (c calls[T]) UpdateStatus(_ context.Context, o T, _ metav1.UpdateOptions) (T, error) {
	return typed[T](c.of().callUpdate(o, true))
}

func (c calls[T]) Patch(_ context.Context, name string, kind types.PatchType, body []byte, _ metav1.PatchOptions, _ ...string) (T, error) {
	return typed[T](c.of().callPatch(c.key(name), kind, body))
}

func (c calls[T]) Delete(_ context.Context, name string, options metav1.DeleteOptions) error {
	return c.of().callDelete(c.key(name), options)
}
