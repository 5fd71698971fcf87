// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
)

// MissingImage is the tag of images that cannot be pulled: pods with one never run.
const MissingImage = ":missing"

// PoolLabel is the label of nodes with the name of their pool.
const PoolLabel = "e2e.test/pool"

// A Behaviour is the behavior of pods in a namespace. With the zero Behaviour, pods start and end
// at once, and run on nodes that do not exist.
type Behaviour struct {
	Pool      string        // the nodes for pods without a node
	Ready     time.Duration // from the creation of a pod until it is ready; negative means never
	Room      int           // number of pods that fit on the nodes; 0 means any number
	Terminate time.Duration // from its deletion until it is gone; negative means never
}

// A Kubelet schedules pods and simulates running them.
type Kubelet struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]

	mu         sync.Mutex
	behaviours map[string]Behaviour
	next       map[string]int                // by namespace: number of scheduled pods
	asked      map[string]time.Time          // by UID: begin of the start, or of the end
	taken      map[string]map[types.UID]bool // by namespace: the pods that have room
}

// StartKubelet starts the scheduler and kubelets of all nodes.
func StartKubelet(ctx context.Context, cfg *rest.Config) (*Kubelet, error) {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	k := &Kubelet{
		client: client, pods: pods.Lister(), nodes: factory.Core().V1().Nodes().Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](
			5*time.Millisecond, time.Second)),
		behaviours: map[string]Behaviour{}, next: map[string]int{}, asked: map[string]time.Time{},
		taken: map[string]map[types.UID]bool{},
	}
	enqueue := func(o any) { k.queue.Add(cache.MetaObjectToName(o.(metav1.Object))) }
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, o any) { enqueue(o) },
	}); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range 32 {
		go k.work(ctx)
	}
	context.AfterFunc(ctx, k.queue.ShutDown)
	return k, nil
}

// Behave sets the behavior of pods in a namespace from now on.
func (k *Kubelet) Behave(namespace string, b Behaviour) {
	k.mu.Lock()
	k.behaviours[namespace] = b
	k.mu.Unlock()
	pods, _ := k.pods.Pods(namespace).List(labels.Everything())
	for _, p := range pods {
		k.queue.Add(cache.MetaObjectToName(p))
	}
}

// Behaviour returns the behavior of pods in a namespace.
func (k *Kubelet) Behaviour(namespace string) Behaviour {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.behaviours[namespace]
}

func (k *Kubelet) work(ctx context.Context) {
	for {
		name, stopped := k.queue.Get()
		if stopped {
			return
		}
		err := k.sync(ctx, name)
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			k.queue.Forget(name) // a change triggers the next pass
		} else {
			k.queue.AddRateLimited(name)
		}
		k.queue.Done(name)
	}
}

func (k *Kubelet) sync(ctx context.Context, name cache.ObjectName) error {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return err
	}
	b := k.Behaviour(name.Namespace)
	switch {
	case pod.DeletionTimestamp != nil:
		if !k.due(pod, "end", b.Terminate) {
			return nil
		}
		return k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	case pod.Spec.NodeName == "":
		return k.bind(ctx, pod)
	case pod.Status.Phase != corev1.PodPending:
		return nil
	case broken(pod):
		return k.status(ctx, pod, false)
	case k.due(pod, "start", b.Ready):
		return k.status(ctx, pod, true)
	}
	return nil
}

// due reports whether the wait is over that the first call for a pod began; otherwise it enqueues
// the pod for its end.
func (k *Kubelet) due(pod *corev1.Pod, what string, wait time.Duration) bool {
	if wait <= 0 {
		return wait == 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := string(pod.UID) + what
	since, asked := k.asked[key]
	if !asked {
		since = time.Now()
		k.asked[key] = since
	}
	left := time.Until(since.Add(wait))
	if left > 0 {
		k.queue.AddAfter(cache.MetaObjectToName(pod), left)
	}
	return left <= 0
}

func broken(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(c corev1.Container) bool { return strings.HasSuffix(c.Image, MissingImage) })
}

func (k *Kubelet) bind(ctx context.Context, pod *corev1.Pod) error {
	if !k.fits(pod, k.Behaviour(pod.Namespace).Room) {
		k.queue.AddAfter(cache.MetaObjectToName(pod), 50*time.Millisecond) // until there is room
		return k.unschedulable(ctx, pod)
	}
	node, err := daemonutil.GetTargetNodeName(pod)
	if err != nil {
		if node = k.schedule(pod.Namespace, k.Behaviour(pod.Namespace).Pool); node == "" {
			k.queue.AddAfter(cache.MetaObjectToName(pod), 50*time.Millisecond) // until there is a node
			return nil
		}
	}
	return k.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}

// fits reports whether there is room for a pod, and reserves it.
func (k *Kubelet) fits(pod *corev1.Pod, room int) bool {
	if room == 0 {
		return true
	}
	pods, _ := k.pods.Pods(pod.Namespace).List(labels.Everything())
	k.mu.Lock()
	defer k.mu.Unlock()
	taken := map[types.UID]bool{}
	for _, p := range pods {
		if p.Spec.NodeName != "" || k.taken[pod.Namespace][p.UID] {
			taken[p.UID] = true
		}
	}
	k.taken[pod.Namespace] = taken
	if !taken[pod.UID] && len(taken) >= room {
		return false
	}
	taken[pod.UID] = true
	return true
}

// unschedulable reports in the status that there is no room for a pod.
func (k *Kubelet) unschedulable(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Status.Conditions) > 0 {
		return nil // reported before
	}
	updated := pod.DeepCopy()
	updated.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: "0/10 nodes are available: 10 Insufficient cpu.", LastTransitionTime: metav1.Now(),
	}}
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// schedule returns the next node of a pool in turn, or "" if none is free.
func (k *Kubelet) schedule(namespace, pool string) string {
	var names []string
	if pool == "" {
		for i := range 10 {
			names = append(names, fmt.Sprintf("node-%d", i))
		}
	} else {
		own, _ := k.nodes.List(labels.SelectorFromSet(labels.Set{PoolLabel: pool}))
		for _, n := range own {
			if !n.Spec.Unschedulable && len(n.Spec.Taints) == 0 {
				names = append(names, n.Name)
			}
		}
		slices.Sort(names)
	}
	if len(names) == 0 {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next[namespace]++
	return names[k.next[namespace]%len(names)]
}

// status reports that a pod runs and is ready, or that its images cannot be pulled.
func (k *Kubelet) status(ctx context.Context, pod *corev1.Pod, ready bool) error {
	if !ready && len(pod.Status.ContainerStatuses) > 0 {
		return nil // reported before
	}
	now, answer := metav1.Now(), corev1.ConditionFalse
	updated := pod.DeepCopy()
	updated.Status.StartTime = &now
	if ready {
		updated.Status.Phase, answer = corev1.PodRunning, corev1.ConditionTrue
	}
	updated.Status.Conditions = nil
	for _, t := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		c := corev1.PodCondition{Type: t, Status: answer, LastTransitionTime: now}
		if t == corev1.PodScheduled || t == corev1.PodInitialized {
			c.Status = corev1.ConditionTrue
		}
		updated.Status.Conditions = append(updated.Status.Conditions, c)
	}
	for _, c := range pod.Spec.Containers {
		s := corev1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: ready, Started: new(ready)}
		if ready {
			s.State.Running = &corev1.ContainerStateRunning{StartedAt: now}
		} else {
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image: " + c.Image}
		}
		updated.Status.ContainerStatuses = append(updated.Status.ContainerStatuses, s)
	}
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}
