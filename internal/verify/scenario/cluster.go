// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// epoch is the start of each cluster. Any instant would do.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Planners plan for the controllers.
type Planners struct {
	Deployment func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	ReplicaSet func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	DaemonSet  func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
}

// Ours are the planners of the packages deploy, replicaset and daemonset.
func Ours() Planners {
	return Planners{deploy.Reconcile, replicaset.Reconcile, daemonset.Reconcile}
}

// A Cluster holds the objects of a namespace and the nodes, with the controllers and kubelets.
type Cluster struct {
	planners Planners
	now      time.Time
	serial   int            // of UIDs
	created  map[string]int // pods so far, by the name of their owner

	// The lists are sorted by name.
	deployments []*deploy.Deployment
	replicaSets []*replicaset.ReplicaSet
	daemonSets  []*daemonset.DaemonSet
	revisions   []*revision.ControllerRevision
	nodes       []*node
	pods        []*daemonset.Pod // of all owners

	ended             map[string]bool // UIDs of deleted owners
	kubelet           kubelet
	quota             int // how many pods the namespace admits, below 0 any number
	deploymentOptions deploy.Options
	replicaSetOptions replicaset.Options

	backoff map[string]daemonset.Backoff // by DaemonSet, in the memory of its controller
	wake    map[string]time.Time         // when controllers run again

	out    strings.Builder
	ranges map[string]*span // most and fewest pods of workloads during a run
}

// A node is a node of the cluster, and whether it has room for pods.
type node struct {
	daemonset.Node
	full bool
}

// A kubelet describes the life of pods. It stands for the scheduler as well.
type kubelet struct {
	off        bool
	ready, end time.Duration // from creation to readiness, and from deletion to the end; below 0 never
	never      []string      // templates whose pods are never ready
}

// New returns an empty cluster in which pods are ready at once and end at once.
func New(planners Planners) *Cluster {
	c := &Cluster{planners: planners}
	c.reset()
	return c
}

func (c *Cluster) reset() {
	*c = Cluster{planners: c.planners, now: epoch, quota: -1, created: map[string]int{}, ended: map[string]bool{}}
	c.forget()
}

// forget drops the memory of the controllers, as a restart does.
func (c *Cluster) forget() {
	c.backoff, c.wake = map[string]daemonset.Backoff{}, map[string]time.Time{}
}

func (c *Cluster) newUID() string {
	c.serial++
	return "uid-" + strconv.Itoa(c.serial)
}

// printf adds a line to the output.
func (c *Cluster) printf(format string, args ...any) {
	fmt.Fprintf(&c.out, "%-5v ", c.now.Sub(epoch))
	fmt.Fprintf(&c.out, format+"\n", args...)
}

// find returns the object of a list with the name, or nil.
func find[T any](list []*T, name func(*T) string, want string) *T {
	if i := slices.IndexFunc(list, func(o *T) bool { return name(o) == want }); i >= 0 {
		return list[i]
	}
	return nil
}

// insert adds an object to a list that is sorted by name.
func insert[T any](list *[]*T, name func(*T) string, o *T) {
	i, _ := slices.BinarySearchFunc(*list, name(o), func(o *T, n string) int { return cmp.Compare(name(o), n) })
	*list = slices.Insert(*list, i, o)
}

// drop removes an object from a list.
func drop[T any](list *[]*T, o *T) {
	*list = slices.DeleteFunc(*list, func(other *T) bool { return other == o })
}

func deploymentName(o *deploy.Deployment) string         { return o.Name }
func replicaSetName(o *replicaset.ReplicaSet) string     { return o.Name }
func daemonSetName(o *daemonset.DaemonSet) string        { return o.Name }
func revisionName(o *revision.ControllerRevision) string { return o.Name }
func nodeName(o *node) string                            { return o.Name }
func podName(o *daemonset.Pod) string                    { return o.Name }

// values returns copies of the objects of a list of pointers.
func values[T any](list []*T) []T {
	out := make([]T, len(list))
	for i, o := range list {
		out[i] = *o
	}
	return out
}

// replicaPods returns all pods as inputs of package replicaset.
func (c *Cluster) replicaPods() []podorder.Pod {
	pods := make([]podorder.Pod, len(c.pods))
	for i, p := range c.pods {
		pods[i] = p.Pod
	}
	return pods
}

// admits reports whether the quota leaves room for a pod. Pods that have finished do not
// count.
func (c *Cluster) admits() bool {
	n := 0
	for _, p := range c.pods {
		if !p.Finished() {
			n++
		}
	}
	return c.quota < 0 || n < c.quota
}

// createPod stores a new pod under a unique name made from the name of its owner.
func (c *Cluster) createPod(p daemonset.Pod) string {
	c.created[p.ControllerName]++
	p.Name, p.UID = p.ControllerName+"-"+strconv.Itoa(c.created[p.ControllerName]), c.newUID()
	insert(&c.pods, podName, &p)
	return p.Name
}

// deletePod deletes a pod for the garbage collector. It carries out the deletion as an action,
// which is never refused for an existing pod.
func (c *Cluster) deletePod(p *daemonset.Pod) {
	_ = c.onReplicaPod(&replicaset.ReplicaSet{}, p.Name, replicaset.DeletePod{Name: p.Name, UID: p.UID})
}

// onReplicaPod carries out an action of a ReplicaSet on the pod with a name.
func (c *Cluster) onReplicaPod(rs *replicaset.ReplicaSet, name string, a replicaset.Action) error {
	s, p := replicaset.Snapshot{ReplicaSet: *rs}, find(c.pods, podName, name)
	if p != nil {
		s.Pods = []podorder.Pod{p.Pod}
	}
	next, err := replicaset.Apply(s, a, c.now)
	switch {
	case err != nil:
	case len(next.Pods) == 0:
		c.dropPod(p)
	default:
		p.Pod = next.Pods[0]
	}
	return err
}

// dropPod removes a pod that an action has ended at once, unless pods never end in this
// cluster.
func (c *Cluster) dropPod(p *daemonset.Pod) {
	if c.kubelet.end >= 0 {
		drop(&c.pods, p)
	} else {
		p.DeletionTimestamp = c.now
	}
}
