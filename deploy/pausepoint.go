// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

// admitPods reads the pods if a pause point could stop the pass. Each pod of the Deployment needs a
// name, and no two of them may have the same name or UID: of two equal pods, the order of the list
// would decide which one has the point.
func (in *input) admitPods(errs *kplan.FieldErrors) {
	if !in.opts.PausePoints || in.d.Strategy == Recreate || !in.hasActiveOld() {
		return
	}
	if in.tracked != nil {
		in.pods = in.tracked.pods.List()
	}
	n, indexByUID := len(in.pods), in.indexByUID()
	at := func(i int) (name, uid string, counts bool) {
		_, counts = in.ownerOf(&in.pods[i], indexByUID)
		return in.pods[i].Name, in.pods[i].UID, counts
	}
	field.Unique(errs, "Pods", n, at)
}

// waitsAtPoint reports whether the Deployment is paused because its present rollout has reached a
// pause point.
func (in *input) waitsAtPoint(u *newSetUpdate) bool {
	if !in.opts.PausePoints || !in.d.Paused || in.newAt < 0 || in.d.Strategy == Recreate {
		return false
	}
	token, ok := pausepoint.ParseToken(in.d.Annotations[pausepoint.AnnotationHit])
	return ok && token.Revision == in.revision(u, nil)
}

// stopAtPoints returns z without the removals of old pods that come after a pause point in
// Options.Order, and the pause of the Deployment, or nil. It changes the lists of z. If the pass
// creates the new ReplicaSet, created is its creation.
func (in *input) stopAtPoints(z sizing, u *newSetUpdate, created *creation) (sizing, *pausepoint.PauseDeployment) {
	if len(z.changes) == 0 {
		return z, nil
	}
	places, downs := in.scaleDowns(z.changes)
	order := in.opts.Order
	order.Now, order.Neighbours, order.Related = in.now, in.neighbours(downs), nil
	plan := pausepoint.Decide(order, in.pods, downs, pausepoint.State{
		Name: in.d.Name, UID: in.d.UID, ResourceVersion: in.d.ResourceVersion, Paused: in.d.Paused,
		Token: in.d.Annotations[pausepoint.AnnotationHit], Revision: in.revision(u, created),
	})
	for k, place := range places {
		if n := plan.Delete[k]; n < downs[k].N {
			z.holds = append(z.holds, hold(downs[k].Name, reason.PausePoint, int64(n), int64(downs[k].N)))
			z.changes[place] = in.keepPods(z.changes[place], int32(n))
		}
	}
	z.changes = slices.DeleteFunc(z.changes, func(c change) bool { return c.to == in.sets[c.set].size })
	return z, plan.Pause
}

// scaleDowns returns the indexes of the changes that shrink old sets. For each of these changes it
// returns a scale-down with the number of pods to lose, and the indexes of the set's active pods.
func (in *input) scaleDowns(changes []change) (places []int, downs []pausepoint.ScaleDown) {
	place := make([]int, len(in.sets)) // for each set its index in downs plus 1, or 0
	for k, c := range changes {
		if s := &in.sets[c.set]; c.set != in.newAt && c.to < s.size {
			places = append(places, k)
			downs = append(downs, pausepoint.ScaleDown{
				Name: s.rs.Name, Pods: []int{}, N: int(s.size - c.to), Cause: pausepoint.CauseRollout,
			})
			place[c.set] = len(downs)
		}
	}
	indexByUID := in.indexByUID()
	for p := range in.pods {
		owner, ok := in.ownerOf(&in.pods[p], indexByUID)
		if ok && place[owner] > 0 && in.pods[p].Active() {
			down := &downs[place[owner]-1]
			down.Pods = append(down.Pods, p)
		}
	}
	return places, downs
}

// neighbours counts the active pods of the Deployment on each node. It returns nil without
// scale-downs.
func (in *input) neighbours(downs []pausepoint.ScaleDown) podorder.Neighbours {
	if len(downs) == 0 {
		return nil
	}
	neighbours, indexByUID := podorder.Neighbours{}, in.indexByUID()
	for p := range in.pods {
		if _, ok := in.ownerOf(&in.pods[p], indexByUID); ok {
			neighbours.Add(&in.pods[p])
		}
	}
	return neighbours
}

// keepPods returns the change c reduced to a loss of n pods.
func (in *input) keepPods(c change, n int32) change {
	c.to, c.unhealthy = in.sets[c.set].size-n, min(c.unhealthy, n)
	return c
}

// revision returns the revision that the new ReplicaSet has after the plan, or 0 if it has none.
func (in *input) revision(u *newSetUpdate, created *creation) int64 {
	if created != nil {
		return in.nextRevision
	}
	if n, err := strconv.ParseInt(u.annotations[in.opts.Keys.Revision], 10, 64); u.needed && err == nil {
		return n
	}
	n, _ := in.opts.Keys.Number(in.newSet().rs.Annotations)
	return n
}
