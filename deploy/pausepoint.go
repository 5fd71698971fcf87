package deploy

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
)

// waitsAtPoint reports whether the Deployment is paused because its rollout has come
// to a pause point.
func (st *state) waitsAtPoint() bool {
	if !st.opts.PausePoints || !st.d.Paused || st.newest < 0 || st.d.Strategy == Recreate {
		return false
	}
	token, ok := pausepoint.ParseToken(st.d.Annotations[pausepoint.AnnotationHit])
	return ok && token.Revision == st.revision()
}

// wait plans a pass of a Deployment that waits at a pause point. Old pods in front of the
// point may be deleted, and the point itself if it says so. Nothing is started, so that
// what is inspected stays as it is.
func (st *state) wait() {
	st.hold("", ReasonPaused, 0, 0)
	if st.scalingEvent() {
		st.scale()
	} else {
		st.shrinkOld()
		st.stopAtPoints()
	}
	st.cleanUpHistory()
}

// stopAtPoints keeps old pods behind a pause point, and pauses the Deployment there. Which pods go in which order is what the planner of ReplicaSets decides.
func (st *state) stopAtPoints() {
	if !st.opts.PausePoints || len(st.scaled) == 0 {
		return
	}
	sets, downs := st.scaleDowns()
	order := st.opts.Order
	order.Now, order.Neighbours, order.Related = st.now, st.neighbours(downs), nil
	plan := pausepoint.Decide(order, st.pods, downs, pausepoint.State{
		Name: st.d.Name, UID: st.d.UID, ResourceVersion: st.d.ResourceVersion, Paused: st.d.Paused,
		Token: st.d.Annotations[pausepoint.AnnotationHit], Revision: st.revision(),
	})
	for k, i := range sets {
		if s := &st.sets[i]; plan.Delete[k] < downs[k].N {
			st.hold64(s.rs.Name, ReasonPausePoint, int64(plan.Delete[k]), int64(downs[k].N))
			st.keepPods(i, int32(plan.Delete[k]))
		}
	}
	if p := plan.Pause; p != nil {
		st.trailing = append(st.trailing, PauseDeployment{
			UID: p.UID, ResourceVersion: p.ResourceVersion, Pod: p.Pod, Mode: p.Mode, Reason: ReasonPausePoint,
			Set: map[string]string{pausepoint.AnnotationHit: p.Token},
		})
		st.event(pending, "Normal", "PausePointReached", p.String())
	}
}

// scaleDowns returns the old sets that the plan shrinks and what they lose, with the
// numbers of their active pods.
func (st *state) scaleDowns() (sets []int, downs []pausepoint.ScaleDown) {
	place := make([]int, len(st.sets)) // in downs, plus one
	for _, i := range st.scaled {
		if s := &st.sets[i]; i != st.newest && s.spec < s.from {
			sets = append(sets, i)
			downs = append(downs, pausepoint.ScaleDown{
				Name: s.rs.Name, Pods: []int{}, N: int(s.from - s.spec), Cause: pausepoint.CauseRollout,
			})
			place[i] = len(downs)
		}
	}
	byUID := st.byUID()
	for p := range st.pods {
		owner, ok := st.ownerOf(&st.pods[p], byUID)
		if ok && place[owner] > 0 && st.pods[p].Active() {
			down := &downs[place[owner]-1]
			down.Pods = append(down.Pods, p)
		}
	}
	return sets, downs
}

// neighbours counts the active pods of the Deployment on each node.
func (st *state) neighbours(downs []pausepoint.ScaleDown) podorder.Neighbours {
	if len(downs) == 0 {
		return nil
	}
	neighbours, byUID := podorder.Neighbours{}, st.byUID()
	for p := range st.pods {
		if _, ok := st.ownerOf(&st.pods[p], byUID); ok {
			neighbours.Add(&st.pods[p])
		}
	}
	return neighbours
}

// keepPods lets a set lose n pods instead of what was planned.
func (st *state) keepPods(i int, n int32) {
	s := &st.sets[i]
	s.spec, s.unhealthy = s.from-n, min(s.unhealthy, n)
	if n == 0 {
		s.scaled = false
		st.scaled = slices.DeleteFunc(st.scaled, func(k int) bool { return k == i })
	}
}

// revision returns the revision of the new ReplicaSet, as it is after the plan.
func (st *state) revision() int64 {
	for _, a := range st.plan.Actions {
		switch a := a.(type) {
		case CreateReplicaSet:
			return a.Revision
		case AnnotateReplicaSet:
			if n, err := strconv.ParseInt(a.Set[revision.AnnotationRevision], 10, 64); err == nil {
				return n
			}
		}
	}
	n, _ := revision.Number(st.newSet().rs.Annotations)
	return n
}
