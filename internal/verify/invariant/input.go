// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// A Pass is one call of a planner and its result.
type Pass[Snapshot, Options, Plan any] struct {
	Snapshot Snapshot
	Now      time.Time
	Options  Options
	Plan     Plan
	// Strict reports violations that a known defect explains, too.
	Strict bool

	memo any // values that several checks compute from the snapshot
}

// A Planner is a planner and a snapshot for it. Its checks call the planner repeatedly, and take a
// hundred times as long as the checks of a Pass.
type Planner[Snapshot, Options, Plan any] struct {
	Snapshot Snapshot
	Now      time.Time
	Options  Options
	Plan     func(Snapshot, time.Time, Options) (Plan, error)
	Strict   bool

	memo any
}

// A Trace is the passes of one controller for one object, in order, each with the true state as its
// snapshot, and each carried out before the next.
type Trace[Snapshot, Options, Plan any] struct {
	Passes []Pass[Snapshot, Options, Plan]
	// Fair is set if the desired state did not change, nothing failed, and pods became available
	// between passes.
	Fair   bool
	Strict bool
}

// A Change is the true state before and after a plan was carried out: by a prefix or a part of its
// actions, or for an older state.
type Change[Snapshot, Options, Plan any] struct {
	Pass   Pass[Snapshot, Options, Plan] // with the snapshot that the planner saw
	Before Snapshot                      // the true state
	After  Snapshot
	// Slack is the number of pods by which a bound may be missed: the pods created or deleted that
	// the planner could not see. It is 0 for a planner that knows its own writes.
	Slack int64
}

// The inputs of the planners.
type (
	DeploymentPass    = Pass[deploy.Snapshot, deploy.Options, deploy.Plan]
	DeploymentPlanner = Planner[deploy.Snapshot, deploy.Options, deploy.Plan]
	DeploymentTrace   = Trace[deploy.Snapshot, deploy.Options, deploy.Plan]
	DeploymentChange  = Change[deploy.Snapshot, deploy.Options, deploy.Plan]

	ReplicaSetPass    = Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]
	ReplicaSetPlanner = Planner[replicaset.Snapshot, replicaset.Options, replicaset.Plan]
	ReplicaSetTrace   = Trace[replicaset.Snapshot, replicaset.Options, replicaset.Plan]
	ReplicaSetChange  = Change[replicaset.Snapshot, replicaset.Options, replicaset.Plan]

	DaemonSetPass    = Pass[daemonset.Snapshot, daemonset.Options, daemonset.Plan]
	DaemonSetPlanner = Planner[daemonset.Snapshot, daemonset.Options, daemonset.Plan]
	DaemonSetTrace   = Trace[daemonset.Snapshot, daemonset.Options, daemonset.Plan]
	DaemonSetChange  = Change[daemonset.Snapshot, daemonset.Options, daemonset.Plan]

	RolloutPass    = Pass[kruise.Snapshot, kruise.Options, kruise.Plan]
	RolloutPlanner = Planner[kruise.Snapshot, kruise.Options, kruise.Plan]
	BatchPass      = Pass[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]
	BatchPlanner   = Planner[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]

	ArgoPass    = Pass[argo.Snapshot, argo.Options, argo.Plan]
	ArgoPlanner = Planner[argo.Snapshot, argo.Options, argo.Plan]
	ArgoTrace   = Trace[argo.Snapshot, argo.Options, argo.Plan]
	ArgoChange  = Change[argo.Snapshot, argo.Options, argo.Plan]
)

// sizeOf returns the desired size of a ReplicaSet.
func sizeOf(rs *replicaset.ReplicaSet) int64 {
	if rs.Replicas == nil {
		return 1
	}
	return int64(*rs.Replicas)
}

func orOne(n *int32) int64 {
	if n == nil {
		return 1
	}
	return int64(*n)
}

// availableAt is the naive computation of a pod's availability: it is available if it has been
// ready for seconds at now, or for more than that if strict.
func availableAt(p *podorder.Pod, seconds int32, now time.Time, strict bool) bool {
	switch at := p.ReadySince.Add(time.Duration(seconds) * time.Second); {
	case !p.Ready:
		return false
	case seconds == 0:
		return true
	case p.ReadySince.IsZero():
		return false
	case strict:
		return now.After(at)
	default:
		return !now.Before(at)
	}
}

// runs reports whether a pod counts as a replica.
func runs(p *podorder.Pod) bool {
	return p.Phase != podorder.Succeeded && p.Phase != podorder.Failed && p.DeletionTimestamp.IsZero()
}

// tryPlan calls the planner on a copy of s. A panic is an error.
func tryPlan[S, O, P any](c *Planner[S, O, P], s S, now time.Time) (p P, err error) {
	defer func() {
		if got := recover(); got != nil {
			err = fmt.Errorf("%w: %v", errPanic, got)
		}
	}()
	return c.Plan(purity.Clone(s), now, c.Options)
}

var errPanic = errors.New("the planner panics")
