// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
)

// endpoint is where objects of a kind are.
func endpoint(o runtime.Object) (rest.Interface, string) {
	switch o.(type) {
	case *appsv1.Deployment:
		return real.client.AppsV1().RESTClient(), "deployments"
	case *appsv1.ReplicaSet:
		return real.client.AppsV1().RESTClient(), "replicasets"
	case *appsv1.DaemonSet:
		return real.client.AppsV1().RESTClient(), "daemonsets"
	case *appsv1.StatefulSet:
		return real.client.AppsV1().RESTClient(), "statefulsets"
	case *corev1.ReplicationController:
		return real.client.CoreV1().RESTClient(), "replicationcontrollers"
	case *corev1.ResourceQuota:
		return real.client.CoreV1().RESTClient(), "resourcequotas"
	case *policyv1.PodDisruptionBudget:
		return real.client.PolicyV1().RESTClient(), "poddisruptionbudgets"
	}
	panic(fmt.Sprintf("%T", o))
}

// write creates an object, or gives one that is there another spec, and returns it as it is stored.
func write[T kube.Object](ctx context.Context, o T, exists bool) (T, error) {
	client, resource := endpoint(o)
	stored := o.DeepCopyObject().(T)
	if !exists {
		return stored, client.Post().Namespace(o.GetNamespace()).Resource(resource).Body(o).Do(ctx).Into(stored)
	}
	data, err := json.Marshal(o)
	if err != nil {
		return stored, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return stored, err
	}
	patch, err := json.Marshal(map[string]json.RawMessage{"spec": parts["spec"]})
	if err != nil {
		return stored, err
	}
	return stored, client.Patch(types.MergePatchType).Namespace(o.GetNamespace()).Resource(resource).Name(o.GetName()).Body(patch).Do(ctx).Into(stored)
}

// remove deletes an object, and its dependents.
func remove(ctx context.Context, o kube.Object) error {
	client, resource := endpoint(o)
	options := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}
	return client.Delete().Namespace(o.GetNamespace()).Resource(resource).Name(o.GetName()).Body(&options).Do(ctx).Error()
}

func realPods(namespace string) []*corev1.Pod {
	pods, _ := real.informers.Core().V1().Pods().Lister().Pods(namespace).List(labels.Everything())
	return pods
}

// realNodes are the nodes of a scenario, by name.
func realNodes(pool string) []*corev1.Node {
	nodes, _ := real.informers.Core().V1().Nodes().Lister().List(labels.SelectorFromSet(labels.Set{cluster.PoolLabel: pool}))
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	return nodes
}

// evicts reports whether a node is lost for longer than its pods tolerate.
func evicts(pool, node string) bool {
	return slices.ContainsFunc(realNodes(pool), func(n *corev1.Node) bool {
		return n.Name == node && slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeUnreachable && t.TimeAdded != nil && time.Since(t.TimeAdded.Time) > (tolerated+2)*time.Second
		})
	})
}

// bind says on which node a pod is, as the scheduler does.
func bind(ctx context.Context, namespace, name, node string) error {
	return real.client.CoreV1().Pods(namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Target: corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}

// unready says that a pod is not ready, and that its container runs or, for want of an image, waits.
func unready(running bool) (s corev1.PodStatus) {
	c := corev1.ContainerStatus{Name: "main"}
	if s.Phase = corev1.PodPending; running {
		s.Phase, c.State.Running = corev1.PodRunning, &corev1.ContainerStateRunning{StartedAt: metav1.Now()}
	} else {
		c.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}
	}
	s.StartTime, s.ContainerStatuses = new(metav1.Now()), []corev1.ContainerStatus{c}
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()}}
	return s
}

// beReady says that a pod is ready, as its kubelet does.
func beReady(ctx context.Context, namespace, name string) error {
	return patchStatus(ctx, namespace, name, corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}})
}

func patchStatus(ctx context.Context, namespace, name string, status corev1.PodStatus) error {
	data, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = real.client.CoreV1().Pods(namespace).Patch(ctx, name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	return err
}

// end says that a pod is gone that was deleted, as its kubelet does.
func end(ctx context.Context, namespace, name string) error {
	return real.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
}

// evict requests the eviction of a pod, and reports whether it was granted.
func evict(ctx context.Context, namespace, name string) (bool, error) {
	err := real.client.PolicyV1().Evictions(namespace).Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	if apierrors.IsTooManyRequests(err) {
		return false, nil
	}
	return err == nil, err
}

// budgetsCount reports whether the budgets of a namespace have counted its pods, or cannot for want of an owner.
func budgetsCount(namespace string) bool {
	list, _ := real.informers.Policy().V1().PodDisruptionBudgets().Lister().PodDisruptionBudgets(namespace).List(labels.Everything())
	for _, b := range list {
		of, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil || b.Status.ObservedGeneration != b.Generation || len(b.Status.DisruptedPods) > 0 {
			return false
		}
		healthy, unsized, owners := int32(0), false, sized(namespace)
		for _, p := range realPods(namespace) {
			if of.Matches(labels.Set(p.Labels)) {
				if read := kube.Pod(p); read.Ready && read.Active() {
					healthy++
				}
				unsized = unsized || !owners[metav1.GetControllerOf(p).UID]
			}
		}
		own := b.Spec.MinAvailable != nil && b.Spec.MinAvailable.Type == intstr.Int
		c := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
		switch failed := c != nil && c.Reason == policyv1.SyncFailedReason; {
		case failed != (unsized && !own):
			return false
		case !failed && b.Status.CurrentHealthy != healthy:
			return false
		}
	}
	return true
}

// sized returns the UIDs of the owners of pods that have a size.
func sized(namespace string) map[types.UID]bool {
	owners, any := map[types.UID]bool{}, labels.Everything()
	sets, _ := real.informers.Apps().V1().ReplicaSets().Lister().ReplicaSets(namespace).List(any)
	for _, o := range sets {
		owners[o.UID] = true
	}
	controllers, _ := real.informers.Core().V1().ReplicationControllers().Lister().ReplicationControllers(namespace).List(any)
	for _, o := range controllers {
		owners[o.UID] = true
	}
	stateful, _ := real.informers.Apps().V1().StatefulSets().Lister().StatefulSets(namespace).List(any)
	for _, o := range stateful {
		owners[o.UID] = true
	}
	return owners
}

// nudging is a patch that does not change the desired state.
func nudging() []byte {
	return fmt.Appendf(nil, `{"metadata":{"annotations":{"e2e.test/nudge":"%d"}}}`, time.Now().UnixNano())
}

// nudgeBudget lets the budget count again, which does not see when an owner of its pods goes.
func nudgeBudget(ctx context.Context, namespace string) {
	_, _ = real.client.PolicyV1().PodDisruptionBudgets(namespace).Patch(ctx, "budget", types.MergePatchType, nudging(), metav1.PatchOptions{})
}

func surges(o *appsv1.DaemonSet) bool {
	limits := o.Spec.UpdateStrategy.RollingUpdate
	return limits != nil && limits.MaxSurge != nil && limits.MaxSurge.IntVal > 0
}

// nudge lets controllers try again at once that wait longer and longer after a refusal, as of surges if a quota makes
// them try again, and look again at some DaemonSets.
func nudge(ctx context.Context, namespace string, retries bool, daemonSets map[string]bool) {
	patch, any := nudging(), labels.Everything()
	core, apps := real.informers.Core().V1(), real.informers.Apps().V1()
	sets, _ := apps.ReplicaSets().Lister().ReplicaSets(namespace).List(any)
	for _, o := range sets {
		if o.Status.Replicas < *o.Spec.Replicas {
			_, _ = real.client.AppsV1().ReplicaSets(namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	}
	controllers, _ := core.ReplicationControllers().Lister().ReplicationControllers(namespace).List(any)
	for _, o := range controllers {
		if o.Status.Replicas < *o.Spec.Replicas {
			_, _ = real.client.CoreV1().ReplicationControllers(namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	}
	stateful, _ := apps.StatefulSets().Lister().StatefulSets(namespace).List(any)
	for _, o := range stateful {
		if o.Status.Replicas < *o.Spec.Replicas {
			_, _ = real.client.AppsV1().StatefulSets(namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	}
	daemons, _ := apps.DaemonSets().Lister().DaemonSets(namespace).List(any)
	for _, o := range daemons {
		st := &o.Status
		if daemonSets[o.Name] || st.CurrentNumberScheduled < st.DesiredNumberScheduled || retries && surges(o) && st.UpdatedNumberScheduled < st.DesiredNumberScheduled {
			_, _ = real.client.AppsV1().DaemonSets(namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	}
}

const leases = corev1.NamespaceNodeLease

// renew renews the lease of a node, which creates it if need be.
func renew(ctx context.Context, node string) error {
	patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, time.Now().UTC().Format(metav1.RFC3339Micro))
	_, err := real.client.CoordinationV1().Leases(leases).Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		_, err = real.client.CoordinationV1().Leases(leases).Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: node},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node, LeaseDurationSeconds: new(int32(40)), RenewTime: new(metav1.NowMicro())},
		}, metav1.CreateOptions{})
	}
	return err
}

// answer lets a node say that it is ready.
func answer(ctx context.Context, node string) error {
	if err := renew(ctx, node); err != nil {
		return err
	}
	now := metav1.Now()
	data, err := json.Marshal(map[string]any{"status": corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: now, LastTransitionTime: now,
	}}}})
	if err != nil {
		return err
	}
	_, err = real.client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	return err
}

// withoutNodes removes objects that wake controllers of other scenarios: DaemonSets and nodes.
func withoutNodes(namespace string) {
	ctx := context.Background()
	_ = real.client.AppsV1().DaemonSets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	_ = real.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: cluster.PoolLabel + "=" + namespace})
}
