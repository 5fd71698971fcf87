package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A Kubelet is how pods live: how long each part of a pod's life takes. It stands
// for the scheduler as well. The zero Kubelet takes no time for anything.
type Kubelet struct {
	ScheduleAfter  time.Duration // from being created to being assigned to a node
	ReadyAfter     time.Duration // from then to being ready
	TerminateAfter time.Duration // from being deleted to being gone

	// Jitter makes each of these longer by a random time below it; Seed chooses
	// the times.
	Jitter time.Duration
	Seed   uint64

	// ReadyIn, if set, gives the time from being assigned to being ready for a random
	// number of at least 0 and below 1, in place of ReadyAfter and Jitter. [Run] alone
	// reads it.
	ReadyIn func(draw float64) time.Duration

	// Nodes is how many nodes take turns in running new pods; 0 means 5. Names, if set,
	// are the nodes instead. Zones are those that they are in: with some, a [Step] of
	// [Run] tells how many pods run in each.
	Nodes int
	Names []string
	Zones podorder.Domains

	// NeverReady, if set, tells which pods start but never become ready.
	NeverReady func(podorder.Pod, revision.Template) bool
}

// A kubelet moves the pods of a cluster through their lives.
type kubelet struct {
	Kubelet
	cluster *Cluster
	queue   *queue
	random  *rand.Rand
	nodes   []string                   // names
	changed func(controllerUID string) // told of each pod that changes; may be nil
	started int                        // pods scheduled so far
}

func newKubelet(k Kubelet, c *Cluster, q *queue) *kubelet {
	agent := &kubelet{Kubelet: k, cluster: c, queue: q, random: rand.New(rand.NewPCG(k.Seed, 0))}
	for i := range max(k.Nodes, 0) {
		agent.nodes = append(agent.nodes, fmt.Sprintf("node-%d", i+1))
	}
	switch {
	case len(k.Names) > 0:
		agent.nodes = k.Names
	case k.Nodes == 0:
		agent.nodes = []string{"node-1", "node-2", "node-3", "node-4", "node-5"}
	}
	return agent
}

// create creates pods of rs.
func (k *kubelet) create(rs *replicaset.ReplicaSet, count int32) {
	k.cluster.Pods = slices.Grow(k.cluster.Pods, int(count)) // at once, because pods are large
	for range count {
		k.adopt(k.cluster.newPod(rs))
	}
}

// adopt takes over the pod with a number: it queues the next transition in the pod's life. The
// time since the last one is unknown, so the wait begins anew.
func (k *kubelet) adopt(number int32) {
	switch p := k.cluster.pod(number); {
	case !p.DeletionTimestamp.IsZero():
		k.after(k.TerminateAfter, ended, number)
	case p.Finished() || p.Ready:
	case p.NodeName == "":
		k.after(k.ScheduleAfter, scheduled, number)
	case k.NeverReady == nil || !k.NeverReady(*p, k.templateOf(p)):
		k.afterStart(number)
	}
}

// afterStart queues the instant at which a pod that has started becomes ready.
func (k *kubelet) afterStart(pod int32) {
	if k.ReadyIn == nil {
		k.after(k.ReadyAfter, ready, pod)
		return
	}
	k.queue.add(k.cluster.Now.Add(k.ReadyIn(k.random.Float64())), ready, pod)
}

func (k *kubelet) after(d time.Duration, what transition, pod int32) {
	if k.Jitter > 0 {
		d += time.Duration(k.random.Int64N(int64(k.Jitter)))
	}
	k.queue.add(k.cluster.Now.Add(d), what, pod)
}

// handle performs a transition and queues the next one. One that no longer
// applies, because the pod has been deleted meanwhile, does nothing.
func (k *kubelet) handle(e event) {
	p := k.cluster.pod(e.pod)
	if p == nil {
		return
	}
	if k.changed != nil {
		k.changed(p.ControllerUID)
	}
	switch {
	case e.what == ended:
		k.cluster.endPod(e.pod)
	case !p.DeletionTimestamp.IsZero():
	case e.what == scheduled:
		p.NodeName, p.Phase = k.nodes[k.started%len(k.nodes)], podorder.Running
		k.started++
		k.adopt(e.pod)
	case e.what == ready:
		p.Ready, p.ReadySince = true, k.cluster.Now
	}
}

// delete marks the pod with a number as being deleted.
func (k *kubelet) delete(number int32) {
	k.cluster.pod(number).DeletionTimestamp = k.cluster.Now
	k.adopt(number)
}

func (k *kubelet) templateOf(p *podorder.Pod) revision.Template {
	for i := range k.cluster.ReplicaSets {
		if k.cluster.ReplicaSets[i].UID == p.ControllerUID {
			return k.cluster.ReplicaSets[i].Template
		}
	}
	return revision.Template{}
}
