package sim

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// A store holds the objects of a cluster with their recent past. Objects are never
// changed but replaced, so that whoever has read one keeps what it was.
type store struct {
	version int64        // of the last write
	touched [kinds]int64 // by kind
	counts  [kinds]func(version int64) int
	seen    func(Kind) int64 // the version up to which everybody has seen a kind; nil if nobody waits for that

	deployments   table[Deployment]
	replicaSets   table[replicaset.ReplicaSet]
	pods          table[podorder.Pod]
	daemonSets    table[DaemonSet]
	daemons       table[daemonset.Pod]
	nodes         table[Node]
	revisions     table[revision.ControllerRevision]
	rollouts      table[Rollout]
	batchReleases table[BatchRelease]
	services      table[Service]
	routes        table[rollout.Route]
	ingresses     table[rollout.Ingress]
}

// A key is where an object has its name, UID and resource version. The latter two are
// nil for kinds that have none.
type key struct{ name, uid, version *string }

func newStore() *store {
	s := &store{}
	s.deployments.init(s, KindDeployment, func(o *Deployment) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.replicaSets.init(s, KindReplicaSet, func(o *replicaset.ReplicaSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.pods.init(s, KindPod, func(o *podorder.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemonSets.init(s, KindDaemonSet, func(o *DaemonSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemons.init(s, KindDaemon, func(o *daemonset.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.nodes.init(s, KindNode, func(o *Node) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.revisions.init(s, KindRevision, func(o *revision.ControllerRevision) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.rollouts.init(s, KindRollout, func(o *Rollout) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.batchReleases.init(s, KindBatchRelease, func(o *BatchRelease) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.services.init(s, KindService, func(o *Service) key { return key{name: &o.Name} })
	s.routes.init(s, KindRoute, func(o *rollout.Route) key { return key{name: &o.Name} })
	s.ingresses.init(s, KindIngress, func(o *rollout.Ingress) key { return key{name: &o.Name} })
	return s
}

// state returns what the store holds now.
func (s *store) state() State {
	return State{
		Version: s.version, Deployments: s.deployments.rows, ReplicaSets: s.replicaSets.rows, Pods: s.pods.rows,
		DaemonSets: s.daemonSets.rows, Daemons: s.daemons.rows, Nodes: s.nodes.rows, Revisions: s.revisions.rows,
		Rollouts: s.rollouts.rows, BatchReleases: s.batchReleases.rows, Services: s.services.rows, Routes: s.routes.rows,
		Ingresses: s.ingresses.rows,
	}
}

// behind returns how many changes of a kind there were behind a version.
func (s *store) behind(k Kind, version int64) int {
	if s.touched[k] <= version {
		return 0
	}
	return s.counts[k](version)
}

// A table holds the objects of one kind.
type table[T any] struct {
	kind Kind
	key  func(*T) key
	rows []*T
	past []change[T] // oldest first, the last one led to rows; the first is the start of memory
}

// A change is one write, and what the table holds behind it.
type change[T any] struct {
	version  int64 // of the store, behind the write
	rows     []*T
	old, new *T // nil if the object was created, or removed
}

// memory is how many changes of a kind are remembered at least.
const memory = 48

func (t *table[T]) init(s *store, kind Kind, key func(*T) key) {
	t.kind, t.key = kind, key
	s.counts[kind] = t.behind
	t.past = append(t.past, change[T]{})
}

// put performs a write: old is replaced by new.
func (t *table[T]) put(s *store, old, new *T) {
	s.version++
	rows := make([]*T, len(t.rows), len(t.rows)+1)
	copy(rows, t.rows)
	switch i := slices.Index(rows, old); {
	case old == nil:
		rows = append(rows, new)
	case new == nil:
		rows[i] = rows[len(rows)-1]
		rows = rows[:len(rows)-1]
	default:
		rows[i] = new
	}
	if new != nil {
		if k := t.key(new); k.version != nil {
			*k.version = strconv.FormatInt(s.version, 10)
		}
	}
	t.rows = rows
	if len(t.past) >= 2*memory {
		t.forget(s)
	}
	t.past = append(t.past, change[T]{s.version, rows, old, new})
	s.touched[t.kind] = s.version
}

// forget drops changes that are long past, unless somebody has yet to see them.
func (t *table[T]) forget(s *store) {
	n := len(t.past) - memory
	if s.seen != nil {
		n = min(n, t.index(s.seen(t.kind)))
	}
	t.past = slices.Delete(t.past, 0, n)
}

// named returns the object with the name, or nil.
func (t *table[T]) named(name string) *T { return find(t, t.rows, name) }

func find[T any](t *table[T], rows []*T, name string) *T {
	for _, o := range rows {
		if *t.key(o).name == name {
			return o
		}
	}
	return nil
}

// index returns the number of the last change up to a version of the store, as far
// as it is remembered.
func (t *table[T]) index(version int64) int {
	i := len(t.past) - 1
	for i > 0 && t.past[i].version > version {
		i--
	}
	return i
}

// at returns the objects as of a version of the store.
func (t *table[T]) at(version int64) []*T { return t.past[t.index(version)].rows }

// behind returns how many changes there were behind a version of the store.
func (t *table[T]) behind(version int64) int { return len(t.past) - 1 - t.index(version) }

// between calls f for each change from one version of the store to a later one. With
// skip it sees only the difference between the two, as after a new list.
func (t *table[T]) between(from, to int64, skip bool, f func(old, new *T)) {
	i, j := t.index(from), t.index(to)
	if !skip || j-i < 2 {
		for i++; i <= j; i++ {
			f(t.past[i].old, t.past[i].new)
		}
		return
	}
	before, after := t.past[i].rows, t.past[j].rows
	for _, o := range before {
		if k := t.key(o); find(t, after, *k.name) == nil {
			f(o, nil)
		}
	}
	for _, o := range after {
		if b := find(t, before, *t.key(o).name); b != o {
			f(b, o)
		}
	}
}
