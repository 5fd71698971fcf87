// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/utils/clock"
)

// A NodeDecision is the DaemonSet controller's decision for one node.
type NodeDecision struct {
	Creates  int
	Deletes  []string // in order
	Events   []Event
	Requeues []Requeue
	// Backoff is the delay of the node after the pass, 0 if it has none.
	Backoff time.Duration
}

// OnNode decides which pods of ds to create and delete on a node.
func OnNode(ds *appsv1.DaemonSet, node *corev1.Node, pods map[string][]*corev1.Pod, hash string, failures []Failure) NodeDecision {
	r, dsc := &record{}, &daemon.DaemonSetsController{}
	b := backoffAfter(ds, failures)
	*field[clientrecord.EventRecorder](dsc, "eventRecorder") = r
	*field[workqueue.TypedRateLimitingInterface[string]](dsc, "queue") = &r.queue
	*field[*flowcontrol.Backoff](dsc, "failedPodsBackoff") = b
	creates, deletes := podsOnNode(dsc, node, pods, ds, hash)
	return NodeDecision{len(creates), deletes, r.events, r.queue.added, b.Get(backoffKey(ds, node.Name))}
}

func backoffKey(ds *appsv1.DaemonSet, node string) string {
	return DelayKey(string(ds.UID), ds.Status.ObservedGeneration, node)
}

func newBackoff() *flowcontrol.Backoff { return flowcontrol.NewBackOff(time.Second, 15*time.Minute) }

// backoffAfter returns the backoff table after the failures.
func backoffAfter(ds *appsv1.DaemonSet, failures []Failure) *flowcontrol.Backoff {
	b := newBackoff()
	for _, f := range failures {
		b.Clock = stopped{at: f.At}
		for range f.Times {
			b.Next(backoffKey(ds, f.Node), f.At)
		}
	}
	b.Clock = clock.RealClock{}
	return b
}

// stopped is a clock that always shows the same time.
type stopped struct {
	clock.RealClock
	at time.Time
}

func (s stopped) Now() time.Time { return s.at }

// Budget returns the numbers of nodes that may have a second pod, that may be without a pod, and
// that should run one.
func Budget(ds *appsv1.DaemonSet, nodes []*corev1.Node) (surge, unavailable, desired int, err error) {
	return updatedDesiredNodeCounts(nil, silent, ds, nodes, map[string][]*corev1.Pod{})
}

var silent = quiet()

// NodeEvent reports whether a node that was added (old is nil) or changed makes the DaemonSet
// controller enqueue ds. pods are the pods bound to the node.
func NodeEvent(ds *appsv1.DaemonSet, old, changed *corev1.Node, pods []*corev1.Pod) bool {
	r, dsc := &record{}, &daemon.DaemonSetsController{}
	*field[workqueue.TypedRateLimitingInterface[string]](dsc, "nodeUpdateQueue") = &r.queue
	if old != nil {
		if updateNode(dsc, logr.Discard(), old, changed); !r.queue.asked {
			return false
		}
	}
	sets, nodes, all := newIndexer(), newIndexer(), newIndexer()
	fill(sets, []*appsv1.DaemonSet{ds})
	fill(nodes, []*corev1.Node{changed})
	fill(all, pods)
	all.funcs[controller.PodNodeNameKeyIndex] = func(o any) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil }
	*field[appslisters.DaemonSetLister](dsc, "dsLister") = appslisters.NewDaemonSetLister(sets)
	*field[corelisters.NodeLister](dsc, "nodeLister") = corelisters.NewNodeLister(nodes)
	*field[cache.Indexer](dsc, "podIndexer") = all
	looks := false
	*field[func(*appsv1.DaemonSet)](dsc, "enqueueDaemonSet") = func(*appsv1.DaemonSet) { looks = true }
	if err := syncNodeUpdate(dsc, context.Background(), changed.Name); err != nil {
		panic(err)
	}
	return looks
}

// Delay returns the delay after pods failed at some times, and whether it still applies at now.
// With sweep, expired entries are removed first.
func Delay(failed []time.Time, now time.Time, sweep bool) (delay time.Duration, waits bool) {
	b := newBackoff()
	for _, at := range failed {
		b.Clock = stopped{at: at}
		b.Next("", at)
	}
	b.Clock = stopped{at: now}
	if sweep {
		b.GC()
	}
	return b.Get(""), b.IsInBackOffSinceUpdate("", now)
}
