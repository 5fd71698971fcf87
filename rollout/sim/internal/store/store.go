// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A Store holds the objects of a cluster.
type Store struct {
	Deployments            Table[Deployment]
	ReplicaSets            Table[replicaset.ReplicaSet]
	Pods                   Table[Pod]
	DaemonSets             Table[DaemonSet]
	Nodes                  Table[Node]
	Revisions              Table[revision.ControllerRevision]
	Sets                   Table[Set]
	Rollouts               Table[Rollout]
	BatchReleases          Table[BatchRelease]
	Services               Table[Service]
	Routes                 Table[traffic.Route]
	Ingresses              Table[traffic.Ingress]
	Objects                Table[cluster.Object]
	ArgoRollouts           Table[cluster.ArgoRollout]
	ReplicationControllers Table[replicaset.ReplicaSet]

	version  int64
	recurred int64 // writes; see Progress
	touched  View
	serial   int // of UIDs
	readers  []*View
	behind   [Kinds]func(version int64) int
	observe  []func(Write)
	owners   map[string]bool // UIDs of objects that may own others, true while they are there
}

// A Cause is the writer of an object, and the reason.
type Cause struct {
	By     Role
	Verb   Verb
	Action fmt.Stringer // of a plan, nil if no planner has planned it
	Stage  Stage        // of the life of a pod that begins, or ""
}

// A Write is a write, or a stage in the life of a pod that changes nothing that is stored.
type Write struct {
	Cause
	Kind      Kind
	Name, UID string
	Object    any // a pointer to the object as it is now or, if it is gone, was last; nil if nothing is stored
}

// New returns an empty store.
func New() *Store {
	s := &Store{owners: map[string]bool{}}
	s.Deployments.init(s, KindDeployment, func(o *Deployment) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.OwnerUID} })
	metaOfSet := func(o *replicaset.ReplicaSet) Meta {
		return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.ControllerUID}
	}
	s.ReplicaSets.init(s, KindReplicaSet, metaOfSet)
	s.ReplicationControllers.init(s, KindReplicationController, metaOfSet)
	s.Pods.init(s, KindPod, func(o *Pod) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.ControllerUID} })
	s.DaemonSets.init(s, KindDaemonSet, func(o *DaemonSet) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, nil} })
	s.Nodes.init(s, KindNode, func(o *Node) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, nil} })
	s.Revisions.init(s, KindRevision, func(o *revision.ControllerRevision) Meta {
		return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.ControllerUID}
	})
	s.Sets.init(s, KindSet, func(o *Set) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, nil} })
	s.Rollouts.init(s, KindRollout, func(o *Rollout) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, nil} })
	s.BatchReleases.init(s, KindBatchRelease, func(o *BatchRelease) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.OwnerUID} })
	s.Services.init(s, KindService, func(o *Service) Meta { return Meta{&o.Name, nil, nil, &o.OwnerUID} })
	s.Routes.init(s, KindRoute, func(o *traffic.Route) Meta { return Meta{Name: &o.Name} })
	s.Ingresses.init(s, KindIngress, func(o *traffic.Ingress) Meta { return Meta{Name: &o.Name} })
	s.Objects.init(s, KindObject, func(o *cluster.Object) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, &o.ControllerUID} })
	s.ArgoRollouts.init(s, KindArgoRollout, func(o *cluster.ArgoRollout) Meta { return Meta{&o.Name, &o.UID, &o.ResourceVersion, nil} })
	recurring(&s.Rollouts)
	recurring(&s.BatchReleases)
	return s
}

// ReplicaTables returns the tables of ReplicaSets and ReplicationControllers.
func (s *Store) ReplicaTables() [2]*Table[replicaset.ReplicaSet] {
	return [...]*Table[replicaset.ReplicaSet]{&s.ReplicaSets, &s.ReplicationControllers}
}

// ReplicaTable returns the table of ReplicationControllers for their kind, and that of ReplicaSets for
// another.
func (s *Store) ReplicaTable(kind string) *Table[replicaset.ReplicaSet] {
	if kind == replicaset.KindController {
		return &s.ReplicationControllers
	}
	return &s.ReplicaSets
}

// ReplicaSetOf returns the ReplicaSet or ReplicationController of a pod, or nil.
func (s *Store) ReplicaSetOf(p *Pod) *replicaset.ReplicaSet {
	for _, t := range s.ReplicaTables() {
		if rs := t.Get(p.ControllerName); rs != nil && rs.UID == p.ControllerUID {
			return rs
		}
	}
	return nil
}

// Version is the version of the last write, and Touched the version of the last one of a kind.
func (s *Store) Version() int64       { return s.version }
func (s *Store) Touched(k Kind) int64 { return s.touched[k] }
func (s *Store) Behind(k Kind, version int64) int {
	if s.touched[k] <= version {
		return 0
	}
	return s.behind[k](version)
}

// Latest is the view of a reader that sees all.
func (s *Store) Latest() (v View) {
	for k := range v {
		v[k] = s.version
	}
	return v
}

// AddReader keeps changes until a reader has seen them. The reader keeps the view up to date, and
// calls [Unread] for the kinds that it does not read.
func (s *Store) AddReader(v *View) { s.readers = append(s.readers, v) }

// DropReader forgets a reader.
func (s *Store) DropReader(v *View) {
	for i, r := range s.readers {
		if r == v {
			s.readers = append(s.readers[:i:i], s.readers[i+1:]...)
			return
		}
	}
}

// Unread is the version of a kind that a reader does not read.
const Unread = int64(1<<63 - 1)

// seen is the version up to which all readers have seen a kind.
func (s *Store) seen(k Kind) int64 {
	least := s.version
	for _, v := range s.readers {
		least = min(least, v[k])
	}
	return least
}

// Observe registers a function to call for each event, after all that watch the table.
func (s *Store) Observe(f func(Write)) { s.observe = append(s.observe, f) }

// Tell calls the observers for a stage that changes no stored object.
func (s *Store) Tell(e Write) {
	for _, f := range s.observe {
		f(e)
	}
}

func (s *Store) wrote(c Cause, k Kind, m Meta, object any) {
	e := Write{Cause: c, Kind: k, Name: *m.Name, Object: object}
	if m.UID != nil {
		e.UID = *m.UID
	}
	if k != KindPod && e.UID != "" && (c.Verb == Create || c.Verb == Remove) {
		s.owners[e.UID] = c.Verb == Create
	}
	s.Tell(e)
}

// Lost reports whether an owner was there and is gone.
func (s *Store) Lost(uid string) bool {
	there, known := s.owners[uid]
	return uid != "" && known && !there
}

// uidPrefix is the beginning of the UIDs of new objects, before their number.
const uidPrefix = "sim-"

// NewUID returns a UID that no object has had.
func (s *Store) NewUID() string {
	s.serial++
	return uidPrefix + strconv.Itoa(s.serial)
}

// Taken notes a UID that an object came with.
func (s *Store) Taken(uid string) {
	if digits, ok := strings.CutPrefix(uid, uidPrefix); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			s.serial = max(s.serial, n)
		}
	}
}
