// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A Cluster is the state in which simulations begin.
type Cluster struct {
	cluster.Snapshot
	// NodesOfPods is whether the nodes are only known as the nodes of pods.
	NodesOfPods bool

	made *index // nil until the first use, and again after a change of its objects
}

// An index finds the objects of an owner by its UID.
type index struct {
	sets map[string][]int // indexes of ReplicaSets
	pods map[string]int   // number of pods that have not finished
}

// A Beginning is a workload of a cluster at the start of a simulation, with the objects to apply.
type Beginning struct {
	*Cluster
	Kind      sim.Kind
	Namespace string
	Name      string // in the simulation, with the namespace
	Template  string // ID or hash of the wanted template
	Earlier   bool   // whether to roll the workload out before anything is applied
	Applied   []any  // arguments of World.Put
}

// Plain returns the name of the workload in a cluster, without the namespace.
func (b *Beginning) Plain() string { return strings.TrimPrefix(b.Name, b.Namespace+"/") }

// Next is the suffix of the name of an object to apply, while it is read together with current
// objects.
const Next = "/next"

// begin sets the kind and name of the workload.
func (b *Beginning) begin(kind sim.Kind, namespace, name string) {
	b.Kind, b.Namespace, b.Name = kind, namespace, name
	if namespace != "" {
		b.Name = namespace + "/" + name
	}
}

// workload returns the name of the workload, or of the workload that a Rollout releases.
func (b *Beginning) workload() string {
	if b.Kind == sim.KindRollout {
		return b.release().WorkloadRef.Name
	}
	return b.Name
}

// Deployment returns the Deployment before anything is applied.
func (b *Beginning) Deployment() *deploy.Deployment {
	return named(b.Deployments, deploymentName, b.workload())
}

// ReplicaSet returns the ReplicaSet before anything is applied.
func (b *Beginning) ReplicaSet() *replicaset.ReplicaSet {
	return named(b.ReplicaSets, replicaSetName, b.Name)
}

// Set returns the CloneSet or StatefulSet before anything is applied.
func (b *Beginning) Set() *cluster.Set { return named(b.Sets, setName, b.workload()) }

// DaemonSet returns the DaemonSet before anything is applied.
func (b *Beginning) DaemonSet() *daemonset.DaemonSet {
	return daemonSetIn(&b.Snapshot, b.workload())
}

// daemonSetIn returns a DaemonSet of a snapshot, of Kubernetes or of OpenKruise.
func daemonSetIn(s *cluster.Snapshot, name string) *daemonset.DaemonSet {
	for i := range s.AdvancedDaemonSets {
		if d := &s.AdvancedDaemonSets[i].DaemonSet; d.Name == name {
			return d
		}
	}
	return named(s.DaemonSets, daemonSetName, name)
}

// advanced reports whether the DaemonSet is a DaemonSet of OpenKruise.
func (b *Beginning) advanced() bool {
	name := b.DaemonSet().Name
	return slices.ContainsFunc(b.AdvancedDaemonSets, func(d cluster.AdvancedDaemonSet) bool { return d.Name == name })
}

// putDaemonSet adds a DaemonSet of the same API to a snapshot.
func (b *Beginning) putDaemonSet(s *cluster.Snapshot, d daemonset.DaemonSet) {
	if b.advanced() {
		s.AdvancedDaemonSets = append(s.AdvancedDaemonSets, cluster.AdvancedDaemonSet{DaemonSet: d})
	} else {
		s.DaemonSets = append(s.DaemonSets, d)
	}
}

// argo returns the Rollout of Argo before anything is applied.
func (b *Beginning) argo() *cluster.ArgoRollout { return named(b.ArgoRollouts, argoName, b.Name) }

// release returns the Rollout of OpenKruise.
func (b *Beginning) release() *kruise.Rollout { return named(b.Rollouts, releaseName, b.Name) }

// take removes the object with a name from a list and returns it. The object must exist.
func take[T any](list *[]T, name func(*T) string, of string) T {
	i := slices.IndexFunc(*list, func(o T) bool { return name(&o) == of })
	found := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return found
}

// put adds objects to a list, and replaces objects with the same names.
func put[T any](list *[]T, more []T, name func(*T) string) {
	at := make(map[string]int, len(*list))
	for i := range *list {
		at[name(&(*list)[i])] = i
	}
	all := slices.Clone(*list)
	for _, o := range more {
		if i, there := at[name(&o)]; there {
			all[i] = o
			continue
		}
		at[name(&o)] = len(all)
		all = append(all, o)
	}
	*list = all
}

// named returns the object of a list with a name. The object must exist.
func named[T any](list []T, name func(*T) string, want string) *T {
	for i := range list {
		if name(&list[i]) == want {
			return &list[i]
		}
	}
	panic(errors.New("no object named " + want))
}

func deploymentName(o *deploy.Deployment) string         { return o.Name }
func replicaSetName(o *replicaset.ReplicaSet) string     { return o.Name }
func setName(o *cluster.Set) string                      { return o.Name }
func argoName(o *cluster.ArgoRollout) string             { return o.Name }
func releaseName(o *kruise.Rollout) string               { return o.Name }
func serviceName(o *traffic.Service) string              { return o.Name }
func routeName(o *traffic.Route) string                  { return o.Name }
func ingressName(o *traffic.Ingress) string              { return o.Name }
func revisionName(o *revision.ControllerRevision) string { return o.Name }

func daemonSetName(o *daemonset.DaemonSet) string      { return o.Name }
func advancedName(o *cluster.AdvancedDaemonSet) string { return o.Name }
