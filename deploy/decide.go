// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A decision holds the changes of a pass and their reasons. It does not change after
// [decision.decide]. [Plan.write] determines the order of the writes.
type decision struct {
	path      path
	created   *creation                   // of the new ReplicaSet; nil if none is created
	sizing    sizing                      // new sizes, and all holds of the decision
	refreshed []int                       // sets that keep a size above 0, with stale annotations
	remove    []*replicaset.ReplicaSet    // old ReplicaSets beyond the history limit
	pause     *pausepoint.PauseDeployment // at a pause point, or nil
	rollback  *revision.Rollback          // nil if none is requested
	source    *revision.Entry             // the revision to roll back to, or nil without one
}

// A path is the branch that a pass takes. It determines what the pass writes to the status.
type path int

const (
	pathRefused  path = iota // the selector is empty: no actions, and no counts
	pathCounts               // no step of a rollout is made: counts, but no progress of a rollout
	pathRollback             // a rollback: no counts, the next pass writes them
	pathRollout              // a step of a rollout: counts and the condition Progressing
)

// decide makes the decision of the first case that applies. A partitioned Deployment, which is
// rolled by the rules of OpenKruise Rollouts, has no rollbacks: see [PartitionedBy].
func (d *decision) decide(in *input, c *counts, u *newSetUpdate) {
	if in.selectsAll() {
		d.path, d.sizing.holds = pathRefused, []kplan.Hold{hold("", reason.SelectingAll, 0, 0)}
		return
	}
	request, requested := in.opts.Keys.RollbackRequest(in.d.Annotations)
	switch {
	case in.deleting():
		d.path, d.sizing.holds = pathCounts, []kplan.Hold{hold("", reason.Deleting, 0, 0)}
	case in.d.Paused:
		d.decidePaused(in, c, u, requested)
	case requested && !in.partitioned():
		d.decideRollback(in, c, u, request)
	case in.scalesFirst():
		d.path, d.sizing = pathCounts, in.scale(c).withHoldsFirst(in.rolloutHolds()...)
	case in.d.Strategy == Recreate:
		d.recreate(in, c)
	default:
		d.roll(in, c, u)
	}
}

// withHoldsFirst returns the sizing with the given holds before the holds that it has.
func (z sizing) withHoldsFirst(holds ...kplan.Hold) sizing {
	z.holds = append(holds, z.holds...)
	return z
}

// decidePaused decides for a paused Deployment. [Options].Paused determines whether it scales,
// unless the Deployment waits at a pause point. It deletes old ReplicaSets beyond the history
// limit, except if the policy is [PausedFreeze] or a rollback is requested.
func (d *decision) decidePaused(in *input, c *counts, u *newSetUpdate, requested bool) {
	d.path = pathCounts
	paused := in.pausedHold()
	switch {
	case in.waitsAtPoint(u):
		paused = hold("", reason.Paused, 0, 0)
		d.decideAtPoint(in, c, u)
	case in.opts.Paused == PausedFreeze:
		d.sizing.holds = []kplan.Hold{paused, hold("", reason.Frozen, 0, 0)}
		return
	case in.opts.Paused == PausedFill || in.scalingEvent():
		d.sizing = in.scale(c)
	}
	d.sizing = d.sizing.withHoldsFirst(paused)
	if !requested { // the rollback may need an old ReplicaSet once the Deployment is resumed
		d.cleanUp(in)
	}
}

// decideAtPoint decides the sizes of a Deployment that waits at a pause point. The old pods that
// are deleted before the pod with the point may still be removed. The pod itself may be removed
// if its annotation [pausepoint.Annotation] says so. If the replicas have changed, the
// ReplicaSets are scaled instead; otherwise no pods are started.
func (d *decision) decideAtPoint(in *input, c *counts, u *newSetUpdate) {
	if in.scalingEvent() {
		d.sizing = in.scale(c)
		return
	}
	d.sizing, d.pause = in.stopAtPoints(in.shrink(c), u, nil)
}

// decideRollback rolls back to a revision. If no ReplicaSet has the Deployment's template, it is
// created first by default, although the rollback replaces that template in the same plan:
// see [quirk.RollbackCreatesAbandonedSet].
func (d *decision) decideRollback(in *input, c *counts, u *newSetUpdate, request int64) {
	d.path = pathRollback
	if !in.opts.Repair.Has(quirk.RollbackCreatesAbandonedSet) {
		d.created = in.newCreation(c)
	}
	if d.created.isTaken() {
		d.sizing = d.created.nameTaken()
		return
	}
	in = d.created.inputAfter(in)
	r, source := in.rollBack(request, in.revisionToSet(u, d.created), u)
	d.rollback, d.source, d.sizing.holds = &r, source, rollbackHolds(&r)
}

// recreate makes one step of the strategy Recreate: it scales the old ReplicaSets down, or starts
// the new pods if all old pods have ended.
func (d *decision) recreate(in *input, c *counts) {
	d.path = pathRollout
	z, start := in.removeOld()
	if d.sizing = z; !start {
		return
	}
	if d.created = in.newCreation(c); d.created.isTaken() {
		d.sizing = d.created.nameTaken()
		return
	}
	in = d.created.inputAfter(in)
	if d.sizing = in.startNew(); in.complete(&in.d.Status) {
		d.cleanUp(in)
	}
}

// roll makes one step of a rolling update. When the rollout is complete, it deletes old
// ReplicaSets beyond the history limit.
func (d *decision) roll(in *input, c *counts, u *newSetUpdate) {
	d.path = pathRollout
	scalesLater := in.rollsFirst() && in.scalingEvent() // before in has the new ReplicaSet
	if d.created = in.newCreation(c); d.created.isTaken() {
		d.sizing = d.created.nameTaken()
		return
	}
	in = d.created.inputAfter(in)
	d.sizing.roll(in, d.created.countsAfter(c))
	if !d.sizing.moved && in.complete(&in.d.Status) {
		d.cleanUp(in)
	}
	if in.opts.PausePoints {
		d.sizing, d.pause = in.stopAtPoints(d.sizing, u, d.created)
	}
	if scalesLater {
		// With the former size annotations the next pass would detect the changed replicas again,
		// and scale in proportion instead of continuing the rollout.
		d.sizing.changes, d.refreshed = in.staleSets(d.sizing.changes)
	}
}

// revisionToSet returns the revision annotation that the pass sets on the Deployment. It returns
// nil if the Deployment has it, if there is no new ReplicaSet, or if the pass updates the existing
// new ReplicaSet: then the next pass sets it.
func (in *input) revisionToSet(u *newSetUpdate, created *creation) map[string]string {
	switch {
	case created != nil:
		return in.revisionAnnotation(strconv.FormatInt(in.nextRevision, 10))
	case u.upToDate:
		return in.revisionAnnotation(u.revision)
	}
	return nil
}

// revisionAnnotation returns the annotation that gives the Deployment a revision, or nil if the
// Deployment has it.
func (in *input) revisionAnnotation(number string) map[string]string {
	if in.d.Annotations[in.opts.Keys.Revision] == number {
		return nil
	}
	return map[string]string{in.opts.Keys.Revision: number}
}

// cleanUp adds the deletions of old ReplicaSets beyond the history limit. By default it reads the
// sizes before the plan, and may delete a ReplicaSet that the plan scales up: see
// [quirk.CleanupDeletesStartedSet].
func (d *decision) cleanUp(in *input) {
	remove, holds := in.cleanUpHistory()
	if in.opts.Repair.Has(quirk.CleanupDeletesStartedSet) {
		remove = slices.DeleteFunc(remove, func(rs *replicaset.ReplicaSet) bool {
			return slices.ContainsFunc(d.sizing.changes, func(c change) bool { return in.sets[c.set].rs == rs && c.to > 0 })
		})
	}
	d.remove, d.sizing.holds = remove, append(d.sizing.holds, holds...)
}

// staleSets finds the sets that want pods after the changes and whose size annotations are not
// current. It returns the indexes of such sets without a change. In the list of changes it gives
// the changes of such sets the reason Scaling, since their writes record the changed replicas.
func (in *input) staleSets(changes []change) (_ []change, unchanged []int) {
	changeOf := make([]*change, len(in.sets)) // nil if the size stays
	for k := range changes {
		changeOf[changes[k].set] = &changes[k]
	}
	for i := range in.sets {
		size := in.sets[i].size
		if changeOf[i] != nil {
			size = changeOf[i].to
		}
		switch {
		case size <= 0 || !in.annotationsStale(in.sets[i].rs.Annotations):
		case changeOf[i] == nil:
			unchanged = append(unchanged, i)
		default:
			changeOf[i].reason = reason.Scaling
		}
	}
	return changes, unchanged
}
