// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// By default the invariants know which quirks explain their findings, and that no quirk is left
// with all repairs. So options repair no quirk or all of them.

var kruiseRoom = properties.Room[kruise.Snapshot, kruise.Options, kruise.Plan]{
	Package: "rollouttest", Prefix: "Rollout",
	Draw: random.Rollout,
	Options: func(s random.Source) kruise.Options {
		o := random.RolloutOptions(s)
		o.Repair = random.OneOf(s, "all repairs", 0, quirk.All)
		return o
	},
	Reference: kruise.Reconcile,
	Fair: func(*invariant.Planner[kruise.Snapshot, kruise.Options, kruise.Plan]) (none invariant.Trace[kruise.Snapshot, kruise.Options, kruise.Plan], ok bool) {
		return none, false // see CheckRelease
	},
	Actions: func(p *kruise.Plan) int { return len(p.Actions) },
	Apply: func(p *kruise.Plan, from, to int, s kruise.Snapshot, now time.Time) (kruise.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish: func(s *kruise.Snapshot, p *kruise.Plan) {
		if p.Failure == "" {
			s.Rollout.Status = p.Status
		}
		s.Grace = p.Grace
	},
	Begin: func(*kruise.Snapshot) {},
	World: map[string]func(random.Source, *kruise.Snapshot, time.Time){"the release goes on": goOn, "somebody approves": approve, "it is told": toldKruise},
}

var batchRoom = properties.Room[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]{
	Package: "rollouttest", Prefix: "Batch",
	Draw: random.Batches,
	Options: func(s random.Source) batchrelease.Options {
		o := random.BatchOptions(s)
		o.Repair = random.OneOf(s, "all repairs", 0, quirk.All)
		return o
	},
	Reference: batchrelease.Reconcile,
	Fair: func(*invariant.Planner[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]) (none invariant.Trace[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan], ok bool) {
		return none, false
	},
	Actions: func(p *batchrelease.Plan) int { return len(p.Actions) },
	Apply: func(p *batchrelease.Plan, from, to int, s batchrelease.Snapshot, now time.Time) (batchrelease.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish: func(s *batchrelease.Snapshot, p *batchrelease.Plan) { s.Release.Status = p.Status },
	Begin:  func(*batchrelease.Snapshot) {},
	World:  map[string]func(random.Source, *batchrelease.Snapshot, time.Time){"pods are updated": updated, "pods die": lost, "it is told": toldBatch},
}

// rollingBack draws the first batch of a rollback.
func rollingBack(s random.Source) batchrelease.Snapshot {
	snapshot := random.Batches(s, random.CaughtUp)
	br, w := &snapshot.Release, snapshot.Workload
	br.WorkloadRef = random.OneOf(s, "kind of workload", random.DemoClones, random.DemoStateful, random.DemoDaemonsAdv)
	w.Ref, w.UpdateRevision = br.WorkloadRef, "v2"
	back, first := random.Between(s, "back already", 0, w.DesiredReplicas()), int32(0)
	plan := &br.ReleasePlan
	plan.BatchPartition, plan.RollingStyle, plan.EnableExtraWorkloadForCanary = &first, workload.Partition, false
	br.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
	br.Status.Phase, br.Status.ObservedReleasePlanHash = batchrelease.PhaseProgressing, plan.Hash()
	br.Status.Current = batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading, NoNeedUpdateReplicas: &back}
	return snapshot
}

// releases is the decision of [CheckRelease], which checks whole releases.
var releases = properties.Decision{Package: "rollouttest", Functions: map[string]string{"Release": "CheckRelease"}}

// rows returns the checks of all planners, with the functions that run each for each planner.
func rows() (all []properties.Row) {
	add := func(planner string, rows []properties.Row) {
		for _, row := range rows {
			on := strings.Join(row.On, ", ")
			i := slices.IndexFunc(all, func(r properties.Row) bool { return r.Name == row.Name })
			if i < 0 {
				all, i = append(all, properties.Row{Name: row.Name, Promise: row.Promise}), len(all)
			}
			all[i].On = append(all[i].On, planner+": "+on)
		}
	}
	add("kruise", kruiseRoom.Rows())
	add("batchrelease", batchRoom.Rows())
	add("argo", argoRoom.Rows())
	add("a release", releases.Rows())
	for i := range all {
		all[i].On = []string{strings.Join(all[i].On, "; ")}
	}
	return all
}
