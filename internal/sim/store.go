// SPDX-License-Identifier: Apache-2.0

package sim

import (
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
	numbers [kinds]func(name string) int32
	// Objects that are not versioned keep the resource versions that they came with.
	unversioned bool
	seen        func(Kind) int64 // the version up to which everybody has seen a kind; nil if nobody waits for that

	deployments   table[Deployment]
	replicaSets   table[replicaset.ReplicaSet]
	pods          table[podorder.Pod]
	daemonSets    table[DaemonSet]
	daemons       table[daemonset.Pod]
	nodes         table[Node]
	revisions     table[revision.ControllerRevision]
	sets          table[Set]
	rollouts      table[Rollout]
	batchReleases table[BatchRelease]
	services      table[Service]
	routes        table[traffic.Route]
	ingresses     table[traffic.Ingress]
	things        table[Thing]
	argos         table[ArgoRollout]
}

func newStore() *store {
	s := &store{}
	s.deployments.init(s, KindDeployment, func(o *Deployment) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.replicaSets.init(s, KindReplicaSet, func(o *replicaset.ReplicaSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.pods.init(s, KindPod, func(o *podorder.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemonSets.init(s, KindDaemonSet, func(o *DaemonSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemons.init(s, KindDaemon, func(o *daemonset.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.nodes.init(s, KindNode, func(o *Node) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.revisions.init(s, KindRevision, func(o *revision.ControllerRevision) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.sets.init(s, KindSet, func(o *Set) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.rollouts.init(s, KindRollout, func(o *Rollout) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.batchReleases.init(s, KindBatchRelease, func(o *BatchRelease) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.services.init(s, KindService, func(o *Service) key { return key{name: &o.Name} })
	s.routes.init(s, KindRoute, func(o *traffic.Route) key { return key{name: &o.Name} })
	s.ingresses.init(s, KindIngress, func(o *traffic.Ingress) key { return key{name: &o.Name} })
	s.things.init(s, KindThing, func(o *Thing) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.argos.init(s, KindArgoRollout, func(o *ArgoRollout) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	return s
}

// state returns what the store holds now.
func (s *store) state() State {
	return State{
		Version: s.version, Deployments: s.deployments.all(), ReplicaSets: s.replicaSets.all(), Pods: s.pods.all(),
		DaemonSets: s.daemonSets.all(), Daemons: s.daemons.all(), Nodes: s.nodes.all(), Revisions: s.revisions.all(),
		Sets:     s.sets.all(),
		Rollouts: s.rollouts.all(), BatchReleases: s.batchReleases.all(), Services: s.services.all(), Routes: s.routes.all(),
		Ingresses: s.ingresses.all(), Things: s.things.all(),
	}
}

// number returns the number of an object, by which those of a kind are in the order of
// their creation.
func (s *store) number(k Kind, name string) int32 { return s.numbers[k](name) }

// behind returns how many changes of a kind there were behind a version.
func (s *store) behind(k Kind, version int64) int {
	if s.touched[k] <= version {
		return 0
	}
	return s.counts[k](version)
}
