// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// clientGo makes the calls of plans with client-go alone.
type clientGo struct{ apps, core rest.Interface }

func (c clientGo) of(o kube.Object) rest.Interface {
	if _, ok := o.(*corev1.Pod); ok {
		return c.core
	}
	return c.apps
}

func (c clientGo) Get(ctx context.Context, o kube.Object) error {
	resource := kube.Request{Object: o}.Resource()
	return c.of(o).Get().Namespace(o.GetNamespace()).Resource(resource).Name(o.GetName()).Do(ctx).Into(o)
}

func (c clientGo) Do(ctx context.Context, r kube.Request) error {
	api := c.of(r.Object)
	var q *rest.Request
	switch r.Verb {
	case kube.VerbCreate:
		q = api.Post().Body(r.Object)
	case kube.VerbUpdate:
		q = api.Put().Name(r.Object.GetName()).Body(r.Object)
	case kube.VerbPatch:
		q = api.Patch(r.Patch.Type).Name(r.Object.GetName()).Body(r.Patch.Data)
	case kube.VerbDelete:
		return api.Delete().Namespace(r.Object.GetNamespace()).Resource(r.Resource()).Name(r.Object.GetName()).Body(&r.Options).Do(ctx).Error()
	}
	return q.Namespace(r.Object.GetNamespace()).Resource(r.Resource()).SubResource(subresource(r)...).Do(ctx).Into(r.Object)
}

func subresource(r kube.Request) []string {
	if r.Subresource == "" {
		return nil
	}
	return []string{r.Subresource}
}

// runDirectly is the least that rolls a Deployment: it reads everything from the API
// server in each pass, so it needs no cache and no expectations.
func runDirectly(ctx context.Context, cfg *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	c := clientGo{client.AppsV1().RESTClient(), client.CoreV1().RESTClient()}
	for ctx.Err() == nil {
		if err := passes(ctx, client, c, namespace); err != nil && !kube.Stale(err) && ctx.Err() == nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func passes(ctx context.Context, client kubernetes.Interface, c kube.Client, namespace string) error {
	deployments, err := client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	list, err := client.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	sets := pointers(list.Items)
	for i := range deployments.Items {
		d := &deployments.Items[i]
		s, err := kube.Snapshot(d, sets, nil)
		if err != nil {
			return err
		}
		p, err := deploy.NewPass(s, time.Now(), deploy.Options{})
		if err != nil {
			return err
		}
		r := p.Finish(kube.Executor{Client: c}.Deployment(ctx, d, sets, p.Plan))
		if r.WriteStatus {
			if err := c.Do(ctx, kube.DeploymentStatusRequest(d, r)); err != nil {
				return err
			}
		}
		if r.Err != nil {
			return r.Err
		}
	}
	for _, rs := range sets {
		if err := passSet(ctx, client, c, rs, sets); err != nil {
			return err
		}
	}
	return nil
}

func passSet(ctx context.Context, client kubernetes.Interface, c kube.Client, rs *appsv1.ReplicaSet, siblings []*appsv1.ReplicaSet) error {
	pods, err := client.CoreV1().Pods(rs.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	s := kube.ReplicaSetSnapshot(rs, pointers(pods.Items), siblings)
	p, err := replicaset.NewPass(s, time.Now(), replicaset.Options{})
	if err != nil {
		return err
	}
	r := p.Finish(kube.Executor{Client: c}.ReplicaSet(ctx, rs, p.Plan))
	if r.WriteStatus {
		if err := c.Do(ctx, kube.ReplicaSetStatusRequest(rs, r.Status)); err != nil {
			return err
		}
	}
	return r.Err
}

func pointers[T any](items []T) []*T {
	list := make([]*T, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}

// The executor needs no controller-runtime, and no cache either.
func TestClientGo(t *testing.T) {
	direct := side{"direct", cluster.Admin, runDirectly}
	both(t, script{rules: rolling, sides: []side{direct, upstream}, run: func(e *env) {
		e.apply(web(10, "1", threeAndTwo))
		e.rolled("deployment/web")
		e.apply(web(10, "2", threeAndTwo))
		e.rolled("deployment/web")
		require.Equal(e, 2, strings.Count(e.kubectl("get", "replicaset", "-o", "name"), "\n"))
	}})
}
