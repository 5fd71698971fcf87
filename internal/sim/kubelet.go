package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kplan-go/kplan/podorder"
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

	// NeverReady, if set, tells which pods start but never become ready.
	NeverReady func(podorder.Pod, revision.Template) bool
}

// nodes is how many nodes take turns in running new pods.
const nodes = 5

// A kubelet moves the pods of a cluster through their lives.
type kubelet struct {
	Kubelet
	cluster *Cluster
	queue   *queue
	random  *rand.Rand
	started int // pods scheduled so far
}

func newKubelet(k Kubelet, c *Cluster, q *queue) *kubelet {
	return &kubelet{Kubelet: k, cluster: c, queue: q, random: rand.New(rand.NewPCG(k.Seed, 0))}
}

// adopt takes over a pod: it queues the next transition in the pod's life. The
// time since the last one is unknown, so the wait begins anew.
func (k *kubelet) adopt(p *podorder.Pod) {
	switch {
	case !p.DeletionTimestamp.IsZero():
		k.after(k.TerminateAfter, ended, p.UID)
	case p.Finished() || p.Ready:
	case p.NodeName == "":
		k.after(k.ScheduleAfter, scheduled, p.UID)
	case k.NeverReady == nil || !k.NeverReady(*p, k.templateOf(p)):
		k.after(k.ReadyAfter, ready, p.UID)
	}
}

func (k *kubelet) after(d time.Duration, what transition, pod string) {
	if k.Jitter > 0 {
		d += time.Duration(k.random.Int64N(int64(k.Jitter)))
	}
	k.queue.add(k.cluster.Now.Add(d), what, pod)
}

// handle performs a transition and queues the next one. One that no longer
// applies, because the pod has been deleted meanwhile, does nothing.
func (k *kubelet) handle(e event) {
	p := k.cluster.pod(e.pod)
	switch {
	case p == nil:
	case e.what == ended:
		k.cluster.removePod(e.pod)
	case !p.DeletionTimestamp.IsZero():
	case e.what == scheduled:
		p.NodeName, p.Phase = fmt.Sprintf("node-%d", k.started%nodes+1), podorder.Running
		k.started++
		k.adopt(p)
	case e.what == ready:
		p.Ready, p.ReadySince = true, k.cluster.Now
	}
}

// delete marks a pod as being deleted.
func (k *kubelet) delete(p *podorder.Pod) {
	p.DeletionTimestamp = k.cluster.Now
	k.adopt(p)
}

func (k *kubelet) templateOf(p *podorder.Pod) revision.Template {
	for i := range k.cluster.ReplicaSets {
		if k.cluster.ReplicaSets[i].UID == p.ControllerUID {
			return k.cluster.ReplicaSets[i].Template
		}
	}
	return revision.Template{}
}
