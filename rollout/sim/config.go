// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Config adjusts a [World]. The zero Config is a world without faults in which nothing takes time.
// Functions must not change or keep their arguments. They may read the world, but must not let
// time pass.
type Config struct {
	Seed  uint64        // of all draws
	Times cluster.Times // of pods without times in their template
	// Place returns the name of a node that the pod fits, or "" if the pod has to wait for more room;
	// nil means scheduler.BinPack. A node that the pod does not fit ends the world. Pods of DaemonSets
	// know their node; Place is not called for them.
	Place func(scheduler.Pod, *scheduler.Nodes) string
	// Latency is the time after an event at which controllers notice it, together with all other
	// events until then. It makes large worlds quicker and coarser; faults ignore it.
	Latency time.Duration
	// Together makes all events of one instant happen before controllers notice any of them, such as
	// pods that were created together and take the same time, or that a batch of a Rollout labels. In
	// a cluster such pods are ready milliseconds apart, and controllers act on each.
	Together bool
	// MaxPods is the maximum number of pods, 0 means a million: one more ends the world.
	MaxPods int
	// MaxPlans is the maximum number of plans by controllers, 0 means any number: one more ends the
	// world with [ErrTooLong].
	MaxPlans int

	// ApproveAfter is the time after which a user resumes a waiting Rollout of OpenKruise or Argo,
	// drawn for each wait, and counted from the beginning of the world if it waits already. If unset,
	// only the caller of World.Approve resumes it; cluster.Exactly(0) is at once.
	ApproveAfter cluster.Spread
	// Analysis is how long analyses of Rollouts of Argo take, and how they end.
	Analysis cluster.Analysis

	// Faults are the rates of each kind of fault.
	Faults Faults
	// FaultsFor is the time after which faults end and everything is healed; 0 means until Heal.
	FaultsFor time.Duration

	// Observe is called for each write and each stage of a pod, in order, and Planned for each plan of
	// our controllers, before any of it is carried out.
	Observe func(Change)
	Planned func(Plan)
	// Trace is called with a line for each plan and each write.
	Trace func(string)

	Controllers []Reconciler
	Autoscalers []Autoscaler
	// Without are the kinds without a built-in controller, such as KindReplicaSet.
	Without []Kind

	// Options of our planners, and planners to use instead; nil means the planners of the packages.
	// The ones for ReplicaSets are used for ReplicationControllers as well.
	Deployment     deploy.Options
	ReplicaSet     replicaset.Options
	DaemonSet      daemonset.Options
	Rollout        kruise.Options
	Argo           argo.Options
	PlanDeployment func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicaSet func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	PlanDaemonSet  func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
}

// A Kind is a kind of objects.
type Kind string

// The built-in kinds. A cluster.Object has another kind.
const (
	KindDeployment            Kind = "Deployment"
	KindReplicaSet            Kind = "ReplicaSet"
	KindPod                   Kind = "Pod" // of a DaemonSet, too
	KindDaemonSet             Kind = "DaemonSet"
	KindSet                   Kind = "Set"
	KindRollout               Kind = "Rollout"
	KindNode                  Kind = "Node"
	KindArgoRollout           Kind = "ArgoRollout"
	KindReplicationController Kind = replicaset.KindController
)

// stored returns the kind of the store, which has one kind for all kinds of the caller.
func (k Kind) stored() store.Kind {
	for of := range store.Kind(store.Kinds) {
		switch of {
		case store.KindRevision, store.KindBatchRelease, store.KindService, store.KindRoute, store.KindIngress:
		default:
			if of.String() == string(k) {
				return of
			}
		}
	}
	return store.KindObject
}

// roles are the roles of our controllers for a kind.
func (k Kind) roles() []store.Role {
	switch k {
	case KindDeployment:
		return []store.Role{store.DeploymentController}
	case KindReplicaSet:
		return []store.Role{store.ReplicaSetController}
	case KindReplicationController:
		return []store.Role{store.ReplicationManager}
	case KindDaemonSet:
		return []store.Role{store.DaemonSetController}
	case KindSet:
		return []store.Role{store.SetController}
	case KindRollout:
		return []store.Role{store.RolloutController, store.BatchController, store.DaemonHelper}
	case KindArgoRollout:
		return []store.Role{store.ArgoController}
	}
	return nil
}

// A Change is a write, or a stage in the life of a pod.
type Change struct {
	Time time.Time
	// By is the writer: "deployment controller" or another one of ours, the Name of a
	// Reconciler or an Autoscaler, "scheduler", "kubelet", "garbage collector", "monkey" for
	// faults, or "user" for the caller of the methods of the World.
	By   string
	Verb Verb
	Kind Kind
	Name string
	Why  string // the reason that a planner gave
	// Made is the UID of the BatchRelease that has created a canary Deployment, "" otherwise.
	Made string
	// Object is the current state of the object, or the last one if it is gone. It must not be
	// changed. It is a pointer to a type of cluster.Snapshot, for a pod a *podorder.Pod or a
	// *daemonset.Pod. It is nil for a BatchRelease, and for a stage that does not change a stored
	// object.
	Object any
}

// A Plan is a plan of one of our controllers.
type Plan struct {
	Time time.Time
	By   string // as in a [Change]
	Kind Kind
	Name string // of the planned object
	// Plan is a deploy.Plan, replicaset.Plan, daemonset.Plan, kruise.Plan, batchrelease.Plan or
	// argo.Plan; the plan of a Set can only be printed.
	Plan fmt.Stringer
}

// A Verb is the kind of a [Change], or the stage that a pod has reached by it.
type Verb string

// The verbs. From Scheduled on they are stages of pods, instead of Update and, for an eviction,
// Delete.
const (
	Create       Verb = "create"
	Update       Verb = "update"        // the spec, labels, annotations and the controller
	UpdateStatus Verb = "update status" // the status
	Delete       Verb = "delete"        // ask for the end, which of pods takes time
	Remove       Verb = "remove"        // the object is gone

	Scheduled Verb = "scheduled"
	Pulled    Verb = "pulled"
	Started   Verb = "started"
	Ready     Verb = "ready"
	Failed    Verb = "failed"
	Evicted   Verb = "evicted" // asked to end, by an eviction
)

// objectOf returns the object of a write as a type of the API.
func objectOf(o any) any {
	switch o := o.(type) {
	case *store.Deployment:
		return &o.Deployment
	case *store.DaemonSet:
		return &o.DaemonSet
	case *store.Node:
		return &o.Node
	case *store.Set:
		return &o.Set
	case *store.Rollout:
		return &o.Rollout
	case *store.Pod:
		if o.OfDaemonSet {
			return &o.Pod
		}
		return o.Plain()
	case *store.Service:
		return &o.Service
	case *replicaset.ReplicaSet, *cluster.ArgoRollout, *cluster.Object, *revision.ControllerRevision, *traffic.Route, *traffic.Ingress:
		return o
	}
	return nil
}

// verbOf returns the verb of a write, or the stage that a pod has reached by it.
func verbOf(e *store.Write) Verb {
	switch e.Stage {
	case store.Terminating:
		return Delete
	case store.Gone:
		return Remove
	case "":
		return Verb(e.Verb)
	}
	return Verb(e.Stage)
}
