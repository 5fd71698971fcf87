// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// An Observer watches a closed loop. Functions that are nil are not called. They are
// called in the order of events and one at a time, and must not write to anything
// that they are given. Slices and snapshots are valid during the call only; the
// objects that pointers of a [State] lead to are never changed and may be kept.
//
// The error of a function ends the loop, which then fails with it.
type Observer struct {
	// After each plan, before any of it is carried out.
	Deployment func(Planned[deploy.Snapshot, deploy.Options, deploy.Plan]) error
	ReplicaSet func(Planned[replicaset.Snapshot, replicaset.Options, replicaset.Plan]) error
	DaemonSet  func(Planned[daemonset.Snapshot, daemonset.Options, daemonset.Plan]) error
	Admission  func(Planned[kruise.AdmitSnapshot, kruise.Options, kruise.Admission]) error
	Rollout    func(Planned[kruise.Snapshot, kruise.Options, kruise.Plan]) error
	Batch      func(Planned[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]) error

	// Write is called after each request that has changed the store, whoever made it.
	Write func(Write) error
	// End is called once, when the loop has come to rest after the fair phase.
	End func(State) error
}

// An Actor is who asks the API server for something.
type Actor struct {
	Role     Role
	Instance int // of several controllers of one kind at once, from 0
}

// A Role is a part that somebody plays in a cluster.
type Role string

// The roles.
const (
	DeploymentController Role = "deployment controller"
	ReplicaSetController Role = "replica set controller"
	DaemonSetController  Role = "daemon set controller"
	DaemonHelper         Role = "daemon helper"  // of Rollouts, for DaemonSets of Kubernetes
	SetController        Role = "set controller" // of CloneSets and StatefulSets
	RolloutController    Role = "rollout controller"
	BatchController      Role = "batch controller"
	Scheduler            Role = "scheduler"
	NodeAgent            Role = "kubelet"
	Collector            Role = "garbage collector"
	User                 Role = "user"
	Monkey               Role = "monkey" // whoever disturbs
)

// A Planned is a plan with all that it was made from.
type Planned[Snapshot, Options, Plan any] struct {
	By       Actor
	Snapshot Snapshot
	Now      time.Time // by the clock of the controller, which may be wrong
	Options  Options
	Plan     Plan
	// Lag is how many changes of all objects the oldest part of the snapshot is behind
	// the store; 0 means that the snapshot is the truth.
	Lag int
	// Fair is whether nothing is disturbed any more.
	Fair bool
}

// A Write is a request that has changed the store.
type Write struct {
	By   Actor
	Verb Verb
	Kind Kind
	Name string
	UID  string
	// Action is the action of a plan that asked for it, nil for the status of one and
	// for writes that no planner has planned.
	Action fmt.Stringer
	// Fresh is whether the plan was made from the store as it is: nothing that the
	// planner reads had changed between the reading and this write but by earlier
	// actions of the same plan. It is true for writes that no planner has planned.
	Fresh bool
	// Expecting is whether a ReplicaSet controller knows of all writes that were made
	// for the ReplicaSet: it has always been the only one, was never restarted and got
	// the true answer to every request.
	Expecting bool
	// Corrected is whether the options of the plan repair the known defects.
	Corrected bool
	Planned   time.Time // when the plan was made, by the clock of the controller; zero for writes that no planner has planned
	Plan      int       // the number of the plan, since several may be made at once; 0 for writes that no planner has planned
	Before    State
	After     State
	Fair      bool // nothing is disturbed any more
}

// A Verb is what a request does.
type Verb string

// The verbs.
const (
	Create       Verb = "create"
	Update       Verb = "update" // and patches
	UpdateStatus Verb = "update status"
	Delete       Verb = "delete" // ask for it, which only marks objects that take time
	Remove       Verb = "remove" // the object is gone
)
