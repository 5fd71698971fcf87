package sim

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/traffic"
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
	routes        table[traffic.Route]
	ingresses     table[traffic.Ingress]
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
	s.routes.init(s, KindRoute, func(o *traffic.Route) key { return key{name: &o.Name} })
	s.ingresses.init(s, KindIngress, func(o *traffic.Ingress) key { return key{name: &o.Name} })
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

// A table holds the objects of one kind, and how they have changed: what it held before
// is what it holds now, less its last changes.
type table[T any] struct {
	kind   Kind
	key    func(*T) key
	rows   []*T           // changed in place: who removes some while going through them needs a copy
	places map[string]int // in rows, by name
	past   []change[T]    // oldest first; the first is the start of memory
}

// A change is one write.
type change[T any] struct {
	version  int64 // of the store, behind the write
	place    int   // in the rows
	old, new *T    // nil if the object was created, or removed
}

// memory is how many changes of a kind are remembered at least.
const memory = 48

func (t *table[T]) init(s *store, kind Kind, key func(*T) key) {
	t.kind, t.key, t.places = kind, key, map[string]int{}
	s.counts[kind] = t.behind
	t.past = append(t.past, change[T]{})
}

// put performs a write: old is replaced by new. An object that is removed leaves its
// place to the last one.
func (t *table[T]) put(s *store, old, new *T) {
	s.version++
	c := change[T]{s.version, len(t.rows), old, new}
	if old != nil {
		c.place = t.places[*t.key(old).name]
	}
	switch last := len(t.rows) - 1; {
	case old == nil:
		t.rows = append(t.rows, new)
		t.places[*t.key(new).name] = c.place
	case new == nil:
		t.rows[c.place] = t.rows[last]
		t.places[*t.key(t.rows[last]).name] = c.place
		delete(t.places, *t.key(old).name)
		t.rows = t.rows[:last]
	default:
		t.rows[c.place] = new
	}
	if new != nil {
		if k := t.key(new); k.version != nil {
			*k.version = strconv.FormatInt(s.version, 10)
		}
	}
	if len(t.past) >= 2*memory {
		t.forget(s)
	}
	t.past = append(t.past, c)
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
func (t *table[T]) named(name string) *T {
	if i, ok := t.places[name]; ok {
		return t.rows[i]
	}
	return nil
}

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
	i, _ := slices.BinarySearchFunc(t.past, version+1, func(c change[T], v int64) int { return cmp.Compare(c.version, v) })
	return max(i-1, 0)
}

// at returns the objects as of a version of the store. They are valid until the next write.
func (t *table[T]) at(version int64) []*T {
	later := t.past[t.index(version)+1:]
	if len(later) == 0 {
		return t.rows
	}
	rows := slices.Clone(t.rows)
	for _, c := range slices.Backward(later) {
		switch {
		case c.old == nil:
			rows = rows[:len(rows)-1]
		case c.new == nil:
			rows = append(rows, c.old)
			last := len(rows) - 1
			rows[c.place], rows[last] = rows[last], rows[c.place]
		default:
			rows[c.place] = c.old
		}
	}
	return rows
}

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
	before, after := t.at(from), t.at(to)
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
