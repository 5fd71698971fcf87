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
// changed but replaced, so that whoever has read one keeps what it was; in a calm world, where
// nobody reads what was, those that change often are changed where they are.
type store struct {
	versions

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

	serials serials // of pods, in a strict world
}

func newStore() *store {
	s := &store{}
	s.deployments.init(&s.versions, KindDeployment, func(o *Deployment) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.replicaSets.init(&s.versions, KindReplicaSet, func(o *replicaset.ReplicaSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.pods.init(&s.versions, KindPod, func(o *podorder.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemonSets.init(&s.versions, KindDaemonSet, func(o *DaemonSet) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.daemons.init(&s.versions, KindDaemon, func(o *daemonset.Pod) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.nodes.init(&s.versions, KindNode, func(o *Node) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.revisions.init(&s.versions, KindRevision, func(o *revision.ControllerRevision) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.sets.init(&s.versions, KindSet, func(o *Set) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.rollouts.init(&s.versions, KindRollout, func(o *Rollout) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.batchReleases.init(&s.versions, KindBatchRelease, func(o *BatchRelease) key { return key{&o.Name, &o.UID, &o.ResourceVersion} })
	s.services.init(&s.versions, KindService, func(o *Service) key { return key{name: &o.Name} })
	s.routes.init(&s.versions, KindRoute, func(o *traffic.Route) key { return key{name: &o.Name} })
	s.ingresses.init(&s.versions, KindIngress, func(o *traffic.Ingress) key { return key{name: &o.Name} })
	return s
}

// state returns what the store holds now.
func (s *store) state() State {
	return State{
		Version: s.version, Deployments: s.deployments.all(), ReplicaSets: s.replicaSets.all(), Pods: s.pods.all(),
		DaemonSets: s.daemonSets.all(), Daemons: s.daemons.all(), Nodes: s.nodes.all(), Revisions: s.revisions.all(),
		Sets:     s.sets.all(),
		Rollouts: s.rollouts.all(), BatchReleases: s.batchReleases.all(), Services: s.services.all(), Routes: s.routes.all(),
		Ingresses: s.ingresses.all(),
	}
}
