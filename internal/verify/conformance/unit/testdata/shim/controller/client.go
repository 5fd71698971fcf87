// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes"

	"github.com/kplan-go/kplan/kube"
)

// A Client makes the calls of a plan as upstream's controllers do: calls for pods through their pod
// control, if there is one, and other calls through their clientset.
type Client struct {
	Set   clientset.Interface
	Pods  PodControlInterface
	Owner runtime.Object
	Ref   *metav1.OwnerReference
}

func (c Client) Get(ctx context.Context, o kube.Object) error {
	calls := c.Set.AppsV1()
	switch o := o.(type) {
	case *apps.Deployment:
		return into(o)(calls.Deployments(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{}))
	case *apps.ReplicaSet:
		return into(o)(calls.ReplicaSets(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{}))
	case *apps.DaemonSet:
		return into(o)(calls.DaemonSets(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{}))
	case *apps.ControllerRevision:
		return into(o)(calls.ControllerRevisions(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{}))
	}
	return fmt.Errorf("no call reads %T", o)
}

// into returns a function that stores the answer of a call in o.
func into[T any](o *T) func(*T, error) error {
	return func(answer *T, err error) error {
		if err == nil {
			*o = *answer
		}
		return err
	}
}

func (c Client) Do(ctx context.Context, r kube.Request) error {
	switch o := r.Object.(type) {
	case *v1.Pod:
		return c.pod(ctx, r, o)
	case *apps.Deployment:
		calls := c.Set.AppsV1().Deployments(o.Namespace)
		switch {
		case r.Verb == kube.VerbUpdate && r.Subresource != "":
			return into(o)(calls.UpdateStatus(ctx, o, metav1.UpdateOptions{}))
		case r.Verb == kube.VerbUpdate:
			return into(o)(calls.Update(ctx, o, metav1.UpdateOptions{}))
		case r.Verb == kube.VerbPatch:
			return into(o)(calls.Patch(ctx, o.Name, r.Patch.Type, r.Patch.Data, metav1.PatchOptions{}))
		}
	case *apps.ReplicaSet:
		return c.replicaSet(ctx, r, o)
	case *apps.DaemonSet:
		return into(o)(c.Set.AppsV1().DaemonSets(o.Namespace).UpdateStatus(ctx, o, metav1.UpdateOptions{}))
	case *apps.ControllerRevision:
		return c.revision(ctx, r, o)
	}
	return fmt.Errorf("no call does %s", r)
}

func (c Client) pod(ctx context.Context, r kube.Request, o *v1.Pod) error {
	switch r.Verb {
	case kube.VerbCreate:
		meta := metav1.ObjectMeta{Labels: o.Labels, Annotations: o.Annotations, Finalizers: o.Finalizers}
		return c.Pods.CreatePods(ctx, o.Namespace, &v1.PodTemplateSpec{ObjectMeta: meta, Spec: o.Spec}, c.Owner, c.Ref)
	case kube.VerbDelete:
		return c.Pods.DeletePod(ctx, o.Namespace, o.Name, c.Owner)
	}
	return c.Pods.PatchPod(ctx, o.Namespace, o.Name, r.Patch.Data)
}

func (c Client) replicaSet(ctx context.Context, r kube.Request, o *apps.ReplicaSet) error {
	calls := c.Set.AppsV1().ReplicaSets(o.Namespace)
	switch r.Verb {
	case kube.VerbCreate:
		return into(o)(calls.Create(ctx, o, metav1.CreateOptions{}))
	case kube.VerbDelete:
		return calls.Delete(ctx, o.Name, metav1.DeleteOptions{})
	case kube.VerbUpdate:
		return into(o)(calls.Update(ctx, o, metav1.UpdateOptions{}))
	}
	return into(o)(calls.Patch(ctx, o.Name, r.Patch.Type, r.Patch.Data, metav1.PatchOptions{}))
}

func (c Client) revision(ctx context.Context, r kube.Request, o *apps.ControllerRevision) error {
	calls := c.Set.AppsV1().ControllerRevisions(o.Namespace)
	switch r.Verb {
	case kube.VerbCreate:
		return into(o)(calls.Create(ctx, o, metav1.CreateOptions{}))
	case kube.VerbDelete:
		return calls.Delete(ctx, o.Name, metav1.DeleteOptions{})
	case kube.VerbUpdate:
		return into(o)(calls.Update(ctx, o, metav1.UpdateOptions{}))
	}
	return into(o)(calls.Patch(ctx, o.Name, r.Patch.Type, r.Patch.Data, metav1.PatchOptions{}))
}
