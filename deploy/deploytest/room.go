// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// room describes Deployments to the checks: how to draw snapshots, plan them, and carry plans out.
var room = properties.Room[deploy.Snapshot, deploy.Options, deploy.Plan]{
	Package: "deploytest", Prefix: "Deployment",
	Draw:      random.Deployment,
	Options:   options,
	Reference: deploy.Reconcile,
	Fair:      invariant.RunDeployment,
	Actions:   func(p *deploy.Plan) int { return len(p.Actions) },
	Apply: func(p *deploy.Plan, from, to int, s deploy.Snapshot, now time.Time) (deploy.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish: func(s *deploy.Snapshot, p *deploy.Plan) { s.Deployment.Status = p.Status },
	Derive: derive,
	Derived: []string{"surge bound", "availability bound", "proportional scaling", "scaled to zero", "paused Deployment", "Recreate waits for old pods",
		"unhealthy old pods first", "revisions grow", "history limit", "desired-replicas recorded", "sizes within int32"},
	Begin: begin,
	World: world,
	Drift: drift,
	Moved: moved,
}

// drift returns by how many available pods the ReplicaSets of after differ from the ReplicaSets of
// before, a state that a planner may still see. It is [properties.Unknown] if the spec of the
// Deployment has changed.
func drift(before, after *deploy.Snapshot) (n int64) {
	a, b := &before.Deployment, &after.Deployment
	if a.Generation != b.Generation {
		return properties.Unknown
	}
	available := map[string]int32{}
	for i := range before.ReplicaSets {
		available[before.ReplicaSets[i].UID] = before.ReplicaSets[i].Status.AvailableReplicas
	}
	for i := range after.ReplicaSets {
		rs := &after.ReplicaSets[i]
		d := int64(rs.Status.AvailableReplicas) - int64(available[rs.UID])
		n += max(d, -d)
	}
	return n
}

// moved returns the sum of the changes of size of all ReplicaSets. A new one counts with its whole
// size.
func moved(before, after *deploy.Snapshot) (n int64) {
	sizes := map[string]int32{}
	for i := range before.ReplicaSets {
		sizes[before.ReplicaSets[i].UID] = size(&before.ReplicaSets[i])
	}
	for i := range after.ReplicaSets {
		rs := &after.ReplicaSets[i]
		d := int64(size(rs)) - int64(sizes[rs.UID])
		n += max(d, -d)
	}
	return n
}

// scaling draws a Deployment with up to 400 pods that was scaled in the middle of a rollout.
func scaling(s random.Source) deploy.Snapshot {
	snapshot := deploy.Snapshot{Deployment: random.Web(random.Between[int32](s, "replicas", 50, 400))}
	old, fresh := random.Between[int32](s, "old", 10, 200), random.Between[int32](s, "new", 10, 200)
	unavailable := random.Between[int32](s, "unavailable", 1, 9)
	snapshot.Deployment.MaxSurge, snapshot.Deployment.MaxUnavailable = rollout.Int(0), rollout.Int(unavailable)
	snapshot.Deployment.Annotations = map[string]string{revision.AnnotationRevision: "2"}
	for i, n := range []int32{old, fresh} {
		snapshot.ReplicaSets = append(snapshot.ReplicaSets, random.Sized(random.Set(i+1, n), old+fresh, old+fresh))
	}
	return snapshot
}

// partitioned draws a Deployment that is rolled out by partition.
func partitioned(s random.Source) deploy.Snapshot {
	return random.Partitioned(s, random.Deployment(s, random.OneOf(s, "kind", random.CaughtUp, random.Truthful, random.Midway)))
}

// options draws policies, and no repair or all repairs. By default the invariants know
// which quirks of upstream explain a violation; with all repairs they accept none.
func options(s random.Source) deploy.Options {
	o := random.DeploymentOptions(s)
	o.Repair = random.OneOf(s, "all repairs", 0, quirk.All)
	return o
}
