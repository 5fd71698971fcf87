// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	model "github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A pair is a world and a namespace of the real cluster.
type pair struct {
	*testing.T
	ctx       context.Context
	namespace string
	world     *sim.World
	last      state             // of the world, before the current event
	real      map[string]string // names of real pods by the names in the world
	broken    map[string]bool   // labels of pods whose image cannot be pulled
	events    int               // so far, of pods
	at        time.Time         // when the last one was
	busy      bool              // several things happen at once: nothing is compared
	atRest    bool              // all had come to rest before the present event
	retries   bool              // there is a quota, and refused creations are retried
	log       []string

	mu   sync.Mutex
	lost map[string]bool // nodes that do not renew their leases
}

// The stages of pods take long in the world, so that controllers have come to rest before the next, and
// seldom end together.
var stage = model.Between(10_000*time.Second, longest)

const longest = 3_000_000 * time.Second

// longestRetry is the longest delay before controllers retry a refused creation. Until then they
// may not have come to rest.
const longestRetry = 1000 * time.Second

// newPair makes a namespace with nodes, a quota and a budget, and a world of them.
func newPair(t *testing.T, namespace string, nodes int, room int64, limits ...kube.Object) *pair {
	p := &pair{T: t, ctx: t.Context(), namespace: namespace, real: map[string]string{}, broken: map[string]bool{}, lost: map[string]bool{}}
	_, err := real.client.CoreV1().Namespaces().Create(p.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { withoutNodes(namespace) })
	var objects []kube.Object
	for i := range nodes {
		name := fmt.Sprintf("%s-%d", namespace, i)
		require.NoError(t, renew(p.ctx, name))
		n, err := real.client.CoreV1().Nodes().Create(p.ctx, node(name, namespace, room), metav1.CreateOptions{})
		require.NoError(t, err)
		objects = append(objects, n)
	}
	go p.renew()
	for _, o := range limits {
		if _, ok := o.(*corev1.ResourceQuota); ok {
			p.retries = true
		}
		stored, err := write(p.ctx, o, false)
		require.NoError(t, err)
		objects = append(objects, stored)
	}
	s, err := kube.World(objects)
	require.NoError(t, err)
	p.world, err = sim.New(s, sim.Config{
		Times: model.Times{Schedule: stage, Ready: stage, End: stage}, Place: place,
		Trace: p.trace, Observe: p.observe, PlanReplicaSet: p.planReplicaSet, PlanDaemonSet: p.planDaemonSet,
	})
	require.NoError(t, err)
	p.rest()
	return p
}

// renew renews the leases of nodes that are not lost.
func (p *pair) renew() {
	for range time.Tick(cluster.NodeGrace / 5) {
		if p.ctx.Err() != nil {
			return
		}
		for _, n := range realNodes(p.namespace) {
			p.mu.Lock()
			lost := p.lost[n.Name]
			p.mu.Unlock()
			if !lost {
				_ = renew(p.ctx, n.Name)
			}
		}
	}
}

// trace logs the actions of the world's controllers, if only some scenarios are played.
func (p *pair) trace(line string) {
	if p.world != nil && os.Getenv("KPLAN_SCENARIO") != "" {
		p.note("  %v %s", p.world.Now().Sub(p.world.Start()), line)
	}
}

func (p *pair) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

// observe is told of each change in the world. If that is one of the scheduler or of a kubelet, the real
// pod changes as well, once both clusters are equal.
func (p *pair) observe(c sim.Change) {
	if p.world == nil {
		return
	}
	switch {
	case c.Kind != sim.KindPod:
	case c.Verb == sim.Started: // at once after it was bound
		require.NoError(p, p.follow(c), "%s %s", c.Name, c.Verb)
	case c.Verb == sim.Scheduled, c.Verb == sim.Ready, c.Verb == sim.Remove && c.By == "kubelet":
		if p.atRest = !p.busy && (!p.retries || c.Time.Sub(p.at) > longestRetry); p.atRest {
			p.compare()
		}
		p.events++
		p.at = c.Time
		p.note("%s %s", plain(c.Name), c.Verb)
		require.NoError(p, p.follow(c), "%s %s", c.Name, c.Verb)
	}
	p.last = simulated(p.world)
}

// follow makes the change of a pod in the world to the real pod.
func (p *pair) follow(c sim.Change) error {
	name, known := p.real[c.Name]
	if !known {
		return fmt.Errorf("there is no real pod")
	}
	switch c.Verb {
	case sim.Scheduled:
		to := podOf(c.Object).NodeName
		if p.atRest {
			require.Equal(p, to, p.chooses(name), "the node of %s", name)
		}
		if err := bind(p.ctx, p.namespace, name, to); err != nil || !p.broken[versioned(podOf(c.Object).Labels)] {
			return err
		}
		return patchStatus(p.ctx, p.namespace, name, unready(false))
	case sim.Started:
		return patchStatus(p.ctx, p.namespace, name, unready(true))
	case sim.Ready:
		return beReady(p.ctx, p.namespace, name)
	}
	return end(p.ctx, p.namespace, name)
}

func podOf(o any) *podorder.Pod {
	if d, ok := o.(*daemonset.Pod); ok {
		return &d.Pod
	}
	return o.(*podorder.Pod)
}

// pass lets time pass in the world until so many things have happened to pods, and controllers rest.
func (p *pair) pass(n int) {
	for until, since := p.events+n, p.world.Now(); p.events < until && p.world.Now().Sub(since) < 2*longest; {
		before := p.events
		require.NoError(p, p.world.Run(p.world.Now().Add(4*longestRetry)))
		if p.events > before {
			since = p.world.Now()
		}
	}
	p.rest()
}

// rest lets controllers come to rest, and compares.
func (p *pair) rest() {
	require.NoError(p, p.world.Run(p.world.Now().Add(2*longestRetry)))
	p.last = simulated(p.world)
	p.compare()
}

// lose lets a node not answer any more, until its pods have been evicted.
func (p *pair) lose(node string) {
	p.note("%s does not answer", node)
	p.mu.Lock()
	p.lost[node] = true
	p.mu.Unlock()
	p.busy = true
	p.world.Answers(node, false)
	require.NoError(p, p.world.Run(p.world.Now().Add(time.Minute)))
	p.busy = false
	require.Eventually(p, func() bool { return evicts(p.namespace, node) }, waitLimit, 15*time.Millisecond, "%s is not lost", node)
	p.rest()
}

// answer lets a node answer again.
func (p *pair) answer(node string) {
	p.note("%s answers", node)
	p.mu.Lock()
	p.lost[node] = false
	p.mu.Unlock()
	require.NoError(p, answer(p.ctx, node))
	p.busy = true
	p.world.Answers(node, true)
	require.NoError(p, p.world.Run(p.world.Now().Add(time.Minute)))
	p.busy = false
	p.rest()
}

// older reports whether all real pods are of an earlier second than now, so that it is known which of two pods of a
// node a DaemonSet counts: their creation times are full seconds.
func (p *pair) older() bool {
	return !slices.ContainsFunc(realPods(p.namespace), func(o *corev1.Pod) bool { return !o.CreationTimestamp.Add(time.Second).Before(time.Now()) })
}

// put applies a workload.
func (p *pair) put(w *workload, exists bool) {
	p.note("apply %s %s v%d replicas %d broken %t", w.kind, w.name, w.version, w.replicas, w.broken)
	require.Eventually(p, p.older, waitLimit, 15*time.Millisecond)
	stored, err := write(p.ctx, w.object(p.namespace), exists)
	require.NoError(p, err)
	s, err := kube.World([]kube.Object{stored})
	require.NoError(p, err)
	p.broken[fmt.Sprintf("%s/v%d", w.name, w.version)] = w.broken
	for id, t := range s.Templates {
		t.NeverStarts = w.broken
		p.world.PutTemplate(id, t)
	}
	for _, o := range s.Deployments {
		require.NoError(p, p.world.Put(o))
	}
	for _, o := range slices.Concat(s.ReplicaSets, s.ReplicationControllers) {
		require.NoError(p, p.world.Put(o))
	}
	for _, o := range s.DaemonSets {
		require.NoError(p, p.world.Put(o))
	}
	for _, o := range s.Sets {
		require.NoError(p, p.world.Put(o))
	}
	p.rest()
}

// drop deletes a workload.
func (p *pair) drop(w *workload) {
	p.note("delete %s %s", w.kind, w.name)
	require.NoError(p, remove(p.ctx, w.object(p.namespace)))
	kind := sim.Kind(w.kind)
	switch w.kind {
	case recreate:
		kind = sim.KindDeployment
	case statefulSet:
		kind = sim.KindSet
	}
	require.True(p, p.world.Delete(kind, p.namespace+"/"+w.name))
	p.rest()
}

// evict asks both clusters to evict a pod. The answers must be the same.
func (p *pair) evict(name string) {
	for nudged, end := time.Now(), time.Now().Add(waitLimit); !budgetsCount(p.namespace); time.Sleep(15 * time.Millisecond) {
		require.True(p, time.Now().Before(end), "budgets do not count\n%s", strings.Join(p.log, "\n"))
		if time.Since(nudged) > 500*time.Millisecond {
			nudgeBudget(p.ctx, p.namespace)
			nudged = time.Now()
		}
	}
	refusal := p.world.Evict(name)
	p.note("evict %s: %v", plain(name), refusal)
	granted, err := evict(p.ctx, p.namespace, p.real[name])
	for end := time.Now().Add(5 * time.Second); refusal == nil && !granted && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		granted, err = evict(p.ctx, p.namespace, p.real[name])
	}
	require.NoError(p, err)
	require.Equal(p, refusal == nil, granted, "the eviction of %s: in the world %v\n%s", name, refusal, strings.Join(p.log, "\n"))
	p.rest()
}

// fail lets a pod fail in both clusters.
func (p *pair) fail(name string) {
	p.note("fail %s", plain(name))
	status := corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()}}}
	require.NoError(p, patchStatus(p.ctx, p.namespace, p.real[name], status))
	require.True(p, p.world.Fail(name))
	p.rest()
}

// remove deletes a pod in both clusters.
func (p *pair) remove(name string) {
	p.note("delete %s", plain(name))
	require.NoError(p, real.client.CoreV1().Pods(p.namespace).Delete(p.ctx, p.real[name], metav1.DeleteOptions{}))
	require.True(p, p.world.Delete(sim.KindPod, name))
	p.rest()
}

// finish lets all happen that still does, and compares the ends, which must last.
func (p *pair) finish() {
	p.pass(1000)
	time.Sleep(300 * time.Millisecond)
	p.compare()
	for _, o := range realPods(p.namespace) {
		if o.Spec.NodeName == "" {
			require.Empty(p, p.chooses(o.Name), "a node for %s, which waits", o.Name)
		}
	}
}
