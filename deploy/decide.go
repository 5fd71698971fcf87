package deploy

import (
	"strconv"

	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A decision is what a pass does, and why. Nothing writes to it once it is made.
type decision struct {
	path path
	in   *input // with the new ReplicaSet, if it is to be created

	follow  following
	created *creation // nil if none is created
	sizing
	refreshed []int // sets whose annotations are brought up to date, whatever their size
	remove    []*replicaset.ReplicaSet
	pause     *pausepoint.PauseDeployment // or nil
	rollback  *revision.Rollback
	source    *revision.Entry // what it goes back to, or nil
}

// A path is the one that a pass takes.
type path int

const (
	pathRefused  path = iota // the selector is empty: nothing is planned
	pathCounts               // the rollout rests: the status is counts
	pathRollback             // back to a revision: the status is left to the next pass
	pathRollout              // the rollout goes on: the status tells of progress
)

// decide takes the first path that applies.
func decide(in *input, c *counts) decision {
	d := decision{in: in}
	if in.selectsAll() {
		d.holds = []Hold{hold("", ReasonSelectingAll, 0, 0)}
		return d
	}
	d.path, d.follow = pathCounts, in.follow()
	request, requested := revision.RollbackRequest(in.d.Annotations)
	switch {
	case in.deleting():
		d.holds = []Hold{hold("", ReasonDeleting, 0, 0)}
	case in.d.Paused:
		d.decidePaused(c, requested)
	case requested && !in.partitioned():
		d.decideRollback(c, request)
	case in.scalesFirst():
		d.sizing = in.scale(c).behind(in.holdRollout())
	case in.d.Strategy == Recreate:
		d.decideRecreate(c)
	default:
		d.decideRolling(c)
	}
	return d
}

// behind returns a sizing with holds in front of its own.
func (z sizing) behind(holds []Hold) sizing {
	z.holds = append(holds, z.holds...)
	return z
}

// decidePaused is the pass of a paused Deployment: it scales, by the policy, and
// cleans up its history.
func (d *decision) decidePaused(c *counts, requested bool) {
	in := d.in
	switch {
	case in.waitsAtPoint(&d.follow):
		d.decideWaiting(c)
		return
	case in.opts.Paused == PausedFreeze:
		d.holds = []Hold{in.holdPaused(), hold("", ReasonFrozen, 0, 0)}
		return
	case in.opts.Paused != PausedScale || in.scalingEvent():
		d.sizing = in.scale(c)
	}
	d.sizing = d.sizing.behind([]Hold{in.holdPaused()})
	if !requested { // or else history is about to be needed
		d.cleanUp()
	}
}

// decideWaiting is the pass of a Deployment that waits at a pause point: old pods in front
// of the point may go, and the point itself if it says so, but nothing is started, so
// that what is inspected stays as it is.
func (d *decision) decideWaiting(c *counts) {
	if d.in.scalingEvent() {
		d.sizing = d.in.scale(c)
	} else {
		d.sizing = d.in.shrink()
		d.stop()
	}
	d.sizing = d.sizing.behind([]Hold{hold("", ReasonPaused, 0, 0)})
	d.cleanUp()
}

// decideRollback goes back to a revision. By default the ReplicaSet of the present template
// is created first, even if that template is given up in the same plan: see
// [RollbackCreatesAbandonedSet].
func (d *decision) decideRollback(c *counts, request int64) {
	d.path = pathRollback
	if !d.in.opts.Repair.Has(RollbackCreatesAbandonedSet) {
		d.create(c)
	}
	if d.taken() {
		return
	}
	r, source := d.in.rollBack(request, d.published(), &d.follow)
	d.rollback, d.source = &r, source
	d.holds = append(d.holds, holdRollback(&r)...)
}

// decideRecreate removes old pods and then starts new ones.
func (d *decision) decideRecreate(c *counts) {
	d.path = pathRollout
	z, start := d.in.removeOld()
	if d.sizing = z; !start {
		return
	}
	d.create(c)
	if d.taken() {
		return
	}
	d.sizing = d.in.startNew().behind(d.holds)
	if d.in.complete(&d.in.d.Status) {
		d.cleanUp()
	}
}

// decideRolling makes one step of a rolling update. When the rollout is complete, what
// exceeds the history limit is deleted.
func (d *decision) decideRolling(c *counts) {
	d.path = pathRollout
	rollsFirst := d.in.rollsFirst() && d.in.scalingEvent()
	d.create(c)
	if !d.taken() {
		if d.created != nil {
			c = d.created.counted(c)
		}
		d.sizing = d.in.roll(c).behind(d.holds)
		if !d.moved && d.in.complete(&d.in.d.Status) {
			d.cleanUp()
		}
		d.stop()
		if rollsFirst { // or else the next pass scales
			d.refresh()
		}
	}
}

// create decides the new ReplicaSet if there is none. If its name is taken, the pass ends.
func (d *decision) create(c *counts) {
	if d.in.newest >= 0 {
		return
	}
	d.created = d.in.create(c)
	if d.created.taken {
		d.holds = append(d.holds, hold(d.created.rs.Name, ReasonNameTaken, 0, 0))
		d.failed = true
	}
	d.in = d.in.with(d.created)
}

// counted returns the counts with the new ReplicaSet.
func (n *creation) counted(c *counts) *counts {
	with := *c
	with.wanted += int64(n.size)
	return &with
}

// taken reports whether the name of the new ReplicaSet is taken.
func (d *decision) taken() bool { return d.created != nil && d.created.taken }

// published returns the annotations that the pass sets on the Deployment: the revision. It is
// nil if they are there.
func (d *decision) published() map[string]string {
	number := d.follow.number
	switch {
	case d.created != nil:
		number = strconv.FormatInt(d.in.next, 10)
	case !d.follow.publish:
		return nil
	}
	return d.in.publish(number)
}

// publish returns the annotation of the Deployment with a revision, or nil if it is there.
func (in *input) publish(number string) map[string]string {
	if in.d.Annotations[revision.AnnotationRevision] == number {
		return nil
	}
	return map[string]string{revision.AnnotationRevision: number}
}

// cleanUp decides which ReplicaSets are history no longer.
func (d *decision) cleanUp() {
	remove, holds := d.in.cleanUpHistory()
	d.remove, d.holds = remove, append(d.holds, holds...)
}

// stop holds the sizes at a pause point.
func (d *decision) stop() {
	if len(d.changes) == 0 || !d.in.opts.PausePoints {
		return
	}
	d.sizing, d.pause = d.in.stopAtPoints(d.sizing, d.in.revision(&d.follow, d.created))
}

// refresh brings the annotations of all sets up to date that want pods.
func (d *decision) refresh() {
	to, place := make([]int32, len(d.in.sets)), make([]int, len(d.in.sets))
	for i := range to {
		to[i], place[i] = d.in.sets[i].size, -1
	}
	for k, c := range d.changes {
		to[c.set], place[c.set] = c.to, k
	}
	for i := range to {
		switch {
		case to[i] <= 0 || !d.in.annotationsStale(d.in.sets[i].rs.Annotations):
		case place[i] < 0:
			d.refreshed = append(d.refreshed, i)
		default:
			d.changes[place[i]].reason = ReasonScaling
		}
	}
}
