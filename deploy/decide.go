// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A decision holds the changes of a pass and their reasons. Nothing writes to it once it is
// made.
type decision struct {
	path path

	created *creation // nil if none is created
	sizing
	refreshed []int // sets that get current annotations, whatever their size
	remove    []*replicaset.ReplicaSet
	pause     *pausepoint.PauseDeployment // or nil
	rollback  *revision.Rollback
	source    *revision.Entry // the revision to roll back to, or nil
}

// A path is the branch that a pass takes.
type path int

const (
	pathRefused  path = iota // the selector is empty: nothing is planned
	pathCounts               // the rollout rests: the status gets counts
	pathRollback             // back to a revision: the status is left to the next pass
	pathRollout              // the rollout goes on: the status reports progress
)

// decide takes the first path that applies.
func (d *decision) decide(in *input, c *counts, f *following) {
	if in.selectsAll() {
		d.path, d.holds = pathRefused, []kplan.Hold[Reason]{hold("", ReasonSelectingAll, 0, 0)}
		return
	}
	request, requested := in.opts.Keys.RollbackRequest(in.d.Annotations)
	switch {
	case in.deleting():
		d.path, d.holds = pathCounts, []kplan.Hold[Reason]{hold("", ReasonDeleting, 0, 0)}
	case in.d.Paused:
		d.rest(in, c, f, requested)
	case requested && !in.partitioned():
		d.goBack(in, c, f, request)
	case in.scalesFirst():
		d.path, d.sizing = pathCounts, in.scale(c).behind(in.holdRollout()...)
	case in.d.Strategy == Recreate:
		d.recreate(in, c)
	default:
		d.roll(in, c, f)
	}
}

// behind returns a sizing with holds before its own.
func (z sizing) behind(holds ...kplan.Hold[Reason]) sizing {
	z.holds = append(holds, z.holds...)
	return z
}

// rest decides for a paused Deployment: it scales, by the policy, and cleans up the history.
func (d *decision) rest(in *input, c *counts, f *following, requested bool) {
	d.path = pathCounts
	paused := in.holdPaused()
	switch {
	case in.waitsAtPoint(f):
		paused = hold("", ReasonPaused, 0, 0)
		d.wait(in, c, f)
	case in.opts.Paused == PausedFreeze:
		d.holds = []kplan.Hold[Reason]{paused, hold("", ReasonFrozen, 0, 0)}
		return
	case in.opts.Paused != PausedScale || in.scalingEvent():
		d.sizing = in.scale(c)
	}
	d.sizing = d.behind(paused)
	if !requested { // a rollback needs the history
		d.cleanUp(in)
	}
}

// wait decides the sizes of a Deployment that waits at a pause point: old pods that are deleted before
// the pod with the point may go, and that pod if its annotation says so (see [pausepoint.Annotation]).
// Pods are started only if the replicas have changed.
func (d *decision) wait(in *input, c *counts, f *following) {
	if in.scalingEvent() {
		d.sizing = in.scale(c)
		return
	}
	d.sizing, d.pause = in.stopAtPoints(in.shrink(c), f, nil)
}

// goBack rolls back to a revision. By default the ReplicaSet of the present template is created
// first, even if the same plan gives up this template: see [RollbackCreatesAbandonedSet].
func (d *decision) goBack(in *input, c *counts, f *following, request int64) {
	d.path = pathRollback
	if !in.opts.Repair.Has(RollbackCreatesAbandonedSet) {
		d.created = in.create(c)
	}
	if d.created.isTaken() {
		d.sizing = d.created.failed()
		return
	}
	in = d.created.input(in)
	r, source := in.rollBack(request, in.published(f, d.created), f)
	d.rollback, d.source, d.holds = &r, source, holdRollback(&r)
}

// recreate removes old pods and then starts new ones.
func (d *decision) recreate(in *input, c *counts) {
	d.path = pathRollout
	z, start := in.removeOld()
	if d.sizing = z; !start {
		return
	}
	if d.created = in.create(c); d.created.isTaken() {
		d.sizing = d.created.failed()
		return
	}
	in = d.created.input(in)
	if d.sizing = in.startNew(); in.complete(&in.d.Status) {
		d.cleanUp(in)
	}
}

// roll makes one step of a rolling update. When the rollout is complete, it deletes old
// ReplicaSets beyond the history limit.
func (d *decision) roll(in *input, c *counts, f *following) {
	d.path = pathRollout
	rollsFirst := in.rollsFirst() && in.scalingEvent()
	if d.created = in.create(c); d.created.isTaken() {
		d.sizing = d.created.failed()
		return
	}
	in = d.created.input(in)
	d.sizing.roll(in, d.created.addedTo(c))
	if !d.moved && in.complete(&in.d.Status) {
		d.cleanUp(in)
	}
	if in.opts.PausePoints {
		d.sizing, d.pause = in.stopAtPoints(d.sizing, f, d.created)
	}
	if rollsFirst { // otherwise the next pass scales
		d.changes, d.refreshed = in.refresh(d.changes)
	}
}

// published returns the revision annotation that the pass sets on the Deployment, or nil if
// it is set already.
func (in *input) published(f *following, created *creation) map[string]string {
	switch {
	case created != nil:
		return in.publish(strconv.FormatInt(in.next, 10))
	case f.publish:
		return in.publish(f.number)
	}
	return nil
}

// publish returns the annotation of the Deployment with a revision, or nil if it is set
// already.
func (in *input) publish(number string) map[string]string {
	if in.d.Annotations[in.opts.Keys.Revision] == number {
		return nil
	}
	return map[string]string{in.opts.Keys.Revision: number}
}

// cleanUp adds the ReplicaSets to delete from the history.
func (d *decision) cleanUp(in *input) {
	remove, holds := in.cleanUpHistory()
	if in.opts.Repair.Has(CleanupDeletesStartedSet) {
		remove = slices.DeleteFunc(remove, func(rs *replicaset.ReplicaSet) bool {
			return slices.ContainsFunc(d.changes, func(c change) bool { return in.sets[c.set].rs == rs && c.to > 0 })
		})
	}
	d.remove, d.holds = remove, append(d.holds, holds...)
}

// refresh brings the annotations of all active sets up to date. It returns the sets without
// a change that need new annotations.
func (in *input) refresh(changes []change) (_ []change, others []int) {
	to, place := make([]int32, len(in.sets)), make([]int, len(in.sets))
	for i := range to {
		to[i], place[i] = in.sets[i].size, -1
	}
	for k, c := range changes {
		to[c.set], place[c.set] = c.to, k
	}
	for i := range to {
		switch {
		case to[i] <= 0 || !in.annotationsStale(in.sets[i].rs.Annotations):
		case place[i] < 0:
			others = append(others, i)
		default:
			changes[place[i]].reason = ReasonScaling
		}
	}
	return changes, others
}
