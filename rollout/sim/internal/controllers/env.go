// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Env is where controllers work, and how they plan.
type Env struct {
	*apiserver.Server
	Life *life.Pods
	// Together lets controllers notice all pods at once that a batch labels.
	Together bool

	Deployment     deploy.Options
	ReplicaSet     replicaset.Options
	DaemonSet      daemonset.Options
	Rollout        kruise.Options
	Argo           argo.Options
	PlanDeployment func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicaSet func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	PlanDaemonSet  func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
	PlanSet        func(podset.Snapshot, time.Time) podset.Plan
	// ApproveAfter is the time that Rollouts wait for a user; unset means forever.
	ApproveAfter cluster.Spread
	Analysis     cluster.Analysis
	// Without are the roles that no controller of ours plays.
	Without map[store.Role]bool
	// Planned is called with each plan before it is carried out, if it is not nil.
	Planned func(by store.Role, k store.Kind, name string, plan fmt.Stringer)
	// Expired is how often controllers have given up to wait for writes of their own.
	Expired int

	// DaemonTemplates are the templates of DaemonSets, by name and hash.
	DaemonTemplates map[string]daemonset.Template
	// setLabels are the labels of pods of sets, by UID of the set and revision.
	setLabels map[setRevision]map[string]string

	serial int // of names of pods
}

// A setRevision is a revision of the set with a UID.
type setRevision struct{ set, revision string }

// Hash is the hash of a template: its own hash or ID, and the number of collisions.
func (e *Env) Hash(t revision.Template, collisions *int32) string {
	hash := t.Hash
	if hash == "" {
		hash = t.ID
	}
	if collisions != nil && *collisions > 0 {
		hash += strconv.Itoa(int(*collisions))
	}
	return hash
}

// planned calls Planned with a plan.
func planned[P fmt.Stringer](e *Env, c *control.Controller, k store.Kind, name string, plan P) {
	if e.Trace != nil {
		e.Tracef("%s %d plans for %s %s, %d behind: %v", c.Role, c.Instance, k, name, c.Lag(), plan)
	}
	if e.Planned != nil {
		e.Planned(c.Role, k, name, plan)
	}
}

// names returns the names of the objects that a controller sees.
func names[T any](c *control.Controller, t *store.Table[T]) (list []string) {
	for _, o := range control.All(c, t) {
		list = append(list, *t.Meta(o).Name)
	}
	return list
}

// within returns the objects of a list that are in the namespace of a name.
func within[T any](t *store.Table[T], list []*T, name string) (inside []*T) {
	for _, o := range list {
		if apiserver.Namespace(*t.Meta(o).Name) == apiserver.Namespace(name) {
			inside = append(inside, o)
		}
	}
	return inside
}

// claimable returns the objects that a controller sees and that an owner has, or that have no owner
// and are in the namespace of a name.
func claimable[T any](c *control.Controller, t *store.Table[T], uid, name string) []*T {
	own := control.Of(c, t, uid)
	if orphans := control.Of(c, t, ""); uid != "" && len(orphans) > 0 {
		return append(own[:len(own):len(own)], within(t, orphans, name)...)
	}
	return own
}

// values returns copies of objects.
func values[T any](list []*T) []T {
	copies := make([]T, len(list))
	for i, o := range list {
		copies[i] = *o
	}
	return copies
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
