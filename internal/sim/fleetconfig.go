// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// A Happened is a write, as a [FleetConfig] is told of it.
type Happened struct {
	At     time.Time
	By     Role
	Verb   Verb
	Kind   Kind
	Name   string
	UID    string
	Action fmt.Stringer
	Stage  Stage // of the life of a pod, "" if it goes on in none
}

// FleetConfig adjusts a [Fleet]. Functions that are nil are not called.
type FleetConfig struct {
	Seed  uint64
	Start time.Time
	// Latency is how long after an event controllers notice it, together with all that has
	// happened until then, unless faults strike.
	Latency time.Duration
	// Faults strike until the fleet is healed. Touch and Deaf are weights of two more: a
	// third party writes between the reading and the writing of a controller, and a
	// controller is not told of a change.
	Faults      Faults
	Touch, Deaf float64

	// Place returns the node for a pod and takes the room there, or "".
	Place func(p *podorder.Pod, t revision.Template, pinned string) string
	// Left gives back the room of the pod with a UID that is gone.
	Left func(uid string)
	// Takes returns how long it takes until the next stage of a pod.
	Takes func(s Stage, p *podorder.Pod, t revision.Template, draw float64) time.Duration
	// NeverReady tells which pods never become ready.
	NeverReady func(p *podorder.Pod, t revision.Template) bool
	// Allows tells whether a quota lets the owner of this name have a pod more.
	Allows func(owner string) bool
	// MaxPods is how many pods a set may want, 0 for any number.
	MaxPods int
	// MayEvict tells whether budgets let a pod go.
	MayEvict func(pod string) bool
	Happens  func(Happened)
	NodeSet  func(old, n *Node)
	Trace    func(string)

	Deployment    deploy.Options
	ReplicaSet    replicaset.Options
	DaemonSet     daemonset.Options
	Rollout       kruise.Options
	Argo          argo.Options
	PlanDeploy    func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicas  func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	PlanDaemonSet func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
	Without       map[Role]bool // controllers of ours that do not run
}
